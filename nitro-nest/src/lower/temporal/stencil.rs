//! Stencils: loops in time whose iterations sweep over grids of cells.

use crate::nest::affine::Affine;
use crate::nest::expression::Access;
use crate::nest::{Assignment, Condition};

/// The most cells along one dimension between a cell and one that it reads.
const MOST_REACH: i64 = 8;
/// The most values of a statement that is done at few cells, as at a boundary.
const MOST_THIN: i64 = 4;

/// A loop in time: what one iteration does to the arrays that it writes, all of which have the same dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stencil {
    /// Dimensions of the arrays, 2 or 3. Tiles go along the first; the last is x.
    pub(crate) dimensions: usize,
    pub(crate) fields: Vec<Field>,
    /// What an iteration does, in order.
    pub(crate) sweeps: Vec<Sweep>,
    /// The extents that have room for all arrays.
    pub(crate) extents: Vec<Affine>,
    /// Words of four bytes that a number takes, and as many registers.
    pub(crate) words: i64,
}

/// An array that a stencil writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) array: usize,
    /// Each iteration writes its cells before it reads them, and never any others: neither has to be kept.
    pub(crate) is_overwritten: bool,
}

/// A statement, done at all cells of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sweep {
    pub(crate) statement: usize,
    /// The index of the array that it writes in the list of fields.
    pub(crate) field: usize,
    pub(crate) assignment: Assignment,
    /// The statement's iterators: each is the coordinate of a cell along a dimension, less a value of sizes.
    pub(crate) iterators: Vec<(usize, usize, Affine)>,
    /// Along each dimension, the coordinates of cells are at least each of the first and below each of the second.
    pub(crate) domain: Vec<[Vec<Affine>; 2]>,
    /// Conditions on sizes.
    pub(crate) guards: Vec<Condition>,
}

impl Stencil {
    /// Returns the index of an array in the list of fields.
    pub(crate) fn field(&self, array: usize) -> Option<usize> {
        self.fields.iter().position(|field| field.array == array)
    }
}

impl Sweep {
    /// Returns where a field's element that is read is, seen from the cell that is written.
    pub(crate) fn offset(&self, read: &Access) -> Vec<i64> {
        offset(read, &self.assignment.target).expect("other statements make no sweep")
    }

    /// Returns the dimension along which the sweep is done at a few cells alone, and which of its ends they are at.
    ///
    /// True: they are at the upper one.
    pub(crate) fn thin(&self) -> Option<(usize, bool)> {
        self.domain.iter().enumerate().find_map(|(dimension, [lower, upper])| {
            let is_thin = lower.iter().any(|lower| {
                upper.iter().any(|upper| {
                    let length = upper.clone() - lower.clone();
                    length.terms().is_empty() && length.constant() <= MOST_THIN
                })
            });
            is_thin.then(|| (dimension, !lower.iter().any(|lower| lower.terms().is_empty())))
        })
    }
}

/// Returns the distance of two elements along each dimension, if it is a small number whatever the sizes are.
pub(super) fn offset(read: &Access, target: &Access) -> Option<Vec<i64>> {
    let pairs = read.subscripts.iter().zip(&target.subscripts);
    pairs
        .map(|(read, target)| {
            let distance = read.clone() - target.clone();
            (distance.terms().is_empty() && distance.constant().abs() <= MOST_REACH)
                .then(|| distance.constant())
        })
        .collect()
}
