//! Likeness of devices: what the best variant of one achieves on another, and how often the best variant differs within
//! a machine.

use std::collections::BTreeMap;

use nitro_core::DeviceId;
use nitro_stats::statistics::mean;
use nitro_store::recordings::Recordings;

use super::evaluation::PairTable;
use super::statistics::{Sensitivity, sensitivity};
use crate::performance::PerformanceTable;

/// Mean share of exhaustive search on the device of the column of what is best on the device of the row, input by
/// input: what an application has that was tuned there, input by input and without any error. Inputs on which that
/// may not run here are left out.
pub fn best_of_another(performance: &PerformanceTable, devices: usize, inputs: &[usize]) -> PairTable {
    let mut table = vec![vec![None; devices]; devices];
    for (tuned, row) in table.iter_mut().enumerate() {
        for (run, cell) in row.iter_mut().enumerate() {
            *cell = mean(
                inputs
                    .iter()
                    .filter_map(|&input| performance.shares(run, input)?[performance.best(tuned, input)?]),
            );
        }
    }
    table
}

/// The sensitivity of the best variant to the device among the devices of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineSensitivity {
    /// The machine.
    pub machine: String,
    /// Number of its devices that were measured, at least two.
    pub devices: usize,
    /// Among them alone.
    pub sensitivity: Sensitivity,
}

/// Every machine of which several devices were measured, by name (Muralidharan et al., ASPLOS 2016, Figure 5, where
/// the groups are generations of GPUs). Nothing where that is one machine with all devices.
pub fn within_machines(
    recordings: &Recordings,
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Vec<MachineSensitivity> {
    let mut machines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (device, record) in recordings.devices.iter().enumerate() {
        if let Some(machine) = DeviceId::new(&record.id).machine() {
            machines.entry(machine.to_owned()).or_default().push(device);
        }
    }
    machines.retain(|_, devices| devices.len() > 1 && devices.len() < recordings.devices.len());
    let mut sensitivities = Vec::with_capacity(machines.len());
    for (machine, devices) in machines {
        let sensitivity = sensitivity(&devices, performance, inputs);
        sensitivities.push(MachineSensitivity { machine, devices: devices.len(), sensitivity });
    }
    sensitivities
}
