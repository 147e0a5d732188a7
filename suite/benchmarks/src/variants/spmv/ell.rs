//! ELLPACK: every row as long as the longest.

use rayon::prelude::*;

use super::csr_rows::block_rows;
use super::{Matrix, Rows, check_lengths};

/// Fill-in above which the ELLPACK form is not built.
pub const ELL_FILL_CUTOFF: f64 = 4.0;

/// Rows multiplied side by side: as many sums as registers hold.
const LANES: usize = 8;

/// A matrix in ELLPACK form: rows padded to the length of the longest.
///
/// Eight rows lie interleaved, so that their sums are computed side by side while memory is read in one stream.
#[derive(Debug, Clone)]
pub struct Ell {
    /// Entries of a padded row.
    width: usize,
    columns: Vec<[u32; LANES]>,
    values: Vec<[f64; LANES]>,
}

impl Ell {
    /// Pads the rows to `width` entries.
    pub(super) fn new(csr: Rows<'_>, width: usize) -> Ell {
        let rows = csr.offsets.len() - 1;
        let groups = rows.div_ceil(LANES) * width;
        let (mut columns, mut values) = (vec![[0; LANES]; groups], vec![[0.0; LANES]; groups]);
        for row in 0..rows {
            let (group, lane) = (row / LANES * width, row % LANES);
            let range = csr.offsets[row] as usize..csr.offsets[row + 1] as usize;
            for (place, entry) in range.clone().enumerate() {
                columns[group + place][lane] = csr.columns[entry];
                values[group + place][lane] = csr.values[entry];
            }
            // Padding reads what the row has just read, which is in the cache.
            let last = if range.is_empty() { 0 } else { csr.columns[range.end - 1] };
            for place in range.len()..width {
                columns[group + place][lane] = last;
            }
        }
        Ell { width, columns, values }
    }

    /// Multiplies the rows from `first` on, a multiple of [`LANES`].
    fn multiply(&self, first: usize, x: &[f64], y: &mut [f64]) {
        let start = first / LANES * self.width;
        for (group, y) in y.chunks_mut(LANES).enumerate() {
            let range = start + group * self.width..start + (group + 1) * self.width;
            let mut sums = [0.0; LANES];
            for (columns, values) in self.columns[range.clone()].iter().zip(&self.values[range]) {
                for lane in 0..LANES {
                    sums[lane] += values[lane] * x[columns[lane] as usize];
                }
            }
            y.copy_from_slice(&sums[..y.len()]);
        }
    }
}

/// Multiplies the ELLPACK form on all threads of the pool; `x` must be finite, for padding multiplies it by zero.
///
/// Best when all rows are about equally long.
///
/// # Panics
/// If a vector's length is not that of the matrix, or if its fill-in is above [`ELL_FILL_CUTOFF`].
pub fn ell(a: &Matrix, x: &[f64], y: &mut [f64]) {
    check_lengths(a, x, y);
    let form = a.ell().expect("the fill-in must not exceed ELL_FILL_CUTOFF");
    let block = block_rows(a.rows(), form.values.len() * LANES).next_multiple_of(LANES);
    if a.rows() <= block {
        return form.multiply(0, x, y);
    }
    y.par_chunks_mut(block).enumerate().for_each(|(index, y)| form.multiply(index * block, x, y));
}
