//! What the product should be.

use super::Csr;

/// A product computed on the host, and for each row how far sums in another order may differ from it.
#[derive(Debug)]
pub struct Reference {
    product: Vec<f64>,
    tolerance: Vec<f64>,
}

impl Reference {
    /// Multiplies on the host.
    #[must_use]
    pub fn new(a: &Csr, x: &[f64]) -> Reference {
        let magnitudes: Vec<f64> = x.iter().map(|value| value.abs()).collect();
        let absolute = Csr::with_values(a.pattern().clone(), |row, _, values| {
            values.iter_mut().zip(a.row(row)).for_each(|(place, (_, value))| *place = value.abs());
        });
        // A few units in the last place of the sum of magnitudes.
        let tolerance =
            absolute.multiply(&magnitudes).iter().map(|sum| sum * 2e-12 + f64::MIN_POSITIVE).collect();
        Reference { product: a.multiply(x), tolerance }
    }

    /// Whether a product is right: as long as it should be, and every row within its tolerance.
    #[must_use]
    pub fn matches(&self, found: &[f64]) -> bool {
        let close =
            |((found, expected), tolerance): ((&f64, &f64), &f64)| (found - expected).abs() <= *tolerance;
        found.len() == self.product.len() && found.iter().zip(&self.product).zip(&self.tolerance).all(close)
    }
}

/// The vector that matrices are multiplied by.
pub(super) fn x(columns: usize) -> Vec<f64> {
    (0..columns).map(|column| 1.0 + (column % 17) as f64 / 16.0).collect()
}
