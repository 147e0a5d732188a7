//! The times of features in some runs.

use crate::measure::timing::{Repeats, Summary};

/// The number of runs above which nothing more is learned of features.
const MOST: usize = 9;

/// The times of all features in some runs of one choice.
pub(super) struct FeatureSamples {
    /// By run and feature, in nanoseconds.
    times_ns: Vec<Vec<f64>>,
    /// The time of the runs besides, in nanoseconds.
    spent_ns: f64,
}

impl FeatureSamples {
    /// Creates the samples of a first run, which took so long.
    pub(super) fn of(run_ns: f64, times_ns: Vec<f64>) -> Self {
        Self { times_ns: vec![times_ns], spent_ns: run_ns }
    }

    /// Adds those of a further run.
    pub(super) fn push(&mut self, run_ns: f64, times_ns: Vec<f64>) {
        self.times_ns.push(times_ns);
        self.spent_ns += run_ns;
    }

    /// Returns true where another run tells nothing more, or costs more than the runs of a variant may.
    pub(super) fn are_enough(&self, repeats: &Repeats) -> bool {
        let features_ns: f64 = self.times_ns.iter().flatten().sum();
        self.times_ns.len() >= MOST.min(repeats.most) || self.spent_ns + features_ns >= repeats.budget_ns
    }

    /// Returns the median of each feature, in nanoseconds.
    pub(super) fn medians_ns(&self) -> Vec<f64> {
        let mut medians_ns = Vec::new();
        for feature in 0..self.times_ns.first().map_or(0, Vec::len) {
            let times_ns: Vec<f64> = self.times_ns.iter().map(|run| run[feature]).collect();
            medians_ns.push(Summary::of(&times_ns).median_ns);
        }
        medians_ns
    }
}
