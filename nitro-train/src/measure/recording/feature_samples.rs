//! The times of features in some runs.

use crate::measure::timing::{Repeats, Summary};

/// The number of runs above which nothing more is learned of features.
const MOST: usize = 9;

/// The times of all features in some runs of one choice.
///
/// Those of a second run on the same instance count. Its features find the input in the caches, as the variant does
/// after features have fetched it; in a first run the way to the input would count, which the times of variants hold.
pub(super) struct FeatureSamples {
    /// By feature, in the first run of all, in nanoseconds: for inputs that are not run twice.
    first_ns: Vec<f64>,
    /// By run and feature, in nanoseconds.
    times_ns: Vec<Vec<f64>>,
    /// The time of the runs besides, in nanoseconds.
    spent_ns: f64,
}

impl FeatureSamples {
    /// Creates the samples of a first run, which took so long.
    pub(super) fn of(run_ns: f64, first_ns: Vec<f64>) -> Self {
        Self { first_ns, times_ns: Vec::new(), spent_ns: run_ns }
    }

    /// Adds those of the second of two runs, which took so long together.
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
        if self.times_ns.is_empty() {
            return self.first_ns.clone();
        }
        let mut medians_ns = Vec::new();
        for feature in 0..self.first_ns.len() {
            let times_ns: Vec<f64> = self.times_ns.iter().map(|run| run[feature]).collect();
            medians_ns.push(Summary::of(&times_ns).median_ns);
        }
        medians_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fetched_for_the_first_time_does_not_count() {
        let mut samples = FeatureSamples::of(100.0, vec![500.0, 60.0]);
        assert_eq!(samples.medians_ns(), [500.0, 60.0], "there is nothing else");
        samples.push(200.0, vec![20.0, 10.0]);
        assert_eq!(samples.medians_ns(), [20.0, 10.0]);
        samples.push(200.0, vec![30.0, 10.0]);
        samples.push(200.0, vec![40.0, 10.0]);
        assert_eq!(samples.medians_ns(), [30.0, 10.0]);
    }
}
