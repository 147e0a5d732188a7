//! Values of a row that its threads keep in registers from step to step.

use super::is_needed;
use super::wide::Wide;
use crate::kernel::{Instruction, Space, Unroll, WIDE};
use crate::lower::bounds::{count_to, iterator, mentions};
use crate::lower::row_kernels::Step;
use crate::lower::threads::context::Context;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Expression};
use crate::nest::{Assignment, Condition, Nest, Node, Range, has_loop};

/// The most registers of a thread for values of rows.
const MOST_KEPT: i64 = 64;

/// The arrays whose rows are kept, before they have registers.
pub(super) struct Found {
    pub(super) range: Range,
    pub(super) arrays: Vec<KeptArray>,
}

/// An array of which a thread keeps its values of a row.
#[derive(Clone)]
pub(super) struct KeptArray {
    /// The element, in a loop whose iterator is that of the range.
    pub(super) element: Access,
    /// The step that begins with reading them from memory, if that is where they come from.
    pub(super) loads: Option<usize>,
    /// The last step that writes them, which stores them, where somebody needs them.
    pub(super) stores: Option<usize>,
}

/// The arrays whose rows are kept, with their registers.
pub(super) struct KeptRows {
    pub(super) found: Found,
    /// How a thread has neighbouring values, if it has.
    pub(super) wide: Option<Wide>,
    /// The array of registers of each of them.
    registers: Vec<usize>,
    /// The values that a thread keeps of each.
    points: i64,
    /// The iterator that numbers them.
    point: usize,
}

/// The rows that are kept, in the loop of a step.
pub(super) struct Kept<'k> {
    pub(super) rows: &'k KeptRows,
    pub(super) step: usize,
    pub(super) iterator: usize,
}

/// Finds arrays of which several steps touch the same elements, all of them in loops over the same values.
///
/// How many these are has to be the same for all rows of a block. What is under a condition stays in memory. Where
/// there are none and threads may have neighbouring values (`is_wide`), it is what steps read once, so that it comes
/// several at once.
pub(super) fn find_kept(
    nest: &Nest,
    statements: &[usize],
    steps: &[(Vec<&Condition>, Step<'_>)],
    numbers: &[usize],
    (points, is_wide): (i64, bool),
) -> Option<Found> {
    if points < 2 {
        return None;
    }
    let range = steps.iter().find_map(|step| simple_loop(step, numbers))?.0.clone();
    let arrays =
        (0..nest.arrays.len()).filter_map(|array| kept_array(nest, statements, steps, array, &range));
    let most = (MOST_KEPT / points) as usize;
    let mut arrays: Vec<KeptArray> = arrays.take(most).collect();
    if arrays.is_empty() && is_wide {
        let each = (0..nest.arrays.len()).filter_map(|array| read_once(steps, array, &range, numbers));
        arrays = each.take(most).collect();
    }
    (!arrays.is_empty()).then_some(Found { range, arrays })
}

/// Returns the loop of a step, and what is in it, if it is a single loop as long for all rows and always run.
fn simple_loop<'n>(
    (conditions, step): &(Vec<&Condition>, Step<'n>),
    numbers: &[usize],
) -> Option<(&'n Range, &'n [Node])> {
    let Step::Loop(range, node) = *step else { return None };
    let (body, mut bounds) = (node.body(), range.lower.iter().chain(&range.upper));
    let is_single = range.lower.len() == 1 && range.upper.len() == 1 && !has_loop(body);
    (is_single && conditions.is_empty() && !bounds.any(|bound| mentions(bound, numbers)))
        .then_some((range, body))
}

/// Returns what is kept of an array, if anything.
fn kept_array(
    nest: &Nest,
    statements: &[usize],
    steps: &[(Vec<&Condition>, Step<'_>)],
    array: usize,
    range: &Range,
) -> Option<KeptArray> {
    let mut assignments = steps.iter().flat_map(|(_, step)| step.assignments());
    if !assignments.any(|assignment| assignment.target.array == array) {
        return kept_input(steps, array, range);
    }
    let (mut kept, count) = touched_array(steps, array, range, 0..steps.len())?;
    if count < 2 {
        return None;
    }
    if !is_needed(nest, statements, array) {
        kept.stores = None;
    }
    Some(kept)
}

/// Returns what is kept of an array of which one step alone reads an element of the row for each value.
fn read_once(
    steps: &[(Vec<&Condition>, Step<'_>)],
    array: usize,
    range: &Range,
    numbers: &[usize],
) -> Option<KeptArray> {
    let (kept, count) = touched_array(steps, array, range, 0..steps.len())?;
    let is_read = kept.loads.is_some() && kept.stores.is_none();
    (is_read && count == 1 && (numbers.is_empty() || kept.element.depends_on(numbers))).then_some(kept)
}

/// Returns what is kept of an array that is only read: the first element that two steps read, whatever they compare.
fn kept_input(steps: &[(Vec<&Condition>, Step<'_>)], array: usize, range: &Range) -> Option<KeptArray> {
    let mut found: Vec<(usize, Access)> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Some((own, body)) = simple_loop(step, &[]).filter(|(own, _)| are_same_values(own, range)) else {
            continue;
        };
        let mut reads = Vec::new();
        for node in body {
            if let Node::Assign(assignment) = node {
                gather_always(&assignment.value, &mut reads);
            }
        }
        reads.retain(|read| read.array == array && read.depends_on(&[own.iterator]));
        found.extend(reads.into_iter().map(|read| (at, in_range(read, own, range))));
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
    steps: &[(Vec<&Condition>, Step<'_>)],
    array: usize,
    range: &Range,
    among: std::ops::Range<usize>,
) -> Option<(KeptArray, usize)> {
    let touches = |assignment: &Assignment| assignment.accesses().iter().any(|access| access.array == array);
    let mut kept: Option<KeptArray> = None;
    let mut count = 0;
    for (at, step) in steps.iter().enumerate().filter(|(at, _)| among.contains(at)) {
        if !step.1.assignments().into_iter().any(touches) {
            continue;
        }
        let (own, body) = simple_loop(step, &[]).filter(|(own, _)| are_same_values(own, range))?;
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
                kept = Some(first_touch(assignment, at, in_range(first, own, range))?);
            }
            let kept = kept.as_mut().expect("it is there since the first touch");
            if accesses.iter().any(|access| in_range(access, own, range) != kept.element) {
                return None;
            }
            if assignment.target.array == array {
                kept.stores = Some(at);
            }
        }
    }
    kept.filter(|kept| kept.element.depends_on(&[range.iterator])).map(|kept| (kept, count))
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

/// Returns an element of a loop as one of the loop whose values are kept.
fn in_range(element: &Access, own: &Range, range: &Range) -> Access {
    element.with(own.iterator, &iterator(range.iterator))
}

fn are_same_values(one: &Range, other: &Range) -> bool {
    (&one.lower, &one.upper, one.step) == (&other.lower, &other.upper, other.step)
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

impl Found {
    /// Gives each array registers.
    pub(super) fn declare(self, nest: &Nest, context: &mut Context<'_>, points: i64) -> KeptRows {
        let mut registers = Vec::new();
        for kept in &self.arrays {
            let name = format!("{}_kept", nest.arrays[kept.element.array].name);
            registers.push(context.local(&name, Space::Register, vec![points]));
        }
        KeptRows { found: self, wide: None, registers, points, point: context.iterator("point") }
    }
}

impl KeptRows {
    /// Returns the condition that a row of so many threads has registers for all values.
    pub(super) fn fits(&self, threads: i64) -> Condition {
        let Range { lower, upper, step, .. } = &self.found.range;
        Condition::at_least(lower[0].clone() + threads * self.points * step, upper[0].clone())
    }

    /// Returns `true` if a loop goes over the values that are kept.
    pub(super) fn is_of(&self, range: &Range, node: &Node) -> bool {
        are_same_values(range, &self.found.range) && !has_loop(node.body())
    }

    /// Returns `true` if the rows of an array are kept.
    pub(super) fn has(&self, array: usize) -> bool {
        self.found.arrays.iter().any(|kept| kept.element.array == array)
    }

    /// Returns how many neighbouring values a thread has.
    pub(super) fn neighbours(&self) -> i64 {
        if self.wide.is_some() { WIDE.into() } else { 1 }
    }

    /// Repeats a loop's body for all values that a thread of so many keeps.
    pub(super) fn repeat(
        &self,
        range: &Range,
        (thread, threads): (&Affine, i64),
        own: &Kept<'_>,
        body: Vec<Instruction>,
    ) -> Instruction {
        let place = thread.clone() + iterator(self.point) * threads;
        if let Some(wide) = &self.wide {
            let first = range.lower[0].clone() + place * WIDE.into();
            let each = wide.write(self, own, range, &first, body);
            return Instruction::Loop(count_to(self.point, self.points / i64::from(WIDE)), Unroll::All, each);
        }
        let value = range.lower[0].clone() + place * range.step;
        let is_there = Condition::less(iterator(range.iterator), range.upper[0].clone());
        let each = vec![
            Instruction::Define(range.iterator, vec![value]),
            Instruction::If(vec![is_there], [own.load(), body, own.store()].concat(), Vec::new()),
        ];
        Instruction::Loop(count_to(self.point, self.points), Unroll::All, each)
    }

    /// Returns the number of a value among those that a thread has.
    fn number(&self) -> Affine {
        match &self.wide {
            Some(wide) => iterator(self.point) * WIDE.into() + iterator(wide.neighbour),
            None => iterator(self.point),
        }
    }
}

impl Kept<'_> {
    /// Returns the register that an element is in.
    pub(super) fn register(&self, access: &Access) -> Option<Access> {
        let range = self.rows.found.range.iterator;
        let element = access.with(self.iterator, &iterator(range));
        let mut all = self.rows.found.arrays.iter();
        // Before the step that loads it, there is nothing in its register.
        let place = all.position(|kept| kept.element == element && kept.loads <= Some(self.step));
        let Some(place) = place else { return self.rows.wide.as_ref()?.register(&element, self.step) };
        Some(Access { array: self.rows.registers[place], subscripts: vec![self.rows.number()] })
    }

    /// Writes what brings values to registers in this step.
    pub(super) fn load(&self) -> Vec<Instruction> {
        self.moves(|kept| kept.loads, |element, register| (register, element))
    }

    /// Writes what stores values in this step.
    pub(super) fn store(&self) -> Vec<Instruction> {
        self.moves(|kept| kept.stores, |element, register| (element, register))
    }

    fn moves(
        &self,
        when: impl Fn(&KeptArray) -> Option<usize>,
        which: impl Fn(Access, Access) -> (Access, Access),
    ) -> Vec<Instruction> {
        let mut all = Vec::new();
        for kept in self.rows.found.arrays.iter().filter(|kept| when(kept) == Some(self.step)) {
            let element = kept.element.with(self.rows.found.range.iterator, &iterator(self.iterator));
            let Some(register) = self.register(&element) else { continue };
            let (target, value) = which(element, register);
            all.push(Instruction::Assign(Assignment { target, value: Expression::Load(value) }));
        }
        all
    }
}
