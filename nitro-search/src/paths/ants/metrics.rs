//! The desirability of an option by the metrics of those who took it (section 6.2): an option promises much where the
//! best so far has little.

use std::collections::BTreeMap;

use crate::paths::Metrics;

/// Before so many samples an option's metrics tell nothing.
const SAMPLES: usize = 3;
/// No option is less desirable.
const LEAST: f64 = 0.01;

/// The metrics seen at an option.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionMetrics(BTreeMap<String, Moments>);

/// Number, mean and sum of squared deviations (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: usize,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.count as f64).sqrt()
    }
}

impl OptionMetrics {
    pub(super) fn add(&mut self, metrics: &Metrics) {
        for (name, &value) in metrics {
            self.0.entry(name.clone()).or_default().add(value);
        }
    }

    /// Returns the mean of eq. 6 over the metrics that both have; 0 where too little is known.
    fn score(&self, best: &Metrics) -> f64 {
        let known = self.0.iter().filter(|(_, moments)| moments.count >= SAMPLES);
        let terms = known.filter_map(|(name, moments)| {
            Some((moments.mean - best.get(name)?) / (moments.deviation() + 1.0))
        });
        let (sum, count) = terms.fold((0.0, 0.0), |(sum, count), term| (sum + term, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// Returns how desirable each option of a node is: 1 where nothing is known, else between [`LEAST`] and 2.
pub(super) fn desirability<'a>(options: impl Iterator<Item = &'a OptionMetrics>, best: &Metrics) -> Vec<f64> {
    let scores: Vec<f64> = options.map(|seen| seen.score(best)).collect();
    let most = scores.iter().map(|score| score.abs()).fold(0.0, f64::max);
    if most <= 0.0 {
        return vec![1.0; scores.len()];
    }
    scores.into_iter().map(|score| (1.0 + score / most).max(LEAST)).collect()
}
