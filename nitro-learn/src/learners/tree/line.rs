//! Lines by least mean squares: the value of a parameter as a linear function of features.

use nalgebra::{DMatrix, DVector};

/// Keeps features that say the same, or nothing, from making the equations unsolvable.
const RIDGE: f64 = 1e-6;
/// The share by which each sample draws the line of the iterative solution towards itself.
const STEP: f64 = 0.5;
const EPOCHS: usize = 200;
const EPSILON: f64 = 1e-9;

/// The ways to fit a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The normal equations, with a little ridge.
    ClosedForm,
    /// The normalised rule of Widrow and Hoff, sample by sample: w += μ (y − w·x) x / (ε + |x|²).
    Iterative,
}

/// An offset and a slope a feature.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line(Vec<f64>);

impl Line {
    /// The line through values at some rows of features.
    pub fn fit(method: Method, rows: &[&[f64]], values: &[f64]) -> Self {
        let columns: Vec<Vec<f64>> = rows.iter().map(|row| [&[1.0], *row].concat()).collect();
        match method {
            Method::ClosedForm => closed_form(&columns, values),
            Method::Iterative => iterative(&columns, values),
        }
    }

    pub fn at(&self, features: &[f64]) -> f64 {
        self.0[0] + dot(&self.0[1..], features)
    }

    /// Returns the change of the value with a feature.
    pub fn slope(&self, feature: usize) -> f64 {
        self.0[1 + feature]
    }
}

fn closed_form(rows: &[Vec<f64>], values: &[f64]) -> Line {
    let unknowns = rows.first().map_or(1, Vec::len);
    let mut normal = DMatrix::identity(unknowns, unknowns) * RIDGE;
    let mut right = DVector::zeros(unknowns);
    for (row, value) in rows.iter().zip(values) {
        let row = DVector::from_column_slice(row);
        normal.ger(1.0, &row, &row, 1.0);
        right.axpy(*value, &row, 1.0);
    }
    let solved = normal.cholesky().expect("the ridge makes it positive definite").solve(&right);
    Line(solved.iter().copied().collect())
}

fn iterative(rows: &[Vec<f64>], values: &[f64]) -> Line {
    let mut weights = vec![0.0; rows.first().map_or(1, Vec::len)];
    for _ in 0..EPOCHS {
        for (row, value) in rows.iter().zip(values) {
            let step = STEP * (value - dot(&weights, row)) / (EPSILON + dot(row, row));
            weights.iter_mut().zip(row).for_each(|(weight, x)| *weight += step * x);
        }
    }
    Line(weights)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_methods_find_the_line_that_the_values_are_on() {
        let rows: Vec<[f64; 2]> =
            (0..12).map(|n| [f64::from(n) / 6.0 - 1.0, f64::from(n * 5 % 12) / 6.0 - 1.0]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let values: Vec<f64> = rows.iter().map(|row| 0.4 + 0.3 * row[0] - 0.2 * row[1]).collect();
        for method in [Method::ClosedForm, Method::Iterative] {
            let line = Line::fit(method, &rows, &values);
            let found = [line.at(&[0.0, 0.0]), line.slope(0), line.slope(1)];
            let near = found.iter().zip([0.4, 0.3, -0.2]).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(near, "{method:?}: {found:?}");
        }
    }

    /// Values on no line are fitted by least squares, which the rule comes near and, its step being constant, does not
    /// reach.
    #[test]
    fn the_methods_agree_about_noisy_values() {
        let rows: Vec<[f64; 1]> = (0..16).map(|n| [f64::from(n) / 7.5 - 1.0]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(|row| &row[..]).collect();
        let values: Vec<f64> = rows
            .iter()
            .zip([0.02, -0.02].iter().cycle())
            .map(|(row, noise)| 0.5 + 0.25 * row[0] + noise)
            .collect();
        let closed = Line::fit(Method::ClosedForm, &rows, &values);
        let iterated = Line::fit(Method::Iterative, &rows, &values);
        for x in [-1.0, -0.3, 0.4, 1.0] {
            assert!((closed.at(&[x]) - iterated.at(&[x])).abs() < 0.02, "{closed:?} {iterated:?}");
        }
    }

    #[test]
    fn a_feature_that_never_changes_has_no_slope_of_its_own() {
        let rows: Vec<&[f64]> = vec![&[1.0], &[1.0], &[1.0]];
        let line = Line::fit(Method::ClosedForm, &rows, &[0.5, 0.5, 0.5]);
        assert!((line.at(&[1.0]) - 0.5).abs() < 1e-5);
    }
}
