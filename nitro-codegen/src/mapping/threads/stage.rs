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
    /// What of an element is kept, which stands there as [`STAGED`]: the element, or what a statement makes of it and nothing else.
    value: Expression,
    /// Where there are two of them: which one.
    buffer: Option<Affine>,
}

impl Staged {
    /// Where a value is, if it is here.
    pub fn access(&self, value: &Expression) -> Option<Access> {
        let (value, access) = of_one_element(value)?;
        let is_here = access.array == self.array && linear(access) == self.linear && value == self.value;
        let place = |(subscript, origin): (&Affine, &Affine)| subscript.clone() - origin.clone();
        let within = access.subscripts.iter().zip(&self.origin).map(place);
        is_here.then(|| self.element(within.collect()))
    }

    /// An element of the kernel's array.
    fn element(&self, within: Vec<Affine>) -> Access {
        Access { array: self.local, subscripts: self.buffer.iter().cloned().chain(within).collect() }
    }

    /// With a column more in each row.
    fn bytes(&self) -> i64 {
        4 * (self.elements() + self.elements() / self.extents.last().copied().unwrap_or(1))
    }

    fn elements(&self) -> i64 {
        self.extents.iter().product()
    }
}

fn linear(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| subscript.clone() - subscript.constant()).collect()
}

/// A loop in tiles.
struct Tiles {
    /// The loop, with one lower bound.
    range: Range,
    /// The iterator that is the first value of a tile.
    start: usize,
    /// Values of a tile.
    inner: i64,
    /// Under which conditions something is done in it.
    guards: Vec<Condition>,
}

impl Tiles {
    fn start(&self) -> Affine {
        Affine::from(Variable::Iterator(self.start))
    }

    /// That a tile, so many after the present one, is all there and everything is done in it.
    fn full(&self, guards: &[Condition], block: &Tile, after: i64) -> Vec<Condition> {
        let first = self.start() + after * self.inner;
        let mut tile = block.clone();
        tile.push((self.range.iterator, first.clone(), first.clone() + (self.inner - 1)));
        let ends = self.range.upper.iter().map(|upper| Condition {
            relation: Relation::LessOrEqual,
            left: first.clone() + self.inner,
            right: upper.clone(),
        });
        in_tile(guards, &tile, true).into_iter().chain(ends).collect()
    }

    /// The loop over tiles.
    fn steps(&self) -> Range {
        Range { iterator: self.start, step: self.inner, ..self.range.clone() }
    }

    /// The loop in a tile that is all there.
    fn whole(&self) -> Range {
        Range { lower: vec![self.start()], upper: vec![self.start() + self.inner], ..self.range.clone() }
    }

    /// The loop in any tile.
    fn part(&self) -> Range {
        let mut range = self.whole();
        range.upper.extend(self.range.upper.iter().cloned());
        range
    }
}

impl Walk<'_> {
    /// What of the arrays a loop stages, if it does: a loop in steps of one without another one in it, in a kernel in which no thread goes on by itself.
    pub fn staging(&mut self, range: &Range, body: &[Node]) -> Option<Vec<Staged>> {
        let mut assignments = Vec::new();
        let is_simple = range.step == 1 && !range.is_reversed && statements(body, &mut assignments);
        if self.tiling.inner == 0
            || self.has_serial_axis()
            || !is_simple
            || self.own.is_empty()
            || self.is_at_point
        {
            return None;
        }
        let mut tile = self.tile();
        let start = Affine::from(Variable::Iterator(range.iterator));
        tile.push((range.iterator, start.clone(), start + (i64::from(self.tiling.inner) - 1)));
        let mut groups: Vec<Staged> = Vec::new();
        // What is on its way cannot be changed underway.
        let may_change = self.tiling.buffers < 2;
        for assignment in assignments {
            for (value, access) in of_elements(&assignment.value, may_change) {
                if self.is_reused(access) && !self.is_written(access.array) {
                    join(&mut groups, value, access, &tile);
                }
            }
        }
        groups.sort_by_key(Staged::elements);
        let all: i64 = groups.iter().map(Staged::bytes).sum();
        self.buffers = if self.tiling.buffers > 1 && 2 * all <= MOST_BYTES { 2 } else { 1 };
        let mut bytes = 0;
        groups.retain(|group| {
            bytes += group.bytes();
            bytes * self.buffers <= MOST_BYTES
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
        if self.buffers > 1 {
            shape.insert(0, self.buffers);
        }
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
        let start = self.iterator(&name);
        let (mut all, range) = self.with_one_start(range);
        let tiles = Tiles { range, start, inner: i64::from(self.tiling.inner), guards: guards.to_vec() };
        let staged = staged.into_iter().map(|one| one.at(tiles.range.iterator, &tiles.start())).collect();
        all.extend(if self.buffers > 1 {
            self.pipelined(&tiles, body, staged)
        } else {
            self.in_turn(&tiles, body, staged)
        });
        all
    }

    /// Each tile is brought, and then worked on.
    fn in_turn(&mut self, tiles: &Tiles, body: &[Node], staged: Vec<Staged>) -> Vec<Instruction> {
        let full = tiles.full(&tiles.guards, &self.tile(), 0);
        let mut each = vec![Instruction::Barrier];
        each.extend(either(full, self.copies(&staged, false), self.copies(&staged, true)));
        each.push(Instruction::Barrier);
        self.staged = staged;
        each.extend(self.work(tiles, body));
        vec![Instruction::Loop(tiles.steps(), Unroll::By(1), each)]
    }

    /// While one tile is worked on, the next is on its way to the other buffer.
    fn pipelined(&mut self, tiles: &Tiles, body: &[Node], staged: Vec<Staged>) -> Vec<Instruction> {
        let [tile, rest, half, parity] = ["tile", "rest", "half", "parity"].map(|name| self.iterator(name));
        let of = |iterator| Affine::from(Variable::Iterator(iterator));
        let lower = tiles.range.lower[0].clone();
        let moved = |one: &Staged, to: &Affine, buffer: Affine| Staged {
            buffer: Some(buffer),
            ..one.clone().at(tiles.start, to)
        };
        let first: Vec<_> = staged.iter().map(|one| moved(one, &lower, Affine::from(0))).collect();
        let next_start = tiles.start() + tiles.inner;
        let next: Vec<_> =
            staged.iter().map(|one| moved(one, &next_start, Affine::from(1) - of(parity))).collect();
        let now = staged.iter().map(|one| moved(one, &tiles.start(), of(parity))).collect();
        let mut all = self.copies(&first, true);
        all.extend([Instruction::Await, Instruction::Barrier]);
        let mut each = vec![
            Instruction::Divide {
                quotient: tile,
                remainder: rest,
                value: tiles.start() - lower,
                divisor: tiles.inner,
            },
            Instruction::Divide { quotient: half, remainder: parity, value: of(tile), divisor: 2 },
        ];
        let full = tiles.full(&tiles.guards, &self.tile(), 1);
        let bring = either(full, self.copies(&next, false), self.copies(&next, true));
        let is_there = tiles.range.upper.iter().map(|upper| Condition {
            relation: Relation::Less,
            left: next_start.clone(),
            right: upper.clone(),
        });
        each.extend(guarded(is_there.collect(), bring));
        self.staged = now;
        each.extend(self.work(tiles, body));
        each.extend([Instruction::Await, Instruction::Barrier]);
        all.push(Instruction::Loop(tiles.steps(), Unroll::By(1), each));
        all
    }

    /// What is done with a tile that is there.
    fn work(&mut self, tiles: &Tiles, body: &[Node]) -> Vec<Instruction> {
        let unroll = match self.tiling.unroll {
            0 => Unroll::All,
            factor => Unroll::By(factor),
        };
        let guards = if self.is_private(body) {
            of_iterator(&tiles.guards, tiles.range.iterator)
        } else {
            tiles.guards.clone()
        };
        let full = Instruction::Loop(tiles.whole(), unroll, self.list(body, &[]));
        let part = Instruction::Loop(tiles.part(), Unroll::By(1), self.list(body, &guards));
        self.staged.clear();
        either(tiles.full(&guards, &self.tile(), 0), vec![full], vec![part])
    }

    /// The loop with one lower bound, as steps need it.
    fn with_one_start(&mut self, range: &Range) -> (Vec<Instruction>, Range) {
        if range.lower.len() == 1 {
            return (Vec::new(), range.clone());
        }
        let first = self.iterator("first");
        let lower = vec![Affine::from(Variable::Iterator(first))];
        (vec![Instruction::Define(first, range.lower.clone())], Range { lower, ..range.clone() })
    }

    /// A value with what is near in the place of elements: shared memory and registers.
    pub fn near(&self, value: &Expression) -> Expression {
        if let Some(access) = self.staged.iter().find_map(|staged| staged.access(value)) {
            return Expression::Load(access);
        }
        let mut value = value.clone();
        match &mut value {
            Expression::Load(access) => *access = self.register(access.clone()),
            other => other.parts_mut().into_iter().for_each(|part| *part = self.near(part)),
        }
        value
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
                let value = self.near(&assignment.value);
                let is_near = |access: &&Access| access.array >= self.nest.arrays.len();
                self.is_own(&assignment.target) && value.reads().iter().all(is_near)
            })
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
        let (target, source) = (staged.element(indices), Access { array: staged.array, subscripts: global });
        let copy = if staged.buffer.is_some() {
            Instruction::Fetch { target, source }
        } else {
            let mut value = staged.value.clone();
            value.map_loads(&|_| source.clone());
            Instruction::Assign(Assignment { target, value })
        };
        let copy = guarded(within, vec![copy]);
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
    /// The part for a tile that begins at `start` instead of where an iterator is.
    fn at(self, iterator: usize, start: &Affine) -> Self {
        let variable = Variable::Iterator(iterator);
        let origin = self.origin.iter().map(|origin| origin.substitute(variable, start)).collect();
        Self { origin, ..self }
    }
}

/// Stands for the element in what is kept of it.
const STAGED: Access = Access { array: usize::MAX, subscripts: Vec::new() };

/// A value that reads one element, and otherwise scalars and numbers alone: what is made of the element, and the element.
fn of_one_element(value: &Expression) -> Option<(Expression, &Access)> {
    let [access] = value.reads()[..] else { return None };
    let mut is_plain = true;
    value.visit(&mut |part| is_plain &= !matches!(part, Expression::Integer(_) | Expression::Select(_)));
    let mut kept = value.clone();
    kept.map_loads(&|_| STAGED);
    is_plain.then_some((kept, access))
}

/// The largest parts of a value that read one element; the elements alone where they may not be changed.
fn of_elements(value: &Expression, may_change: bool) -> Vec<(Expression, &Access)> {
    if let Some(found) = of_one_element(value).filter(|(kept, _)| may_change || is_element(kept)) {
        return vec![found];
    }
    value.parts().into_iter().flat_map(|part| of_elements(part, may_change)).collect()
}

fn is_element(value: &Expression) -> bool {
    matches!(value, Expression::Load(_))
}

/// Those of the conditions that depend on an iterator.
fn of_iterator(conditions: &[Condition], iterator: usize) -> Vec<Condition> {
    let variable = Variable::Iterator(iterator);
    let depends =
        |condition: &&Condition| condition.left.mentions(variable) || condition.right.mentions(variable);
    conditions.iter().filter(depends).cloned().collect()
}

/// Puts an access to those of its group.
fn join(groups: &mut Vec<Staged>, value: Expression, access: &Access, tile: &Tile) {
    let linear = linear(access);
    let least: Vec<Affine> =
        access.subscripts.iter().map(|subscript| extreme(subscript, tile, true)).collect();
    let largest = access.subscripts.iter().map(|subscript| extreme(subscript, tile, false));
    let extents: Vec<i64> =
        least.iter().zip(largest).map(|(least, largest)| (largest - least.clone()).constant() + 1).collect();
    let is_of =
        |group: &&mut Staged| group.array == access.array && group.linear == linear && group.value == value;
    let Some(group) = groups.iter_mut().find(is_of) else {
        groups.push(Staged {
            array: access.array,
            linear,
            origin: least,
            extents,
            local: 0,
            value,
            buffer: None,
        });
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
