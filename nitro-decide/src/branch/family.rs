//! The choice that is decided next, with what becomes of a state by each of its values.

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

impl<B: LowerBound> BranchAndBound<B> {
    /// Decides what is decided next: of the first open choices the one whose children have the largest least bound, so
    /// that most is known of all of them; of equals the first. None where nothing is open.
    pub(super) fn family(&mut self, node: &Node) -> Option<Family> {
        let first = node.candidate.first_open()?;
        let open = self.bound.order(&node.candidate, self.plan.compared.max(1)).into_iter();
        let mut open = open.filter(|choice| node.candidate.values(*choice).len() > 1);
        let mut best = self.family_of(node, open.next().unwrap_or(first));
        for choice in open {
            let other = self.family_of(node, choice);
            if other.least_ns() > best.least_ns() {
                best = other;
            }
        }
        Some(best)
    }

    fn family_of(&mut self, node: &Node, choice: ChoiceId) -> Family {
        // What holds for a family holds for its part.
        let bounded = |child: Candidate| {
            let bound_ns = node.bound_ns.max(self.bound.bound_ns(&child));
            (child, bound_ns)
        };
        let children: Vec<_> = node.candidate.children(choice).map(|(_, child)| child.map(bounded)).collect();
        self.statistics.bounded += children.iter().flatten().count() as u64;
        Family { choice, children }
    }
}
