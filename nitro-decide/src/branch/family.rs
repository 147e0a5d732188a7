//! The choice that is decided next, with what becomes of a state by each of its values.

use std::collections::BTreeMap;

use super::node::Node;
use super::{BranchAndBound, LowerBound};
use crate::candidate::{Candidate, ChoiceId};

/// The children of a state by one choice.
pub(super) struct Family {
    pub(super) choice: ChoiceId,
    /// One a value, with its bound in nanoseconds; none where nothing is left of it.
    pub(super) children: Vec<Option<(Candidate, f64)>>,
}

impl Family {
    /// Returns the least bound of a child; infinity where nothing is left of any.
    fn least_ns(&self) -> f64 {
        self.children.iter().flatten().map(|child| child.1).fold(f64::INFINITY, f64::min)
    }
}

/// What deciding a choice added to bounds so far.
#[derive(Default)]
pub(super) struct Gains {
    /// The sum of the gains and their number, by choice.
    by_choice: BTreeMap<ChoiceId, (f64, u32)>,
    compared: usize,
}

impl Gains {
    /// Returns the mean share by which the least bound of children was above that of their parent.
    fn mean(&self, choice: ChoiceId) -> f64 {
        self.by_choice.get(&choice).map_or(0.0, |(sum, count)| sum / f64::from(*count))
    }

    fn note(&mut self, choice: ChoiceId, parent_ns: f64, least_ns: f64) {
        let own = self.by_choice.entry(choice).or_default();
        let gain = if parent_ns > 0.0 { (least_ns / parent_ns - 1.0).min(1.0) } else { 0.0 };
        *own = (own.0 + gain, own.1 + 1);
    }
}

impl<B: LowerBound> BranchAndBound<B> {
    /// Decides what is decided next; none where nothing is open.
    ///
    /// In the first states all open choices are compared: the one whose children have the largest least bound is taken,
    /// so that most is known of all of them; of equals the first. Later the one is taken that gained most then.
    pub(super) fn family(&mut self, node: &Node) -> Option<Family> {
        let first = node.candidate.first_open()?;
        let mut open = self.bound.order(&node.candidate, usize::MAX);
        open.retain(|choice| node.candidate.values(*choice).len() > 1);
        // Something that matters is open: where nothing does the state is a class, and comes here once it is open.
        if !node.is_open {
            open.retain(|&choice| self.matters(&node.candidate, choice));
        }
        if self.gains.compared < self.plan.compared {
            return self.largest(node, open);
        }
        open.sort_by(|one, other| self.gains.mean(*other).total_cmp(&self.gains.mean(*one)));
        Some(self.family_of(node, open.first().copied().unwrap_or(first)))
    }

    /// Compares choices by the bounds of their children.
    fn largest(&mut self, node: &Node, open: Vec<ChoiceId>) -> Option<Family> {
        self.gains.compared += 1;
        let mut best: Option<Family> = None;
        for choice in open {
            let family = self.family_of(node, choice);
            self.gains.note(choice, node.bound_ns, family.least_ns());
            if best.as_ref().is_none_or(|best| family.least_ns() > best.least_ns()) {
                best = Some(family);
            }
        }
        best
    }

    fn family_of(&mut self, node: &Node, choice: ChoiceId) -> Family {
        // What holds for a family holds for its part.
        let bounded = |child: Candidate| {
            let bound_ns = node.bound_ns.max(self.bound.bound_ns(&child));
            (child, bound_ns)
        };
        let parts = match self.plan.classes.is_some() && !node.is_open {
            true => self.bound.parts(&node.candidate, choice),
            false => node.candidate.values(choice).each().collect(),
        };
        let children: Vec<_> =
            parts.into_iter().map(|part| node.candidate.part(choice, part).map(bounded)).collect();
        self.statistics.bounded += children.iter().flatten().count() as u64;
        Family { choice, children }
    }
}
