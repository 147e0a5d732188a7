//! Devices two by two: how well what was learned on one serves another, and how often their best variants differ.

use nitro_stats::statistics::mean;

use super::error::EvaluateError;
use super::evaluation::{PairTable, Pairs};
use super::evaluator::Evaluator;
use crate::performance::PerformanceTable;

/// Both tables.
pub(super) fn pairs(evaluator: &Evaluator<'_>) -> Result<Pairs, EvaluateError> {
    let devices = &evaluator.task.recordings.devices;
    let mut trained_on_run_on = vec![vec![None; devices.len()]; devices.len()];
    for (trained, row) in trained_on_run_on.iter_mut().enumerate() {
        let Some(model) = evaluator.target_trained(trained) else { continue };
        for (run, cell) in row.iter_mut().enumerate() {
            *cell = mean(evaluator.shares_of(model, run)?);
        }
    }
    Ok(Pairs {
        devices: devices.iter().map(|device| device.id.clone()).collect(),
        trained_on_run_on,
        best_differs: best_differs(&evaluator.task.performance, devices.len(), evaluator.test),
    })
}

fn best_differs(performance: &PerformanceTable, devices: usize, inputs: &[usize]) -> PairTable {
    let mut table = vec![vec![None; devices]; devices];
    for (a, row) in table.iter_mut().enumerate() {
        for (b, cell) in row.iter_mut().enumerate() {
            *cell = mean(inputs.iter().filter_map(|&input| {
                let differ = performance.best(a, input)? != performance.best(b, input)?;
                Some(f64::from(u8::from(differ)))
            }));
        }
    }
    table
}
