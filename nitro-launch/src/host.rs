//! The work of the host: loops and launches, and the values that a grid covers.

use serde::{Deserialize, Serialize};

use crate::{Affine, Variable};

/// The values that an iterator takes: from the largest lower bound to below the smallest upper one.
///
/// ```
/// use nitro_launch::{Affine, Range, Variable};
///
/// let n = Variable::Parameter(0);
/// let range = Range { iterator: 0, lower: vec![Affine::from(1)], upper: vec![n - 1], step: 2, is_reversed: false };
/// assert_eq!(range.values(&|_| 7).collect::<Vec<_>>(), [1, 3, 5]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Range {
    /// Index of the iterator in the nest's list.
    pub iterator: usize,
    /// The iterator is at least each of these; there is one at least.
    pub lower: Vec<Affine>,
    /// The iterator is below each of these; there is one at least.
    pub upper: Vec<Affine>,
    /// The distance of two values, at least 1. Where it is not 1 there is one lower bound.
    pub step: i64,
    /// True where the largest value comes first. Then the step is 1.
    pub is_reversed: bool,
}

/// A step of the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Host {
    /// Repeats for each value of an iterator, which kernels in it take.
    Loop(Range, Vec<Host>),
    /// Launches a kernel: its index in the program's list. It begins when the one before has ended.
    Launch(usize),
}

/// Values that threads share out among them: from the largest lower bound to below the smallest upper one, each
/// `step`-th.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extent {
    /// There is one at least. Bounds are of sizes and iterators of the host.
    pub lower: Vec<Affine>,
    /// There is one at least.
    pub upper: Vec<Affine>,
    /// The distance of two values.
    pub step: i64,
}

impl Range {
    /// The values for these values of the variables, in order.
    ///
    /// # Panics
    /// When there is no lower or no upper bound.
    pub fn values(&self, value: &dyn Fn(Variable) -> i64) -> impl Iterator<Item = i64> + use<> {
        let [lower, upper] = bounds(&self.lower, &self.upper, value);
        let (mut next, is_reversed) =
            (if self.is_reversed { upper.saturating_sub(1) } else { lower }, self.is_reversed);
        let step = if is_reversed { -1 } else { self.step };
        std::iter::from_fn(move || {
            let value = (lower..upper).contains(&next).then_some(next);
            next = next.saturating_add(step);
            value
        })
    }
}

impl Extent {
    /// Returns the number of values, for these values of the variables.
    ///
    /// # Panics
    /// When there is no lower or no upper bound.
    #[must_use]
    pub fn count(&self, value: &dyn Fn(Variable) -> i64) -> u64 {
        let [lower, upper] = bounds(&self.lower, &self.upper, value);
        let length = upper.saturating_sub(lower).max(0) as u64;
        length.div_ceil(self.step.max(1) as u64)
    }
}

/// The largest lower bound and the smallest upper one.
fn bounds(lower: &[Affine], upper: &[Affine], value: &dyn Fn(Variable) -> i64) -> [i64; 2] {
    let lower = lower.iter().map(|bound| bound.evaluate(value)).max().expect("there is a lower bound");
    let upper = upper.iter().map(|bound| bound.evaluate(value)).min().expect("there is an upper bound");
    [lower, upper]
}
