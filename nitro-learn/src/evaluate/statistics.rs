//! Statistics of the best variant: how often each is best, and how much that depends on the device.

use std::fmt;

use nitro_stats::statistics::mean;
use nitro_store::recordings::Recordings;
use serde::Serialize;

use crate::performance::PerformanceTable;

/// The shares of some inputs on which each variant is best on one device, and what is lost without it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantStatistics {
    /// The device.
    pub device: String,
    /// Number of inputs with a success on the device.
    pub inputs: usize,
    /// One share a variant, in the order of the recordings; they add up to 1 unless there are no inputs.
    pub best_share: Vec<f64>,
    /// One entry a variant: mean share of the best variant's speed that the best of all others reaches. 1 means
    /// that nothing would be lost without the variant.
    pub share_without: Vec<f64>,
    /// One entry a variant: mean share that it reaches itself, in its best configuration of each input, over the
    /// inputs that it may run on; none where there are none.
    pub share_alone: Vec<Option<f64>>,
    /// One entry a variant: share of the inputs that it may run on.
    pub may_run: Vec<f64>,
}

/// One entry a device, over these inputs; a tie counts for the first variant, as in training.
pub fn best_variant_shares(
    recordings: &Recordings,
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Vec<VariantStatistics> {
    (0..recordings.devices.len()).map(|device| of_device(recordings, performance, device, inputs)).collect()
}

fn of_device(
    recordings: &Recordings,
    performance: &PerformanceTable,
    device: usize,
    inputs: &[usize],
) -> VariantStatistics {
    let mut rows: Vec<(usize, Vec<Option<f64>>)> = Vec::new();
    for &input in inputs {
        let best = performance.best(device, input).zip(performance.shares(device, input));
        rows.extend(best.map(|(winner, shares)| {
            (performance.classes().variants()[winner], by_variant(performance, shares))
        }));
    }
    let mut statistics = VariantStatistics {
        device: recordings.devices[device].id.clone(),
        inputs: rows.len(),
        best_share: Vec::new(),
        share_without: Vec::new(),
        share_alone: Vec::new(),
        may_run: Vec::new(),
    };
    for own in 0..recordings.variants.len() {
        let wins = rows.iter().map(|(winner, _)| f64::from(u8::from(*winner == own)));
        statistics.best_share.push(mean(wins).unwrap_or(0.0));
        let without =
            rows.iter().map(|(winner, row)| if own == *winner { second_share(row, own) } else { 1.0 });
        statistics.share_without.push(mean(without).unwrap_or(0.0));
        statistics.share_alone.push(mean(rows.iter().filter_map(|(_, row)| row[own])));
        let runs = rows.iter().map(|(_, row)| f64::from(u8::from(row[own].is_some())));
        statistics.may_run.push(mean(runs).unwrap_or(0.0));
    }
    statistics
}

/// The share of the best configuration of each variant that may run.
fn by_variant(performance: &PerformanceTable, shares: &[Option<f64>]) -> Vec<Option<f64>> {
    let classes = performance.classes().variants();
    let mut best = vec![None; classes.iter().max().map_or(0, |last| last + 1)];
    for (&variant, &share) in classes.iter().zip(shares) {
        best[variant] = share.into_iter().chain(best[variant]).reduce(f64::max);
    }
    best
}

/// The best share of all variants but one; 0 where no other succeeded.
fn second_share(shares: &[Option<f64>], winner: usize) -> f64 {
    let others = shares.iter().enumerate().filter(|(variant, _)| *variant != winner);
    others.filter_map(|(_, share)| *share).fold(0.0, f64::max)
}

/// The sensitivity of the best variant to the device (Muralidharan et al., ASPLOS 2016, Figure 4), over the inputs that
/// were measured with success on every device.
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
            "the best variant differs between the devices on {differs:.0} % of {} test inputs; on {apart:.0} % no \
             variant is within 5 % of the best everywhere",
            self.inputs
        )
    }
}

/// The share of the best speed that a variant has to reach to count as near.
const NEAR: f64 = 0.95;

/// The architecture sensitivity of a function among these devices (positions in the recordings), over these inputs.
pub(super) fn sensitivity(
    devices: &[usize],
    performance: &PerformanceTable,
    inputs: &[usize],
) -> Sensitivity {
    let (mut count, mut differ, mut apart) = (0_usize, 0_usize, 0_usize);
    for &input in inputs {
        let best: Option<Vec<usize>> =
            devices.iter().map(|&device| performance.best(device, input)).collect();
        let Some(best) = best else { continue };
        count += 1;
        differ += usize::from(best.windows(2).any(|pair| pair[0] != pair[1]));
        let is_near_everywhere = (0..performance.classes().count())
            .any(|class| devices.iter().all(|&device| is_near(performance, device, input, class)));
        apart += usize::from(!is_near_everywhere);
    }
    let all = count.max(1) as f64;
    Sensitivity { inputs: count, best_differs: differ as f64 / all, none_is_near: apart as f64 / all }
}

/// Returns true if a class is nearly as fast as the best one.
fn is_near(performance: &PerformanceTable, device: usize, input: usize, class: usize) -> bool {
    let share = performance.shares(device, input).and_then(|shares| shares[class]);
    share.is_some_and(|share| share >= NEAR)
}
