//! Products on the matrix units of four warps: left operands in fragments, right ones as parts in shared memory.
//!
//! While a product is computed, threads split the right operand of the next tile, which they have in registers, and
//! fetch the tile after that. So a tile is in one of three stages, and its parts in one of two places.

use super::accumulate::own_register;
use super::context::{Context, either, guarded};
use super::copy::{Shares, before_ends};
use super::fragments::{Operands, arithmetic, axis, is_shared, operands, register, scaled, written_out};
use super::group_sums::GroupSums;
use super::parts::{Ends, StagedPart};
use super::pipeline::{Ahead, fetch_tile, repeated};
use super::stage::{Staging, bytes};
use super::stored::{self, StoredOperands};
use super::tiles::{Place, Tiles, divide, needed_for};
use crate::kernel::{GroupOperand, GroupProduct, Instruction, PartSplit, Space, Unroll, bytes_of};
use crate::limits::GROUP_SHARED_BYTES;
use crate::lower::bounds::{count_to, iterator};
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
    ends: Ends,
    /// The iterator of the sum, and that of columns with its first value in the block and its step.
    terms: usize,
    columns: (usize, Affine, i64),
    shares: Shares,
    /// A thread's elements, in an array of as many registers as 16 bytes have parts.
    registers: usize,
    /// The parts: places, parts, terms, columns, neighbouring terms.
    parts: usize,
    /// What elements are multiplied with before, if the left operand is not.
    scales: Vec<Expression>,
}

/// The operands of products by warp groups that are not staged as others are.
pub(super) enum GroupOperands {
    /// The right one becomes parts.
    Split(Box<RightOperand>),
    /// Both stay as they are.
    Stored(Box<StoredOperands>),
}

/// Takes operands out of what is staged, if a loop adds up products that warp groups can compute.
pub(super) fn take_operands(
    context: &mut Context<'_>,
    range: &Range,
    body: &[Node],
    guards: &[Condition],
    staging: Staging,
) -> Staging {
    let Some(found) = find_operands(context, range, body, guards, &staging) else { return staging };
    if let Some(stored) = stored::take(context, range, &found, &staging) {
        return stored.staging(staging);
    }
    let Some((left, ends)) = find_split(context, range, &found, &staging) else { return staging };
    let right = RightOperand::place(context, range, (found.right, ends), staging.depth, PLACES);
    let groups = Some(GroupOperands::Split(Box::new(right)));
    Staging { groups, parts: vec![left], stages: STAGES, ..staging }
}

/// Finds the operands of products that warp groups can compute.
fn find_operands(
    context: &Context<'_>,
    range: &Range,
    body: &[Node],
    guards: &[Condition],
    staging: &Staging,
) -> Option<Operands> {
    arithmetic(context).filter(|_| context.tiling.warp_groups)?;
    let ([Node::Assign(assignment)], [_, _]) = (body, &staging.parts[..]) else { return None };
    // All points get products: those that are to have none would need a condition.
    let own = own_register(context, &assignment.target)?;
    if !needed_for(context, guards, &[own]).is_empty() {
        return None;
    }
    let found = operands(context, assignment, is_of_nest)?;
    let end = [&found.left, &found.right].map(|operand| ends(operand, range));
    // A block has one right operand.
    (is_of_block(context, &found.right, 0) && end.iter().all(Option::is_some)).then_some(found)
}

/// Returns `true` if an operand along an axis is one for all of a block.
pub(super) fn is_of_block(context: &Context<'_>, operand: &Access, dimension: usize) -> bool {
    let mut others = context.axes.iter().filter(|axis| axis.dimension != dimension && axis.tile() > 1);
    !others.any(|axis| operand.depends_on(&[axis.iterator]))
}

/// Finds the part of the left operand, and where the right one ends: beyond the ends of both there are zeros.
fn find_split(
    context: &Context<'_>,
    range: &Range,
    found: &Operands,
    staging: &Staging,
) -> Option<(StagedPart, Ends)> {
    let arithmetic = arithmetic(context).filter(|one| staging.depth % i64::from(one.depth()) == 0)?;
    let value = Expression::Load(found.left.clone());
    let mut part = staging.parts.iter().find(|part| part.access(&value).is_some())?.clone();
    part.fill = Some(ends(&found.left, range)?);
    let right_ends = ends(&found.right, range)?;
    let (x, _) = axis(context, 0);
    let of_parts = bytes_of(arithmetic.part_storage(), context.nest.element) * arithmetic.parts() as i64;
    let right_bytes = PLACES * staging.depth * x.tile() * of_parts;
    let has_room = STAGES * bytes(context, &part) + right_bytes <= GROUP_SHARED_BYTES;
    has_room.then_some((part, right_ends))
}

/// Returns where an operand ends with the sum. That takes a dimension along which there are its terms alone.
pub(super) fn ends(operand: &Access, range: &Range) -> Option<Ends> {
    let terms = Variable::Iterator(range.iterator);
    let mut along = operand.subscripts.iter().enumerate().filter(|(_, subscript)| subscript.mentions(terms));
    let (dimension, subscript) = along.next()?;
    let first = subscript.clone() - terms;
    let is_alone = along.next().is_none() && first.terms().is_empty();
    is_alone.then(|| (dimension, range.upper.iter().map(|upper| upper.clone() + first.clone()).collect()))
}

fn is_of_nest(context: &Context<'_>, access: &Access) -> bool {
    access.array < context.nest.arrays.len()
}

fn is_any_operand(context: &Context<'_>, access: &Access) -> bool {
    is_of_nest(context, access) || is_shared(context, access)
}

impl RightOperand {
    /// Gives the right operand of tiles of so many terms registers, and its parts so many places in shared memory.
    pub(super) fn place(
        context: &mut Context<'_>,
        range: &Range,
        (element, ends): (Access, Ends),
        depth: i64,
        places: i64,
    ) -> Self {
        let arithmetic = arithmetic(context).expect("it is an operand of matrix units");
        let (x, own) = axis(context, 0);
        let neighbours = arithmetic.parts_in_16_bytes();
        let shares = Shares::new(context, &[depth / neighbours], x.tile(), MOST_COLUMNS);
        let registers = context.local("right", Space::Register, vec![shares.count(), neighbours]);
        let name = format!("{}_parts", context.nest.arrays[element.array].name);
        let shape = vec![places, arithmetic.parts() as i64, depth / neighbours, x.tile(), neighbours];
        let parts = context.stored_local(&name, Space::Shared, shape, arithmetic.part_storage());
        let columns = (x.iterator, iterator(own.first), x.range.step);
        let (terms, scales) = (range.iterator, Vec::new());
        Self { arithmetic, element, ends, terms, columns, shares, registers, parts, scales }
    }

    /// Multiplies elements with these before they become parts, by threads that have registers for all addresses.
    pub(super) fn scaled(self, scales: Vec<Expression>) -> Self {
        Self { scales, shares: self.shares.keeping_addresses(), ..self }
    }

    /// Brings a thread's elements of the tile at a place to registers: those that are not there are 0.
    pub(super) fn bring(&self, context: &mut Context<'_>, tiles: &Tiles, place: &Place) -> Vec<Instruction> {
        let [whole, part] = [false, true].map(|is_guarded| {
            self.shares.write(context, |context, indices, own| {
                self.bring_neighbours(context, place, &indices, own, is_guarded)
            })
        });
        either(tiles.is_there(context, place), whole, part)
    }

    /// Brings neighbouring terms of a column.
    fn bring_neighbours(
        &self,
        context: &mut Context<'_>,
        (outer, first): &Place,
        indices: &[Affine],
        own: Affine,
        is_guarded: bool,
    ) -> Vec<Instruction> {
        let [terms, column] = indices else { unreachable!("parts are shared out by terms and columns") };
        let (x, first_column, step) = &self.columns;
        let outer = outer.iter();
        let element =
            outer.fold(self.element.clone(), |element, (outer, value, _)| element.with(*outer, value));
        let element = element.with(*x, &(first_column.clone() + column.clone() * *step));
        let neighbour = context.iterator("neighbour");
        let term = first.clone() + terms.clone() * self.arithmetic.parts_in_16_bytes() + iterator(neighbour);
        let source = element.with(self.terms, &term);
        let target = Access { array: self.registers, subscripts: vec![own, iterator(neighbour)] };
        let within = if is_guarded {
            before_ends(context, source.array, &source.subscripts, &self.ends)
        } else {
            Vec::new()
        };
        let [load, zero] = [Expression::Load(source), Expression::Constant(0.0.into())]
            .map(|value| vec![Instruction::assign(target.clone(), value)]);
        vec![written_out(neighbour, self.arithmetic.parts_in_16_bytes(), either(within, load, zero))]
    }

    /// Splits what the threads of a block have into parts at a place.
    pub(super) fn split(&self, context: &mut Context<'_>, place: &Affine) -> Vec<Instruction> {
        self.shares.write(context, |_, indices, own| {
            let [terms, column] = &indices[..] else {
                unreachable!("parts are shared out by terms and columns")
            };
            let source = Access { array: self.registers, subscripts: vec![own, Affine::from(0)] };
            let mut all = self.scale(&source);
            let target = self.part(place, terms.clone(), column.clone());
            all.push(Instruction::Split(PartSplit { arithmetic: self.arithmetic, target, source }));
            all
        })
    }

    /// Multiplies neighbours, in registers from this one on, with what they are to be multiplied with.
    fn scale(&self, first: &Access) -> Vec<Instruction> {
        let neighbours = if self.scales.is_empty() { 0 } else { self.arithmetic.parts_in_16_bytes() };
        let registers = (0..neighbours).map(|neighbour| first.neighbour(neighbour));
        let scale = |register: Access| {
            Instruction::assign(register.clone(), scaled(Expression::Load(register), &self.scales))
        };
        registers.map(scale).collect()
    }

    /// Returns the first of neighbouring terms of a column, of the first part.
    pub(super) fn part(&self, place: &Affine, terms: Affine, column: Affine) -> Access {
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
    let [tile, turn, now, next_turn, next, place_turn, own_place, other_turn, other_place] =
        ["tile", "turn", "now", "next_turn", "next", "place_turn", "place", "other_turn", "other_place"]
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
    let begin = context.iterator("begin");
    let is_fetched = Condition::at_least(iterator(begin), Affine::from(1));
    let mut fetched = guarded(vec![is_fetched], right.split(context, &Affine::from(0)));
    fetched.extend(fetch_tile(context, tiles, parts, Some(right), &ahead, begin));
    let mut all: Vec<Instruction> = ahead.begin().collect();
    all.extend([
        Instruction::Begin(tile, Affine::from(0)),
        Instruction::Barrier,
        Instruction::Loop(count_to(begin, STAGES - 1), Unroll::By(1), fetched),
        repeated(tiles, each),
    ]);
    all
}

/// Adds the products of a tile to sums; `meanwhile` runs while the first one is computed.
fn write_tile(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    right: &RightOperand,
    place: &Affine,
    mut meanwhile: Vec<Instruction>,
) -> Vec<Instruction> {
    let products = Products::new(context, tiles, body, right);
    let mut all = products.load_left(0);
    for step in 0..products.steps {
        all.push(products.begin(right, place, step));
        all.append(&mut meanwhile);
        // What the next step needs comes meanwhile too.
        if step + 1 < products.steps {
            all.extend(products.load_left(step + 1));
        }
        all.extend(products.finish());
    }
    all
}

/// The products of a tile, in steps.
///
/// With one part there is one step, which adds to the sums. With several parts, each step is as deep as a fragment and
/// begins anew, and an ordinary addition adds what it comes to.
struct Products {
    sums: GroupSums,
    operands: Operands,
    along_terms: Option<bool>,
    /// The value of the sum's iterator where the tile begins.
    first: Affine,
    steps: i64,
    /// Left fragments of a step.
    at_once: i64,
    /// Registers of left fragments, of a step and of the next one.
    left: usize,
}

impl Products {
    fn new(context: &mut Context<'_>, tiles: &Tiles, body: &[Node], right: &RightOperand) -> Self {
        let operands = operands_of(context, body);
        let arithmetic = right.arithmetic;
        let sums = GroupSums::new(context, right.terms, operands.sums.clone(), arithmetic.parts() > 1);
        let depth = i64::from(arithmetic.depth());
        let all = tiles.depth / depth;
        let (steps, at_once) = if sums.step.is_some() { (all, 1) } else { (1, all) };
        let along_terms = sums.fragments.left_along_terms(context, &operands);
        let storage = along_terms.and(arithmetic.storage()).unwrap_or_default();
        let [rows, _] = sums.fragments.counts();
        let shape = vec![rows, steps.min(2) * at_once * depth / 2];
        let left = context.stored_local("left", Space::Register, shape, storage);
        let first = iterator(tiles.start);
        Self { sums, operands, along_terms, first, steps, at_once, left }
    }

    fn depth(&self) -> i64 {
        self.sums.fragments.arithmetic.depth().into()
    }

    /// Returns a thread's first register of a step's left fragments.
    fn first_left(&self, step: i64) -> i64 {
        step % 2 * self.at_once * self.depth() / 2
    }

    /// Loads the left fragments of a step.
    fn load_left(&self, step: i64) -> Vec<Instruction> {
        let fragments = &self.sums.fragments;
        let mut loads = Vec::new();
        for fragment in 0..self.at_once {
            let first = self.first.clone() + (step * self.at_once + fragment) * self.depth();
            let register = self.first_left(step) + fragment * self.depth() / 2;
            match self.along_terms {
                Some(along) => {
                    let operand = &self.operands.left;
                    loads.push(fragments.load_stored_left(operand, along, &first, self.left, register));
                }
                None => loads.extend(fragments.load_left(&self.operands, &first, self.left, register)),
            }
        }
        vec![self.sums.for_rows(loads)]
    }

    /// Begins the products of a step.
    fn begin(&self, right: &RightOperand, place: &Affine, step: i64) -> Instruction {
        let terms = step * self.at_once * self.depth() / right.arithmetic.parts_in_16_bytes();
        let product = GroupProduct {
            arithmetic: right.arithmetic,
            sums: self.sums.of_row(),
            fragments: self.at_once as u32,
            left: GroupOperand::Registers(register(self.left, self.sums.row(), self.first_left(step))),
            right: GroupOperand::Parts(right.part(place, terms.into(), 0.into())),
        };
        self.sums.for_rows(vec![Instruction::BeginProduct(product)])
    }

    /// Waits for the products of a step, and adds what it comes to if it began anew.
    fn finish(&self) -> Vec<Instruction> {
        [Some(self.sums.wait()), self.sums.add_step(&[])].into_iter().flatten().collect()
    }
}

/// Returns the operands of the product that is a body.
pub(super) fn operands_of(context: &Context<'_>, body: &[Node]) -> Operands {
    let [Node::Assign(assignment)] = body else { unreachable!("it is one statement") };
    operands(context, assignment, is_any_operand).expect("it is a product")
}
