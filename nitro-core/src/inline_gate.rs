//! The gate of a function's model beside what a thread remembers. A call whose input it decides is over in a few
//! comparisons, whether or not it has met the input before.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

use crate::model::{MAX_SPLITS, Step};
use crate::stats;

/// The most steps of a gate that is kept here. A larger one is asked through the model.
const STEPS: usize = 2 * MAX_SPLITS + 1;
/// The most leaves of a binary tree of so many steps.
const LEAVES: usize = STEPS / 2 + 1;

/// A choice that holds for every call with some features.
#[derive(Clone, Copy)]
pub(crate) struct CachedChoice<C> {
    pub(crate) choice: C,
    /// True where the constraint has to be asked.
    pub(crate) is_conditional: bool,
    /// The thread's counter of calls that choose it for this reason.
    pub(crate) calls: &'static AtomicU64,
}

impl<C> CachedChoice<C> {
    /// The choice, counted as one more call, where it has no constraint.
    #[inline]
    pub(crate) fn again(self) -> Option<C> {
        (!self.is_conditional && stats::count_again(self.calls)).then_some(self.choice)
    }
}

/// A step in eight bytes.
#[derive(Clone, Copy)]
struct PackedStep {
    threshold: f32,
    /// The feature that is compared; [`LEAF`] or [`ASK`] at an end.
    column: u16,
    /// The next step where the feature is above the threshold; else it is the one behind. At a leaf it is the index
    /// of the choice.
    next: u16,
}

const LEAF: u16 = u16::MAX;
const ASK: u16 = u16::MAX - 1;
/// An end that decides nothing.
const ASKING: PackedStep = PackedStep { threshold: 0.0, column: ASK, next: 0 };

/// A gate resolved for one device, whose columns are the features of the code.
pub(crate) struct InlineGate<C> {
    count: Cell<usize>,
    steps: [Cell<PackedStep>; STEPS],
    leaves: [Cell<Option<CachedChoice<C>>>; LEAVES],
}

impl<C: Copy> InlineGate<C> {
    /// Makes an empty gate, which decides nothing.
    pub(crate) const fn new() -> Self {
        Self {
            count: Cell::new(0),
            steps: [const { Cell::new(ASKING) }; STEPS],
            leaves: [const { Cell::new(None) }; LEAVES],
        }
    }

    pub(crate) fn clear(&self) {
        self.count.set(0);
    }

    /// Decides for one choice from now on, whatever the input.
    pub(crate) fn set_always(&self, choice: CachedChoice<C>) {
        self.leaves[0].set(Some(choice));
        self.steps[0].set(PackedStep { threshold: 0.0, column: LEAF, next: 0 });
        self.count.set(1);
    }

    /// Begins a walk to the decision, where there is a gate.
    #[inline]
    pub(crate) fn walk(&'static self) -> Option<Walk<C>> {
        (self.count.get() > 0).then(|| Walk { gate: self, step: self.steps[0].get(), at: 0 })
    }

    /// Keeps a gate, unless it is larger than what is kept. `column` gives the feature of the code for one of the
    /// model, and `choice` what a decision means; one that means nothing asks.
    pub(crate) fn set(
        &self,
        steps: &[Step],
        column: impl Fn(usize) -> usize,
        choice: impl Fn(usize) -> Option<CachedChoice<C>>,
    ) {
        self.clear();
        if steps.len() > STEPS {
            return;
        }
        let mut leaves = self.leaves.iter().zip(0..);
        for (slot, step) in self.steps.iter().zip(steps) {
            let (threshold, column, next) = match *step {
                Step::Split { column: own, threshold, upper } => {
                    (threshold, column(own) as u16, upper as u16)
                }
                Step::Leaf(decision) => match decision.and_then(&choice).zip(leaves.next()) {
                    Some((choice, (leaf, index))) => {
                        leaf.set(Some(choice));
                        (0.0, LEAF, index)
                    }
                    None => (0.0, ASK, 0),
                },
            };
            slot.set(PackedStep { threshold, column, next });
        }
        self.count.set(steps.len());
    }
}

/// A walk through a gate, which asks for one feature after the other. So no feature is computed that does not matter.
pub struct Walk<C: 'static> {
    gate: &'static InlineGate<C>,
    step: PackedStep,
    at: usize,
}

impl<C: Copy> Walk<C> {
    /// The feature to compare next; none at the end.
    #[inline]
    pub fn column(&self) -> Option<usize> {
        (self.step.column < ASK).then_some(usize::from(self.step.column))
    }

    /// Goes on by the value of that feature among all. One that is not finite is asked about.
    #[inline]
    pub fn compare(&mut self, features: &[f64]) {
        let PackedStep { threshold, column, next } = self.step;
        let value = features.get(usize::from(column)).copied().unwrap_or(f64::NAN);
        self.at = if value as f32 > threshold { usize::from(next) } else { self.at + 1 };
        let step = self.gate.steps.get(self.at).filter(|_| value.is_finite());
        self.step = step.map_or(ASKING, Cell::get);
    }

    /// The decision, if there is one.
    #[inline]
    pub(crate) fn decision(&self) -> Option<CachedChoice<C>> {
        if self.step.column == LEAF { self.gate.leaves.get(usize::from(self.step.next))?.get() } else { None }
    }
}
