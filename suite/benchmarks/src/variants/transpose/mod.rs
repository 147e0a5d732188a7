//! Transposing a rectangular matrix in place.
//!
//! A matrix of M rows and N columns, row by row in memory, becomes one of N rows and M columns in the same memory.
//! The general variants follow the decomposition of Catanzaro, Keller and Garland (A decomposition for in-place
//! matrix transposition, PPoPP 2014): a transposition is a rotation of columns, a shuffle of each row, and a shuffle of
//! each column, or the inverses of these in reverse, so that only one row or a few columns have to be copied aside.

mod decomposition;
mod general;
mod panel;
mod skinny;

pub use general::{c2r, r2c};
pub use skinny::{SKINNY_COLUMNS, c2r_skinny, r2c_skinny};

/// Whether rows or columns are few enough for the skinny variants to hold whole rows of the narrow side.
pub fn is_skinny(rows: usize, columns: usize) -> bool {
    rows.min(columns) <= SKINNY_COLUMNS
}

/// Whether two numbers have no common divisor but 1; the general variants then save a pass.
pub fn is_coprime(rows: usize, columns: usize) -> bool {
    greatest_common_divisor(rows, columns) == 1
}

/// The greatest common divisor, by Euclid; 0 of 0 and 0.
pub(crate) fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Panics unless the matrix has as many values as its shape says.
fn check_length(values: &[f64], rows: usize, columns: usize) {
    assert_eq!(
        Some(values.len()),
        rows.checked_mul(columns),
        "a matrix of {rows} x {columns} needs as many values"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares all variants with the definition, on one thread and on several.
    fn check(rows: usize, columns: usize, threads: &[usize]) {
        let values: Vec<f64> = (0..rows * columns).map(|index| index as f64).collect();
        let expected: Vec<f64> = (0..rows * columns)
            .map(|index| values[index % rows.max(1) * columns + index / rows.max(1)])
            .collect();
        for &threads in threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for &variant in crate::transpose::Variant::ALL {
                let mut found = values.clone();
                pool.install(|| crate::transpose::call(variant, &mut found, rows, columns));
                assert!(found == expected, "{variant} of {rows} x {columns}, {threads} threads");
            }
        }
    }

    #[test]
    fn all_small_shapes_are_transposed() {
        for rows in 0..26 {
            for columns in 0..26 {
                check(rows, columns, &[1]);
            }
        }
    }

    #[test]
    fn large_shapes_are_transposed_by_several_threads() {
        let shapes = [
            (1, 5000),
            (5000, 1),
            (2, 30_001),
            (30_001, 2),
            (64, 700),
            (700, 64),
            (128, 128),
            (200, 300),
            (301, 200),
            (211, 223),
            (256, 512),
            (9, 4096),
            (4096, 9),
        ];
        for (rows, columns) in shapes {
            check(rows, columns, &[1, 3]);
        }
    }

    #[test]
    #[should_panic(expected = "2 x 3")]
    fn too_few_values_are_refused() {
        c2r(&mut [0.0; 5], 2, 3);
    }

    #[test]
    fn features_follow_their_definitions() {
        assert!(is_skinny(3, 100_000) && is_skinny(100_000, 64) && !is_skinny(65, 65));
        assert!(is_coprime(8, 9) && is_coprime(1, 5) && !is_coprime(8, 12) && !is_coprime(4, 4));
    }
}
