//! Devices two by two: how well what was learned on one serves another, and how often their best variants differ.

use nitro_stats::statistics::mean;

use super::error::EvaluateError;
use super::evaluation::{PairTable, Pairs};
use super::evaluator::Evaluator;
use crate::performance::PerformanceTable;

/// Both tables.
pub(super) fn pairs(evaluator: &Evaluator<'_>) -> Result<Pairs, EvaluateError> {
    let devices = &evaluator.task.recordings.devices;
    let mean = |trained: usize, run: usize| match evaluator.target_trained(trained) {
        Some(model) => Ok(mean(evaluator.shares_of(model, run)?)),
        None => Ok(None),
    };
    let row = |trained| (0..devices.len()).map(|run| mean(trained, run)).collect::<Result<_, _>>();
    Ok(Pairs {
        devices: devices.iter().map(|device| device.id.clone()).collect(),
        trained_on_run_on: (0..devices.len()).map(row).collect::<Result<_, EvaluateError>>()?,
        best_differs: best_differs(&evaluator.task.performance, devices.len(), evaluator.test),
    })
}

fn best_differs(performance: &PerformanceTable, devices: usize, inputs: &[usize]) -> PairTable {
    let cell = |a: usize, b: usize| {
        let both = |&input: &usize| Some((performance.best(a, input)?, performance.best(b, input)?));
        let differs = inputs.iter().filter_map(both).map(|(a, b)| if a == b { 0.0 } else { 1.0 });
        mean(differs)
    };
    (0..devices).map(|a| (0..devices).map(|b| cell(a, b)).collect()).collect()
}
