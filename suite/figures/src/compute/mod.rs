//! What each figure is, as code.

pub mod captured;
pub mod distance;
pub mod evaluation;
pub mod foreign;
pub mod nearness;
pub mod profiles;
pub mod slice;
pub mod splits;
pub mod spread;
pub mod trust;
pub mod vendor;

use nitro_learn::evaluate::Chooser;
use nitro_learn::performance::PerformanceTable;
use nitro_stats::statistics;

/// The share of exhaustive search that a model achieves on an input; none where nothing succeeds on the device.
fn share(performance: &PerformanceTable, chooser: &Chooser<'_>, device: usize, input: usize) -> Option<f64> {
    let shares = performance.shares(device, input)?;
    let chosen = chooser.choose(input, |class| shares[class].is_some());
    Some(chosen.and_then(|class| shares[class]).unwrap_or(0.0))
}

/// Returns the mean, 0 of nothing.
fn mean(values: &[f64]) -> f64 {
    statistics::mean(values.iter().copied()).unwrap_or(0.0)
}

/// Returns the geometric mean, 1 of nothing.
fn geometric_mean(ratios: &[f64]) -> f64 {
    statistics::geometric_mean(ratios.iter().copied()).unwrap_or(1.0)
}
