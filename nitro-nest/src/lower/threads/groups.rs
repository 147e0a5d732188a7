//! Products on the matrix units of four warps: left operands in fragments, right ones as parts in shared memory.
//!
//! While a product is computed, threads split the right operand of the next tile, which they have in registers, and
//! fetch the tile after that. So a tile is in one of three stages, and its parts in one of two places.

use super::context::{Context, either};
use super::copy::{Shares, in_bounds};
use super::fragments::{Fragments, Operands, axis, is_shared, operands, register, written_out};
use super::parts::StagedPart;
use super::pipeline::{Ahead, fetch_tile, repeated};
use super::stage::{Staging, bytes};
use super::tiles::{Place, Tiles, divide};
use crate::kernel::{GroupProduct, Instruction, PartSplit, Space, bytes_of};
use crate::limits::GROUP_SHARED_BYTES;
use crate::lower::bounds::iterator;
use crate::mapping::MatrixArithmetic;
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Condition, Node, Range};

/// Stages of the left operand, and places of the right operand's parts.
const STAGES: i64 = 3;
const PLACES: i64 = 2;

/// Threads that load neighbouring columns of the right operand at most.
const MOST_COLUMNS: i64 = 256;

/// The right operand of a product, on its way from registers to parts in shared memory.
pub(super) struct RightOperand {
    arithmetic: MatrixArithmetic,
    /// The element of the nest's array.
    element: Access,
    /// The iterator of the sum, and that of columns with its first value in the block and its step.
    terms: usize,
    columns: (usize, Affine, i64),
    shares: Shares,
    /// A thread's elements, in an array of as many registers as 16 bytes have parts.
    registers: usize,
    /// The parts: places, parts, terms, columns, neighbouring terms.
    parts: usize,
}

/// Takes the right operand out of what is staged, if a loop adds up products that warp groups can compute.
pub(super) fn take_right(
    context: &mut Context<'_>,
    range: &Range,
    body: &[Node],
    staging: Staging,
) -> Staging {
    match find_right(context, range, body, &staging) {
        Some((left, element)) => Staging {
            right: Some(RightOperand::place(context, range, element, staging.depth)),
            parts: vec![left],
            stages: STAGES,
            ..staging
        },
        None => staging,
    }
}

/// Finds the left operand, beyond whose end there are zeros, and an element of the right one.
fn find_right(
    context: &Context<'_>,
    range: &Range,
    body: &[Node],
    staging: &Staging,
) -> Option<(StagedPart, Access)> {
    let (arithmetic, _) = (context.tiling.matrix_units?, context.lanes?);
    let ([Node::Assign(assignment)], [_, _]) = (body, &staging.parts[..]) else { return None };
    if !context.tiling.warp_groups || staging.depth % i64::from(arithmetic.depth()) != 0 {
        return None;
    }
    let Operands { left, right, .. } = operands(context, assignment, is_of_nest)?;
    let value = Expression::Load(left.clone());
    let mut part = staging.parts.iter().find(|part| part.access(&value).is_some())?.clone();
    // Where the sum ends, both operands are 0: that takes a dimension along which there are its terms alone.
    let (dimension, first) = along_terms(&left, range)?;
    along_terms(&right, range)?;
    let ends = range.upper.iter().map(|upper| upper.clone() + first).collect();
    part.fill = Some((dimension, ends));
    let (x, _) = axis(context, 0);
    let of_parts = bytes_of(arithmetic.part_storage(), context.nest.element) * arithmetic.parts() as i64;
    let right_bytes = PLACES * staging.depth * x.tile() * of_parts;
    let has_room = STAGES * bytes(context, &part) + right_bytes <= GROUP_SHARED_BYTES;
    has_room.then_some((part, right))
}

/// Returns the dimension of an operand along which the sum goes, by itself, and where it begins there.
fn along_terms(operand: &Access, range: &Range) -> Option<(usize, i64)> {
    let terms = Variable::Iterator(range.iterator);
    let mut along = operand.subscripts.iter().enumerate().filter(|(_, subscript)| subscript.mentions(terms));
    let (dimension, subscript) = along.next()?;
    let first = subscript.clone() - terms;
    (along.next().is_none() && first.terms().is_empty()).then(|| (dimension, first.constant()))
}

fn is_of_nest(context: &Context<'_>, access: &Access) -> bool {
    access.array < context.nest.arrays.len()
}

fn is_any_operand(context: &Context<'_>, access: &Access) -> bool {
    is_of_nest(context, access) || is_shared(context, access)
}

impl RightOperand {
    /// Gives the right operand of tiles of so many terms registers, and its parts room in shared memory.
    fn place(context: &mut Context<'_>, range: &Range, element: Access, depth: i64) -> Self {
        let arithmetic = context.tiling.matrix_units.expect("it is an operand of matrix units");
        let (x, own) = axis(context, 0);
        let neighbours = arithmetic.neighbours();
        let shares = Shares::new(context, &[depth / neighbours], x.tile(), MOST_COLUMNS);
        let registers = context.local("right", Space::Register, vec![shares.count(), neighbours]);
        let name = format!("{}_parts", context.nest.arrays[element.array].name);
        let shape = vec![PLACES, arithmetic.parts() as i64, depth / neighbours, x.tile(), neighbours];
        let parts = context.stored_local(&name, Space::Shared, shape, arithmetic.part_storage());
        let columns = (x.iterator, iterator(own.first), x.range.step);
        Self { arithmetic, element, terms: range.iterator, columns, shares, registers, parts }
    }

    /// Brings a thread's elements of the tile at a place to registers: those that are not there are 0.
    pub(super) fn bring(&self, context: &mut Context<'_>, tiles: &Tiles, place: &Place) -> Vec<Instruction> {
        let [whole, part] = [false, true].map(|is_guarded| {
            self.shares.write(context, |context, indices, own| {
                self.bring_neighbours(context, tiles, place, &indices, own, is_guarded)
            })
        });
        either(tiles.is_there(context, place), whole, part)
    }

    /// Brings neighbouring terms of a column.
    fn bring_neighbours(
        &self,
        context: &Context<'_>,
        tiles: &Tiles,
        (outer, first): &Place,
        indices: &[Affine],
        own: Affine,
        is_guarded: bool,
    ) -> Vec<Instruction> {
        let [terms, column] = indices else { unreachable!("parts are shared out by terms and columns") };
        let (x, first_column, step) = &self.columns;
        let outer = outer.iter();
        let element = outer.fold(self.element.clone(), |element, (outer, value, _)| element.with(*outer, value));
        let element = element.with(*x, &(first_column.clone() + column.clone() * *step));
        let mut all = Vec::new();
        for neighbour in 0..self.arithmetic.neighbours() {
            let term = first.clone() + terms.clone() * self.arithmetic.neighbours() + neighbour;
            let source = element.with(self.terms, &term);
            let target = Access { array: self.registers, subscripts: vec![own.clone(), neighbour.into()] };
            let mut within = Vec::new();
            if is_guarded {
                within = in_bounds(context, source.array, &source.subscripts);
                let ends = tiles.range.upper.iter();
                within.extend(ends.map(|upper| Condition::less(term.clone(), upper.clone())));
            }
            let [load, zero] = [Expression::Load(source), Expression::Constant(0.0.into())]
                .map(|value| vec![Instruction::assign(target.clone(), value)]);
            all.extend(either(within, load, zero));
        }
        all
    }

    /// Splits what the threads of a block have into parts at a place.
    fn split(&self, context: &mut Context<'_>, place: &Affine) -> Vec<Instruction> {
        self.shares.write(context, |_, indices, own| {
            let [terms, column] = &indices[..] else { unreachable!("parts are shared out by terms and columns") };
            let split = PartSplit {
                arithmetic: self.arithmetic,
                target: self.part(place, terms.clone(), column.clone()),
                source: Access { array: self.registers, subscripts: vec![own, Affine::from(0)] },
            };
            vec![Instruction::Split(split)]
        })
    }

    /// Returns the first of neighbouring terms of a column, of the first part.
    fn part(&self, place: &Affine, terms: Affine, column: Affine) -> Access {
        Access { array: self.parts, subscripts: vec![place.clone(), 0.into(), terms, column, 0.into()] }
    }
}

/// Adds up products, tile after tile.
pub(super) fn write_groups(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    parts: &[StagedPart],
    right: &RightOperand,
) -> Vec<Instruction> {
    let [tile, turn, now, next_turn, next, place_turn, own_place, other_turn, other_place] = [
        "tile", "turn", "now", "next_turn", "next", "place_turn", "place", "other_turn", "other_place",
    ]
    .map(|name| context.iterator(name));
    let ahead = Ahead::new(context, tiles);
    let mut each = vec![
        divide([turn, now], iterator(tile), STAGES),
        divide([next_turn, next], iterator(tile) + (STAGES - 1), STAGES),
        divide([place_turn, own_place], iterator(tile), PLACES),
        divide([other_turn, other_place], iterator(tile) + 1, PLACES),
        Instruction::Await((STAGES - 2) as u32),
        // Past it, all that this tile needs is there, and nobody works on the tile before.
        Instruction::Barrier,
    ];
    let mut meanwhile = right.split(context, &iterator(other_place));
    meanwhile.extend(fetch_tile(context, tiles, parts, Some(right), &ahead, next));
    context.scope.staged = parts.iter().map(|part| part.clone().in_stage(iterator(now))).collect();
    each.extend(write_tile(context, tiles, body, right, &iterator(own_place), meanwhile));
    context.scope.staged.clear();
    each.push(Instruction::Set(tile, iterator(tile) + 1));
    // Before the first tile, its operands are fetched, the right one is split, and the next tile is fetched.
    let mut all: Vec<Instruction> = ahead.begin().collect();
    all.extend([Instruction::Begin(tile, Affine::from(0)), Instruction::Barrier]);
    for stage in 0..STAGES - 1 {
        let begin = context.iterator("begin");
        all.push(Instruction::Define(begin, vec![stage.into()]));
        all.extend(fetch_tile(context, tiles, parts, Some(right), &ahead, begin));
        if stage == 0 {
            all.extend(right.split(context, &Affine::from(0)));
        }
    }
    all.push(repeated(tiles, each));
    all
}

/// Adds the products of a tile to sums; `meanwhile` runs while the first one is computed.
///
/// With several parts each step begins anew, and an ordinary addition adds what it comes to.
fn write_tile(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    right: &RightOperand,
    place: &Affine,
    mut meanwhile: Vec<Instruction>,
) -> Vec<Instruction> {
    let [Node::Assign(assignment)] = body else { unreachable!("it is one statement") };
    let operands = operands(context, assignment, is_any_operand).expect("it is a product");
    let first = iterator(tiles.start);
    let mut fragments = Fragments::new(context, (right.terms, first.clone())).expect("it has matrix units");
    let (arithmetic, [counter, column]) = (right.arithmetic, fragments.at);
    let (depth, [rows, columns]) = (i64::from(arithmetic.depth()), fragments.counts());
    let begins_anew = arithmetic.parts() > 1;
    let at_once = if begins_anew { 1 } else { tiles.depth / depth };
    let along_terms = fragments.left_along_terms(context, &operands);
    let storage = along_terms.and(arithmetic.storage()).unwrap_or_default();
    let registers = vec![rows, at_once * depth / 2];
    let left = context.stored_local("left", Space::Register, registers, storage);
    let step = begins_anew.then(|| context.local("step", Space::Register, vec![rows, columns, 4]));
    let own = fragments.sums(&operands.sums);
    let new = |register: usize| -> Access {
        let step = step.expect("sums begin anew");
        Access { array: step, subscripts: vec![iterator(counter), iterator(column), (register as i64).into()] }
    };
    let of_column = |at: i64, register: usize| -> Access {
        let sum = if begins_anew { new(register) } else { own[register].clone() };
        sum.with(column, &at.into())
    };
    let sums: Vec<Access> =
        (0..columns).flat_map(|at| (0..4).map(move |register| (at, register))).map(|(at, register)| of_column(at, register)).collect();
    let mut all = Vec::new();
    for begin in (0..tiles.depth / depth).step_by(at_once as usize) {
        let mut loads = Vec::new();
        for fragment in 0..at_once {
            fragments = fragments.at_term(first.clone() + (begin + fragment) * depth);
            let register = fragment * depth / 2;
            match along_terms {
                Some(of_left) => {
                    loads.push(fragments.load_stored_left(&operands.left, of_left, left, register));
                }
                None => loads.extend(fragments.load_left(&operands, left, register)),
            }
        }
        let product = GroupProduct {
            arithmetic,
            sums: sums.clone(),
            fragments: at_once as u32,
            left: register(left, counter, 0),
            right: right.part(place, (begin * depth / arithmetic.neighbours()).into(), 0.into()),
        };
        all.push(written_out(counter, rows, loads));
        all.push(written_out(counter, rows, vec![Instruction::BeginProduct(product)]));
        all.append(&mut meanwhile);
        all.push(written_out(counter, rows, vec![Instruction::AwaitProduct(sums.clone())]));
        if begins_anew {
            let add = |register: usize| {
                let [sum, step] = [own[register].clone(), new(register)].map(Expression::Load);
                Instruction::assign(own[register].clone(), sum + step)
            };
            let add = (0..4).map(add).collect();
            all.push(written_out(counter, rows, vec![written_out(column, columns, add)]));
        }
    }
    all
}
