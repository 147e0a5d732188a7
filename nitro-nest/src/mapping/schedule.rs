//! Decisions about the order of statements.

use serde::{Deserialize, Serialize};

use crate::nest::Nest;

/// Changes of the order of statements that are allowed; by default, none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Schedule {
    /// Statements that share their loops share a kernel where that costs no dimension of the grid.
    pub fuses: bool,
    /// Several threads add up one sum, and a thread adds its part term by term.
    ///
    /// That is where the nest permits it and the grid would have one dimension at most.
    pub sums_in_parallel: bool,
    /// x is the loop along which most accesses touch neighbouring elements, instead of the innermost one.
    pub coalesces: bool,
    /// Split-K of products of matrices: the sums that a thread of a grid of two dimensions or more goes through are
    /// split.
    ///
    /// Blocks along one more dimension have [some of the terms each](crate::Tiling::split_k) and add their parts, where
    /// the nest permits it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub splits_sums: bool,
    /// Threads of a block share a row: statements that go over the same rows several times are one kernel.
    ///
    /// Threads go along the inner loops of a row, combine what they sum up or take the largest of, and keep what the
    /// row reads again in registers, as normalisations want it. A sum or product takes a nest that permits another
    /// order; minima and maxima are the same in any order. Rows are taken where this saves memory traffic, and where a
    /// least or a largest would have one thread. Where they are columns, neighbouring threads have neighbouring ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows: bool,
    /// Iterations of a loop in time that one launch runs at most, where the loop repeats a stencil. 0: it runs a part
    /// of one.
    ///
    /// Arrays of two or three dimensions go through memory once for all of these iterations. Tiles overlap, and what
    /// they share is computed again.
    #[serde(default, skip_serializing_if = "super::tiling::is_zero")]
    pub time_steps: u32,
}

impl Schedule {
    /// Returns `true` if sums may be added up in any order.
    pub(crate) fn reassociates(self, nest: &Nest) -> bool {
        (self.sums_in_parallel || self.splits_sums) && nest.reassociates()
    }
}
