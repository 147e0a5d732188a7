//! The scores of a selector's classes for one input.

use crate::MAX_CHOICES;

/// A number for each class, the higher the better.
pub(super) type Points = [u16; MAX_CHOICES];

/// The scores of a selector's classes; on the stack, because a selection allocates nothing.
pub(crate) struct Scores {
    points: Points,
    count: usize,
    /// The worth of a point.
    unit: f64,
    /// True where a score is a share of the best choice's speed.
    estimates_speed: bool,
}

impl Scores {
    /// Makes the scores of so many classes, where a point is worth `unit`.
    pub(super) fn new(points: Points, count: usize, unit: f64, estimates_speed: bool) -> Self {
        Self { points, count, unit, estimates_speed }
    }

    /// The classes, best first; of equals the earlier one. Each is found when it is asked for: a call rarely wants
    /// the second.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = usize> + '_ {
        let mut taken = 0_u64;
        std::iter::from_fn(move || {
            let left = (0..self.count).filter(|class| taken >> class & 1 == 0);
            let best =
                left.reduce(|best, class| if self.points[class] > self.points[best] { class } else { best })?;
            taken |= 1 << best;
            Some(best)
        })
    }

    /// The confidence in a class, between 0 and 1. It is the share of its comparisons that the class won (machine),
    /// or the share of the best choice's speed that is expected of it (forest).
    pub(crate) fn confidence(&self, class: usize) -> f64 {
        f64::from(self.points[class]) * self.unit
    }

    /// Time over the best choice's time, at least 1, where the selector knows it.
    pub(super) fn expected_slowdown(&self, class: usize) -> Option<f64> {
        self.estimates_speed.then(|| 1.0 / self.confidence(class))
    }
}
