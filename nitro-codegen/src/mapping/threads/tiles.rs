//! An inner loop in tiles, each of which is staged before it runs.

use super::stage::{Staged, statements};
use super::walk::Walk;
use super::{Tile, either, guarded, in_tile};
use crate::kernel::{Instruction, Unroll};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::{Condition, Node, Range};

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
        let moved =
            |one: &Staged, to: &Affine, buffer: Affine| one.clone().at(tiles.start, to).in_buffer(buffer);
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
}

/// Those of the conditions that depend on an iterator.
fn of_iterator(conditions: &[Condition], iterator: usize) -> Vec<Condition> {
    let variable = Variable::Iterator(iterator);
    let depends =
        |condition: &&Condition| condition.left.mentions(variable) || condition.right.mentions(variable);
    conditions.iter().filter(depends).cloned().collect()
}
