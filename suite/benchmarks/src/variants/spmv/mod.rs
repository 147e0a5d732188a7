//! The product of a sparse matrix and a vector, y ← A·x, in double precision.

mod csr_balanced;
mod csr_rows;
mod dia;
mod ell;
mod matrix;

pub use csr_balanced::csr_balanced;
pub use csr_rows::csr_rows;
pub use dia::{DIA_FILL_CUTOFF, Dia, dia};
pub use ell::{ELL_FILL_CUTOFF, Ell, ell};
pub use matrix::{Matrix, MatrixError, RowLengths};

/// The row lengths as a start per row and the end of the last, with the columns and values of the entries.
#[derive(Clone, Copy)]
struct Rows<'a> {
    offsets: &'a [u32],
    columns: &'a [u32],
    values: &'a [f64],
}

impl Rows<'_> {
    /// The product of the entries `from..to` and `x`, with several sums at a time so that the next addition need
    /// not wait for the last.
    fn dot(&self, from: usize, to: usize, x: &[f64]) -> f64 {
        let (columns, values) = (&self.columns[from..to], &self.values[from..to]);
        let (column_groups, column_rest) = columns.as_chunks::<4>();
        let (value_groups, value_rest) = values.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (columns, values) in column_groups.iter().zip(value_groups) {
            for lane in 0..4 {
                sums[lane] += values[lane] * x[columns[lane] as usize];
            }
        }
        let rest: f64 =
            column_rest.iter().zip(value_rest).map(|(&column, value)| value * x[column as usize]).sum();
        (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
    }
}

/// Panics unless the vectors have the lengths that the matrix asks for.
fn check_lengths(a: &Matrix, x: &[f64], y: &[f64]) {
    assert_eq!(x.len(), a.columns(), "x must be as long as the matrix has columns");
    assert_eq!(y.len(), a.rows(), "y must be as long as the matrix has rows");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inputs, spmv};

    /// Adds up the products entry by entry.
    fn reference(a: &Matrix, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; a.rows()];
        a.entries().for_each(|(row, column, value)| y[row as usize] += value * x[column as usize]);
        y
    }

    /// Compares all variants that the matrix allows with the reference, on one thread and on several.
    fn check(a: &Matrix, what: &str) {
        let x: Vec<f64> = (0..a.columns()).map(|column| 1.0 + (column % 17) as f64 / 8.0).collect();
        let expected = reference(a, &x);
        let admissible = |variant: &spmv::Variant| match variant {
            spmv::Variant::Ell => a.ell().is_some(),
            spmv::Variant::Dia => a.dia().is_some(),
            _ => true,
        };
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for variant in spmv::Variant::ALL.iter().copied().filter(admissible) {
                let mut y = vec![f64::NAN; a.rows()];
                pool.install(|| spmv::call(variant, a, &x, &mut y));
                for (row, (found, expected)) in y.iter().zip(&expected).enumerate() {
                    let close = (found - expected).abs() <= 1e-12 * expected.abs().max(1.0);
                    assert!(
                        close,
                        "{variant} of {what}, row {row}: {found} instead of {expected}, {threads} threads"
                    );
                }
            }
        }
    }

    fn load(name: &str) -> Matrix {
        inputs::spmv::load(name).unwrap()
    }

    #[test]
    fn products_match_for_every_family() {
        let names = [
            "stencil2d-g60-s7",
            "stencil3d-g15-s7",
            "box2d-g40-s7",
            "box3d-g9-s7",
            "banded-n5000-w20-p30-s7",
            "banded-n5000-w1-p100-s7",
            "blocks-n5000-k4-d2-s7",
            "regular-n5000-k7-s7",
            "random-m3000-n900-k9-s7",
            "random-m4-n9000-k6000-s7",
            "random-m20000-n50-k1-s7",
            "power-n9000-k6-s7",
            "rmat-n12-k9-s7",
            "outliers-n20000-k3-s7",
        ];
        for name in names {
            check(&load(&format!("test/{name}")), name);
        }
    }

    #[test]
    fn small_and_empty_matrices_are_multiplied() {
        for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 9), (9, 3), (8, 8), (513, 511)] {
            check(&Matrix::from_entries(rows, columns, &[]).unwrap(), &format!("empty {rows} x {columns}"));
            let corners: Vec<_> = [(0, 0), (rows.wrapping_sub(1), columns.wrapping_sub(1))]
                .into_iter()
                .filter(|_| rows > 0 && columns > 0)
                .map(|(row, column)| (row as u32, column as u32, 2.5))
                .collect();
            check(
                &Matrix::from_entries(rows, columns, &corners).unwrap(),
                &format!("corners of {rows} x {columns}"),
            );
        }
    }

    #[test]
    fn one_row_may_hold_nearly_everything() {
        let long = (0..50_000).map(|column| (20_000, column, 1.0));
        let entries: Vec<_> = long.chain([(0, 1, 2.0), (39_999, 3, 4.0)]).collect();
        check(&Matrix::from_entries(40_000, 50_000, &entries).unwrap(), "one long row between empty ones");
    }

    #[test]
    fn entries_of_one_place_are_added_and_sorted() {
        let a = Matrix::from_entries(2, 3, &[(1, 2, 1.0), (0, 1, 2.0), (1, 0, 3.0), (1, 2, 4.0)]).unwrap();
        assert_eq!(a.entries().collect::<Vec<_>>(), [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 5.0)]);
    }

    #[test]
    fn an_entry_outside_is_refused() {
        let error = Matrix::from_entries(2, 3, &[(0, 3, 1.0)]).unwrap_err();
        assert!(error.to_string().contains("row 0 and column 3"), "{error}");
    }

    #[test]
    fn features_follow_their_definitions() {
        // Rows of 2, 0 and 1 entries, on the diagonals 0 and 2.
        let a = Matrix::from_entries(3, 3, &[(0, 0, 1.0), (0, 2, 1.0), (2, 2, 1.0)]).unwrap();
        assert_eq!(a.row_lengths(), RowLengths { mean: 1.0, sd: (2.0f64 / 3.0).sqrt(), max: 2 });
        assert_eq!((a.max_deviation(), a.ell_fill(), a.dia_fill()), (1.0, 2.0, 2.0));
        assert_eq!(load("test/banded-n500-w0-p100-s1").dia_fill(), 1.0);
    }

    #[test]
    fn forms_beyond_their_cut_off_are_not_built() {
        let a = load("test/outliers-n900-k1-s1");
        assert!(a.ell_fill() > ELL_FILL_CUTOFF && a.ell().is_none());
        assert!(a.dia_fill() > DIA_FILL_CUTOFF && a.dia().is_none());
    }
}
