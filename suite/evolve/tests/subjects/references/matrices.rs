//! In double precision.

use crate::case::Case;
use crate::expected::{Expected, Results};

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

/// The factors of a matrix in its place.
fn factors(a: &mut [f64], size: usize) {
    for k in 0..size {
        for row in k + 1..size {
            a[row * size + k] /= a[k * size + k];
            for column in k + 1..size {
                a[row * size + column] -= a[row * size + k] * a[k * size + column];
            }
        }
    }
}

pub fn lud(case: &Case) -> Results {
    let mut matrix = doubles(&case.f32s("matrix"));
    factors(&mut matrix, 16 * case.size("blocks"));
    let values = matrix.into_iter().map(|value| value as f32).collect();
    vec![("matrix", Expected::Near { values, relative: 1e-5, absolute: 5e-6 })]
}

/// By those factors, forwards and backwards.
pub fn gaussian(case: &Case) -> Results {
    let size = case.size("size");
    let (mut a, mut x) = (doubles(&case.f32s("matrix")), doubles(&case.f32s("right")));
    factors(&mut a, size);
    for row in 0..size {
        let known: f64 = (0..row).map(|column| a[row * size + column] * x[column]).sum();
        x[row] -= known;
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| a[row * size + column] * x[column]).sum();
        x[row] = (x[row] - known) / a[row * size + row];
    }
    let values = x.into_iter().map(|value| value as f32).collect();
    vec![("x", Expected::Near { values, relative: 1e-4, absolute: 1e-5 })]
}
