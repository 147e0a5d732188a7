//! A mixture of what is known: which source a device resembles, and which classes are dearer or cheaper on it whatever
//! the input.
//!
//! A ridge regression of what is lost here, over all classes of the measured inputs at once, on what the model
//! expects, what was lost on each source, and one constant a class. Without measurements the answer is what the
//! model expects; each coefficient is drawn back to that.

use nalgebra::{DMatrix, DVector};

/// The penalty on coefficients of the model and of sources, in units of one squared loss.
const SOURCE_PENALTY: f64 = 1.0;
/// The penalty on the constant of a class, in measured inputs.
const CLASS_PENALTY: f64 = 3.0;

/// The mixture by which some measured inputs are told best.
pub(super) struct Mixture<'a> {
    expected: &'a [Vec<f64>],
    sources: &'a [Vec<Vec<f64>>],
    /// Change of the coefficient of what is expected, coefficient of each source, constant of each class.
    coefficients: DVector<f64>,
}

impl<'a> Mixture<'a> {
    /// `expected` by training input and class, `sources` by source, training input and class; `measured` inputs
    /// lost `losses` (not a number where nothing is known).
    pub(super) fn new(
        expected: &'a [Vec<f64>],
        sources: &'a [Vec<Vec<f64>>],
        measured: &[usize],
        losses: &[Vec<f64>],
    ) -> Self {
        let unknowns = 1 + sources.len() + expected.first().map_or(0, Vec::len);
        // Ridge regression (Hoerl and Kennard, 1970): penalties on the diagonal draw every coefficient to 0, which is
        // what the model expects.
        let mut penalties = DVector::from_element(unknowns, CLASS_PENALTY);
        penalties.rows_mut(0, 1 + sources.len()).fill(SOURCE_PENALTY);
        let mut normal = DMatrix::from_diagonal(&penalties);
        let mut right = DVector::zeros(unknowns);
        let mut mixture = Self { expected, sources, coefficients: DVector::zeros(unknowns) };
        for (&input, losses) in measured.iter().zip(losses) {
            for (class, &loss) in losses.iter().enumerate().filter(|(_, loss)| !loss.is_nan()) {
                let row = mixture.row(input, class);
                normal.ger(1.0, &row, &row, 1.0);
                right.axpy(loss - expected[input][class], &row, 1.0);
            }
        }
        mixture.coefficients = normal.cholesky().expect("penalties make it positive definite").solve(&right);
        mixture
    }

    /// Returns what each class loses on an input.
    pub(super) fn losses(&self, input: usize) -> Vec<f64> {
        let expected = self.expected[input].iter().enumerate();
        expected.map(|(class, expected)| expected + self.row(input, class).dot(&self.coefficients)).collect()
    }

    /// Returns the values that the coefficients are of.
    fn row(&self, input: usize, class: usize) -> DVector<f64> {
        let base = self.expected[input][class];
        let mut row = DVector::zeros(self.coefficients.len());
        row[0] = base;
        for (at, source) in self.sources.iter().enumerate() {
            let loss = source[input][class];
            // Where a source does not know, it says what the model does.
            row[1 + at] = if loss.is_finite() { loss - base } else { 0.0 };
        }
        row[1 + self.sources.len() + class] = 1.0;
        row
    }
}

#[cfg(test)]
mod tests {
    use super::Mixture;

    #[test]
    fn nothing_measured_leaves_what_was_expected() {
        let expected = vec![vec![0.0, 0.25], vec![0.5, 0.0]];
        let sources = [vec![vec![0.9, 0.9]; 2]];
        let mixture = Mixture::new(&expected, &sources, &[], &[]);
        assert_eq!([0, 1].map(|input| mixture.losses(input)).to_vec(), expected);
    }

    #[test]
    fn a_device_that_is_like_one_source_follows_it_on_other_inputs() {
        let like: Vec<Vec<f64>> =
            (0..60).map(|input| vec![f64::from(input % 2), f64::from((input + 1) % 2)]).collect();
        let other: Vec<Vec<f64>> = like.iter().map(|row| vec![row[1], row[0]]).collect();
        let expected = vec![vec![0.5, 0.5]; 60];
        let measured: Vec<usize> = (0..30).collect();
        let losses: Vec<Vec<f64>> = measured.iter().map(|&input| like[input].clone()).collect();
        let sources = [other, like.clone()];
        let mixture = Mixture::new(&expected, &sources, &measured, &losses);
        for (input, row) in like.iter().enumerate().skip(30) {
            let mixed = mixture.losses(input);
            assert_eq!(mixed[0] < mixed[1], row[0] < row[1], "{input}");
        }
    }
}
