//! An inner loop in tiles, each of which is staged before it runs.

use super::accumulate::Accumulator;
use super::copy::Deed;
use super::domain::is_implied;
use super::stage::{Staged, statements};
use super::walk::{Walk, constant};
use super::{Axis, Tile, either, guarded, in_tile};
use crate::kernel::{Instruction, Unroll};
use crate::mapping::bounds::not_negative;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::{Condition, Node, Range};

/// As many instances of a statement are written out one after the other: of more, compilers spill registers.
const MOST_INSTANCES: i64 = 1024;

/// A loop in tiles.
pub struct Tiles {
    /// The loop, with one lower bound.
    pub range: Range,
    /// The iterator that is the first value of a tile.
    pub start: usize,
    /// Values of a tile.
    pub inner: i64,
    /// How many slices of a block have a part of them each.
    slices: i64,
    /// Under which conditions something is done in it.
    guards: Vec<Condition>,
    /// Those of all statements in it: elsewhere what they read need not be there.
    inside: Vec<Condition>,
}

impl Tiles {
    fn start(&self) -> Affine {
        Affine::from(Variable::Iterator(self.start))
    }

    /// That the tile which begins there is all there and everything is done in it.
    fn full(&self, guards: &[Condition], block: &Tile, first: &Affine) -> Vec<Condition> {
        let mut tile = block.clone();
        tile.push((self.range.iterator, first.clone(), first.clone() + (self.inner - 1)));
        let ends = self.range.upper.iter().map(|upper| Condition {
            relation: Relation::LessOrEqual,
            left: first.clone() + self.inner,
            right: upper.clone(),
        });
        in_tile(guards, &tile, true).into_iter().chain(ends).collect()
    }

    /// That there is a tile which begins there.
    fn is_there(&self, first: &Affine) -> Vec<Condition> {
        let below = |upper: &Affine| Condition {
            relation: Relation::Less,
            left: first.clone(),
            right: upper.clone(),
        };
        self.range.upper.iter().map(below).collect()
    }

    /// The loop over tiles.
    fn steps(&self) -> Range {
        Range { iterator: self.start, step: self.inner, ..self.range.clone() }
    }

    /// A thread's loop in a tile that is all there.
    fn whole(&self) -> Range {
        let first = match self.slices {
            1 => self.start(),
            _ => self.start() + Variable::Thread(2) * self.own(),
        };
        Range { upper: vec![first.clone() + self.own()], lower: vec![first], ..self.range.clone() }
    }

    /// Values of a tile that a thread goes through.
    fn own(&self) -> i64 {
        self.inner / self.slices
    }

    /// A thread's loop in any tile.
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
        self.begin_at(start, &range.lower);
        let (inner, slices, guards) = (self.staged_iterations(), self.slices, guards.to_vec());
        let mut inside = Vec::new();
        body.iter().for_each(|node| conditions(node, &mut inside));
        let tiles = Tiles { range, start, inner, slices, guards, inside };
        let mut staged: Vec<Staged> =
            staged.into_iter().map(|one| one.at(tiles.range.iterator, &tiles.start())).collect();
        all.extend(self.align(&mut staged, &tiles));
        all.extend(if self.buffers > 1 {
            self.pipelined(&tiles, body, staged)
        } else {
            self.in_turn(&tiles, body, staged)
        });
        all
    }

    /// Each tile is brought, and then worked on.
    fn in_turn(&mut self, tiles: &Tiles, body: &[Node], staged: Vec<Staged>) -> Vec<Instruction> {
        let mut each = vec![Instruction::Barrier];
        each.extend(self.whole_or_part(tiles, &staged, &tiles.start(), Deed::Bring));
        each.push(Instruction::Barrier);
        self.staged = staged;
        each.extend(self.work(tiles, body));
        vec![Instruction::Loop(tiles.steps(), Unroll::By(1), each)]
    }

    /// Does something with all elements of the tile that begins there.
    fn whole_or_part(
        &mut self,
        tiles: &Tiles,
        staged: &[Staged],
        first: &Affine,
        deed: Deed,
    ) -> Vec<Instruction> {
        let all = [&tiles.guards[..], &tiles.inside].concat();
        let full = tiles.full(&all, &self.tile(), first);
        let [whole, part] = [false, true].map(|is_guarded| self.copies(staged, is_guarded, deed));
        if whole.is_empty() { whole } else { either(full, whole, part) }
    }

    /// While one tile is worked on, the next ones are on their way to the other buffers.
    fn pipelined(&mut self, tiles: &Tiles, body: &[Node], staged: Vec<Staged>) -> Vec<Instruction> {
        let [tile, rest, turn, now, next_turn, next] =
            ["tile", "rest", "turn", "now", "next_turn", "next"].map(|name| self.iterator(name));
        let of = |iterator| Affine::from(Variable::Iterator(iterator));
        let (lower, ahead) = (tiles.range.lower[0].clone(), self.buffers - 1);
        let divide =
            |quotient, remainder, value, divisor| Instruction::Divide { quotient, remainder, value, divisor };
        let at = |first: &Affine, buffer: usize| -> Vec<Staged> {
            staged.iter().map(|one| one.clone().at(tiles.start, first).in_buffer(of(buffer))).collect()
        };
        let mut each = vec![
            divide(tile, rest, tiles.start() - lower.clone(), tiles.inner),
            divide(turn, now, of(tile), self.buffers),
            divide(next_turn, next, of(tile) + ahead, self.buffers),
            Instruction::Await((ahead - 1) as u32),
        ];
        let present = at(&tiles.start(), now);
        each.extend(self.whole_or_part(tiles, &present, &tiles.start(), Deed::Change));
        // Past it, what others fetched is there, and nobody works on the tile before.
        each.push(Instruction::Barrier);
        let first = tiles.start() + ahead * tiles.inner;
        each.extend(self.fetched(tiles, &at(&first, next), &first));
        self.staged = present;
        each.extend(self.work(tiles, body));
        let begin = self.iterator("begin");
        let first = lower + of(begin) * tiles.inner;
        let fetched = self.fetched(tiles, &at(&first, begin), &first);
        vec![
            Instruction::Barrier,
            Instruction::Loop(constant(begin, ahead), Unroll::By(1), fetched),
            Instruction::Loop(tiles.steps(), Unroll::By(1), each),
        ]
    }

    /// The tile that begins there is on its way, if there is one: a group either way.
    fn fetched(&mut self, tiles: &Tiles, staged: &[Staged], first: &Affine) -> Vec<Instruction> {
        let bring = self.whole_or_part(tiles, staged, first, Deed::Bring);
        [guarded(tiles.is_there(first), bring), vec![Instruction::Commit]].concat()
    }

    /// What is done with a tile that is there.
    fn work(&mut self, tiles: &Tiles, body: &[Node]) -> Vec<Instruction> {
        let unroll = match (self.tiling.unroll, MOST_INSTANCES / self.points_at_hand()) {
            (0, most) if most >= tiles.own() => Unroll::All,
            (0, most) => Unroll::By(most.max(1) as u32),
            (factor, _) => Unroll::By(factor),
        };
        let guards = self.needed(&tiles.guards, body);
        let whole = self.holding(&guards, |walk| walk.list(body, &[]));
        let full = Instruction::Loop(tiles.whole(), unroll, whole);
        let part = Instruction::Loop(tiles.part(), Unroll::By(1), self.list(body, &guards));
        self.staged.clear();
        either(tiles.full(&guards, &self.tile(), &tiles.start()), vec![full], vec![part])
    }

    fn points_at_hand(&self) -> i64 {
        self.axes.iter().filter(|axis| !axis.is_serial).map(|axis| axis.points).product()
    }

    /// The loop with one lower bound, as steps need it.
    fn with_one_start(&mut self, range: &Range) -> (Vec<Instruction>, Range) {
        if range.lower.len() == 1 {
            return (Vec::new(), range.clone());
        }
        let first = self.iterator("first");
        self.begin_at(first, &range.lower);
        let lower = vec![Affine::from(Variable::Iterator(first))];
        (vec![Instruction::Define(first, range.lower.clone())], Range { lower, ..range.clone() })
    }

    /// The guards without those that make no difference: where statements read and write nothing but registers of
    /// the thread's own points and what is staged, points may compute too for which what they come to is stored
    /// nowhere.
    fn needed(&self, guards: &[Condition], body: &[Node]) -> Vec<Condition> {
        let Some(own) = self.private(body) else { return guards.to_vec() };
        let said: Vec<Affine> = self.axes.iter().flat_map(Axis::is_within).collect();
        let is_needed = |guard: &&Condition| {
            let is_said = not_negative(guard).iter().all(|value| is_implied(value, &said));
            !is_said && !own.iter().all(|accumulator| accumulator.asks_for(guard))
        };
        guards.iter().filter(is_needed).cloned().collect()
    }

    /// The registers that statements write, if they touch nothing else but what is staged. None: they do.
    fn private(&self, body: &[Node]) -> Option<Vec<&Accumulator>> {
        let mut assignments = Vec::new();
        let is_near = |access: &&Access| access.array >= self.nest.arrays.len();
        let is_private = statements(body, &mut assignments)
            && assignments.iter().all(|assignment| self.value(assignment).reads().iter().all(is_near));
        let targets = assignments.iter().map(|assignment| self.own_register(&assignment.target));
        if is_private { targets.collect() } else { None }
    }
}

/// The conditions around statements.
fn conditions(node: &Node, found: &mut Vec<Condition>) {
    match node {
        Node::If(own, body) => {
            found.extend(own.iter().cloned());
            body.iter().for_each(|node| conditions(node, found));
        }
        Node::Loop(_, body) => body.iter().for_each(|node| conditions(node, found)),
        Node::Assign(_) => {}
    }
}
