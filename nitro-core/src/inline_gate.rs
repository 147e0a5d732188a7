//! The gate of a function's model beside what a thread remembers. A call whose input it decides is over in a few
//! comparisons, whether or not it has met the input before.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

use crate::model::{MAX_STEPS, Step};
use crate::stats;

/// Room for the steps: a power of two, so that an index that is cut to it is known to be in range.
const ROOM: usize = MAX_STEPS.next_power_of_two();
/// The most leaves of a binary tree of so many steps.
const LEAVES: usize = MAX_STEPS / 2 + 1;

/// A choice that holds for every call with some features.
#[derive(Clone, Copy)]
pub(crate) struct CachedChoice<C> {
    pub(crate) choice: C,
    /// The bit of the choice among those that may not run for an input.
    pub(crate) bit: u64,
    /// True where the constraint has to be asked.
    pub(crate) is_conditional: bool,
    /// The thread's counter of calls that choose it for this reason.
    pub(crate) calls: &'static AtomicU64,
}

impl<C> CachedChoice<C> {
    /// The choice, counted as one more call.
    #[inline]
    pub(crate) fn counted(self) -> C {
        stats::increment(self.calls);
        self.choice
    }

    /// The choice, counted as one more call, where it has no constraint.
    #[inline]
    pub(crate) fn again(self) -> Option<C> {
        (!self.is_conditional).then(|| self.counted())
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

/// The first decision of a gate, kept apart: a choice for all inputs whose feature is not above a threshold. Calls of a
/// function that is worth little time below some size end here, at the price of a branch.
#[derive(Clone, Copy)]
pub struct First<C> {
    choice: CachedChoice<C>,
    threshold: f32,
    column: u16,
}

impl<C: Copy> First<C> {
    /// Makes the decision for one choice, whatever the input.
    pub(crate) fn always(choice: CachedChoice<C>) -> Self {
        Self { choice, threshold: f32::INFINITY, column: LEAF }
    }

    /// Returns the feature that is compared, or a larger number where none is.
    #[inline]
    pub fn column(&self) -> usize {
        usize::from(self.column)
    }

    /// Returns the choice, counted as one more call, for a finite value of the feature that is not above the threshold.
    #[inline]
    pub fn choose(self, value: f64) -> Option<C> {
        let is_below = value as f32 <= self.threshold && value >= f64::MIN;
        is_below.then(|| self.choice.counted())
    }
}

/// A gate resolved for one device, whose columns are the features of the code.
pub(crate) struct InlineGate<C> {
    count: Cell<usize>,
    steps: [Cell<PackedStep>; ROOM],
    leaves: [Cell<Option<CachedChoice<C>>>; LEAVES],
    /// By leaf what runs where a constraint refuses its choice.
    second: [Cell<Option<CachedChoice<C>>>; LEAVES],
}

impl<C: Copy> InlineGate<C> {
    /// Makes an empty gate, which decides nothing.
    pub(crate) const fn new() -> Self {
        Self {
            count: Cell::new(0),
            steps: [const { Cell::new(ASKING) }; ROOM],
            leaves: [const { Cell::new(None) }; LEAVES],
            second: [const { Cell::new(None) }; LEAVES],
        }
    }

    pub(crate) fn clear(&self) {
        self.count.set(0);
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.get() == 0
    }

    /// Returns the first decision, where below its threshold there is nothing left to ask.
    pub(crate) fn first(&self) -> Option<First<C>> {
        let [root, lower] = [self.steps[0].get(), self.steps[1].get()];
        let is_split = !self.is_empty() && root.column < ASK;
        let choice = self.leaf(lower).filter(|choice| is_split && !choice.is_conditional)?;
        Some(First { choice, threshold: root.threshold, column: root.column })
    }

    /// Returns the choice of an end; none of another step and of one that asks.
    #[inline]
    fn leaf(&self, step: PackedStep) -> Option<CachedChoice<C>> {
        if step.column == LEAF { self.leaves.get(usize::from(step.next))?.get() } else { None }
    }

    /// Begins a walk to the decision, where there is a gate.
    #[inline]
    pub(crate) fn walk(&'static self) -> Option<Walk<C>> {
        (!self.is_empty()).then(|| Walk { gate: self, step: self.steps[0].get(), at: 0 })
    }

    /// Returns the second choice of a leaf, by its number.
    pub(crate) fn second(&self, leaf: u16) -> Option<CachedChoice<C>> {
        self.second.get(usize::from(leaf))?.get()
    }

    /// Keeps a gate, unless it is larger than what is kept. `column` gives the feature of the code for one of the
    /// model, and `choice` what the decision of a step means, and what runs where that may not; one that means nothing
    /// asks.
    pub(crate) fn set(
        &self,
        steps: &[Step],
        column: impl Fn(usize) -> usize,
        choice: impl Fn(usize, usize) -> Option<(CachedChoice<C>, Option<CachedChoice<C>>)>,
    ) {
        self.clear();
        if steps.len() > MAX_STEPS {
            return; // a larger one is asked through the model
        }
        let mut leaves = self.leaves.iter().zip(&self.second).zip(0..);
        for (at, (slot, step)) in self.steps.iter().zip(steps).enumerate() {
            let (threshold, column, next) = match *step {
                Step::Split { column: own, threshold, upper } => {
                    (threshold, column(own) as u16, upper as u16)
                }
                Step::Leaf(decision) => match decision.and_then(|own| choice(at, own)).zip(leaves.next()) {
                    Some(((choice, second), ((leaf, second_of_leaf), index))) => {
                        leaf.set(Some(choice));
                        second_of_leaf.set(second);
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
        self.step = if value.is_finite() { self.gate.steps[self.at % ROOM].get() } else { ASKING };
    }

    /// The decision, if there is one.
    #[inline]
    pub(crate) fn decision(&self) -> Option<CachedChoice<C>> {
        self.gate.leaf(self.step)
    }

    /// The number of the leaf where there is a decision.
    #[inline]
    pub(crate) fn leaf(&self) -> u16 {
        self.step.next
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    static CALLS: AtomicU64 = AtomicU64::new(0);

    fn choice(choice: u8, is_conditional: bool) -> CachedChoice<u8> {
        CachedChoice { choice, bit: 1, is_conditional, calls: &CALLS }
    }

    /// A gate that compares feature 3 with 100: this choice below, and one above that is asked about.
    fn first_of(lower: CachedChoice<u8>) -> Option<First<u8>> {
        let gate = InlineGate::new();
        let split = Step::Split { column: 1, threshold: 100.0, upper: 2 };
        gate.set(
            &[split, Step::Leaf(Some(0)), Step::Leaf(None)],
            |column| column + 2,
            |_, _| Some((lower, None)),
        );
        gate.first()
    }

    #[test]
    fn the_first_decision_holds_below_its_threshold_alone() {
        let first = first_of(choice(7, false)).expect("nothing is left to ask below");
        assert_eq!(first.column(), 3);
        for below in [0.0, -5.0, 100.0, f64::MIN] {
            assert_eq!(first.choose(below), Some(7), "{below}");
        }
        for above in [100.01, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(first.choose(above), None, "{above}");
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 4, "what was chosen is counted");
        assert_eq!(First::always(choice(8, false)).choose(0.0), Some(8));
    }

    #[test]
    fn a_constraint_is_no_first_decision() {
        assert!(first_of(choice(7, true)).is_none());
        assert!(InlineGate::<u8>::new().first().is_none());
    }
}
