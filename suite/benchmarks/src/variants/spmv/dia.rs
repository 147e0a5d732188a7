//! Diagonals.

use rayon::prelude::*;

use super::csr_rows::block_rows;
use super::{Matrix, Rows, check_lengths};

/// Fill-in above which the diagonal form is not built.
pub const DIA_FILL_CUTOFF: f64 = 5.0;

/// Rows of a block: their results stay in the first-level cache while one diagonal after the other is added.
const BLOCK_ROWS: usize = 512;

/// A matrix as its diagonals that have entries, cut into blocks of rows that lie one behind the other.
#[derive(Debug, Clone)]
pub struct Dia {
    columns: usize,
    /// Column less row of each diagonal, ascending.
    diagonals: Vec<i64>,
    /// Block by block, diagonal by diagonal, row by row; zero where there is no entry.
    values: Vec<f64>,
}

impl Dia {
    /// The diagonals that have entries, ascending.
    pub(super) fn diagonals(csr: Rows<'_>, columns: usize) -> Vec<i64> {
        let rows = csr.offsets.len() - 1;
        let mut used = vec![false; rows + columns];
        for row in 0..rows {
            for entry in csr.offsets[row]..csr.offsets[row + 1] {
                used[csr.columns[entry as usize] as usize + rows - row] = true;
            }
        }
        let diagonal = |place: usize| place as i64 - rows as i64;
        (0..used.len()).filter(|&place| used[place]).map(diagonal).collect()
    }

    /// Lays out the entries along the given diagonals.
    pub(super) fn new(csr: Rows<'_>, columns: usize, diagonals: Vec<i64>) -> Dia {
        let rows = csr.offsets.len() - 1;
        let mut values = vec![0.0; rows * diagonals.len()];
        for row in 0..rows {
            let block = row / BLOCK_ROWS * BLOCK_ROWS;
            let block_rows = BLOCK_ROWS.min(rows - block);
            // Columns ascend within a row, and so do diagonals: one walk along both finds all places.
            let mut index = 0;
            for entry in csr.offsets[row] as usize..csr.offsets[row + 1] as usize {
                let diagonal = i64::from(csr.columns[entry]) - row as i64;
                index += diagonals[index..].partition_point(|&other| other < diagonal);
                values[block * diagonals.len() + index * block_rows + row - block] = csr.values[entry];
            }
        }
        Dia { columns, diagonals, values }
    }

    /// Multiplies the rows from `first` on, a multiple of [`BLOCK_ROWS`].
    fn multiply(&self, first: usize, x: &[f64], y: &mut [f64]) {
        for (index, y) in y.chunks_mut(BLOCK_ROWS).enumerate() {
            let first = first + index * BLOCK_ROWS;
            let values = &self.values[first * self.diagonals.len()..][..y.len() * self.diagonals.len()];
            y.fill(0.0);
            for (&diagonal, values) in self.diagonals.iter().zip(values.chunks_exact(y.len())) {
                self.add_diagonal(first as i64 + diagonal, values, x, y);
            }
        }
    }

    /// Adds the products of a diagonal whose first place here lies in column `start`, which may be outside.
    fn add_diagonal(&self, start: i64, values: &[f64], x: &[f64], y: &mut [f64]) {
        let rows = y.len() as i64;
        let (from, to) = ((-start).clamp(0, rows), (self.columns as i64 - start).clamp(0, rows));
        if from >= to {
            return;
        }
        let inside = from as usize..to as usize;
        let x = &x[(start + from) as usize..(start + to) as usize];
        for ((y, value), x) in y[inside.clone()].iter_mut().zip(&values[inside]).zip(x) {
            *y += value * x;
        }
    }
}

/// Multiplies the diagonal form on all threads of the pool; `x` must be finite, for padding multiplies it by zero.
///
/// Best for stencils and banded matrices: no column is looked up.
///
/// # Panics
/// If a vector's length is not that of the matrix, or if its fill-in is above [`DIA_FILL_CUTOFF`].
pub fn dia(a: &Matrix, x: &[f64], y: &mut [f64]) {
    check_lengths(a, x, y);
    let form = a.dia().expect("the fill-in must not exceed DIA_FILL_CUTOFF");
    let block = block_rows(a.rows(), form.values.len()).next_multiple_of(BLOCK_ROWS);
    if a.rows() <= block {
        return form.multiply(0, x, y);
    }
    y.par_chunks_mut(block).enumerate().for_each(|(index, y)| form.multiply(index * block, x, y));
}
