//! Elements that several neighbouring nodes use: what a statement sets before a loop sums up in it, and what is
//! made of it after that.

use std::ops::Range;

use super::accumulate::{Candidate, accesses};
use super::domain::Domain;
use super::walk::{Walk, has_loop};
use crate::kernel::Instruction;
use crate::nest::expression::Access;
use crate::nest::{Assignment, Condition, Node};

impl Walk<'_> {
    /// One node after the other. An element that a loop among them uses is in a register from the first of them
    /// that uses it to the last.
    pub fn list(&mut self, nodes: &[Node], guards: &[Condition]) -> Vec<Instruction> {
        let Some((run, element)) = self.run(nodes) else {
            return nodes.iter().flat_map(|node| self.node(node, guards)).collect();
        };
        let mut all = self.list(&nodes[..run.start], guards);
        all.extend(self.around(vec![element], guards, |walk| walk.list(&nodes[run.clone()], guards)));
        all.extend(self.list(&nodes[run.end..], guards));
        all
    }

    /// Nodes of which one sets an element always, others use it in loops, and none touches anything else of its array.
    fn run(&self, nodes: &[Node]) -> Option<(Range<usize>, Candidate)> {
        nodes.iter().enumerate().find_map(|(at, node)| {
            let Node::Assign(assignment) = node else { return None };
            let element = &assignment.target;
            let fits = |node: &&Node| {
                let of_array = accesses(node).into_iter().filter(|access| access.array == element.array);
                of_array.into_iter().all(|access| access == element)
            };
            let before = nodes[..at].iter().rev().take_while(fits).count();
            let run = at - before..at + nodes[at..].iter().take_while(fits).count();
            let uses = |node: &&Node| accesses(node).contains(&element);
            let is_looped =
                nodes[run.clone()].iter().filter(uses).any(|node| has_loop(std::slice::from_ref(node)));
            if !is_looped || !self.may_be_own(element) {
                return None;
            }
            let first = nodes[run.clone()].iter().find(uses);
            let is_set =
                first.is_some_and(|first| matches!(first, Node::Assign(first) if sets(first, element)));
            let (element, conditions) = (element.clone(), Vec::new());
            Some((run, Candidate { element, conditions, domain: Domain::default(), is_sum: false, is_set }))
        })
    }
}

/// Whether what an element was before makes no difference.
fn sets(assignment: &Assignment, element: &Access) -> bool {
    assignment.target == *element && !assignment.value.reads().contains(&element)
}
