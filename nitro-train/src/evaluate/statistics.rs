//! How often each variant is best, and how much that depends on the device.

use std::fmt;

use serde::Serialize;

use crate::learn::performance::PerformanceTable;
use crate::recordings::Recordings;

/// On which share of some inputs each variant is best on one device, and what is lost without it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantStatistics {
    /// The device.
    pub device: String,
    /// Number of inputs with a success on the device.
    pub inputs: usize,
    /// One share a variant, in the order of the recordings; they add up to 1 unless there are no inputs.
    pub best_share: Vec<f64>,
    /// One entry a variant: mean share of the best variant's speed that the best of all others reaches. 1 means that nothing
    /// would be lost without the variant.
    pub share_without: Vec<f64>,
}

/// One entry a device, over these inputs; a tie counts for the first variant, as in training.
pub(crate) fn best_variant_shares(
    recordings: &Recordings,
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Vec<VariantStatistics> {
    let of_device = |device: usize| {
        let mut best = vec![0.0; recordings.variants.len()];
        let mut without = best.clone();
        let mut count = 0_usize;
        for &input in inputs {
            let Some((winner, shares)) =
                performance.best(device, input).zip(performance.shares(device, input))
            else {
                continue;
            };
            count += 1;
            best[winner] += 1.0;
            for (variant, sum) in without.iter_mut().enumerate() {
                *sum += if variant == winner { second_share(shares, winner) } else { 1.0 };
            }
        }
        let mean = |sums: Vec<f64>| sums.into_iter().map(|sum| sum / count.max(1) as f64).collect();
        let (best_share, share_without) = (mean(best), mean(without));
        VariantStatistics {
            device: recordings.devices[device].id.clone(),
            inputs: count,
            best_share,
            share_without,
        }
    };
    (0..recordings.devices.len()).map(of_device).collect()
}

/// The best share of all variants but one; 0 where no other succeeded.
fn second_share(shares: &[Option<f64>], winner: usize) -> f64 {
    let others = shares.iter().enumerate().filter(|(variant, _)| *variant != winner);
    others.filter_map(|(_, share)| *share).fold(0.0, f64::max)
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
pub(super) fn sensitivity(
    recordings: &Recordings,
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Sensitivity {
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
            !(0..performance.classes().count()).any(|variant| devices().all(|device| near(device, variant))),
        );
    }
    let share = |part: usize| part as f64 / count.max(1) as f64;
    Sensitivity { inputs: count, best_differs: share(differ), none_is_near: share(apart) }
}
