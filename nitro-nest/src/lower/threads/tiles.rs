//! An inner loop in tiles, each of which is staged before it runs.

use super::accumulate::{Accumulator, own_register};
use super::body::value;
use super::context::{Context, Tile, either, everywhere, holding};
use super::copy::{CopyPhase, align, copy_parts};
use super::domain::is_implied;
use super::fragments::write_products;
use super::groups::{GroupOperands, write_groups};
use super::parts::StagedPart;
use super::pipeline::{StagedLoop, write_pipelined};
use super::runs::write_list;
use super::stage::Staging;
use super::stored::write_stored;
use super::tile_body::TileBody;
use crate::kernel::{Instruction, Unroll};
use crate::lower::bounds::{iterator, not_negative};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Relation};
use crate::nest::{Condition, Node, Range};

/// The most instances of a statement that are written out one after the other: of more, compilers spill registers.
const MOST_INSTANCES: i64 = 1024;

/// The place of a tile: values of loops around tiles, and its first value.
pub(super) type Place = (Tile, Affine);

/// A loop in tiles.
pub(crate) struct Tiles {
    /// The loops around it that the pipeline goes through too, outermost first.
    pub(super) outer: Vec<Range>,
    /// The loop, with one lower bound.
    pub(crate) range: Range,
    /// The iterator that is the first value of a tile.
    pub(crate) start: usize,
    /// Values of a tile.
    pub(crate) depth: i64,
    /// The values of the loops in it.
    inner: Tile,
    /// The iterations of the loops in it.
    iterations: i64,
    /// Slices of a block, each of which has a part of the values.
    slices: i64,
    pub(super) stages: i64,
    /// The conditions under which something is done in it.
    guards: Vec<Condition>,
    /// Those of all statements in it: elsewhere what they read need not be there.
    inside: Vec<Condition>,
}

impl Tiles {
    /// Returns the conditions that the tile at a place is all there, and everything is done in it.
    ///
    /// The place says the values of loops around tiles, if they are not those of their iterators, and the first value.
    fn full(&self, guards: &[Condition], block: &Tile, (outer, first): &Place) -> Vec<Condition> {
        let mut tile = [&block[..], outer].concat();
        tile.push((self.range.iterator, first.clone(), first.clone() + (self.depth - 1)));
        tile.extend(self.inner.iter().cloned());
        let mut conditions = everywhere(guards, &tile);
        if self.depth == 1 {
            // There is a tile for each value.
            return conditions;
        }
        for upper in &self.range.upper {
            let (left, right) = (first.clone() + self.depth, upper.clone());
            conditions.push(Condition { relation: Relation::LessOrEqual, left, right });
        }
        conditions
    }

    /// Returns the conditions that all elements of the tile at a place are there.
    ///
    /// One that no statement reads need not exist: all conditions of statements are among them.
    pub(super) fn is_there(&self, context: &Context<'_>, place: &Place) -> Vec<Condition> {
        self.full(&[&self.guards[..], &self.inside].concat(), &context.tile(), place)
    }

    /// Returns the loop over tiles.
    pub(super) fn steps(&self) -> Range {
        Range { iterator: self.start, step: self.depth, ..self.range.clone() }
    }

    /// Returns the place of the tile that is worked on.
    pub(super) fn own_place(&self) -> Place {
        (Tile::new(), iterator(self.start))
    }

    /// Returns a thread's loop in a tile that is all there.
    pub(super) fn whole(&self) -> Range {
        let mut first = iterator(self.start);
        if self.slices > 1 {
            first = first + Variable::Thread(2) * self.own_depth();
        }
        Range { upper: vec![first.clone() + self.own_depth()], lower: vec![first], ..self.range.clone() }
    }

    /// Returns a thread's loop in any tile.
    fn part(&self) -> Range {
        let mut range = self.whole();
        range.upper.extend(self.range.upper.iter().cloned());
        range
    }

    /// Returns how many values of a tile a thread goes through.
    pub(super) fn own_depth(&self) -> i64 {
        self.depth / self.slices
    }
}

/// Writes a loop in tiles.
pub(super) fn write_tiled(
    context: &mut Context<'_>,
    staged: StagedLoop<'_>,
    guards: &[Condition],
) -> Vec<Instruction> {
    let StagedLoop { outer, range, body, staging } = staged;
    // Iterators of tiles are named after the loop, from its first value on.
    let start = context.iterator(&format!("{}_0", context.nest.iterators[range.iterator]));
    let (mut all, range) = with_one_start(context, &range);
    context.begin_at(start, &range.lower);
    let mut inside = Vec::new();
    body.iter().for_each(|node| gather_conditions(node, &mut inside));
    let Staging { parts, stages, depth, inner, iterations, groups } = staging;
    let (slices, guards) = (context.slices, guards.to_vec());
    let tiles = Tiles { outer, range, start, depth, inner, iterations, slices, stages, guards, inside };
    let parts = parts.into_iter().map(|part| part.at(tiles.range.iterator, &iterator(start)));
    let mut parts: Vec<StagedPart> = parts.collect();
    all.extend(align(context, &mut parts, &tiles));
    all.extend(match (groups, tiles.stages) {
        (Some(GroupOperands::Split(right)), _) => write_groups(context, &tiles, body, &parts, &right),
        (Some(GroupOperands::Stored(stored)), _) => write_stored(context, &tiles, body, *stored),
        (None, 1) => write_in_turn(context, &tiles, body, parts),
        (None, _) => write_pipelined(context, &tiles, body, &parts),
    });
    all
}

/// Brings each tile, and then works on it.
fn write_in_turn(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    parts: Vec<StagedPart>,
) -> Vec<Instruction> {
    // The first barrier waits for the work on the tile before, the second for the copies of all threads.
    let mut each = vec![Instruction::Barrier];
    each.extend(copy_tile(context, tiles, &parts, &tiles.own_place(), CopyPhase::Bring));
    each.push(Instruction::Barrier);
    context.scope.staged = parts;
    each.extend(write_work(context, tiles, body));
    vec![Instruction::Loop(tiles.steps(), Unroll::By(1), each)]
}

/// Copies all elements of the tile at a place: without conditions where it is full.
pub(super) fn copy_tile(
    context: &mut Context<'_>,
    tiles: &Tiles,
    parts: &[StagedPart],
    place: &Place,
    phase: CopyPhase,
) -> Vec<Instruction> {
    let full = tiles.is_there(context, place);
    let whole = copy_parts(context, parts, false, phase);
    let part = copy_parts(context, parts, true, phase);
    if whole.is_empty() { whole } else { either(full, whole, part) }
}

/// Brings what a block reads across rows, and then does everything at its points.
pub(super) fn write_across(
    context: &mut Context<'_>,
    nodes: &[Node],
    guards: &[Condition],
    parts: Vec<StagedPart>,
    tile: &Tile,
) -> Vec<Instruction> {
    let mut inside = Vec::new();
    nodes.iter().for_each(|node| gather_conditions(node, &mut inside));
    // An element that no statement reads need not exist.
    let there = everywhere(&[guards, &inside].concat(), tile);
    let [whole, part] =
        [false, true].map(|is_guarded| copy_parts(context, &parts, is_guarded, CopyPhase::Bring));
    let mut all = either(there, whole, part);
    all.push(Instruction::Barrier);
    context.scope.staged = parts;
    let full = everywhere(guards, &context.tile());
    let whole = holding(context, guards, |context| write_list(context, nodes, &[]));
    all.extend(if full.is_empty() { whole } else { either(full, whole, write_list(context, nodes, guards)) });
    context.scope.staged.clear();
    all
}

/// Returns the division of a value by a number.
pub(super) fn divide([quotient, remainder]: [usize; 2], value: Affine, divisor: i64) -> Instruction {
    Instruction::Divide { quotient, remainder, value, divisor: divisor.into() }
}

/// Writes the work on a tile that is there: without conditions where it is full.
pub(super) fn write_work(context: &mut Context<'_>, tiles: &Tiles, body: &[Node]) -> Vec<Instruction> {
    // As many iterations are written out as the points at hand leave room for.
    let points = context.axes.iter().filter(|axis| !axis.is_serial).map(|axis| axis.points);
    let instances = points.product::<i64>() * tiles.iterations;
    let unroll = match (context.tiling.unroll, MOST_INSTANCES / instances) {
        (0, most) if most >= tiles.own_depth() => Unroll::All,
        (0, most) => Unroll::By(largest_divisor(tiles.own_depth(), most) as u32),
        (factor, most) => Unroll::By(factor.min(most.max(1) as u32)),
    };
    let guards = needed(context, &tiles.guards, body);
    let full = match write_products(context, tiles, body) {
        Some(products) => products,
        None => {
            let whole = holding(context, &guards, |context| write_list(context, body, &[]));
            Instruction::Loop(tiles.whole(), unroll, whole)
        }
    };
    let conditions = tiles.full(&guards, &context.tile(), &tiles.own_place());
    context.scope.is_cut_off = true;
    let part = Instruction::Loop(tiles.part(), Unroll::By(1), write_list(context, body, &guards));
    context.scope.is_cut_off = false;
    context.scope.staged.clear();
    either(conditions, vec![full], vec![part])
}

/// Returns the largest divisor of a number that is not above a limit: no iterations are left over then.
fn largest_divisor(number: i64, most: i64) -> i64 {
    (1..=most.min(number)).rev().find(|divisor| number % divisor == 0).unwrap_or(1)
}

/// Returns the loop with one lower bound, as steps need it.
fn with_one_start(context: &mut Context<'_>, range: &Range) -> (Vec<Instruction>, Range) {
    if range.lower.len() == 1 {
        return (Vec::new(), range.clone());
    }
    let first = context.iterator("first");
    context.begin_at(first, &range.lower);
    let define = Instruction::Define(first, range.lower.clone());
    (vec![define], Range { lower: vec![iterator(first)], ..range.clone() })
}

/// Returns the guards without those that make no difference.
///
/// Where statements read and write nothing but registers of the thread's own points and what is staged, points may
/// compute too for which what they come to is stored nowhere.
fn needed(context: &Context<'_>, guards: &[Condition], body: &[Node]) -> Vec<Condition> {
    match private_registers(context, body) {
        Some(own) => needed_for(context, guards, &own),
        None => guards.to_vec(),
    }
}

/// Returns the guards that make a difference to what is stored, where nothing but these registers is written.
pub(super) fn needed_for(
    context: &Context<'_>,
    guards: &[Condition],
    own: &[&Accumulator],
) -> Vec<Condition> {
    let said: Vec<Affine> = context.axes.iter().flat_map(|axis| axis.is_within()).collect();
    let mut needed = guards.to_vec();
    needed.retain(|guard| {
        let is_said = not_negative(guard).iter().all(|value| is_implied(value, &said));
        !is_said && !own.iter().all(|accumulator| accumulator.asks_for(guard))
    });
    needed
}

/// Returns the registers that statements write, if they touch nothing else but what is staged.
fn private_registers<'c>(context: &'c Context<'_>, body: &[Node]) -> Option<Vec<&'c Accumulator>> {
    let mut registers = Vec::new();
    for assignment in TileBody::new(body)?.assignments {
        let value = value(context, assignment);
        let of_nest = |access: &&Access| access.array < context.nest.arrays.len();
        if value.reads().iter().any(of_nest) || !value.gathers().is_empty() {
            return None;
        }
        registers.push(own_register(context, &assignment.target)?);
    }
    Some(registers)
}

/// Gathers the conditions around statements.
fn gather_conditions(node: &Node, found: &mut Vec<Condition>) {
    if let Node::If(own, _) = node {
        found.extend(own.iter().cloned());
    }
    node.body().iter().for_each(|node| gather_conditions(node, found));
}
