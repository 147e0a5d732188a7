//! How often each variant is best: whether the variants of a function earn their place.

use serde::Serialize;

use crate::learn::PerformanceTable;
use crate::recordings::Recordings;

/// On which share of some inputs each variant is best, on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantStatistics {
    /// The device.
    pub device: String,
    /// Number of inputs with a success on the device.
    pub inputs: usize,
    /// One share a variant, in the order of the recordings; they add up to 1 unless there are no inputs.
    pub best_share: Vec<f64>,
}

/// One entry a device, over these inputs; a tie counts for the first variant, as in training.
pub fn best_variant_shares(
    recordings: &Recordings,
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Vec<VariantStatistics> {
    let of_device = |device: usize| {
        let mut counts = vec![0_usize; recordings.variants.len()];
        inputs
            .iter()
            .filter_map(|&input| performance.best(device, input))
            .for_each(|variant| counts[variant] += 1);
        let inputs: usize = counts.iter().sum();
        let best_share = counts.iter().map(|&count| count as f64 / inputs.max(1) as f64).collect();
        VariantStatistics { device: recordings.devices[device].id.clone(), inputs, best_share }
    };
    (0..recordings.devices.len()).map(of_device).collect()
}
