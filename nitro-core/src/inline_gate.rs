//! The gate of a function's model beside what a thread remembers. A call whose input it decides is over in a few
//! comparisons, whether or not it has met the input before.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

use crate::model::Step;

/// The most steps of a gate that is kept here. A larger one is asked through the model.
const STEPS: usize = 31;
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
            steps: [const { Cell::new(PackedStep { threshold: 0.0, column: ASK, next: 0 }) }; STEPS],
            leaves: [const { Cell::new(None) }; LEAVES],
        }
    }

    pub(crate) fn clear(&self) {
        self.count.set(0);
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

    /// Decides for the features of an input. None where the gate asks, where a feature that it looks at is not
    /// finite, and where there is no gate.
    #[inline]
    pub(crate) fn decide<const N: usize>(&self, features: &[f64; N]) -> Option<CachedChoice<C>> {
        // Of the others, which were not computed, each is 0: these are the features of the gate.
        if self.count.get() == 0 || !features.iter().all(|feature| feature.is_finite()) {
            return None;
        }
        let mut at = 0;
        loop {
            let PackedStep { threshold, column, next } = self.steps.get(at)?.get();
            let Some(&value) = features.get(usize::from(column)) else {
                return if column == LEAF { self.leaves.get(usize::from(next))?.get() } else { None };
            };
            at = if value as f32 > threshold { usize::from(next) } else { at + 1 };
        }
    }
}
