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

impl PackedStep {
    /// Returns the place of the step that follows this one, which is at a place, for a finite value of its feature.
    #[inline]
    fn behind(self, at: usize, value: f64) -> usize {
        if value as f32 > self.threshold { usize::from(self.next) } else { at + 1 }
    }
}

const LEAF: u16 = u16::MAX;
const ASK: u16 = u16::MAX - 1;
/// An end that decides nothing.
const ASKING: PackedStep = PackedStep { threshold: 0.0, column: ASK, next: 0 };

/// The first decision of a gate, kept apart: a choice for all inputs of which one feature is in a range. Calls of a
/// function that is worth little time below some size end here, at the price of a branch.
#[derive(Clone, Copy)]
pub(crate) struct First<C> {
    /// Finite, as the other end is.
    least: f64,
    most: f64,
    column: usize,
    choice: Option<CachedChoice<C>>,
}

impl<C: Copy> First<C> {
    /// Decides nothing.
    pub(crate) const NONE: Self = Self { least: 0.0, most: 0.0, column: usize::MAX, choice: None };

    /// Returns the choice, counted as one more call, where its feature is in the range; NaN never is.
    #[inline]
    pub(crate) fn choose(self, feature: impl Fn(usize) -> f64) -> Option<C> {
        let value = feature(self.column);
        if value <= self.most && value >= self.least { self.choice.map(CachedChoice::counted) } else { None }
    }
}

/// A gate resolved for one device, whose columns are the features of the code.
pub(crate) struct InlineGate<C> {
    steps: [Cell<PackedStep>; ROOM],
    leaves: [Cell<Option<CachedChoice<C>>>; LEAVES],
    /// By leaf what runs where a constraint refuses its choice.
    second: [Cell<Option<CachedChoice<C>>>; LEAVES],
}

impl<C: Copy> InlineGate<C> {
    /// Makes an empty gate, which decides nothing.
    pub(crate) const fn new() -> Self {
        Self {
            steps: [const { Cell::new(ASKING) }; ROOM],
            leaves: [const { Cell::new(None) }; LEAVES],
            second: [const { Cell::new(None) }; LEAVES],
        }
    }

    pub(crate) fn clear(&self) {
        self.steps[0].set(ASKING);
    }

    /// Keeps a gate that makes one choice for every input.
    pub(crate) fn set_constant(&self, choice: CachedChoice<C>) {
        self.set(&[Step::Leaf(Some(0))], |column| column, |_, _| Some((choice, None)));
    }

    /// Returns the first decision of a function of so many features, behind which there is a 0: for every input where
    /// the gate begins with its end, else where one comparison makes it, on the lower side or on the upper one.
    pub(crate) fn first(&self, features: usize) -> First<C> {
        let root = self.steps[0].get();
        if root.column >= ASK {
            return First { least: 0.0, most: 0.0, column: features, choice: self.unconditional(0) };
        }
        // A number that is not above the threshold is not so when it is rounded either.
        let (highest, next) = (f64::from(root.threshold), f64::from(root.threshold.next_up()));
        let (least, most, choice) = match self.unconditional(1) {
            Some(lower) => (f64::MIN, highest, Some(lower)),
            None => (next, f64::MAX, self.unconditional(root.next.into())),
        };
        First { least, most, column: root.column.into(), choice }
    }

    /// Returns the choice of a step, if it is an end without a constraint.
    fn unconditional(&self, at: usize) -> Option<CachedChoice<C>> {
        self.leaf(self.steps[at % ROOM].get()).filter(|own| !own.is_conditional)
    }

    /// Returns the choice at the end of a walk, or the second one where a constraint refuses that, counted as one more
    /// call; none where the end asks, where `admits` does not know of a constraint, or where a feature on the way is
    /// finite neither among `features` nor computed.
    #[inline]
    pub(crate) fn at_once(
        &self,
        features: &mut [f64],
        feature: impl Fn(usize) -> f64,
        admits: impl Fn(C) -> Option<bool>,
    ) -> Option<C> {
        let (mut at, mut step) = (0, self.steps[0].get());
        while let Some(value) = features.get_mut(usize::from(step.column)) {
            if !value.is_finite() {
                *value = feature(step.column.into());
                if !value.is_finite() {
                    return None;
                }
            }
            at = step.behind(at, *value);
            step = self.steps[at % ROOM].get();
        }
        let choice = self.leaf(step)?;
        if !choice.is_conditional {
            return Some(choice.counted());
        }
        let second = self.second(step.next);
        if admits(choice.choice)? {
            return Some(choice.counted());
        }
        let second = second?;
        (!second.is_conditional || admits(second.choice)?).then(|| second.counted())
    }

    /// Returns the choice of an end; none of another step and of one that asks.
    #[inline]
    fn leaf(&self, step: PackedStep) -> Option<CachedChoice<C>> {
        if step.column == LEAF { self.leaves.get(usize::from(step.next))?.get() } else { None }
    }

    /// Begins a walk to the decision, where there is a gate that may make one.
    #[inline]
    pub(crate) fn walk(&'static self) -> Option<Walk<C>> {
        let step = self.steps[0].get();
        (step.column != ASK).then_some(Walk { gate: self, step, at: 0 })
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
        let value = features.get(usize::from(self.step.column)).copied().unwrap_or(f64::NAN);
        self.at = self.step.behind(self.at, value);
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

    /// The first decision of a gate that compares feature 1 with 100, from the choices below and above.
    fn first(lower: Option<CachedChoice<u8>>, upper: Option<CachedChoice<u8>>) -> First<u8> {
        let gate = InlineGate::new();
        let split = Step::Split { column: 0, threshold: 100.0, upper: 2 };
        let steps = [split, Step::Leaf(Some(0)), Step::Leaf(Some(1))];
        let choice = |_, choice| Some(([lower, upper][choice]?, None));
        gate.set(&steps, |column| column + 1, choice);
        gate.first(2)
    }

    #[test]
    fn the_first_decision_holds_on_its_side_of_the_threshold_alone() {
        let (below, above) = ([0.0, -5.0, 100.0, f64::MIN], [100.01, 7e9, f64::MAX]);
        for (first, decided, asked) in [
            (first(Some(choice(7, false)), None), &below[..], &above[..]),
            (first(None, Some(choice(7, false))), &above[..], &below[..]),
            (first(Some(choice(7, false)), Some(choice(8, false))), &below[..], &above[..]),
        ] {
            for &value in decided {
                assert_eq!(first.choose(|column| [9e9, value][column]), Some(7), "{value}");
            }
            for &value in asked.iter().chain(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]) {
                assert_eq!(first.choose(|column| [0.0, value][column]), None, "{value}");
            }
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 11, "what was chosen is counted");
        let constant = InlineGate::new();
        constant.set_constant(choice(8, false));
        assert_eq!(constant.first(1).choose(|column| [f64::NAN, 0.0][column]), Some(8));
    }

    #[test]
    fn a_walk_ends_where_something_is_left_to_ask() {
        static OWN_CALLS: AtomicU64 = AtomicU64::new(0);
        let gate = InlineGate::new();
        let split = |column, upper| Step::Split { column, threshold: 10.0, upper };
        let steps = [split(0, 4), split(1, 3), Step::Leaf(Some(0)), Step::Leaf(None), Step::Leaf(Some(1))];
        let choice = |_, own| Some((CachedChoice { calls: &OWN_CALLS, ..choice(own as u8, own == 1) }, None));
        gate.set(&steps, |column| column, choice);
        let at_once =
            |mut features: [f64; 2], computed: f64| gate.at_once(&mut features, |_| computed, |_| None);
        assert_eq!(at_once([5.0, 10.0], f64::NAN), Some(0));
        for asked in [[5.0, 11.0], [11.0, 5.0], [5.0, f64::NAN]] {
            assert_eq!(at_once(asked, f64::NAN), None, "{asked:?}");
        }
        assert_eq!(at_once([5.0, f64::NAN], 10.0), Some(0), "computed where it is compared");
        assert_eq!(OWN_CALLS.load(Ordering::Relaxed), 2, "what was chosen is counted");
        gate.clear();
        assert_eq!(at_once([5.0, 10.0], f64::NAN), None);
    }

    #[test]
    fn a_constraint_decides_at_once_as_far_as_it_is_known() {
        static OWN_CALLS: AtomicU64 = AtomicU64::new(0);
        let gate = InlineGate::new();
        let counted = |own, is_conditional| CachedChoice { calls: &OWN_CALLS, ..choice(own, is_conditional) };
        let second = |own: usize| if own == 0 { counted(9, false) } else { counted(8, true) };
        let steps =
            [Step::Split { column: 0, threshold: 10.0, upper: 2 }, Step::Leaf(Some(0)), Step::Leaf(Some(1))];
        gate.set(&steps, |column| column, |_, own| Some((counted(own as u8, true), Some(second(own)))));
        let at_once =
            |feature: f64, admits: &dyn Fn(u8) -> Option<bool>| gate.at_once(&mut [feature], |_| 0.0, admits);
        assert_eq!(at_once(5.0, &|_| Some(true)), Some(0));
        assert_eq!(at_once(5.0, &|_| Some(false)), Some(9), "the second choice has no constraint");
        assert_eq!(at_once(5.0, &|_| None), None);
        assert_eq!(at_once(11.0, &|own| Some(own == 8)), Some(8));
        assert_eq!(at_once(11.0, &|_| Some(false)), None);
        assert_eq!(at_once(11.0, &|own| (own == 1).then_some(false)), None, "of the second nothing is known");
        assert_eq!(OWN_CALLS.load(Ordering::Relaxed), 3, "what was chosen is counted");
    }

    #[test]
    fn a_constraint_is_no_first_decision() {
        assert_eq!(first(Some(choice(7, true)), None).choose(|_| 0.0), None);
        assert_eq!(InlineGate::<u8>::new().first(1).choose(|_| 0.0), None);
    }
}
