//! Prediction with a support-vector machine: C-SVC with the radial basis function kernel, one against one.
//!
//! Layout and vote are those of LIBSVM (Chang and Lin, "LIBSVM: a library for support vector machines", 2011, section
//! 4.1 and 7), so that models can be compared number by number.

use serde::{Deserialize, Serialize};

use crate::{MAX_FEATURES, MAX_VARIANTS};

/// A support-vector machine for several classes, one against one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svm {
    /// Width of the kernel function exp(-gamma·‖u - v‖²).
    pub gamma: f64,
    /// One a column: input features first, then device features.
    pub scaling: Vec<Scale>,
    /// The classes in the order of the vote: of two with the same votes the earlier one wins.
    pub classes: Vec<Class>,
    /// Scaled support vectors, one row each, grouped by class.
    pub vectors: Vec<f64>,
    /// `classes - 1` rows, one column a support vector: LIBSVM's `sv_coef`.
    pub coefficients: Vec<f64>,
    /// One a pair of classes, in the order (0,1), (0,2), …, (1,2), …: LIBSVM's `rho`.
    pub rho: Vec<f64>,
}

/// One class of an [`Svm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// Index into `Model::variants`.
    pub variant: usize,
    /// Number of its support vectors.
    pub support: usize,
}

/// How a raw feature becomes a column of the SVM: a transform, then a linear map of `[min, max]` onto `[-1, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// What is done first.
    pub transform: Transform,
    /// Smallest transformed value of the training data.
    pub min: f64,
    /// Largest transformed value of the training data.
    pub max: f64,
}

/// What is done to a feature before it is scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transform {
    /// Nothing.
    Identity,
    /// sign(x)·ln(1 + |x|): for sizes and counts, which span orders of magnitude.
    Log,
}

impl Transform {
    /// The transformed value.
    #[must_use]
    pub fn apply(self, value: f64) -> f64 {
        match self {
            Self::Identity => value,
            Self::Log => value.signum() * value.abs().ln_1p(),
        }
    }

    /// The value whose transformed value this is.
    #[must_use]
    pub fn undo(self, transformed: f64) -> f64 {
        match self {
            Self::Identity => transformed,
            Self::Log => transformed.signum() * transformed.abs().exp_m1(),
        }
    }
}

impl Scale {
    /// The scaled value; a column that was constant in training becomes 0 everywhere.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        let range = self.max - self.min;
        if range > 0.0 { 2.0 * (self.transform.apply(value) - self.min) / range - 1.0 } else { 0.0 }
    }

    /// As [`Scale::apply`], with values outside the range of the training data taken for its ends: for device features, of which training
    /// saw few values. A kernel function knows nothing of what lies far outside.
    #[must_use]
    pub fn apply_within(&self, value: f64) -> f64 {
        self.apply(value).clamp(-1.0, 1.0)
    }
}

impl Svm {
    /// The machine as it is on one device: the distance between the device and each support vector does not change from
    /// call to call, so exp(-gamma·d²) of the device's columns is folded into the coefficients once.
    pub(crate) fn on_device(&self, device_features: &[f64]) -> DeviceSvm {
        let columns = self.scaling.len();
        let inputs = columns - device_features.len();
        let device: Vec<f64> = self.scaling[inputs..]
            .iter()
            .zip(device_features)
            .map(|(scale, &value)| scale.apply_within(value))
            .collect();
        let total = self.support();
        let mut vectors = Vec::with_capacity(total * inputs);
        let mut coefficients = vec![0.0; self.coefficients.len()];
        let duels = self.classes.len().saturating_sub(1);
        for index in 0..total {
            let row = &self.vectors[index * columns..(index + 1) * columns];
            let kernel = (-self.gamma * squared_distance(&row[inputs..], &device)).exp();
            vectors.extend_from_slice(&row[..inputs]);
            for duel in 0..duels {
                coefficients[index * duels + duel] = self.coefficients[duel * total + index] * kernel;
            }
        }
        DeviceSvm {
            gamma: self.gamma,
            scaling: self.scaling[..inputs].to_vec(),
            classes: self.classes.clone(),
            vectors,
            coefficients,
            rho: self.rho.clone(),
        }
    }

    /// Number of support vectors.
    #[must_use]
    pub fn support(&self) -> usize {
        self.classes.iter().map(|class| class.support).sum()
    }

    /// Whether all lengths and numbers fit together, for `variants` variants and `columns` features; what does not is named.
    pub(crate) fn check(&self, variants: usize, columns: usize) -> Result<(), &'static str> {
        let classes = self.classes.len();
        let support = self
            .classes
            .iter()
            .try_fold(0usize, |sum, class| sum.checked_add(class.support))
            .ok_or("number of support vectors")?;
        let pairs = classes * classes.saturating_sub(1) / 2;
        let fits = |length: usize, rows: usize, columns: usize| rows.checked_mul(columns) == Some(length);
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        match () {
            () if classes == 0 || classes > MAX_VARIANTS => Err("number of classes"),
            () if self.classes.iter().any(|class| class.variant >= variants) => Err("variant of a class"),
            () if self.scaling.len() != columns => Err("number of scaled features"),
            () if !fits(self.vectors.len(), support, columns) => Err("number of support-vector values"),
            () if !fits(self.coefficients.len(), classes - 1, support) => Err("number of coefficients"),
            () if self.rho.len() != pairs => Err("number of offsets"),
            () if !self.gamma.is_finite() || self.gamma < 0.0 => Err("gamma"),
            () if !finite(&self.vectors) || !finite(&self.coefficients) || !finite(&self.rho) => {
                Err("finite numbers")
            }
            () if self.scaling.iter().any(|scale| !scale.min.is_finite() || !scale.max.is_finite()) => {
                Err("finite scaling")
            }
            () => Ok(()),
        }
    }
}

/// An [`Svm`] resolved for one device: only the columns of the input features remain.
#[derive(Debug)]
pub(crate) struct DeviceSvm {
    gamma: f64,
    scaling: Vec<Scale>,
    classes: Vec<Class>,
    vectors: Vec<f64>,
    /// One row a support vector, `classes - 1` columns: read in the order of the prediction.
    coefficients: Vec<f64>,
    rho: Vec<f64>,
}

/// How many of its duels each class won.
pub(crate) struct Votes {
    won: [u8; MAX_VARIANTS],
    classes: usize,
}

impl Votes {
    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// How many of its duels a class won.
    pub(crate) fn won(&self, class: usize) -> u8 {
        self.won[class]
    }

    /// Share of its duels that a class won: 1 when it beat every other class.
    pub(crate) fn share(&self, class: usize) -> f64 {
        let duels = self.classes.saturating_sub(1);
        if duels == 0 { 1.0 } else { f64::from(self.won[class]) / duels as f64 }
    }
}

impl DeviceSvm {
    /// The variant (index into `Model::variants`) of a class.
    pub(crate) fn variant(&self, class: usize) -> usize {
        self.classes[class].variant
    }

    /// One vote a pair of classes, from raw input features.
    pub(crate) fn votes(&self, features: &[f64]) -> Votes {
        // The decision values of all pairs live on the stack. Nearly every function has few classes, and clearing room
        // for 64 of them would cost more than the prediction.
        match self.rho.len() {
            0..=28 => self.votes_with::<28>(features),
            _ => self.votes_with::<{ MAX_VARIANTS * (MAX_VARIANTS - 1) / 2 }>(features),
        }
    }

    fn votes_with<const PAIRS: usize>(&self, features: &[f64]) -> Votes {
        let mut decisions = [0.0; PAIRS];
        self.decide(features, &mut decisions);
        let classes = self.classes.len();
        let mut won = [0; MAX_VARIANTS];
        for first in 0..classes {
            for second in first + 1..classes {
                let pair = pair(first, second, classes);
                won[if decisions[pair] > self.rho[pair] { first } else { second }] += 1;
            }
        }
        Votes { won, classes }
    }

    /// Adds to each pair's decision value the share of every support vector.
    fn decide(&self, features: &[f64], decisions: &mut [f64]) {
        let mut scaled = [0.0; MAX_FEATURES];
        let scaled = &mut scaled[..self.scaling.len()];
        for ((column, scale), &value) in scaled.iter_mut().zip(&self.scaling).zip(features) {
            *column = scale.apply(value);
        }
        let (classes, width) = (self.classes.len(), self.scaling.len());
        let mut index = 0;
        for (own, class) in self.classes.iter().enumerate() {
            for _ in 0..class.support {
                let row = &self.vectors[index * width..(index + 1) * width];
                let kernel = (-self.gamma * squared_distance(row, scaled)).exp();
                let coefficients = &self.coefficients[index * (classes - 1)..(index + 1) * (classes - 1)];
                // LIBSVM's layout: row `other` for a later class of the pair, row `other - 1` for an earlier one.
                for (duel, coefficient) in coefficients.iter().enumerate() {
                    let other = if duel < own { duel } else { duel + 1 };
                    decisions[pair(own.min(other), own.max(other), classes)] += coefficient * kernel;
                }
                index += 1;
            }
        }
    }
}

/// Place of the pair (first, second), first < second, in the order (0,1), (0,2), …, (1,2), ….
fn pair(first: usize, second: usize, classes: usize) -> usize {
    first * (2 * classes - first - 1) / 2 + second - first - 1
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Selector;

    #[test]
    fn pairs_are_numbered_in_order() {
        let mut expected = 0;
        for first in 0..7 {
            for second in first + 1..7 {
                assert_eq!(pair(first, second, 7), expected);
                expected += 1;
            }
        }
    }

    #[test]
    fn a_column_that_never_varied_scales_to_zero() {
        let scale = Scale { transform: Transform::Identity, min: 3.0, max: 3.0 };
        assert_eq!(scale.apply(3.0), 0.0);
        assert_eq!(scale.apply(1e9), 0.0);
    }

    #[test]
    fn a_transform_is_undone() {
        for transform in [Transform::Identity, Transform::Log] {
            for value in [-1e9, -2.5, 0.0, 1e-3, 7.0, 1e12] {
                let back = transform.undo(transform.apply(value));
                assert!(
                    (back - value).abs() <= 1e-12 * value.abs(),
                    "{transform:?}: {value} came back as {back}"
                );
            }
        }
    }

    #[test]
    fn log_scaling_maps_the_ends_onto_the_unit_interval() {
        let scale = Scale { transform: Transform::Log, min: 10f64.ln_1p(), max: 1e6f64.ln_1p() };
        assert!((scale.apply(10.0) + 1.0).abs() < 1e-12);
        assert!((scale.apply(1e6) - 1.0).abs() < 1e-12);
    }

    /// Three classes on a line, one support vector each, at -1, 0 and 1: the nearest one wins.
    #[test]
    fn the_nearest_of_three_classes_wins() {
        let svm = Svm {
            gamma: 1.0,
            scaling: vec![Scale { transform: Transform::Identity, min: -1.0, max: 1.0 }],
            classes: (0..3).map(|variant| Class { variant, support: 1 }).collect(),
            vectors: vec![-1.0, 0.0, 1.0],
            coefficients: vec![1.0, -1.0, -1.0, 1.0, 1.0, -1.0],
            rho: vec![0.0; 3],
        };
        assert_eq!(svm.check(3, 1), Ok(()));
        let machine = Selector::Svm(svm).on_device(&[]);
        for (value, variant) in [(-0.9, 0), (0.1, 1), (0.8, 2)] {
            assert_eq!(machine.rank(&[value])[0].variant, variant, "at {value}");
        }
    }

    /// Folding the device's distance into the coefficients is the kernel over all columns.
    #[test]
    fn a_device_decides_as_the_joined_vector_does() {
        let scale = Scale { transform: Transform::Identity, min: -1.0, max: 1.0 };
        let joined = Svm {
            gamma: 0.7,
            scaling: vec![scale; 2],
            classes: (0..2).map(|variant| Class { variant, support: 1 }).collect(),
            vectors: vec![0.0, -1.0, 0.0, 1.0],
            coefficients: vec![1.0, -1.0],
            rho: vec![0.0],
        };
        let joined = Selector::Svm(joined);
        assert_eq!(joined.on_device(&[-0.5]).rank(&[0.0])[0].variant, 0);
        assert_eq!(joined.on_device(&[0.5]).rank(&[0.0])[0].variant, 1);
    }

    /// A device beyond all sources decides as the outermost source does, however far away it is.
    #[test]
    fn device_features_are_taken_within_the_range_of_the_sources() {
        let scale = Scale { transform: Transform::Identity, min: 0.0, max: 10.0 };
        assert_eq!([-5.0, 0.0, 5.0, 1e9].map(|value| scale.apply_within(value)), [-1.0, -1.0, 0.0, 1.0]);
        let svm = Svm {
            gamma: 1.0,
            scaling: vec![scale; 2],
            classes: (0..2).map(|variant| Class { variant, support: 1 }).collect(),
            vectors: vec![0.0, -1.0, 0.0, 1.0],
            coefficients: vec![1.0, -1.0],
            rho: vec![0.0],
        };
        let coefficients = |device: f64| svm.on_device(&[device]).coefficients;
        assert_eq!(coefficients(1e6), coefficients(10.0));
        assert_eq!(coefficients(-1e6), coefficients(0.0));
    }
}
