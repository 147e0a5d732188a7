//! Objectives of a selector: choose well on every input alike, or spend little time in all.

use std::fmt;

use nitro_stats::statistics::mean;

use super::performance::PerformanceTable;

/// Nothing counts as more than so many times slower than the best: a choice that fails takes no time, and would
/// count without end.
const WORST_SLOWDOWN: f64 = 1e3;

/// The order among selectors.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::{FitOptions, Objective, fit};
///
/// let options = FitOptions { objective: Objective::TotalTime, ..FitOptions::default() };
/// assert_eq!(fit(&recordings, &options)?.model.provenance.objective, "total-time");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Objective {
    /// The mean over the inputs of best time over chosen time: an input of a microsecond counts as much as one of a
    /// second.
    #[default]
    MeanRatio,
    /// The time of all inputs together.
    TotalTime,
    /// The time of all calls together, where each input, by its position in the recordings, stands for so many of them.
    Traffic {
        /// The calls.
        calls: Vec<f64>,
    },
}

impl Objective {
    /// The names of all, as the command line takes them.
    pub const NAMES: [&'static str; 3] = ["mean-ratio", "total-time", "traffic"];

    /// Its name.
    pub fn name(&self) -> &'static str {
        let at = match self {
            Self::MeanRatio => 0,
            Self::TotalTime => 1,
            Self::Traffic { .. } => 2,
        };
        Self::NAMES[at]
    }
}

impl Objective {
    /// Returns how many calls an input stands for.
    fn calls(&self, input: usize) -> f64 {
        match self {
            Self::Traffic { calls } => calls.get(input).copied().unwrap_or(0.0),
            Self::MeanRatio | Self::TotalTime => 1.0,
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The weight of each input on each device, 1 in the mean over the inputs of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    inputs: usize,
    /// By device and input of the recordings; none where all count alike.
    values: Option<Vec<f64>>,
}

impl Weights {
    /// Returns the weights of an objective for measurements on so many devices of so many inputs.
    pub fn of(objective: &Objective, performance: &PerformanceTable, devices: usize, inputs: usize) -> Self {
        if *objective == Objective::MeanRatio {
            return Self { inputs, values: None };
        }
        let mut values = Vec::with_capacity(devices * inputs);
        for device in 0..devices {
            let mut weights = Vec::with_capacity(inputs);
            for input in 0..inputs {
                let time_ns = performance.best_ns(device, input);
                weights.push(objective.calls(input) * if time_ns.is_finite() { time_ns } else { 0.0 });
            }
            // Weights are 1 in the mean of a device, so that slow devices count no more than fast ones.
            let known = weights.iter().filter(|weight| **weight > 0.0).count();
            let mean = weights.iter().sum::<f64>() / known.max(1) as f64;
            values.extend(weights.into_iter().map(|weight| if mean > 0.0 { weight / mean } else { 1.0 }));
        }
        Self { inputs, values: Some(values) }
    }

    /// All inputs alike.
    pub fn alike() -> Self {
        Self { inputs: 0, values: None }
    }

    /// Returns the weight of an input on a device, by positions of the recordings.
    pub fn get(&self, device: usize, input: usize) -> f64 {
        self.values.as_ref().map_or(1.0, |values| values[device * self.inputs + input])
    }

    /// Returns the worth of choices of these shares of speed on inputs that count so much. More is better, and the
    /// worth of several sums is that of all together.
    pub fn worth(&self, share: f64, weight: f64) -> f64 {
        match self.values {
            None => share,
            Some(_) => -weight / share.max(1.0 / WORST_SLOWDOWN),
        }
    }

    /// The mean of [`score`](Self::score) over targets, of which each has a share and a weight for each of its inputs.
    pub fn mean_score(&self, shares: &[Vec<f64>], weights: &[Vec<f64>]) -> f64 {
        let scores = shares
            .iter()
            .zip(weights)
            .map(|(shares, weights)| self.score(shares.iter().copied().zip(weights.iter().copied())));
        mean(scores).unwrap_or(0.0)
    }

    /// One figure for all: the mean share, or of weighted inputs the share of the time that the best choices would
    /// take.
    pub fn score(&self, shares: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut best, mut worth, mut count) = (0.0, 0.0, 0.0);
        for (share, weight) in shares {
            best += weight;
            worth += self.worth(share, weight);
            count += 1.0;
        }
        match self.values {
            None => worth / f64::max(count, 1.0),
            Some(_) if worth < 0.0 => -best / worth,
            Some(_) => 0.0,
        }
    }
}
