//! The times on the page: measured by a device, or counted by an emulator.

use crate::evolve::EvolveResult;

/// Tells whether times are those of an emulator, which counts what a program does.
pub(super) fn is_counted(evolved: &EvolveResult) -> bool {
    is_of_emulator(&evolved.on)
}

/// Tells whether one of these devices is an emulator.
pub(super) fn is_of_emulator(on: &[String]) -> bool {
    on.iter().any(|on| on.contains("emulator"))
}

/// Returns the mean time of the original over the inputs of the search, with which everything is compared.
///
/// None where nothing was measured.
pub(super) fn original_ns(evolved: &EvolveResult) -> Option<f64> {
    let cases = &evolved.original;
    let time_ns = match evolved.history.tried.first().filter(|attempt| attempt.edits == 0) {
        Some(original) => original.fitness.time_ns,
        None => cases.iter().map(|(_, time_ns)| time_ns).sum::<f64>() / cases.len() as f64,
    };
    (time_ns.is_finite() && time_ns > 0.0).then_some(time_ns)
}
