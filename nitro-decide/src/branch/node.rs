//! Nodes of the tree of a branch and bound, and counts of them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use nitro_search::TreeLevel as Counts;

use crate::candidate::{Candidate, ChoiceId};

/// A state with its bound; the greatest is what to look at next: the smallest bound, then the deepest, then the oldest.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) candidate: Candidate,
    pub(super) bound_ns: f64,
    pub(super) level: usize,
    /// The choice that made it of its parent.
    pub(super) by: Option<ChoiceId>,
    /// The number of those that were made before it.
    pub(super) number: u64,
    /// True if its points are looked at one by one, although they are of one class.
    pub(super) is_open: bool,
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let nearer = other.bound_ns.total_cmp(&self.bound_ns);
        nearer.then(self.level.cmp(&other.level)).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Node {}

/// Counts of a search, by level (the decisions above) and by the choice that made a node of its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// From the root, which is level 0.
    pub levels: Vec<Counts>,
    /// By the choice; the root is made by none.
    pub choices: BTreeMap<ChoiceId, Counts>,
    /// Pruned nodes by level, by the choice and by what takes too long
    /// ([`LowerBound::limit`](super::LowerBound::limit)), where the bound says that.
    pub pruned: BTreeMap<(usize, Option<ChoiceId>, &'static str), u64>,
    /// The number of states that were bounded, those of choices included that were compared and not decided.
    pub bounded: u64,
    /// True if there were more points inside of what was pruned than the plan counts: then their counts say nothing.
    pub has_uncounted: bool,
    /// The number of leaves that were told.
    pub evaluated: u64,
}

impl Statistics {
    /// Adds all levels up.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.levels.iter().fold(Counts::default(), |sum, level| sum.with(level))
    }

    pub(super) fn note(&mut self, level: usize, by: Option<ChoiceId>, note: impl Fn(&mut Counts)) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, Counts::default());
        }
        note(&mut self.levels[level]);
        if let Some(choice) = by {
            note(self.choices.entry(choice).or_default());
        }
    }
}
