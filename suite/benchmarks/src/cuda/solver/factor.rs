//! The structure of the factorised approximate inverse.

use nitro_cuda::{Buffer, CudaError};

use crate::cuda::spmv::{Csr, Pattern};

/// Most entries of a row of the lower factor; as in `set_up.cu`.
pub(super) const MAX_ROW: usize = 32;

/// The places of both factors' entries: those of the matrix's lower triangle, and of its transpose.
#[derive(Debug)]
pub(super) struct Factor {
    pub lanes: u32,
    pub lower_offsets: Buffer<u32>,
    pub lower_columns: Buffer<u32>,
    pub upper_offsets: Buffer<u32>,
    pub upper_columns: Buffer<u32>,
    /// For each entry of the lower factor the place of its mirror image in the upper one.
    pub places: Buffer<u32>,
}

impl Factor {
    /// Analyses a matrix, given with its transpose.
    pub fn new(a: &Csr, transposed: &Csr) -> Result<Factor, CudaError> {
        let lower = lower_pattern(a, transposed);
        let (upper, places) = lower.transpose();
        Ok(Factor {
            lanes: lanes(lower.lengths().mean),
            lower_offsets: Buffer::from_slice(lower.offsets())?,
            lower_columns: Buffer::from_slice(lower.column_of())?,
            upper_offsets: Buffer::from_slice(upper.offsets())?,
            upper_columns: Buffer::from_slice(upper.column_of())?,
            places: Buffer::from_slice(&places)?,
        })
    }
}

/// Threads that share a row: about half as many as it has entries, as a power of two.
pub(super) fn lanes(mean_row_length: f64) -> u32 {
    ((mean_row_length / 2.0).ceil() as u32).next_power_of_two().clamp(1, 32)
}

/// Of each row the columns up to the diagonal where the matrix or its transpose has an entry: the diagonal, and of the
/// others those of greatest magnitude if they are too many.
fn lower_pattern(a: &Csr, transposed: &Csr) -> Pattern {
    let rows = a.pattern().rows();
    Pattern::from_rows(rows, rows, |row, columns| {
        let left = |matrix: &Csr| -> Vec<(u32, f64)> {
            matrix.row(row).filter(|(column, _)| (*column as usize) < row).collect()
        };
        let mut entries = left(a);
        // What both have counts with the greater magnitude: the other becomes a repetition, which patterns drop.
        entries.extend(left(transposed));
        entries.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()).then(one.0.cmp(&other.0)));
        columns.push(row as i64);
        for (column, _) in entries {
            if columns.len() < MAX_ROW && !columns.contains(&i64::from(column)) {
                columns.push(i64::from(column));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rows_keep_their_diagonal_and_greatest_entries() {
        let full = Pattern::from_rows(100, 100, |_, columns| columns.extend(0..100));
        let a = Csr::with_values(full, |row, columns, values| {
            let magnitude = |column: &u32| {
                if row as u32 == *column { 0.0 } else { f64::from((row as u32 + column) % 64) }
            };
            values.iter_mut().zip(columns).for_each(|(value, column)| *value = magnitude(column));
        });
        let lower = lower_pattern(&a, &a);
        assert_eq!(lower.row(0), [0]);
        assert_eq!(lower.row(99).len(), MAX_ROW);
        assert!(lower.row(99).contains(&99), "the diagonal");
        assert!(lower.row(99).contains(&28), "(99 + 28) % 64 = 63 is the greatest");
    }

    #[test]
    fn an_entry_above_the_diagonal_counts_too() {
        let upper = Pattern::from_rows(3, 3, |row, columns| columns.extend(row as i64..3));
        let (lower, _) = upper.transpose();
        let ones = |pattern| Csr::with_values(pattern, |_, _, values| values.fill(1.0));
        assert_eq!(lower_pattern(&ones(upper), &ones(lower.clone())), lower);
    }

    #[test]
    fn lanes_are_powers_of_two_up_to_a_warp() {
        assert_eq!([0.0, 1.0, 5.0, 7.0, 27.0, 900.0].map(lanes), [1, 1, 4, 4, 16, 32]);
    }
}
