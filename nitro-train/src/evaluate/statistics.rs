//! How often each variant is best, and how much that depends on the device.

use std::fmt;

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

/// How much the best variant depends on the device (Muralidharan et al., ASPLOS 2016, Figure 4), over the inputs that were
/// measured with success on every device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sensitivity {
    /// Number of those inputs.
    pub inputs: usize,
    /// Share of them whose best variant is not the same on all devices, however small the difference.
    pub best_differs: f64,
    /// Share of them for which no variant comes within 5 % of the best on every device: there a choice that ignores the
    /// device costs something whatever it is.
    pub none_is_near: f64,
}

impl fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (differs, apart) = (100.0 * self.best_differs, 100.0 * self.none_is_near);
        write!(
            f,
            "the best variant differs between the devices on {differs:.0} % of {} test inputs; on {apart:.0} % no variant \
             is within 5 % of the best everywhere",
            self.inputs
        )
    }
}

/// What a variant has to reach of the best one's speed to count as near.
const NEAR: f64 = 0.95;

/// The architecture sensitivity of a function, over these inputs.
pub fn sensitivity(recordings: &Recordings, performance: &PerformanceTable, inputs: &[usize]) -> Sensitivity {
    let devices = || 0..recordings.devices.len();
    let best =
        |input: usize| devices().map(|device| performance.best(device, input)).collect::<Option<Vec<_>>>();
    let (mut count, mut differ, mut apart) = (0_usize, 0_usize, 0_usize);
    for (input, best) in inputs.iter().filter_map(|&input| Some((input, best(input)?))) {
        let near = |device, variant: usize| {
            performance
                .shares(device, input)
                .and_then(|shares| shares[variant])
                .is_some_and(|share| share >= NEAR)
        };
        count += 1;
        differ += usize::from(best.windows(2).any(|pair| pair[0] != pair[1]));
        apart += usize::from(
            !(0..performance.variants()).any(|variant| devices().all(|device| near(device, variant))),
        );
    }
    let share = |part: usize| part as f64 / count.max(1) as f64;
    Sensitivity { inputs: count, best_differs: share(differ), none_is_near: share(apart) }
}
