//! One learning task: which inputs, which source devices, and everything computed once for them.

use std::collections::BTreeSet;

use super::performance::PerformanceTable;
use super::smo::{BinarySolver, Smo, Stop};
use super::space::{DeviceSpace, InputSpace, Sample};
use crate::recordings::Recordings;

/// Training inputs of one function with what all fits on them share: performance of every variant, scaled features,
/// distances. Devices stay open: a held-out device is left out by not naming it.
pub struct Task<'a> {
    /// All that was measured.
    pub recordings: &'a Recordings,
    /// What every variant achieved.
    pub performance: &'a PerformanceTable,
    /// Positions of the training inputs in the recordings.
    pub inputs: Vec<usize>,
    /// Their features.
    pub space: InputSpace,
    /// What trains each pair of classes.
    pub solver: &'a dyn BinarySolver,
    /// Seed of everything random.
    pub seed: u64,
}

/// How many training inputs are used at most: the distances between them are kept in memory, 64 MB for this many.
pub const MAX_TRAINING_INPUTS: usize = 4000;

impl<'a> Task<'a> {
    /// Takes the training inputs whose features are all finite; of more than [`MAX_TRAINING_INPUTS`] a seeded sample.
    pub fn new(
        recordings: &'a Recordings,
        performance: &'a PerformanceTable,
        inputs: &[usize],
        seed: u64,
    ) -> Self {
        let finite = |&input: &usize| recordings.inputs[input].features.iter().all(|value| value.is_finite());
        let inputs: BTreeSet<usize> = inputs.iter().copied().filter(finite).collect();
        let inputs = super::folds::sample(inputs.into_iter().collect(), MAX_TRAINING_INPUTS, seed);
        let raw: Vec<&[f64]> =
            inputs.iter().map(|&input| recordings.inputs[input].features.as_slice()).collect();
        let space = InputSpace::new(&raw);
        Self { recordings, performance, inputs, space, solver: &Smo, seed }
    }

    /// One sample for each training input (positions in [`Task::inputs`]) and source device on which a variant succeeded.
    pub fn samples(&self, sources: &[usize], inputs: &[usize]) -> Vec<Sample> {
        let sample = |input: usize, device: usize| {
            let variant = self.performance.best(sources[device], self.inputs[input])?;
            Some(Sample { input, device, variant })
        };
        inputs.iter().flat_map(|&input| (0..sources.len()).filter_map(move |d| sample(input, d))).collect()
    }

    /// Positions of all training inputs in [`Task::inputs`].
    pub fn all_inputs(&self) -> Vec<usize> {
        (0..self.inputs.len()).collect()
    }

    /// Some training inputs (positions in [`Task::inputs`]) cut into parts for cross-validation.
    pub fn folds(&self, inputs: &[usize], folds: usize) -> Vec<Vec<usize>> {
        let name = |&input: &usize| self.recordings.inputs[self.inputs[input]].name.as_str();
        let parts = super::folds::folds(&inputs.iter().map(name).collect::<Vec<_>>(), folds, self.seed);
        parts.into_iter().map(|part| part.into_iter().map(|at| inputs[at]).collect()).collect()
    }

    /// The value of a device feature, not a number where the device does not know it.
    pub fn device_feature(&self, device: usize, feature: &str) -> f64 {
        self.recordings.devices[device].features.get(feature).copied().unwrap_or(f64::NAN)
    }

    /// Raw device features of one device.
    pub fn device_row(&self, device: usize, features: &[String]) -> Vec<f64> {
        features.iter().map(|feature| self.device_feature(device, feature)).collect()
    }

    /// The sources in the space of these device features.
    pub fn device_space(&self, sources: &[usize], features: &[String]) -> DeviceSpace {
        if features.is_empty() {
            return DeviceSpace::none(sources.len());
        }
        DeviceSpace::new(&sources.iter().map(|&device| self.device_row(device, features)).collect::<Vec<_>>())
    }

    /// The share that the first admissible variant of a ranking achieves on a training input; `None` where nothing
    /// can be achieved.
    pub fn share(&self, device: usize, input: usize, ranking: Vec<usize>) -> Option<f64> {
        let shares = self.performance.shares(device, self.inputs[input])?;
        Some(super::performance::share_of_first_admissible(shares, ranking))
    }
}

/// The solver may leave a search's machine unfinished: an estimate does not need the last digits, and a cell of the grid
/// that needs so many steps is not one to choose.
pub fn search_stop(samples: usize) -> Stop {
    Stop { tolerance: 1e-2, max_steps: 40 * samples.max(250) }
}

/// How many inputs a search may use so that one machine costs no more than `effort`, the square of its number of
/// samples; `parts - 1` of `parts` inputs are trained on.
pub fn inputs_within(effort: f64, sources: usize, parts: usize) -> usize {
    let samples = effort.sqrt().clamp(MIN_SAMPLES, MAX_SAMPLES);
    let inputs = samples / sources.max(1) as f64 * parts as f64 / (parts - 1) as f64;
    (inputs as usize).max(4 * parts)
}

/// However many machines a search trains, each gets about this many samples.
const MIN_SAMPLES: f64 = 250.0;
/// More samples than this change an estimate little.
const MAX_SAMPLES: f64 = 1500.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_inputs_keeps_the_effort() {
        assert_eq!(inputs_within(1e6, 4, 2), 500);
        assert_eq!(inputs_within(1e12, 3, 2), 1000, "never more than enough");
        assert_eq!(inputs_within(0.0, 5, 2), 100, "never too few");
        assert_eq!(inputs_within(0.0, 1000, 2), 8);
    }
}
