//! Elements that several neighbouring nodes use.
//!
//! As where a statement sets what a loop sums up in after it, and another one makes something of the sum.

use std::ops::Range;

use super::accumulate::{Candidate, Content, may_be_own, with_registers};
use super::body::write_node;
use super::context::Context;
use crate::kernel::Instruction;
use crate::nest::expression::Access;
use crate::nest::{Assignment, Condition, Node, has_loop};

/// Writes one node after the other.
///
/// An element that a loop among them uses is in a register from the first of them that uses it to the last.
pub(super) fn write_list(
    context: &mut Context<'_>,
    nodes: &[Node],
    guards: &[Condition],
) -> Vec<Instruction> {
    let Some((run, element)) = find_run(context, nodes) else {
        return nodes.iter().flat_map(|node| write_node(context, node, guards)).collect();
    };
    let mut all = write_list(context, &nodes[..run.start], guards);
    all.extend(with_registers(context, vec![element], guards, |context| {
        write_list(context, &nodes[run.clone()], guards)
    }));
    all.extend(write_list(context, &nodes[run.end..], guards));
    all
}

/// Finds nodes of which one sets an element always, and others use it in loops.
fn find_run(context: &Context<'_>, nodes: &[Node]) -> Option<(Range<usize>, Candidate)> {
    nodes.iter().enumerate().find_map(|(at, node)| {
        let Node::Assign(assignment) = node else { return None };
        let element = &assignment.target;
        // The register pays only if a loop uses it.
        let run = run_around(nodes, at, element);
        let users: Vec<&Node> = nodes[run.clone()].iter().filter(|node| uses(node, element)).collect();
        let is_looped = users.iter().any(|node| has_loop(std::slice::from_ref(*node)));
        if !is_looped || !may_be_own(context, element) {
            return None;
        }
        let is_set = matches!(users.first(), Some(Node::Assign(first)) if sets(first, element));
        let content = if is_set { Content::Unset } else { Content::Element };
        Some((run, Candidate::here(element, content)))
    })
}

/// Returns the nodes around one that touch nothing of the element's array besides the element.
fn run_around(nodes: &[Node], at: usize, element: &Access) -> Range<usize> {
    let before = nodes[..at].iter().rev().take_while(|node| touches_alone(node, element)).count();
    let after = nodes[at..].iter().take_while(|node| touches_alone(node, element)).count();
    at - before..at + after
}

fn touches_alone(node: &Node, element: &Access) -> bool {
    node.assignments()
        .iter()
        .flat_map(|assignment| assignment.accesses())
        .all(|access| access.array != element.array || access == element)
}

fn uses(node: &Node, element: &Access) -> bool {
    node.assignments().iter().any(|assignment| assignment.accesses().contains(&element))
}

/// Returns `true` if what an element was before makes no difference.
fn sets(assignment: &Assignment, element: &Access) -> bool {
    assignment.target == *element && !assignment.value.reads().contains(&element)
}
