//! Regression from counters to an intensity.

/// Weight of the penalty on the squares of the coefficients, small against the 30 profiles: it shares a resource
/// out among counters that tell the same of it.
const RIDGE: f64 = 1e-2;
/// Change of a coefficient below which nothing more happens.
const TOLERANCE: f64 = 1e-10;
const MOST_SWEEPS: usize = 10_000;

/// A linear model through the origin whose coefficients are not negative.
///
/// A resource that is used more is never stressed less, and what a profile does not show it does not stress;
/// without these two limits, a regression on few profiles also learns that *fewer* integer instructions mean *more*
/// of everything else. The coefficients minimise the squared error plus a ridge penalty, by coordinate descent in a
/// fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The greatest value of each counter among the training profiles: the unit that it is measured in.
    greatest: Vec<f64>,
    coefficients: Vec<f64>,
}

impl Regression {
    /// Fits rows of counters, all of one length and none negative, to as many targets.
    pub fn fit(rows: &[Vec<f64>], targets: &[f64]) -> Self {
        let count = rows.first().map_or(0, Vec::len);
        let greatest: Vec<f64> =
            (0..count).map(|counter| rows.iter().map(|row| row[counter]).fold(0.0, f64::max)).collect();
        let scaled: Vec<Vec<f64>> = rows.iter().map(|row| scale(row, &greatest)).collect();
        let mut coefficients = vec![0.0; count];
        let mut residuals = targets.to_vec();
        // Each sweep sets every coefficient to its optimum given the others. The problem is convex and its bounds are
        // separate, so that this converges (Tseng, "Convergence of a block coordinate descent method", 2001).
        for _ in 0..MOST_SWEEPS {
            let changes = (0..count).map(|at| descend(at, &scaled, &mut coefficients, &mut residuals));
            if changes.fold(0.0, f64::max) < TOLERANCE {
                break;
            }
        }
        Self { greatest, coefficients }
    }

    /// The prediction for a row of counters; what is above the training profiles counts as the greatest of them.
    pub fn predict(&self, row: &[f64]) -> f64 {
        scale(row, &self.greatest).iter().zip(&self.coefficients).map(|(value, weight)| value * weight).sum()
    }
}

/// Scales a row to units of the greatest value; a counter that no training profile has tells nothing.
fn scale(row: &[f64], greatest: &[f64]) -> Vec<f64> {
    let mut scaled = Vec::with_capacity(row.len());
    for (&value, &greatest) in row.iter().zip(greatest) {
        scaled.push(if greatest > 0.0 { (value / greatest).min(1.0) } else { 0.0 });
    }
    scaled
}

/// Sets one coefficient to its best value given the others; by how much it changed.
fn descend(at: usize, rows: &[Vec<f64>], coefficients: &mut [f64], residuals: &mut [f64]) -> f64 {
    let old = coefficients[at];
    let squares: f64 = rows.iter().map(|row| row[at] * row[at]).sum();
    let product: f64 =
        rows.iter().zip(residuals.iter()).map(|(row, residual)| row[at] * (residual + old * row[at])).sum();
    let new = (product / (squares + RIDGE)).max(0.0);
    for (row, residual) in rows.iter().zip(residuals.iter_mut()) {
        *residual -= (new - old) * row[at];
    }
    coefficients[at] = new;
    (new - old).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_is_learned() {
        let rows: Vec<Vec<f64>> =
            (0..=5).map(|step| vec![f64::from(step) * 0.2, 1.0 - f64::from(step) * 0.2]).collect();
        let model = Regression::fit(&rows, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((model.predict(&[0.5, 0.5]) - 2.5).abs() < 0.05);
        assert!(model.predict(&[0.0, 0.0]) == 0.0, "what shows nothing stresses nothing");
        assert!((model.predict(&[0.4, 0.0]) - 2.0).abs() < 0.05, "absence of the other is no evidence");
    }

    #[test]
    fn beyond_the_training_profiles_a_prediction_stays_at_their_edge() {
        let model = Regression::fit(&[vec![0.0], vec![2.0]], &[0.0, 5.0]);
        assert_eq!(model.predict(&[40.0]), model.predict(&[2.0]));
    }

    #[test]
    fn a_counter_that_is_always_zero_and_no_rows_at_all_are_no_trouble() {
        let model = Regression::fit(&[vec![0.0, 1.0], vec![0.0, 0.5]], &[2.0, 1.0]);
        assert!((model.predict(&[7.0, 1.0]) - 2.0).abs() < 0.05);
        assert_eq!(Regression::fit(&[], &[]).predict(&[1.0]), 0.0);
    }
}
