//! Recurrences along rows, of which each thread has one: chunks of them go through shared memory.
//!
//! Neighbouring threads read and write neighbouring elements of one row after the other. Then each goes through its
//! part of its own row, and none of them waits for memory.

use super::carried::Recurrence;
use super::context::{Context, guarded};
use super::runs::write_list;
use super::tiles::divide;
use crate::kernel::{Instruction, Space, Unroll};
use crate::limits::{LANES, STATIC_SHARED_BYTES};
use crate::lower::bounds::{count_to, iterator, mentions, within};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Condition, Node, Range};

/// Elements of a row in a chunk: as many as there is room for.
const LENGTHS: [i64; 3] = [32, 16, 8];

/// A loop in chunks.
struct Chunks<'n> {
    recurrence: Recurrence<'n>,
    /// The iterator of rows, and the first row of a block.
    row: usize,
    first: Affine,
    threads: i64,
    /// Elements of a row in a chunk.
    length: i64,
    /// What goes through shared memory.
    staged: Vec<Staged<'n>>,
}

/// An element of each iteration that goes through shared memory.
struct Staged<'n> {
    access: &'n Access,
    is_read: bool,
    is_written: bool,
    /// The array in shared memory.
    tile: usize,
}

/// The iterators of the code of chunks.
struct Counters {
    /// The first value of a chunk.
    start: usize,
    /// A thread's place in the first rows that a block moves at once.
    row: usize,
    column: usize,
    pass: usize,
    step: usize,
}

/// Writes the nodes of a thread, those of them that are recurrences along rows in chunks; none: none is.
pub(super) fn write_in_chunks(
    context: &mut Context<'_>,
    nodes: &[Node],
    guards: &[Condition],
) -> Option<Vec<Instruction>> {
    nodes.iter().find(|node| Chunks::find(context, node).is_some())?;
    let mut all = Vec::new();
    for node in nodes {
        match Chunks::find(context, node) {
            Some(chunks) => all.extend(chunks.write(context, guards)),
            None => {
                let code = write_list(context, std::slice::from_ref(node), &[]);
                all.extend(guarded(guards.to_vec(), code));
            }
        }
    }
    Some(all)
}

impl<'n> Chunks<'n> {
    /// Finds a recurrence whose threads would touch elements that are rows apart.
    fn find(context: &Context<'_>, node: &'n Node) -> Option<Self> {
        let Node::Loop(range, body) = node else { return None };
        let (_, axis) = context.x()?;
        let [lower] = &axis.extent.lower[..] else { return None };
        let threads = axis.threads;
        let is_plain = axis.range.step == 1
            && threads % i64::from(LANES) == 0
            && context.block[1..] == [1, 1]
            && !range.is_reversed;
        let iterators: Vec<usize> = context.axes.iter().map(|axis| axis.iterator).collect();
        let mut bounds = range.lower.iter().chain(&range.upper);
        if !is_plain || bounds.any(|bound| mentions(bound, &iterators)) {
            return None;
        }
        let recurrence = Recurrence::find(context, range, body)?;
        let first = lower.clone() + Variable::Block(axis.dimension) * threads;
        let row = axis.iterator;
        let mut chunks = Self { recurrence, row, first, threads, length: 0, staged: Vec::new() };
        chunks.gather(context)?;
        let bytes = chunks.staged.len() as i64 * threads * context.nest.element.bytes() as i64;
        let has_room = |length: &i64| bytes * (length + 1) <= STATIC_SHARED_BYTES;
        chunks.length = LENGTHS.into_iter().find(has_room)?;
        (!chunks.staged.is_empty()).then_some(chunks)
    }

    /// Gathers what goes through shared memory; none: something that is written is read at other places too.
    fn gather(&mut self, context: &Context<'_>) -> Option<()> {
        let statements = self.recurrence.statements.clone();
        for (at, statement) in statements.iter().enumerate() {
            let reads = statement.value.reads().into_iter().map(|access| (access, false));
            for (access, is_written) in reads.chain([(&statement.target, true)]) {
                if self.recurrence.is_carried(at, access, is_written) {
                    continue;
                }
                let mut others = statements.iter().filter(|one| one.target.array == access.array);
                if others.any(|one| one.target != *access) {
                    return None;
                }
                if !self.is_apart(context, access) {
                    continue;
                }
                let known = self.staged.iter().position(|one| one.access == access);
                let known = known.unwrap_or_else(|| {
                    self.staged.push(Staged { access, is_read: false, is_written: false, tile: 0 });
                    self.staged.len() - 1
                });
                self.staged[known].is_read |= !is_written;
                self.staged[known].is_written |= is_written;
            }
        }
        Some(())
    }

    /// Returns `true` if neighbouring threads touch other rows, and iterations neighbours in a row.
    fn is_apart(&self, context: &Context<'_>, access: &Access) -> bool {
        let [row, along] = [self.row, self.recurrence.range.iterator];
        let Some((last, others)) = access.subscripts.split_last() else { return false };
        context.nest.arrays[access.array].storage.is_number()
            && last.coefficient(Variable::Iterator(along)).abs() == 1
            && !mentions(last, &[row])
            && others.iter().any(|one| mentions(one, &[row]))
            && !others.iter().any(|one| mentions(one, &[along]))
    }

    fn write(mut self, context: &mut Context<'_>, guards: &[Condition]) -> Vec<Instruction> {
        let [start, row, column, pass, step] =
            ["start", "row", "column", "pass", "step"].map(|name| context.iterator(name));
        let counters = Counters { start, row, column, pass, step };
        let range = self.recurrence.range;
        context.begin_at(start, &range.lower);
        context.begin_at(range.iterator, &range.lower);
        self.recurrence.declare(context);
        for one in &mut self.staged {
            let name = format!("{}_chunk", context.nest.arrays[one.access.array].name);
            // One more, so that neighbouring threads have other banks.
            one.tile = context.local(&name, Space::Shared, vec![self.threads, self.length + 1]);
        }
        let moved = |is_wanted: fn(&Staged<'_>) -> bool, is_load: bool| {
            let staged = self.staged.iter().filter(|one| is_wanted(one));
            let each: Vec<_> = staged.map(|one| self.copy(one, &counters, is_load)).collect();
            self.write_moves(&counters, guards, each)
        };
        let mut chunk = moved(|one| one.is_read, true);
        chunk.push(Instruction::Barrier);
        chunk.extend(guarded(guards.to_vec(), self.write_steps(context, &counters)));
        chunk.push(Instruction::Barrier);
        chunk.extend(moved(|one| one.is_written, false));
        let repeat = Range { iterator: start, step: self.length, ..range.clone() };
        let mut all = guarded(guards.to_vec(), self.recurrence.before());
        all.push(divide([row, column], Variable::Thread(0).into(), self.length));
        all.push(Instruction::Loop(repeat, Unroll::By(1), chunk));
        all.extend(guarded(guards.to_vec(), self.recurrence.after()));
        all
    }

    /// Copies an element between memory and shared memory.
    fn copy(&self, one: &Staged<'_>, counters: &Counters, is_load: bool) -> Instruction {
        let [row, column] = self.place(counters);
        let along = self.recurrence.range.iterator;
        let element = one.access.with(self.row, &(self.first.clone() + row.clone()));
        let element = element.with(along, &(iterator(counters.start) + column.clone()));
        let tile = Access { array: one.tile, subscripts: vec![row, column] };
        let (to, from) = if is_load { (tile, element) } else { (element, tile) };
        Instruction::assign(to, Expression::Load(from))
    }

    /// Returns the row of a block and the place in a chunk that a thread moves.
    fn place(&self, counters: &Counters) -> [Affine; 2] {
        let rows = iterator(counters.pass) * (self.threads / self.length);
        [rows + iterator(counters.row), iterator(counters.column)]
    }

    /// Writes what threads move: each row by neighbouring threads, where there is one.
    fn write_moves(
        &self,
        counters: &Counters,
        guards: &[Condition],
        each: Vec<Instruction>,
    ) -> Vec<Instruction> {
        let [row, column] = self.place(counters);
        let range = self.recurrence.range;
        let mut conditions = guards.to_vec();
        conditions.extend(within(range, |_, is_lower| !is_lower));
        for side in conditions.iter_mut().flat_map(|one| [&mut one.left, &mut one.right]) {
            let of_row = self.first.clone() + row.clone();
            let along = iterator(counters.start) + column.clone();
            *side = side.substitute(Variable::Iterator(self.row), &of_row);
            *side = side.substitute(Variable::Iterator(range.iterator), &along);
        }
        let passes = count_to(counters.pass, self.length);
        vec![Instruction::Loop(passes, Unroll::All, guarded(conditions, each))]
    }

    /// Writes the iterations of a chunk, without conditions where all of them are in the loop.
    fn write_steps(&self, context: &Context<'_>, counters: &Counters) -> Vec<Instruction> {
        let range = self.recurrence.range;
        let mut inside = self.recurrence.inside(context);
        let thread = Affine::from(Variable::Thread(0));
        let near = |access: Access| match self.staged.iter().find(|one| *one.access == access) {
            Some(one) => {
                Access { array: one.tile, subscripts: vec![thread.clone(), iterator(counters.step)] }
            }
            None => access,
        };
        for instruction in &mut inside {
            if let Instruction::Assign(assignment) = instruction {
                assignment.value.map_loads(&near);
                assignment.target = near(assignment.target.clone());
            }
        }
        let own =
            Instruction::Define(range.iterator, vec![iterator(counters.start) + iterator(counters.step)]);
        let steps = |unroll, body: Vec<Instruction>| {
            let body = [vec![own.clone()], body].concat();
            vec![Instruction::Loop(count_to(counters.step, self.length), unroll, body)]
        };
        let last = iterator(counters.start) + (self.length - 1);
        let is_full = range.upper.iter().map(|upper| Condition::less(last.clone(), upper.clone()));
        let conditions = within(range, |_, is_lower| !is_lower);
        let partly = steps(Unroll::By(1), guarded(conditions, inside.clone()));
        vec![Instruction::If(is_full.collect(), steps(Unroll::All, inside), partly)]
    }
}
