//! Products on the matrix units of four warps of operands that are stored as those take them: both in shared memory.
//!
//! Threads do little but copy and begin products. Copies of two tiles are on their way, and while a product is
//! computed, that of the tile before may be too: so a tile is in one of four stages. A right operand of 32 bits whose
//! neighbours are columns goes through registers to its parts, which have neighbours along the sum.

use nitro_launch::Storage;

use super::context::{Context, either, guarded};
use super::copy::{Shares, aligned_rows, before_ends};
use super::fragments::{Operands, along_terms, arithmetic, axis};
use super::group_sums::GroupSums;
use super::groups::{GroupOperands, RightOperand, ends, is_of_block, operands_of};
use super::parts::Ends;
use super::pieces::{Count, Pieces};
use super::pipeline::{Ahead, repeated};
use super::stage::Staging;
use super::tiles::{Place, Tiles, divide};
use crate::kernel::matrix::swizzled_row;
use crate::kernel::{GroupOperand, GroupProduct, Instruction, Unroll, bytes_of};
use crate::limits::GROUP_SHARED_BYTES;
use crate::lower::bounds::{count_to, iterator, mentions};
use crate::mapping::{MatrixArithmetic, PartFormat};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::{Condition, Node, Range};

/// Stages of both operands, and those that are on their way.
const STAGES: i64 = 4;
const AHEAD: i64 = 2;

/// Rows of the left operand of a product.
const GROUP_ROWS: i64 = 64;

/// Both operands of products, on their way to shared memory.
pub(super) struct StoredOperands {
    arithmetic: MatrixArithmetic,
    /// Terms of a tile.
    depth: i64,
    left: StoredOperand,
    right: Right,
    /// What sums are multiplied with in the end, if no operand is before.
    scales: Vec<Expression>,
}

/// The right operand.
enum Right {
    Stored(StoredOperand),
    /// It becomes one part.
    Split(RightOperand),
}

/// An operand: pieces of 16 bytes of the nest's array that come to a swizzled one.
struct StoredOperand {
    /// The element of the nest's array.
    element: Access,
    ends: Ends,
    /// The iterator of the sum, and that of the axis with its first value in the block and its step.
    terms: usize,
    axis: (usize, Affine, i64),
    is_along_terms: bool,
    /// The numbers by which threads share out pieces, the last one the fastest.
    counts: Vec<Count>,
    shares: Shares,
    /// The numbers of a piece.
    width: u32,
    /// The swizzled array: stages, blocks, rows, neighbours.
    array: usize,
    /// The conditions under which 16 bytes of the nest's array are a piece, where they can be.
    aligned: Option<Vec<Condition>>,
}

/// Makes the operands of a product those of warp groups, if both are stored as matrix units take them.
pub(super) fn take(
    context: &mut Context<'_>,
    range: &Range,
    operands: &Operands,
    staging: &Staging,
) -> Option<StoredOperands> {
    let arithmetic = arithmetic(context)?;
    let storage = taken_as(arithmetic)?;
    let [left, right] = [&operands.left, &operands.right];
    let is_stored = |operand: &Access| context.nest.arrays[operand.array].storage == storage;
    if !is_stored(left) || !is_stored(right) || !is_of_block(context, left, 1) {
        return None;
    }
    let of_left = along_terms(left, &axis(context, 1).0, range.iterator)?;
    let of_right = along_terms(right, &axis(context, 0).0, range.iterator)?;
    let (rows, columns) = (axis(context, 1).0.tile(), axis(context, 0).0.tile());
    let (row, is_narrow) = (swizzled_row(arithmetic), arithmetic.storage().is_some());
    let is_split = !is_narrow && !of_right;
    if !is_narrow && !of_left || is_narrow && !of_right && columns % row != 0 {
        return None;
    }
    // Neighbours along the sum fill rows.
    let depth = staging.depth.unsigned_abs().next_multiple_of(row.unsigned_abs()) as i64;
    if STAGES * depth * (rows + columns) * bytes_of(storage, context.nest.element) > GROUP_SHARED_BYTES {
        return None;
    }
    let [left_ends, right_ends] = [ends(left, range)?, ends(right, range)?];
    let pieces = Pieces { depth, row, neighbours: arithmetic.parts_in_16_bytes() };
    let counts = pieces.of_left(context, of_left);
    let left = StoredOperand::place(context, range, (left, left_ends), (1, of_left), pieces, counts);
    // What goes through registers is multiplied there.
    let (right, scales) = if is_split {
        let right = RightOperand::place(context, range, (right.clone(), right_ends), depth, STAGES);
        (Right::Split(right.scaled(operands.scales.clone())), Vec::new())
    } else {
        let (of, counts) = ((right, right_ends), pieces.of_right(columns, of_right));
        let right = StoredOperand::place(context, range, of, (0, of_right), pieces, counts);
        (Right::Stored(right), operands.scales.clone())
    };
    Some(StoredOperands { arithmetic, depth, left, right, scales })
}

/// Returns the storage of operands that matrix units take as they are.
///
/// Of single precision they leave out the last bits: what is left is the part that TF32 has.
fn taken_as(arithmetic: MatrixArithmetic) -> Option<Storage> {
    let is_one_part = arithmetic.format() == PartFormat::Tf32 && arithmetic.parts() == 1;
    arithmetic.storage().or_else(|| is_one_part.then(Storage::default))
}

impl StoredOperand {
    /// Gives the operand of an axis of the block room in shared memory.
    fn place(
        context: &mut Context<'_>,
        range: &Range,
        (element, ends): (&Access, Ends),
        (dimension, is_along_terms): (usize, bool),
        Pieces { row, neighbours, .. }: Pieces,
        counts: Vec<Count>,
    ) -> Self {
        let extents: Vec<i64> = counts.iter().map(|count| count.extent).collect();
        let (last, rows) = extents.split_last().expect("pieces are counted");
        let shares = Shares::new(context, rows, *last, *last).keeping_addresses();
        let of = |at: usize| counts.iter().map(|count| (count.extent - 1) * count.place[at]).sum::<i64>() + 1;
        let shape = vec![STAGES, of(0), of(1), row];
        let declared = &context.nest.arrays[element.array];
        let (name, storage) = (format!("{}_tile", declared.name), declared.storage);
        let array = context.swizzled_local(&name, shape, storage);
        let (axis, own) = axis(context, dimension);
        let axis = (axis.iterator, iterator(own.first), axis.range.step);
        let terms = range.iterator;
        let (element, aligned, width) = (element.clone(), None, neighbours as u32);
        Self { element, ends, terms, axis, is_along_terms, counts, shares, width, array, aligned }
    }

    /// Returns code, and conditions under which 16 bytes of the array are a piece. None: they never are.
    fn find_aligned(
        &self,
        context: &mut Context<'_>,
        tiles: &Tiles,
    ) -> Option<(Vec<Instruction>, Vec<Condition>)> {
        let last = self.element.subscripts.last()?;
        let outer: Vec<usize> = tiles.outer.iter().map(|range| range.iterator).collect();
        if mentions(last, &outer) {
            return None;
        }
        let (axis, first, _) = &self.axis;
        let last = last.substitute(Variable::Iterator(*axis), first);
        let last = last.substitute(Variable::Iterator(self.terms), &tiles.range.lower[0]);
        aligned_rows(context, self.element.array, &last, self.width)
    }

    /// Brings a thread's pieces of the tile at a place to a stage.
    ///
    /// Where the tile is all there, nothing is asked; elsewhere what is not there is 0.
    fn bring(
        &self,
        context: &mut Context<'_>,
        tiles: &Tiles,
        place: &Place,
        stage: &Affine,
    ) -> Vec<Instruction> {
        let part = self.shares.write(context, |context, indices, _| {
            let piece = self.piece(place, stage, &indices);
            self.bring_part(context, &piece)
        });
        let Some(aligned) = &self.aligned else { return part };
        let whole = self.shares.write(context, |_, indices, _| {
            let [target, source] = self.piece(place, stage, &indices);
            vec![Instruction::Fetch { target, source, width: self.width }]
        });
        either([&tiles.is_there(context, place)[..], aligned].concat(), whole, part)
    }

    /// Brings a piece that may not be there: at once, or else number by number.
    fn bring_part(&self, context: &mut Context<'_>, [target, source]: &[Access; 2]) -> Vec<Instruction> {
        let neighbour = context.iterator("neighbour");
        let [to, from] = [target, source].map(|access| access.neighbour(iterator(neighbour)));
        let within = before_ends(context, from.array, &from.subscripts, &self.ends);
        let zero = Instruction::assign(to.clone(), Expression::Constant(0.0.into()));
        let each =
            either(within, vec![Instruction::Fetch { target: to, source: from, width: 1 }], vec![zero]);
        let one_by_one = Instruction::Loop(count_to(neighbour, self.width.into()), Unroll::By(1), each);
        let Some(mut is_there) = self.aligned.clone() else { return vec![one_by_one] };
        for element in [source.clone(), source.neighbour(i64::from(self.width) - 1)] {
            is_there.extend(before_ends(context, element.array, &element.subscripts, &self.ends));
        }
        let (target, source) = (target.clone(), source.clone());
        either(is_there, vec![Instruction::Fetch { target, source, width: self.width }], vec![one_by_one])
    }

    /// Returns the first number of a piece of the tile at a place: in a stage, and in the nest's array.
    fn piece(&self, (outer, first): &Place, stage: &Affine, indices: &[Affine]) -> [Access; 2] {
        let (axis, first_of_axis, step) = &self.axis;
        let sum = |of: &dyn Fn(&Count) -> i64| {
            let counted = indices.iter().zip(&self.counts);
            counted.fold(Affine::from(0), |sum, (index, count)| sum + index.clone() * of(count))
        };
        let element =
            outer.iter().fold(self.element.clone(), |element, (outer, value, _)| element.with(*outer, value));
        let value = first_of_axis.clone() + sum(&|count| count.of_axis) * *step;
        let term = first.clone() + sum(&|count| count.of_terms);
        let source = element.with(*axis, &value).with(self.terms, &term);
        let [block, row, neighbour] = [0, 1, 2].map(|at| sum(&|count| count.place[at]));
        [Access { array: self.array, subscripts: vec![stage.clone(), block, row, neighbour] }, source]
    }

    /// Returns the operand of a product in a stage, from a block and a row on.
    fn operand(&self, stage: &Affine, block: Affine, row: Affine) -> GroupOperand {
        let subscripts = vec![stage.clone(), block, row, 0.into()];
        let first = Access { array: self.array, subscripts };
        GroupOperand::Stored { first, is_along_terms: self.is_along_terms }
    }
}

impl StoredOperands {
    /// Returns so many terms at once, in so many stages, as `staging` is to have.
    pub(super) fn staging(self, staging: Staging) -> Staging {
        let (depth, groups) = (self.depth, Some(GroupOperands::Stored(Box::new(self))));
        Staging { parts: Vec::new(), stages: STAGES, depth, groups, ..staging }
    }

    /// Finds out where both are in pieces of 16 bytes.
    fn align(&mut self, context: &mut Context<'_>, tiles: &Tiles) -> Vec<Instruction> {
        let mut divisions = Vec::new();
        let right = match &mut self.right {
            Right::Stored(right) => Some(right),
            Right::Split(_) => None,
        };
        for operand in [Some(&mut self.left), right].into_iter().flatten() {
            if let Some((own, conditions)) = operand.find_aligned(context, tiles) {
                divisions.extend(own);
                operand.aligned = Some(conditions);
            }
        }
        divisions
    }

    /// Brings a thread's pieces of the tile ahead to a stage, if there is one, and goes on.
    fn fetch(
        &self,
        context: &mut Context<'_>,
        tiles: &Tiles,
        ahead: &Ahead,
        stage: usize,
    ) -> Vec<Instruction> {
        let (place, stage) = (ahead.place(), iterator(stage));
        let left = self.left.bring(context, tiles, &place, &stage);
        let right = match &self.right {
            Right::Stored(right) => right.bring(context, tiles, &place, &stage),
            Right::Split(right) => right.bring(context, tiles, &place),
        };
        ahead.fetch([left, right].concat())
    }

    /// Makes parts of what the threads of a block have of the right operand, if it becomes parts.
    fn split(&self, context: &mut Context<'_>, stage: &Affine) -> Vec<Instruction> {
        match &self.right {
            Right::Stored(_) => Vec::new(),
            Right::Split(right) => right.split(context, stage),
        }
    }

    /// Returns the product of the tile in a stage, to sums. A group of warps has a row of its fragments.
    fn product(&self, [stage, group, row]: [usize; 3], groups: i64, sums: Vec<Access>) -> GroupProduct {
        let [stage, group, row] = [stage, group, row].map(iterator);
        // Groups follow each other along y, and further rows of fragments behind those of all groups.
        let number = row * groups + group;
        let (block, row) = match self.left.is_along_terms {
            true => (Affine::from(0), number * GROUP_ROWS),
            false => (number, Affine::from(0)),
        };
        GroupProduct {
            arithmetic: self.arithmetic,
            sums,
            fragments: (self.depth / i64::from(self.arithmetic.depth())) as u32,
            left: self.left.operand(&stage, block, row),
            right: match &self.right {
                Right::Stored(right) => right.operand(&stage, 0.into(), 0.into()),
                Right::Split(right) => GroupOperand::Parts(right.part(&stage, 0.into(), 0.into())),
            },
        }
    }
}

/// Adds up products, tile after tile.
pub(super) fn write_stored(
    context: &mut Context<'_>,
    tiles: &Tiles,
    body: &[Node],
    mut stored: StoredOperands,
) -> Vec<Instruction> {
    let [tile, turn, now, next_turn, next, group, of_group, begin] =
        ["tile", "turn", "now", "next_turn", "next", "group", "row_of_group", "begin"]
            .map(|name| context.iterator(name));
    let [split_turn, split] = ["split_turn", "split"].map(|name| context.iterator(name));
    let mut all = stored.align(context, tiles);
    let ahead = Ahead::new(context, tiles);
    let sums = operands_of(context, body).sums;
    let sums = GroupSums::new(context, stored.left.terms, sums, !stored.scales.is_empty());
    let groups = axis(context, 1).0.threads / 32;
    let product = stored.product([now, group, sums.row()], groups, sums.of_row());
    let mut each = vec![
        divide([turn, now], iterator(tile), STAGES),
        divide([next_turn, next], iterator(tile) + AHEAD, STAGES),
        Instruction::Await((AHEAD - 1) as u32),
        // Past it, this tile is there, and nobody multiplies that two before, in whose stage the next one comes.
        Instruction::Barrier,
        sums.for_rows(vec![Instruction::BeginProduct(product)]),
    ];
    let parts = stored.split(context, &iterator(split));
    if !parts.is_empty() {
        each.push(divide([split_turn, split], iterator(tile) + 1, STAGES));
    }
    each.extend(parts);
    each.extend(stored.fetch(context, tiles, &ahead, next));
    each.extend([
        Instruction::AwaitProduct { sums: sums.of_row(), but: sums.rows() as u32 },
        Instruction::Set(tile, iterator(tile) + 1),
    ]);
    // Before the second tile is fetched, the first one has arrived in registers.
    let is_fetched = Condition::at_least(iterator(begin), Affine::from(1));
    let mut fetched = guarded(vec![is_fetched], stored.split(context, &Affine::from(0)));
    fetched.extend(stored.fetch(context, tiles, &ahead, begin));
    let mut work = vec![repeated(tiles, each), sums.wait()];
    work.extend(sums.add_step(&stored.scales));
    all.extend(ahead.begin());
    all.extend(sums.clear_step());
    all.extend([
        divide([group, of_group], Variable::Thread(1).into(), 32),
        Instruction::Begin(tile, Affine::from(0)),
        // What sums begin with is there before the first product is.
        sums.wait(),
        Instruction::Barrier,
        Instruction::Loop(count_to(begin, AHEAD), Unroll::By(1), fetched),
        // Sums that no product was added to would meet others behind the loop: compilers wait for each product then.
        Instruction::If(ahead.is_any(), work, Vec::new()),
    ]);
    all
}
