//! What the threads of a row may keep in registers from step to step.

use super::is_needed;
use crate::lower::bounds::{iterator, mentions};
use crate::lower::row_kernels::Step;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Nest, Node, Range, has_loop};

/// The most registers of a thread for values of rows.
const MOST_KEPT: i64 = 64;

/// The arrays whose rows are kept, before they have registers.
pub(super) struct Found {
    /// The loops over the values, of which the last one may be shared out in groups of neighbours.
    pub(super) ranges: Vec<Range>,
    pub(super) arrays: Vec<KeptArray>,
}

/// An array of which a thread keeps its values of a row.
#[derive(Clone)]
pub(super) struct KeptArray {
    /// The element, in loops whose iterators are those of the ranges.
    pub(super) element: Access,
    /// The step that begins with reading them from memory, if that is where they come from.
    pub(super) loads: Option<usize>,
    /// The last step that writes them, which stores them, where somebody needs them.
    pub(super) stores: Option<usize>,
}

/// The steps of a row, among which what is kept is looked for.
#[derive(Clone, Copy)]
pub(super) struct Steps<'s, 'n> {
    pub(super) all: &'s [(Vec<&'n Condition>, Step<'n>)],
    /// The outermost loops of those whose loops threads may share out together.
    pub(super) together: &'s [usize],
}

/// Finds arrays of which several steps touch the same elements, all of them in loops over the same values.
///
/// How many these are has to be the same for all rows of a block. What is under a condition stays in memory. Where
/// there are none and threads may have neighbouring values (`is_wide`), it is what steps read once, so that it comes
/// several at once.
pub(super) fn find_kept(
    nest: &Nest,
    statements: &[usize],
    steps: Steps<'_, '_>,
    numbers: &[usize],
    (points, is_wide): (i64, bool),
) -> Option<Found> {
    if points < 2 {
        return None;
    }
    let ranges = steps.all.iter().find_map(|step| steps.plain_loops(step, numbers))?.0;
    let ranges: Vec<Range> = ranges.into_iter().cloned().collect();
    let arrays =
        (0..nest.arrays.len()).filter_map(|array| kept_array(nest, statements, steps, array, &ranges));
    let most = (MOST_KEPT / points) as usize;
    let mut arrays: Vec<KeptArray> = arrays.take(most).collect();
    if arrays.is_empty() && is_wide {
        let each = (0..nest.arrays.len()).filter_map(|array| read_once(steps, array, &ranges, numbers));
        arrays = each.take(most).collect();
    }
    (!arrays.is_empty()).then_some(Found { ranges, arrays })
}

impl<'n> Steps<'_, 'n> {
    /// Returns the loops of a step, and what is in them, if these are one, or several that are shared out together,
    /// as long for all rows and always run.
    fn plain_loops(
        &self,
        (conditions, step): &(Vec<&Condition>, Step<'n>),
        numbers: &[usize],
    ) -> Option<(Vec<&'n Range>, &'n [Node])> {
        let Step::Loop(_, node) = *step else { return None };
        let (ranges, body) = self.loops_of(node)?;
        let is_single = |range: &&Range| range.lower.len() == 1 && range.upper.len() == 1;
        let mut bounds = ranges.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
        let is_plain = conditions.is_empty() && !bounds.any(|bound| mentions(bound, numbers));
        (is_plain && ranges.iter().all(is_single)).then_some((ranges, body))
    }

    /// Returns the loops of a node, and what is in them, if these are one, or several that are shared out together.
    pub(super) fn loops_of(&self, node: &'n Node) -> Option<(Vec<&'n Range>, &'n [Node])> {
        let Node::Loop(outer, inside) = node else { return None };
        let (mut ranges, mut body) = (vec![outer], &inside[..]);
        while let (true, [Node::Loop(range, inside)]) = (self.together.contains(&outer.iterator), body) {
            ranges.push(range);
            body = inside;
        }
        (!has_loop(body)).then_some((ranges, body))
    }
}

/// Returns what is kept of an array, if anything.
fn kept_array(
    nest: &Nest,
    statements: &[usize],
    steps: Steps<'_, '_>,
    array: usize,
    ranges: &[Range],
) -> Option<KeptArray> {
    let mut assignments = steps.all.iter().flat_map(|(_, step)| step.assignments());
    if !assignments.any(|assignment| assignment.target.array == array) {
        return kept_input(steps, array, ranges);
    }
    let (mut kept, count) = touched_array(steps, array, ranges, 0..steps.all.len())?;
    if count < 2 {
        return None;
    }
    if !is_needed(nest, statements, array) {
        kept.stores = None;
    }
    Some(kept)
}

/// Returns what is kept of an array of which one step alone reads an element of the row for each value.
fn read_once(steps: Steps<'_, '_>, array: usize, ranges: &[Range], numbers: &[usize]) -> Option<KeptArray> {
    let (kept, count) = touched_array(steps, array, ranges, 0..steps.all.len())?;
    let is_read = kept.loads.is_some() && kept.stores.is_none();
    (is_read && count == 1 && (numbers.is_empty() || kept.element.depends_on(numbers))).then_some(kept)
}

/// Returns what is kept of an array that is only read: the first element that two steps read, whatever they compare.
fn kept_input(steps: Steps<'_, '_>, array: usize, ranges: &[Range]) -> Option<KeptArray> {
    let mut found: Vec<(usize, Access)> = Vec::new();
    for (at, step) in steps.all.iter().enumerate() {
        let loops = steps.plain_loops(step, &[]).filter(|(own, _)| are_same_values(own, ranges));
        let Some((own, body)) = loops else { continue };
        let iterators: Vec<usize> = own.iter().map(|range| range.iterator).collect();
        let mut reads = Vec::new();
        for node in body {
            if let Node::Assign(assignment) = node {
                gather_always(&assignment.value, &mut reads);
            }
        }
        reads.retain(|read| read.array == array && read.depends_on_each(&iterators));
        found.extend(reads.into_iter().map(|read| (at, in_ranges(read, &own, ranges))));
    }
    let is_read_again =
        |(at, element): &&(usize, Access)| found.iter().any(|(other, again)| other > at && again == element);
    let (at, element) = found.iter().find(is_read_again)?.clone();
    Some(KeptArray { element, loads: Some(at), stores: None })
}

/// Returns what these steps touch of an array, if that is one element for each value, and in how many steps.
///
/// None: it is more, or under a condition.
pub(super) fn touched_array(
    steps: Steps<'_, '_>,
    array: usize,
    ranges: &[Range],
    among: std::ops::Range<usize>,
) -> Option<(KeptArray, usize)> {
    let touches = |assignment: &Assignment| assignment.accesses().iter().any(|access| access.array == array);
    let mut kept: Option<KeptArray> = None;
    let mut count = 0;
    for (at, step) in steps.all.iter().enumerate().filter(|(at, _)| among.contains(at)) {
        if !step.1.assignments().into_iter().any(touches) {
            continue;
        }
        let (own, body) = steps.plain_loops(step, &[]).filter(|(own, _)| are_same_values(own, ranges))?;
        count += 1;
        for node in body {
            let Node::Assign(assignment) = node else {
                if node.assignments().into_iter().any(touches) {
                    return None;
                }
                continue;
            };
            let mut accesses = assignment.accesses();
            accesses.retain(|access| access.array == array);
            let Some(first) = accesses.first() else { continue };
            if kept.is_none() {
                kept = Some(first_touch(assignment, at, in_ranges(first, &own, ranges))?);
            }
            let kept = kept.as_mut().expect("it is there since the first touch");
            if accesses.iter().any(|access| in_ranges(access, &own, ranges) != kept.element) {
                return None;
            }
            if assignment.target.array == array {
                kept.stores = Some(at);
            }
        }
    }
    let iterators: Vec<usize> = ranges.iter().map(|range| range.iterator).collect();
    kept.filter(|kept| kept.element.depends_on_each(&iterators)).map(|kept| (kept, count))
}

/// Returns what the first statement that touches an element needs; none: it may read it or not.
fn first_touch(assignment: &Assignment, step: usize, element: Access) -> Option<KeptArray> {
    let array = element.array;
    let is_read = assignment.value.reads().iter().any(|read| read.array == array);
    // What may not be evaluated need not be an element.
    let mut always = Vec::new();
    gather_always(&assignment.value, &mut always);
    (!is_read || always.iter().any(|read| read.array == array)).then_some(KeptArray {
        element,
        loads: is_read.then_some(step),
        stores: None,
    })
}

/// Returns an element of loops as one of the loops whose values are kept.
pub(super) fn in_ranges(element: &Access, own: &[&Range], ranges: &[Range]) -> Access {
    let pairs = own.iter().zip(ranges);
    pairs.fold(element.clone(), |element, (own, range)| element.with(own.iterator, &iterator(range.iterator)))
}

pub(super) fn are_same_values(some: &[&Range], others: &[Range]) -> bool {
    let values = |range: &Range| (range.lower.clone(), range.upper.clone(), range.step);
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| values(one) == values(other))
}

/// Gathers what a value reads whatever it compares.
fn gather_always<'e>(value: &'e Expression, found: &mut Vec<&'e Access>) {
    match value {
        Expression::Load(access) => found.push(access),
        Expression::Select(select) => {
            gather_always(&select.left, found);
            gather_always(&select.right, found);
        }
        other => other.parts().into_iter().for_each(|part| gather_always(part, found)),
    }
}
