//! Some of the inputs that a model was trained on, with what choosing costs on each.

use super::choosing::counted_ns;
use super::format::wire::wire_structs;

/// The most inputs that a model keeps.
pub const MAX_TRAINING_INPUTS: usize = 512;

/// Some of the inputs that a model was trained on: those that the selector is asked about when the model is loaded, to
/// make a small tree of it, and second choices.
///
/// ```
/// use nitro_core::model::TrainingInputs;
///
/// let mut inputs = TrainingInputs::default();
/// inputs.push(&[64.0, 0.5], 1_000.0, &[0.0, 200.0]); // two features, of which the second takes 200 ns
/// assert_eq!(inputs.best_ns, [1_000.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingInputs {
    /// The input features, one row an input.
    pub features: Vec<f32>,
    /// The time of the best choice on each input, in nanoseconds.
    pub best_ns: Vec<f32>,
    /// The times of the input features, in nanoseconds, one row an input.
    pub features_ns: Vec<f32>,
}

wire_structs! { TrainingInputs { features, best_ns, features_ns } }

/// One of the inputs.
#[derive(Clone, Debug)]
pub(super) struct TrainingInput {
    pub(super) features: Vec<f64>,
    /// The time of the best choice, as it counts against the time for choosing.
    pub(super) best_ns: f64,
    pub(super) features_ns: Vec<f64>,
}

impl TrainingInput {
    /// Returns the input that is so far on the way to another one, from 0 to 1.
    pub(super) fn towards(&self, other: &Self, way: f64) -> Self {
        let between = |one: f64, other: f64| one + way * (other - one);
        let mix = |one: &[f64], other: &[f64]| {
            one.iter().zip(other).map(|(&one, &other)| between(one, other)).collect()
        };
        Self {
            features: mix(&self.features, &other.features),
            best_ns: between(self.best_ns, other.best_ns),
            features_ns: mix(&self.features_ns, &other.features_ns),
        }
    }
}

impl TrainingInputs {
    /// Adds an input. More than [`MAX_TRAINING_INPUTS`] are not kept.
    pub fn push(&mut self, features: &[f64], best_ns: f64, features_ns: &[f64]) {
        if self.best_ns.len() < MAX_TRAINING_INPUTS {
            self.features.extend(features.iter().map(|&own| own as f32));
            self.best_ns.push(best_ns as f32);
            self.features_ns.extend(features_ns.iter().map(|&own| own as f32));
        }
    }

    /// Returns the inputs.
    pub(super) fn rows(&self) -> impl Iterator<Item = TrainingInput> {
        let columns = self.features.len() / self.best_ns.len().max(1);
        self.best_ns.iter().enumerate().map(move |(at, &best_ns)| {
            let row =
                |values: &[f32]| values[at * columns..][..columns].iter().map(|&own| own.into()).collect();
            let best_ns = counted_ns(best_ns.into());
            TrainingInput { features: row(&self.features), best_ns, features_ns: row(&self.features_ns) }
        })
    }

    /// Checks that there is a number for everything, for a model with so many input features.
    pub(super) fn check(&self, columns: usize) -> Result<(), &'static str> {
        let (count, numbers) = (self.best_ns.len(), self.best_ns.len() * columns);
        let times_ns = || self.best_ns.iter().chain(&self.features_ns);
        match () {
            () if count > MAX_TRAINING_INPUTS => Err("number of training inputs"),
            () if self.features.len() != numbers || self.features_ns.len() != numbers => {
                Err("features of training inputs")
            }
            () if !self.features.iter().all(|value| value.is_finite()) => Err("feature of a training input"),
            () if !times_ns().all(|time_ns| time_ns.is_finite() && *time_ns >= 0.0) => {
                Err("time of a training input")
            }
            () => Ok(()),
        }
    }
}
