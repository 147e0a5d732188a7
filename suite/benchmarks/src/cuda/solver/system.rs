//! Linear systems on a device.

use nitro_cuda::{Buffer, CudaError};

use super::factor::{Factor, lanes};
use crate::cuda::spmv::Csr;

/// The square matrix of a linear system on a device, with what the preconditioners need to know of its structure.
///
/// The structure is analysed when the system is made, as an application does that solves with changing values; the
/// preconditioners' values are computed in every solve.
#[derive(Debug)]
pub struct System {
    symmetric_positive_definite: bool,
    numbers: Numbers,
    pub(super) offsets: Buffer<u32>,
    pub(super) column_of: Buffer<u32>,
    pub(super) values: Buffer<f64>,
    pub(super) lanes: u32,
    pub(super) factor: Factor,
}

/// What tells systems apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// Sum of the diagonal.
    pub trace: f64,
    /// Mean of the diagonal.
    pub diagonal_mean: f64,
    /// Variance of the diagonal.
    pub diagonal_variance: f64,
    /// The least share, over the rows, that the diagonal has in the row's sum of magnitudes; from one half on the
    /// matrix is diagonally dominant.
    pub diagonal_dominance: f64,
    /// How far left of the diagonal the farthest entry lies.
    pub left_bandwidth: f64,
    /// The greatest sum of magnitudes of a column.
    pub norm_1: f64,
}

impl Numbers {
    /// Measures a square matrix.
    #[must_use]
    pub fn of(a: &Csr) -> Numbers {
        let rows = a.pattern().rows();
        let mut column_sums = vec![0.0; rows];
        let mut diagonal = vec![0.0; rows];
        let (mut diagonal_dominance, mut left_bandwidth) = (1.0f64, 0);
        for (row, diagonal) in diagonal.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (column, value) in a.row(row) {
                column_sums[column as usize] += value.abs();
                sum += value.abs();
                left_bandwidth = left_bandwidth.max(row.saturating_sub(column as usize));
                if column as usize == row {
                    *diagonal = value;
                }
            }
            let share = if sum > 0.0 { diagonal.abs() / sum } else { 0.0 };
            diagonal_dominance = diagonal_dominance.min(share);
        }
        let trace: f64 = diagonal.iter().sum();
        let diagonal_mean = trace / rows.max(1) as f64;
        let squares = diagonal.iter().map(|value| (value - diagonal_mean).powi(2));
        Numbers {
            trace,
            diagonal_mean,
            diagonal_variance: squares.sum::<f64>() / rows.max(1) as f64,
            diagonal_dominance,
            left_bandwidth: left_bandwidth as f64,
            norm_1: column_sums.into_iter().fold(0.0, f64::max),
        }
    }
}

impl System {
    /// Copies a matrix to the device that this thread works on.
    ///
    /// Whether it is positive definite is for the maker to say, who knows where it comes from; whether it is
    /// symmetric is looked up.
    ///
    /// # Errors
    /// When the device's memory is too small, or the device cannot be used.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(a: &Csr, positive_definite: bool) -> Result<System, CudaError> {
        let pattern = a.pattern();
        assert_eq!(pattern.rows(), pattern.columns(), "a system has as many equations as unknowns");
        let transposed = transpose(a);
        Ok(System {
            symmetric_positive_definite: positive_definite && transposed == *a,
            numbers: Numbers::of(a),
            offsets: Buffer::from_slice(pattern.offsets())?,
            column_of: Buffer::from_slice(pattern.column_of())?,
            values: Buffer::from_slice(a.values())?,
            lanes: lanes(pattern.lengths().mean),
            factor: Factor::new(a, &transposed)?,
        })
    }

    /// Number of rows, and of columns.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of stored entries.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.values.len()
    }

    /// What tells it apart from other systems.
    #[must_use]
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// Whether conjugate gradients may be used.
    #[must_use]
    pub fn is_symmetric_positive_definite(&self) -> bool {
        self.symmetric_positive_definite
    }
}

/// The matrix with rows and columns exchanged.
fn transpose(a: &Csr) -> Csr {
    let (pattern, places) = a.pattern().transpose();
    let mut values = vec![0.0; places.len()];
    places.iter().zip(a.values()).for_each(|(place, value)| values[*place as usize] = *value);
    let offsets = pattern.offsets().to_vec();
    Csr::with_values(pattern, |row, columns, row_values| {
        let start = offsets[row] as usize;
        row_values.copy_from_slice(&values[start..start + columns.len()]);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::spmv::Pattern;

    /// 4 -1 0 / -2 5 0 / 3 0 6
    fn small() -> Csr {
        let columns = [[0, 1], [0, 1], [0, 2]];
        let values = [[4.0, -1.0], [-2.0, 5.0], [3.0, 6.0]];
        let pattern = Pattern::from_rows(3, 3, |row, out| out.extend(columns[row]));
        Csr::with_values(pattern, |row, _, out| out.copy_from_slice(&values[row]))
    }

    #[test]
    fn numbers_are_those_computed_by_hand() {
        let numbers = Numbers::of(&small());
        assert_eq!((numbers.trace, numbers.diagonal_mean), (15.0, 5.0));
        assert!((numbers.diagonal_variance - 2.0 / 3.0).abs() < 1e-15);
        assert!((numbers.diagonal_dominance - 6.0 / 9.0).abs() < 1e-15);
        assert_eq!((numbers.left_bandwidth, numbers.norm_1), (2.0, 9.0));
    }

    #[test]
    fn transposing_exchanges_entries() {
        let a = small();
        let transposed = transpose(&a);
        assert_eq!(transposed.row(0).collect::<Vec<_>>(), [(0, 4.0), (1, -2.0), (2, 3.0)]);
        assert_eq!(transpose(&transposed), a);
    }
}
