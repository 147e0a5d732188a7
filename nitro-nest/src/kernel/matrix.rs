//! Products of fragments on the matrix units of a warp: where their elements are, and what they come to.
//!
//! A fragment of 16 × `depth` on the left, one of `depth` × 8 on the right and one of 16 × 8 of sums are spread over
//! the registers of a warp as PTX says for `mma.sync` (PTX ISA, *Matrix Fragments for mma.m16n8k8* and *.m16n8k16*).
//! Four warps that multiply together have them in the same places, but for the right operand: it is in shared memory
//! (PTX ISA, *Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions*).

use serde::{Deserialize, Serialize};

use crate::mapping::{MatrixArithmetic, PartFormat};
use crate::nest::expression::Access;
use crate::number::Narrow;

/// Rows and columns of a fragment of sums.
pub(crate) const FRAGMENT: [usize; 2] = [16, 8];

/// A product of two fragments that a warp adds to a third one; all of its threads come here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FragmentProduct {
    /// The arithmetic, which says how deep the fragments are.
    pub arithmetic: MatrixArithmetic,
    /// A thread's registers of the sums: two columns of a row, and two of the row eight below.
    pub sums: [Access; 4],
    /// The first of a thread's registers of the left fragment, half as many as it is deep.
    pub left: Access,
    /// The first of a thread's registers of the right fragment, a quarter as many as it is deep.
    pub right: Access,
}

/// Warps that multiply together: a group, whose first one has a number that is a multiple of it.
pub(crate) const WARPS_OF_GROUP: usize = 4;

/// A product that four warps, all of whose threads come here, begin to add to sums.
///
/// Each warp has 16 rows of its own. Until a thread awaits the product, it leaves alone what it reads and the sums.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GroupProduct {
    /// The arithmetic. With several parts, sums begin at 0.
    pub arithmetic: MatrixArithmetic,
    /// A thread's registers of the sums: four for each 8 columns, as in a [`FragmentProduct`].
    pub sums: Vec<Access>,
    /// The fragments of the product, one after the other along the sum.
    pub fragments: u32,
    /// The left operand, whose rows are those of the four warps.
    pub left: GroupOperand,
    /// The right operand, in shared memory.
    pub right: GroupOperand,
}

/// Where an operand of a product of four warps is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GroupOperand {
    /// The first of a thread's registers of left fragments.
    Registers(Access),
    /// The first element of what a [`PartSplit`] has put into shared memory.
    Parts(Access),
    /// The first of numbers as they are stored, in a [swizzled](super::Local::is_swizzled) array.
    ///
    /// It is \[..\]\[blocks\]\[rows\]\[128 bytes\]. Along the sum, a row has terms of one row or column of the operand,
    /// and blocks go on with them. Else it has neighbours of one term, blocks go on with them, and rows are terms.
    /// The unit leaves out what its format has no bits for.
    Stored {
        /// The first element.
        first: Access,
        /// Neighbours are along the sum.
        is_along_terms: bool,
    },
}

impl GroupOperand {
    /// Returns its first element, or register.
    #[must_use]
    pub fn first(&self) -> &Access {
        match self {
            Self::Registers(first) | Self::Parts(first) | Self::Stored { first, .. } => first,
        }
    }

    /// Returns the element, of the first part, of a term and of a row or column, of one in shared memory.
    pub(super) fn element(&self, term: i64, across: i64, arithmetic: MatrixArithmetic) -> Access {
        let (first, neighbours) = (self.first(), arithmetic.parts_in_16_bytes());
        let row = swizzled_row(arithmetic);
        let [block, of_block, neighbour] = match self {
            Self::Stored { is_along_terms: true, .. } => [term / row, across, term % row],
            Self::Stored { is_along_terms: false, .. } => [across / row, term, across % row],
            Self::Parts(_) | Self::Registers(_) => [term / neighbours, across, term % neighbours],
        };
        first.behind(2, block).behind(1, of_block).neighbour(neighbour)
    }
}

/// Returns how many operands a row of a [swizzled](super::Local::is_swizzled) array has: 128 bytes.
pub(crate) fn swizzled_row(arithmetic: MatrixArithmetic) -> i64 {
    8 * arithmetic.parts_in_16_bytes()
}

impl GroupProduct {
    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.sums.len() / 4 * FRAGMENT[1]
    }
}

/// Operands that become their parts in shared memory, as matrix units of four warps read them there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PartSplit {
    /// The arithmetic.
    pub arithmetic: MatrixArithmetic,
    /// The first of as many neighbours as 16 bytes have, in an array \[..\]\[parts\]\[terms\]\[columns\]\[neighbours\].
    ///
    /// Neighbours are along the sum, and `terms` counts them. It is of the first part; others come after it.
    pub target: Access,
    /// The first of as many registers.
    pub source: Access,
}

/// Matrices of 8 × 8 numbers of 16 bits that a warp loads from shared memory (PTX `ldmatrix`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FragmentLoad {
    /// The first of a thread's registers, of which it gets two for each matrix.
    pub target: Access,
    /// The first of eight neighbours in shared memory, at a multiple of that: a row, which this thread names.
    ///
    /// Threads name the rows of one matrix after the other; those that are left name none.
    pub row: Access,
    /// The number of matrices: 2 or 4.
    pub matrices: u32,
    /// A thread gets neighbours of a column, instead of a row.
    pub is_transposed: bool,
}

impl FragmentLoad {
    /// Returns the place of a lane's register: the row that a lane names, and the number among its neighbours.
    pub(super) fn place(&self, lane: usize, register: usize) -> [usize; 2] {
        let [one, other] = [lane / 4, 2 * (lane % 4) + register % 2];
        let [row, column] = if self.is_transposed { [other, one] } else { [one, other] };
        [register / 2 * 8 + row, column]
    }
}

/// Returns the place of a lane's register in the left fragment: row, and number of the term.
pub(crate) fn left_place(arithmetic: MatrixArithmetic, lane: usize, register: usize) -> [usize; 2] {
    let [group, member] = [lane / 4, lane % 4];
    match arithmetic.depth() {
        8 => [group + 8 * (register % 2), member + 4 * (register / 2)],
        _ => [group + 8 * (register / 2 % 2), 2 * member + register % 2 + 8 * (register / 4)],
    }
}

/// Returns the place of a lane's register in the right fragment: number of the term, and column.
pub(crate) fn right_place(arithmetic: MatrixArithmetic, lane: usize, register: usize) -> [usize; 2] {
    let [group, member] = [lane / 4, lane % 4];
    match arithmetic.depth() {
        8 => [member + 4 * register, group],
        _ => [2 * member + register % 2 + 8 * (register / 2), group],
    }
}

/// Returns the place of a lane's register in the fragment of sums: row and column.
pub(crate) fn sum_place(lane: usize, register: usize) -> [usize; 2] {
    let [group, member] = [lane / 4, lane % 4];
    [group + 8 * (register / 2), 2 * member + register % 2]
}

/// Adds the product of two fragments, whose elements are parts, row by row to the sums.
///
/// Matrix units do not say in which order they add up a step: here it is that of the terms, rounded to nearest each.
pub(super) fn add_product(
    arithmetic: MatrixArithmetic,
    left: &[Vec<f32>],
    right: &[Vec<f32>],
    sums: &mut [f32],
) {
    let [rows, columns] = FRAGMENT;
    let depth = arithmetic.depth() as usize;
    for row in 0..rows {
        for column in 0..columns {
            let sum = &mut sums[row * columns + column];
            // With one part the unit adds to what is there; else it begins anew.
            let mut step = if arithmetic.parts() == 1 { *sum } else { 0.0 };
            for (one, other) in arithmetic.products() {
                for term in 0..depth {
                    let product = f64::from(left[row * depth + term][*one])
                        * f64::from(right[term * columns + column][*other]);
                    step = (f64::from(step) + product) as f32;
                }
            }
            *sum = if arithmetic.parts() == 1 { step } else { *sum + step };
        }
    }
}

/// Returns the parts of an operand, the largest first.
pub(super) fn parts(arithmetic: MatrixArithmetic, operand: f32) -> Vec<f32> {
    let mut rest = operand;
    let mut parts = Vec::new();
    for part in 1..=arithmetic.parts() {
        let part = match arithmetic.format() {
            PartFormat::Tf32 => tf32(rest, part == arithmetic.parts()),
            PartFormat::Bf16 => Narrow::BF16.nearest(rest.into()) as f32,
            PartFormat::F16 => Narrow::F16.nearest(rest.into()) as f32,
        };
        parts.push(part);
        rest -= part;
    }
    parts
}

/// Returns a number of 11 bits: the last part is cut off, others are the nearest, with ties away from zero.
///
/// A rounding may make what is no number 0, and then what is left is none.
fn tf32(value: f32, is_last: bool) -> f32 {
    let half = if is_last { 0 } else { 0x1000 };
    f32::from_bits(value.to_bits().wrapping_add(half) & !0x1fff)
}

#[cfg(test)]
mod tests {
    use nitro_test_support::random::Random;

    use super::*;

    /// Each element of a fragment is in one register of one lane.
    #[test]
    fn registers_of_a_warp_are_a_whole_fragment() {
        for arithmetic in MatrixArithmetic::ALL {
            let depth = arithmetic.depth() as usize;
            let places = |registers: usize, columns: usize, place: &dyn Fn(usize, usize) -> [usize; 2]| {
                let mut found: Vec<usize> = (0..32)
                    .flat_map(|lane| (0..registers).map(move |register| (lane, register)))
                    .map(|(lane, register)| place(lane, register))
                    .map(|[row, column]| row * columns + column)
                    .collect();
                found.sort_unstable();
                assert_eq!(found, (0..32 * registers).collect::<Vec<usize>>(), "{arithmetic}");
            };
            places(depth / 2, depth, &|lane, register| left_place(arithmetic, lane, register));
            places(depth / 4, 8, &|lane, register| right_place(arithmetic, lane, register));
            places(4, 8, &sum_place);
        }
    }

    /// Three parts of 8 bits are a number of single precision, two of 11 bits all but its last two bits.
    #[test]
    fn parts_leave_out_no_more_than_is_said() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            let exponent = random.below(121) as i32 - 60;
            let value =
                sign * f32::from_bits(0x3f80_0000 + random.below(1 << 23) as u32) * 2.0_f32.powi(exponent);
            for arithmetic in MatrixArithmetic::ALL {
                if arithmetic == MatrixArithmetic::F16 && exponent.abs() > 12 {
                    continue;
                }
                let sum: f64 = parts(arithmetic, value).into_iter().map(f64::from).sum();
                let error = (sum - f64::from(value)).abs();
                let most = arithmetic.left_out() * f64::from(value).abs();
                assert!(error <= most, "{arithmetic}: {value} {sum}");
            }
        }
    }
}
