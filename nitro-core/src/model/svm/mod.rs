//! Prediction with a support-vector machine: C-SVC with the radial basis function kernel, one against one.
//!
//! Layout and vote are those of LIBSVM (Chang and Lin, "LIBSVM: a library for support vector machines", 2011,
//! sections 4.1 and 7), so that models can be compared number by number.

mod device;
mod kernel;
mod scaling;
mod screen;

use super::format::wire::{MANY, Wire, wire_structs};
use crate::MAX_CHOICES;
pub(crate) use device::DeviceSvm;

/// A support-vector machine for several classes, one against one.
///
/// ```
/// use nitro_core::model::{Class, Scale, Selector, Svm, Transform};
///
/// // One support vector each for small inputs, choice 0, and large ones, choice 1.
/// let svm = Svm {
///     gamma: 1.0,
///     scaling: vec![Scale { transform: Transform::Identity, min: 0.0, max: 100.0 }],
///     classes: vec![Class { choice: 0, support: 1 }, Class { choice: 1, support: 1 }],
///     vectors: vec![-1.0, 1.0],
///     coefficients: vec![1.0, -1.0],
///     rho: vec![0.0],
/// };
/// assert_eq!(svm.support(), 2);
/// let selector = Selector::Svm(svm).on_device(&[]);
/// assert_eq!((selector.first(&[20.0]), selector.first(&[80.0])), (Some(0), Some(1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Index into `Model::choices`.
    pub choice: usize,
    /// Number of its support vectors.
    pub support: usize,
}

/// The way from a raw feature to a column of the SVM: a transform, then a linear map of `[min, max]` onto `[-1, 1]`.
///
/// ```
/// use nitro_core::model::{Scale, Transform};
///
/// let percent = Scale { transform: Transform::Identity, min: 0.0, max: 100.0 };
/// assert_eq!((percent.apply(75.0), percent.apply(150.0)), (0.5, 2.0));
/// assert_eq!(percent.apply_within(150.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The transform, which comes first.
    pub transform: Transform,
    /// Smallest transformed value of the training data.
    pub min: f64,
    /// Largest transformed value of the training data.
    pub max: f64,
}

/// A transform of a feature, before it is scaled.
///
/// ```
/// use nitro_core::model::Transform;
///
/// let (kilo, mega) = (Transform::Log.apply(1e3), Transform::Log.apply(1e6));
/// assert!((mega / kilo - 2.0).abs() < 1e-3);
/// assert_eq!(Transform::Log.undo(mega).round(), 1e6);
/// assert_eq!(Transform::Log.apply(-1e3), -kilo);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Nothing.
    Identity,
    /// sign(x)·ln(1 + |x|): for sizes and counts, which span orders of magnitude.
    Log,
}

wire_structs! {
    Svm { gamma, scaling: MANY, classes: MANY, vectors, coefficients, rho }
    Class { choice, support }
    Scale { transform, min, max }
}

impl Wire for Transform {
    fn write(&self, bytes: &mut Vec<u8>) {
        (*self as u32).write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u32::read(bytes)? {
            0 => Some(Self::Identity),
            1 => Some(Self::Log),
            _ => None,
        }
    }
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
    /// Returns true where the column tells anything apart: one that was constant in training does not.
    pub(crate) fn varies(&self) -> bool {
        self.max - self.min > 0.0
    }

    /// The scaled value; a column that was constant in training becomes 0 everywhere.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        let range = self.max - self.min;
        if self.varies() { 2.0 * (self.transform.apply(value) - self.min) / range - 1.0 } else { 0.0 }
    }

    /// The value whose scaled value this is, in a column that was not constant in training.
    #[must_use]
    pub fn undo(&self, scaled: f64) -> f64 {
        self.transform.undo(self.min + (scaled + 1.0) / 2.0 * (self.max - self.min))
    }

    /// Applies the scale to a value within the range of the training data. One outside is taken for the nearer end.
    /// This is for device features, of which training saw few values. A kernel function knows nothing of what lies
    /// far outside.
    #[must_use]
    pub fn apply_within(&self, value: f64) -> f64 {
        self.apply(value).clamp(-1.0, 1.0)
    }
}

impl Svm {
    /// The class of each support vector.
    fn owners(&self) -> impl Iterator<Item = usize> {
        self.classes.iter().enumerate().flat_map(|(class, own)| std::iter::repeat_n(class, own.support))
    }

    /// The coefficients of a support vector of a class, each with the pair in whose decision it weighs. LIBSVM's
    /// layout: row `other` for a later class of the pair, row `other - 1` for an earlier one.
    fn weights(&self, vector: usize, own: usize) -> impl Iterator<Item = (usize, f64)> {
        let classes = self.classes.len();
        let rounds = classes.saturating_sub(1);
        let support = self.coefficients.len() / rounds.max(1);
        (0..rounds).map(move |round| {
            let other = if round < own { round } else { round + 1 };
            let coefficient = self.coefficients[round * support + vector];
            (pair(own.min(other), own.max(other), classes), coefficient)
        })
    }

    /// Number of support vectors.
    #[must_use]
    pub fn support(&self) -> usize {
        self.classes.iter().map(|class| class.support).sum()
    }

    /// Checks that all lengths and numbers fit together, for `choices` choices and `columns` features; the error
    /// names what does not.
    pub(crate) fn check(&self, choices: usize, columns: usize) -> Result<(), &'static str> {
        let classes = self.classes.len();
        let support = self
            .classes
            .iter()
            .try_fold(0usize, |sum, class| sum.checked_add(class.support))
            .ok_or("number of support vectors")?;
        let pairs = classes * classes.saturating_sub(1) / 2;
        let mut numbers = self.vectors.iter().chain(&self.coefficients).chain(&self.rho);
        match () {
            () if classes == 0 || classes > MAX_CHOICES => Err("number of classes"),
            () if self.classes.iter().any(|class| class.choice >= choices) => Err("choice of a class"),
            () if self.scaling.len() != columns => Err("number of scaled features"),
            () if support.checked_mul(columns) != Some(self.vectors.len()) => {
                Err("number of support-vector values")
            }
            () if support.checked_mul(classes - 1) != Some(self.coefficients.len()) => {
                Err("number of coefficients")
            }
            // Where there is neither a column nor a pair, nothing else is bound to it.
            () if support > self.vectors.len() + self.coefficients.len() => Err("number of support vectors"),
            () if self.rho.len() != pairs => Err("number of offsets"),
            () if !self.gamma.is_finite() || self.gamma < 0.0 => Err("gamma"),
            () if !numbers.all(|number| number.is_finite()) => Err("finite numbers"),
            () if self.scaling.iter().any(|scale| !scale.min.is_finite() || !scale.max.is_finite()) => {
                Err("finite scaling")
            }
            () => Ok(()),
        }
    }
}

/// Place of the pair (first, second), first < second, in the order (0,1), (0,2), …, (1,2), ….
fn pair(first: usize, second: usize, classes: usize) -> usize {
    first * (2 * classes - first - 1) / 2 + second - first - 1
}

fn squared_distance<'a>(a: &[f64], b: impl IntoIterator<Item = &'a f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests;
