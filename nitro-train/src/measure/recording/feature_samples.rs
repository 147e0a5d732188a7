//! What features took in some runs.

use crate::measure::timing::{Repeats, Summary};

/// More runs than this tell nothing more of features.
const MOST: usize = 9;

/// The times of all features in some runs of one choice.
pub(super) struct FeatureSamples {
    /// By run and feature, in nanoseconds.
    times_ns: Vec<Vec<f64>>,
    /// What the runs took besides.
    spent_ns: f64,
}

impl FeatureSamples {
    /// Those of a first run, which took so long.
    pub(super) fn of(run_ns: f64, times_ns: Vec<f64>) -> Self {
        Self { times_ns: vec![times_ns], spent_ns: run_ns }
    }

    pub(super) fn push(&mut self, run_ns: f64, times_ns: Vec<f64>) {
        self.times_ns.push(times_ns);
        self.spent_ns += run_ns;
    }

    /// Whether another run would cost more than the runs of a variant may.
    pub(super) fn are_enough(&self, repeats: &Repeats) -> bool {
        let features_ns: f64 = self.times_ns.iter().flatten().sum();
        self.times_ns.len() >= MOST.min(repeats.most) || self.spent_ns + features_ns >= repeats.budget_ns
    }

    /// For each feature its median.
    pub(super) fn medians_ns(&self) -> Vec<f64> {
        let features = self.times_ns.first().map_or(0, Vec::len);
        let times_ns = |feature: usize| self.times_ns.iter().map(|run| run[feature]).collect::<Vec<f64>>();
        (0..features).map(|feature| Summary::of(&times_ns(feature)).median_ns).collect()
    }
}
