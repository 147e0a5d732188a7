//! Copies to shared memory: all threads of a block copy a part of an array together.

use std::ops::RangeInclusive;

use super::context::{Context, either, guarded};
use super::parts::{Ends, StagedPart};
use super::stage::storage;
use super::tiles::{Tiles, divide};
use crate::kernel::{Instruction, Space, Unroll, WIDE};
use crate::lower::bounds::{count_to, iterator, mentions};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression, Relation};
use crate::nest::{Assignment, Condition};

/// The mode in which a part is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CopyMode {
    /// Element by element, with conditions where it may stand out beyond its array.
    Guarded,
    /// Element by element.
    Whole,
    /// Several elements at once.
    Wide,
}

impl CopyMode {
    /// Returns how many elements a thread copies at once.
    fn width(self) -> i64 {
        if self == CopyMode::Wide { i64::from(WIDE) } else { 1 }
    }
}

/// The phase of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyPhase {
    /// Elements come to shared memory, or are on their way there.
    Bring,
    /// Those that were on their way become what is kept of them.
    Change,
}

/// Copies all elements of these parts, with conditions where they may stand out beyond their arrays.
///
/// Each thread has the same ones in both phases.
pub(super) fn copy_parts(
    context: &mut Context<'_>,
    parts: &[StagedPart],
    is_guarded: bool,
    phase: CopyPhase,
) -> Vec<Instruction> {
    let mut all = Vec::new();
    for part in parts.iter().filter(|part| phase == CopyPhase::Bring || !part.keeps_element()) {
        all.extend(match &part.wide {
            _ if is_guarded => copy(context, part, CopyMode::Guarded, phase),
            None => copy(context, part, CopyMode::Whole, phase),
            Some(conditions) => {
                let wide = copy(context, part, CopyMode::Wide, phase);
                either(conditions.clone(), wide, copy(context, part, CopyMode::Whole, phase))
            }
        });
    }
    all
}

/// Copies a part: threads are neighbours along its last dimension, rows of them one after another.
fn copy(context: &mut Context<'_>, part: &StagedPart, mode: CopyMode, phase: CopyPhase) -> Vec<Instruction> {
    let (last, rows) = part.extents.split_last().expect("an array that is reused has a dimension");
    Shares::new(context, rows, *last / mode.width(), 32).write(context, |context, mut indices, _| {
        let last = indices.pop().expect("an array that is reused has a dimension");
        indices.push(last * mode.width());
        match phase {
            CopyPhase::Bring => bring(context, part, indices, mode),
            CopyPhase::Change => change(context, part, indices, mode),
        }
    })
}

/// How the threads of a block share out rows of so many steps: neighbours along a row, rows one after another.
pub(super) struct Shares {
    /// The extents of all dimensions but the last.
    rows: Vec<i64>,
    steps: i64,
    threads: i64,
    /// The threads of a row.
    width: i64,
    /// Addresses stay in registers for as long as tiles come.
    keeps_addresses: bool,
}

impl Shares {
    /// Shares out, with so many threads for a row at most.
    pub(super) fn new(context: &Context<'_>, rows: &[i64], steps: i64, most: i64) -> Self {
        let threads = i64::from(context.block.iter().product::<u32>());
        let width = threads_of_row(steps, rows.iter().product(), threads, most);
        Self { rows: rows.to_vec(), steps, threads, width, keeps_addresses: false }
    }

    /// Keeps addresses of all steps in registers, where nothing else needs those.
    pub(super) fn keeping_addresses(self) -> Self {
        Self { keeps_addresses: true, ..self }
    }

    /// Returns the numbers that a thread has of rows, and of steps of each.
    fn own(&self) -> [i64; 2] {
        let height = self.rows.iter().product();
        [ceil(height, self.threads / self.width), ceil(self.steps, self.width)]
    }

    /// Returns how many steps a thread has.
    pub(super) fn count(&self) -> i64 {
        self.own().iter().product()
    }

    /// Writes what is done for each step, which has these indices and is the thread's own one of that number.
    pub(super) fn write(
        &self,
        context: &mut Context<'_>,
        write: impl FnOnce(&mut Context<'_>, Vec<Affine>, Affine) -> Vec<Instruction>,
    ) -> Vec<Instruction> {
        let (width, step, [own_rows, own_columns]) = (self.width, self.threads / self.width, self.own());
        let [thread, row_0, column_0, row, column, count, across] =
            ["thread", "row_0", "column_0", "row", "column", "rows", "columns"]
                .map(|name| context.iterator(name));
        let (divisions, mut indices) = unfold(context, iterator(row), &self.rows);
        indices.push(iterator(column));
        let each = write(context, indices, iterator(count) * own_columns + iterator(across));
        // A thread's steps of a row are `width` apart, and its rows `step`.
        let mut columns =
            vec![Instruction::Define(column, vec![iterator(column_0) + iterator(across) * width])];
        columns.extend(guarded(below(column, self.steps, width), each));
        let columns = Instruction::Loop(count_to(across, own_columns), Unroll::All, columns);
        let mut rows = vec![Instruction::Define(row, vec![iterator(row_0) + iterator(count) * step])];
        let height = self.rows.iter().product();
        rows.extend(guarded(below(row, height, step), [divisions, vec![columns]].concat()));
        let own = linear_thread(context);
        // What is computed from what a compiler does not know is computed each time.
        let begin = match self.keeps_addresses {
            true => Instruction::Define(thread, vec![own]),
            false => Instruction::Begin(thread, own),
        };
        vec![
            begin,
            divide([row_0, column_0], iterator(thread), width),
            Instruction::Loop(count_to(count, own_rows), Unroll::All, rows),
        ]
    }
}

/// Brings one element, or several.
fn bring(
    context: &mut Context<'_>,
    part: &StagedPart,
    indices: Vec<Affine>,
    mode: CopyMode,
) -> Vec<Instruction> {
    let (within, source) = source(context, part, &indices, mode);
    if mode == CopyMode::Wide && (part.is_transposed() || !part.keeps_element()) && part.stage.is_none() {
        return through_registers(context, part, source, &indices);
    }
    // Copies to a pipeline stage go on while threads work; others end where they begin.
    let target = part.element(indices);
    let one = if part.stage.is_some() {
        Instruction::Fetch { target: target.clone(), source, width: mode.width() as u32 }
    } else if mode == CopyMode::Wide {
        Instruction::copy(target.clone(), source)
    } else {
        Instruction::Assign(Assignment { target: target.clone(), value: part.value_of(&source) })
    };
    match part.fill {
        Some(_) => {
            either(within, vec![one], vec![Instruction::assign(target, Expression::Constant(0.0.into()))])
        }
        None => guarded(within, vec![one]),
    }
}

/// Makes of one element, or several, what is kept of them.
fn change(
    context: &mut Context<'_>,
    part: &StagedPart,
    indices: Vec<Affine>,
    mode: CopyMode,
) -> Vec<Instruction> {
    let (within, _) = source(context, part, &indices, mode);
    let target = part.element(indices.clone());
    if mode == CopyMode::Wide {
        return through_registers(context, part, target, &indices);
    }
    let value = part.value_of(&target);
    guarded(within, vec![Instruction::Assign(Assignment { target, value })])
}

/// Returns the element in the nest's array, and the conditions under which there is one.
fn source(
    context: &Context<'_>,
    part: &StagedPart,
    indices: &[Affine],
    mode: CopyMode,
) -> (Vec<Condition>, Access) {
    let mut subscripts = Vec::new();
    for (index, origin) in indices.iter().zip(&part.origin) {
        subscripts.push(index.clone() + origin.clone());
    }
    let is_guarded = mode == CopyMode::Guarded;
    let within = match &part.fill {
        _ if !is_guarded => Vec::new(),
        Some(ends) => before_ends(context, part.array, &subscripts, ends),
        None => in_bounds(context, part.array, &subscripts),
    };
    (within, Access { array: part.array, subscripts })
}

/// Brings several elements to registers, and what is made of them to shared memory.
fn through_registers(
    context: &mut Context<'_>,
    part: &StagedPart,
    source: Access,
    indices: &[Affine],
) -> Vec<Instruction> {
    let array = context.local("wide", Space::Register, vec![i64::from(WIDE)]);
    let first = Access { array, subscripts: vec![Affine::from(0)] };
    let mut all = vec![Instruction::copy(first.clone(), source)];
    for index in 0..i64::from(WIDE) {
        let register = first.neighbour(index);
        let mut target = register.clone();
        if part.is_transposed() {
            let mut within = indices.to_vec();
            let last = within.last_mut().expect("an array that is reused has a dimension");
            *last = last.clone() + index;
            target = part.element(within);
        }
        all.push(Instruction::Assign(Assignment { target, value: part.value_of(&register) }));
    }
    if !part.is_transposed() {
        all.push(Instruction::copy(part.element(indices.to_vec()), first));
    }
    all
}

/// Finds out under which conditions parts come several elements at once: all of their rows begin at multiples.
pub(super) fn align(context: &mut Context<'_>, parts: &mut [StagedPart], tiles: &Tiles) -> Vec<Instruction> {
    let mut divisions = Vec::new();
    let start = Variable::Iterator(tiles.start);
    let outer: Vec<usize> = tiles.outer.iter().map(|range| range.iterator).collect();
    for part in parts.iter_mut().filter(|part| part.wide.is_some()) {
        part.wide = None;
        // Elements that are converted come one by one.
        if storage(context, part.array) != context.nest.arrays[part.array].storage {
            continue;
        }
        let last = part.origin.last().expect("an array that is reused has a dimension");
        // The place of a row is known where all loops are that it depends on.
        if mentions(last, &outer) {
            continue;
        }
        // Tiles are multiples apart: where the first begins, all do.
        if last.coefficient(start) * tiles.depth % i64::from(WIDE) == 0 {
            let first = last.substitute(start, &tiles.range.lower[0]);
            if let Some((own, conditions)) = aligned_rows(context, part.array, &first, WIDE) {
                divisions.extend(own);
                part.wide = Some(conditions);
            }
        }
    }
    divisions
}

/// Returns code and conditions that all rows of an array have a multiple of a number at this place.
///
/// None: they have not.
pub(super) fn aligned_rows(
    context: &mut Context<'_>,
    array: usize,
    last: &Affine,
    of: u32,
) -> Option<(Vec<Instruction>, Vec<Condition>)> {
    // All rows begin at multiples if the first does, and their length is one.
    let row = context.nest.arrays[array].shape[1..].last();
    let mut remainders: Vec<Affine> =
        row.into_iter().chain([last]).map(|value| without_multiples(value, of)).collect();
    if remainders.iter().any(|value| value.terms().is_empty() && value.constant() != 0) {
        return None;
    }
    remainders.retain(|value| !value.terms().is_empty());
    let (mut divisions, mut conditions) = (Vec::new(), Vec::new());
    for value in remainders {
        let (division, is_multiple) = multiple(context, value, of);
        divisions.push(division);
        conditions.push(is_multiple);
    }
    Some((divisions, conditions))
}

/// Returns the condition that a value is a multiple of a number, with the division that it needs.
pub(super) fn multiple(context: &mut Context<'_>, value: Affine, of: u32) -> (Instruction, Condition) {
    let [quotient, remainder] = ["rest", "odd"].map(|name| context.iterator(name));
    let (left, right) = (iterator(remainder), Affine::from(0));
    let condition = Condition { relation: Relation::Equal, left, right };
    (divide([quotient, remainder], value, of.into()), condition)
}

/// Returns the index along each dimension but the last, of the number of a row.
fn unfold(context: &mut Context<'_>, row: Affine, extents: &[i64]) -> (Vec<Instruction>, Vec<Affine>) {
    let (mut divisions, mut indices, mut left) = (Vec::new(), Vec::new(), row);
    for (at, extent) in extents.iter().enumerate().rev() {
        if extents[..at].iter().all(|extent| *extent == 1) {
            indices.push(std::mem::replace(&mut left, Affine::from(0)));
            continue;
        }
        let [quotient, remainder] = ["rest", "index"].map(|name| context.iterator(name));
        divisions.push(divide([quotient, remainder], left, *extent));
        indices.push(iterator(remainder));
        left = iterator(quotient);
    }
    indices.reverse();
    (divisions, indices)
}

/// Returns the number of a thread in its block.
fn linear_thread(context: &Context<'_>) -> Affine {
    let [x, y, _] = context.block.map(i64::from);
    let mut number = Affine::from(0);
    for (axis, factor) in [1, x, x * y].into_iter().enumerate() {
        if context.block[axis] > 1 {
            number = number + Variable::Thread(axis) * factor;
        }
    }
    number
}

/// Returns the conditions that an array has this element, and that it is before these ends.
pub(super) fn before_ends(
    context: &Context<'_>,
    array: usize,
    subscripts: &[Affine],
    (dimension, ends): &Ends,
) -> Vec<Condition> {
    let mut within = in_bounds(context, array, subscripts);
    for end in ends {
        let condition = Condition::less(subscripts[*dimension].clone(), end.clone());
        if !within.contains(&condition) {
            within.push(condition);
        }
    }
    within
}

/// Returns the conditions that an array has this element.
pub(super) fn in_bounds(context: &Context<'_>, array: usize, subscripts: &[Affine]) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for (subscript, extent) in subscripts.iter().zip(&context.nest.arrays[array].shape) {
        if !context.is_never_negative(subscript) {
            conditions.push(Condition::at_least(subscript.clone(), Affine::from(0)));
        }
        conditions.push(Condition::less(subscript.clone(), extent.clone()));
    }
    conditions
}

/// Returns a value that has the same remainder when it is divided, without what is a multiple anyway.
fn without_multiples(value: &Affine, of: u32) -> Affine {
    let wide = i64::from(of);
    let mut rest = Affine::from(value.constant() % wide);
    for (variable, coefficient) in value.terms() {
        rest = rest + *variable * (coefficient % wide);
    }
    rest
}

/// Returns how many threads copy a row of so many steps together, where a tile has so many rows.
///
/// They are 8 at least, where threads and rows allow it: enough for whole transactions. Of such numbers it is one with
/// which each thread has the fewest steps.
fn threads_of_row(steps: i64, height: i64, threads: i64, most: i64) -> i64 {
    let most = steps.clamp(1, most).unsigned_abs().next_power_of_two() as i64;
    let wide = width_of_fewest_steps(steps, height, threads, most.min(8)..=most);
    wide.or_else(|| width_of_fewest_steps(steps, height, threads, 1..=most)).unwrap_or(1)
}

fn width_of_fewest_steps(steps: i64, height: i64, threads: i64, among: RangeInclusive<i64>) -> Option<i64> {
    let all = among.rev().filter(|width| threads % width == 0);
    all.min_by_key(|width| ceil(steps, *width) * ceil(height, threads / width))
}

fn ceil(value: i64, divisor: i64) -> i64 {
    value.unsigned_abs().div_ceil(divisor.unsigned_abs()) as i64
}

/// Returns the condition that an index is below an extent, if its steps do not come out even.
fn below(index: usize, extent: i64, step: i64) -> Vec<Condition> {
    if extent % step == 0 {
        return Vec::new();
    }
    vec![Condition::less(iterator(index), Affine::from(extent))]
}
