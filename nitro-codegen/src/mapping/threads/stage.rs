//! Shared staging: what an inner loop reads of an array, tile by tile, comes to shared memory first, by all threads of a block together.

use super::walk::{Walk, constant};
use super::{Tile, either, extreme, guarded, in_tile};
use crate::kernel::{Instruction, Space, Unroll};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression, Relation};
use crate::nest::{Assignment, Condition, Node, Range};

/// Bytes of shared memory that every device grants without being asked.
const MOST_BYTES: i64 = 48 << 10;

/// The part of an array that a tile reads.
#[derive(Clone, Debug)]
pub struct Staged {
    array: usize,
    /// The subscripts without their constants: accesses that differ in nothing else share a part.
    linear: Vec<Affine>,
    /// The first element along each dimension, and how many there are.
    origin: Vec<Affine>,
    extents: Vec<i64>,
    /// Its index once it is an array of the kernel.
    local: usize,
}

impl Staged {
    /// Where an element is, if it is here.
    pub fn access(&self, access: &Access) -> Option<Access> {
        let is_here = access.array == self.array && linear(access) == self.linear;
        let place = |(subscript, origin): (&Affine, &Affine)| subscript.clone() - origin.clone();
        let subscripts = || access.subscripts.iter().zip(&self.origin).map(place).collect();
        is_here.then(|| Access { array: self.local, subscripts: subscripts() })
    }

    fn elements(&self) -> i64 {
        self.extents.iter().product()
    }
}

fn linear(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| subscript.clone() - subscript.constant()).collect()
}

impl Walk<'_> {
    /// What of the arrays a loop stages, if it does: a loop in steps of one without another one in it, in a kernel in which no thread goes on by itself.
    pub fn staging(&mut self, range: &Range, body: &[Node]) -> Option<Vec<Staged>> {
        let mut assignments = Vec::new();
        let is_simple = range.step == 1 && !range.is_reversed && statements(body, &mut assignments);
        if self.tiling.inner == 0 || self.has_serial_axis() || !is_simple || self.own.is_empty() {
            return None;
        }
        let mut tile = self.tile();
        let start = Affine::from(Variable::Iterator(range.iterator));
        tile.push((range.iterator, start.clone(), start + (i64::from(self.tiling.inner) - 1)));
        let mut groups: Vec<Staged> = Vec::new();
        for access in assignments.iter().flat_map(|assignment| assignment.value.reads()) {
            if self.is_reused(access) && !self.is_written(access.array) {
                join(&mut groups, access, &tile);
            }
        }
        groups.sort_by_key(Staged::elements);
        let mut bytes = 0;
        groups.retain(|group| {
            bytes += 4 * group.elements() + 4 * group.elements() / group.extents.last().copied().unwrap_or(1);
            bytes <= MOST_BYTES
        });
        (!groups.is_empty()).then(|| groups.into_iter().map(|group| self.place(group)).collect())
    }

    /// Whether several points of a block read the same element: there is an axis that it does not depend on.
    fn is_reused(&self, access: &Access) -> bool {
        self.axes.iter().any(|axis| {
            let variable = Variable::Iterator(axis.iterator);
            axis.tile() > 1 && !access.subscripts.iter().any(|subscript| subscript.mentions(variable))
        })
    }

    /// Whether the nest's array is written at all: then it is not what it was when a tile began.
    fn is_written(&self, array: usize) -> bool {
        let of = self.nest.statements();
        self.kernel.statements.iter().any(|index| of[*index].assignment.target.array == array)
    }

    /// An array of the kernel for the part, with a column more where neighbouring threads would read from the same bank.
    fn place(&mut self, group: Staged) -> Staged {
        let x =
            self.axes.iter().find(|axis| axis.dimension == 0).map(|axis| Variable::Iterator(axis.iterator));
        let last = group.linear.len() - 1;
        let reads_across =
            group.linear[..last].iter().any(|subscript| x.is_some_and(|x| subscript.mentions(x)));
        let is_padded = reads_across && group.extents[last] % 2 == 0;
        let mut shape = group.extents.clone();
        shape[last] += i64::from(is_padded);
        let name = format!("{}_tile", self.nest.arrays[group.array].name);
        let local = self.local(&name, Space::Shared, shape);
        Staged { local, ..group }
    }

    /// The loop in tiles.
    pub fn tiled(
        &mut self,
        range: &Range,
        body: &[Node],
        guards: &[Condition],
        staged: Vec<Staged>,
    ) -> Vec<Instruction> {
        let name = format!("{}_0", self.nest.iterators[range.iterator]);
        let (iterator, inner) = (self.iterator(&name), i64::from(self.tiling.inner));
        let start = Affine::from(Variable::Iterator(iterator));
        let staged: Vec<Staged> = staged.into_iter().map(|one| one.in_tile(range.iterator, &start)).collect();
        let ends = range.upper.iter().map(|upper| Condition {
            relation: Relation::LessOrEqual,
            left: start.clone() + inner,
            right: upper.clone(),
        });
        let ends: Vec<Condition> = ends.collect();
        let mut tile = self.tile();
        tile.push((range.iterator, start.clone(), start.clone() + (inner - 1)));
        let is_full = |guards: &[Condition]| [in_tile(guards, &tile, true), ends.clone()].concat();
        let within = |end: Vec<Affine>| Range { lower: vec![start.clone()], upper: end, ..range.clone() };
        let whole = within(vec![start.clone() + inner]);
        let part = within(range.upper.iter().cloned().chain([start.clone() + inner]).collect());
        let unroll = match self.tiling.unroll {
            0 => Unroll::All,
            factor => Unroll::By(factor),
        };
        let mut all = vec![Instruction::Barrier];
        all.extend(either(is_full(guards), self.copies(&staged, false), self.copies(&staged, true)));
        all.push(Instruction::Barrier);
        self.staged = staged;
        let guards =
            if self.is_private(body) { of_iterator(guards, range.iterator) } else { guards.to_vec() };
        let full = Instruction::Loop(whole, unroll, self.list(body, &[]));
        let partial = Instruction::Loop(part, Unroll::By(1), self.list(body, &guards));
        self.staged.clear();
        all.extend(either(is_full(&guards), vec![full], vec![partial]));
        self.in_steps(iterator, range, inner, all)
    }

    fn copies(&mut self, staged: &[Staged], is_guarded: bool) -> Vec<Instruction> {
        staged.iter().flat_map(|one| self.copy(one, is_guarded)).collect()
    }

    /// Whether the statements read and write nothing but registers of the thread's own points and what is staged: then points beyond the edges may compute too, since what
    /// they come to is stored nowhere.
    fn is_private(&self, body: &[Node]) -> bool {
        let mut assignments = Vec::new();
        statements(body, &mut assignments)
            && assignments.iter().all(|assignment| {
                let is_own = |access: &Access| self.is_own(access);
                let is_near = |access: &&Access| {
                    is_own(access) || self.staged.iter().any(|staged| staged.access(access).is_some())
                };
                is_own(&assignment.target) && assignment.value.reads().iter().all(is_near)
            })
    }

    /// The loop over tiles. A loop in steps begins at one value.
    fn in_steps(
        &mut self,
        iterator: usize,
        range: &Range,
        step: i64,
        body: Vec<Instruction>,
    ) -> Vec<Instruction> {
        let mut before = Vec::new();
        let mut lower = range.lower.clone();
        if lower.len() > 1 {
            let first = self.iterator("first");
            before.push(Instruction::Define(first, lower));
            lower = vec![Affine::from(Variable::Iterator(first))];
        }
        let range = Range { iterator, lower, upper: range.upper.clone(), step, is_reversed: false };
        before.push(Instruction::Loop(range, Unroll::By(1), body));
        before
    }

    /// All threads of the block copy a part: neighbours along its last dimension, rows of it one after another.
    fn copy(&mut self, staged: &Staged, is_guarded: bool) -> Vec<Instruction> {
        let threads = i64::from(self.kernel.threads());
        let (last, rows) = staged.extents.split_last().expect("an array that is reused has a dimension");
        let width = width(*last, threads);
        let height: i64 = rows.iter().product();
        let [row_0, column_0, row, column, count, across] =
            ["row_0", "column_0", "row", "column", "rows", "columns"].map(|name| self.iterator(name));
        let of = |iterator| Affine::from(Variable::Iterator(iterator));
        let mut indices = vec![of(column)];
        let (divisions, leading) = self.unfold(of(row), rows);
        indices.splice(0..0, leading);
        let global: Vec<Affine> = indices
            .iter()
            .zip(&staged.origin)
            .map(|(index, origin)| index.clone() + origin.clone())
            .collect();
        let within = if is_guarded { self.in_bounds(staged.array, &global) } else { Vec::new() };
        let target = Access { array: staged.local, subscripts: indices };
        let value = Expression::Load(Access { array: staged.array, subscripts: global });
        let copy = guarded(within, vec![Instruction::Assign(Assignment { target, value })]);
        let define_column = Instruction::Define(column, vec![of(column_0) + of(across) * width]);
        let columns = [vec![define_column], guarded(below(column, *last, width), copy)].concat();
        let columns = vec![Instruction::Loop(constant(across, ceil(*last, width)), Unroll::All, columns)];
        let step = threads / width;
        let define_row = Instruction::Define(row, vec![of(row_0) + of(count) * step]);
        let in_row = guarded(below(row, height, step), [divisions, columns].concat());
        let rows = [vec![define_row], in_row].concat();
        vec![
            Instruction::Divide {
                quotient: row_0,
                remainder: column_0,
                value: self.linear_thread(),
                divisor: width,
            },
            Instruction::Loop(constant(count, ceil(height, step)), Unroll::All, rows),
        ]
    }

    /// The index along each dimension but the last, of the number of a row.
    fn unfold(&mut self, row: Affine, extents: &[i64]) -> (Vec<Instruction>, Vec<Affine>) {
        let (mut divisions, mut indices, mut left) = (Vec::new(), Vec::new(), row);
        for (at, extent) in extents.iter().enumerate().rev() {
            if extents[..at].iter().all(|extent| *extent == 1) {
                indices.push(std::mem::replace(&mut left, Affine::from(0)));
                continue;
            }
            let [quotient, remainder] = ["rest", "index"].map(|name| self.iterator(name));
            divisions.push(Instruction::Divide { quotient, remainder, value: left, divisor: *extent });
            indices.push(Affine::from(Variable::Iterator(remainder)));
            left = Affine::from(Variable::Iterator(quotient));
        }
        indices.reverse();
        (divisions, indices)
    }

    /// The number of a thread in its block.
    fn linear_thread(&self) -> Affine {
        let [x, y, _] = self.kernel.block.map(i64::from);
        let factors = [1, x, x * y];
        (0..3)
            .filter(|axis| self.kernel.block[*axis] > 1)
            .fold(Affine::from(0), |sum, axis| sum + Variable::Thread(axis) * factors[axis])
    }

    /// That an array has this element.
    fn in_bounds(&self, array: usize, subscripts: &[Affine]) -> Vec<Condition> {
        let zero = Affine::from(0);
        let of = |(subscript, extent): (&Affine, &Affine)| {
            let lower = Condition {
                relation: Relation::GreaterOrEqual,
                left: subscript.clone(),
                right: zero.clone(),
            };
            let upper =
                Condition { relation: Relation::Less, left: subscript.clone(), right: extent.clone() };
            let is_plain =
                subscript.constant() >= 0 && subscript.terms().iter().all(|(_, factor)| *factor > 0);
            if is_plain { vec![upper] } else { vec![lower, upper] }
        };
        subscripts.iter().zip(&self.nest.arrays[array].shape).flat_map(of).collect()
    }
}

impl Staged {
    /// The part for a tile that begins at `start` instead of where its loop's iterator is.
    fn in_tile(self, iterator: usize, start: &Affine) -> Self {
        let variable = Variable::Iterator(iterator);
        let origin = self.origin.iter().map(|origin| origin.substitute(variable, start)).collect();
        Self { origin, ..self }
    }
}

/// Those of the conditions that depend on an iterator.
fn of_iterator(conditions: &[Condition], iterator: usize) -> Vec<Condition> {
    let variable = Variable::Iterator(iterator);
    let depends =
        |condition: &&Condition| condition.left.mentions(variable) || condition.right.mentions(variable);
    conditions.iter().filter(depends).cloned().collect()
}

/// Puts an access to those of its group.
fn join(groups: &mut Vec<Staged>, access: &Access, tile: &Tile) {
    let linear = linear(access);
    let least: Vec<Affine> =
        access.subscripts.iter().map(|subscript| extreme(subscript, tile, true)).collect();
    let largest = access.subscripts.iter().map(|subscript| extreme(subscript, tile, false));
    let extents: Vec<i64> =
        least.iter().zip(largest).map(|(least, largest)| (largest - least.clone()).constant() + 1).collect();
    let is_of = |group: &&mut Staged| group.array == access.array && group.linear == linear;
    let Some(group) = groups.iter_mut().find(is_of) else {
        groups.push(Staged { array: access.array, linear, origin: least, extents, local: 0 });
        return;
    };
    for ((origin, extent), (least, other)) in
        group.origin.iter_mut().zip(&mut group.extents).zip(least.iter().zip(extents))
    {
        // They differ by a constant.
        let offset = (least.clone() - origin.clone()).constant();
        let end = (*extent).max(offset + other);
        *origin = origin.clone() + offset.min(0);
        *extent = end - offset.min(0);
    }
}

/// The statements, if no loop is around one of them.
fn statements<'a>(nodes: &'a [Node], found: &mut Vec<&'a Assignment>) -> bool {
    nodes.iter().all(|node| match node {
        Node::Assign(assignment) => {
            found.push(assignment);
            true
        }
        Node::If(_, body) => statements(body, found),
        Node::Loop(..) => false,
    })
}

/// How many threads copy a row together: as many as read 128 bytes, fewer where a row is shorter.
fn width(row: i64, threads: i64) -> i64 {
    let wanted = row.clamp(1, 32).unsigned_abs().next_power_of_two() as i64;
    (1..=wanted).rev().find(|width| threads % width == 0).unwrap_or(1)
}

fn ceil(value: i64, divisor: i64) -> i64 {
    value.unsigned_abs().div_ceil(divisor.unsigned_abs()) as i64
}

/// That an index that goes on in steps is below an extent, where steps do not come out even.
fn below(iterator: usize, extent: i64, step: i64) -> Vec<Condition> {
    let index = Affine::from(Variable::Iterator(iterator));
    if extent % step == 0 {
        return Vec::new();
    }
    vec![Condition { relation: Relation::Less, left: index, right: Affine::from(extent) }]
}
