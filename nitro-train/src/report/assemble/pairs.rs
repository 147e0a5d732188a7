//! Tables over pairs of devices, in the order in which a reader looks for devices.

use nitro_learn::evaluate::{
    EvaluateError, Evaluation, PairTable, Split, best_of_another, one_source_fewer, within_machines,
};
use nitro_learn::performance::PerformanceTable;
use nitro_store::recordings::Recordings;

use crate::report::data::{DeviceSensitivity, Matrix, OneFewerTable};
use crate::report::device::by_name;

/// Returns the table with its devices in the order in which a reader looks for them.
pub(super) fn matrix(devices: &[String], cells: &PairTable) -> Matrix {
    let mut order: Vec<usize> = (0..devices.len()).collect();
    order.sort_by(|&a, &b| by_name(&devices[a], &devices[b]));
    let mut matrix = Matrix::default();
    for &row in &order {
        matrix.devices.push(devices[row].clone());
        matrix.cells.push(order.iter().map(|&column| cells[row][column]).collect());
    }
    matrix
}

/// Returns how much the best variant depends on the device, over all pairs of devices.
pub(super) fn sensitivity(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
) -> Result<DeviceSensitivity, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    let (pairs, sensitivity) = (&evaluation.pairs, evaluation.sensitivity);
    let machines = within_machines(recordings, &performance, &split.test);
    Ok(DeviceSensitivity {
        inputs: sensitivity.inputs,
        best_differs: sensitivity.best_differs,
        none_is_near: sensitivity.none_is_near,
        pairs: matrix(&pairs.devices, &pairs.best_differs),
        best_of_another: matrix(
            &pairs.devices,
            &best_of_another(&performance, pairs.devices.len(), &split.test),
        ),
        machines: machines
            .into_iter()
            .map(|one| (one.machine, one.devices, one.sensitivity.best_differs, one.sensitivity.none_is_near))
            .collect(),
    })
}

/// Returns the tables with one source less; none where fewer than two sources would remain.
pub(super) fn one_fewer(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
    seed: u64,
) -> Result<Option<OneFewerTable>, EvaluateError> {
    let found = one_source_fewer(recordings, split, evaluation, seed)?;
    let devices: Vec<String> = recordings.devices.iter().map(|device| device.id.clone()).collect();
    let mut auto = vec![vec![None; devices.len()]; devices.len()];
    let mut majority = auto.clone();
    for one in &found {
        auto[one.removed][one.held_out] = one.auto;
        majority[one.removed][one.held_out] = one.majority;
    }
    let tables = OneFewerTable { auto: matrix(&devices, &auto), majority: matrix(&devices, &majority) };
    Ok((!found.is_empty()).then_some(tables))
}
