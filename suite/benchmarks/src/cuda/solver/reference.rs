//! How good a solution is.

use crate::cuda::spmv::Csr;

/// The norm of b - A·x relative to that of b, computed on the host; not a number where x has none.
#[must_use]
pub fn relative_residual(a: &Csr, x: &[f64], b: &[f64]) -> f64 {
    let residual = a.multiply(x).iter().zip(b).map(|(product, b)| (b - product).powi(2)).sum::<f64>();
    let norm = b.iter().map(|b| b * b).sum::<f64>();
    (residual / norm.max(f64::MIN_POSITIVE)).sqrt()
}
