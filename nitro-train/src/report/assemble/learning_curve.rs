//! The learning curve: fewer measured inputs, replayed from the recordings.

use nitro_learn::LearnError;
use nitro_learn::active::{self, FIRST_INPUTS, Order};
use nitro_learn::evaluate::Split;
use nitro_store::recordings::Recordings;

use crate::report::data::LearningCurve;
use crate::report::device::by_name;

/// Numbers of inputs at which the replay stops to look.
const STEPS: i32 = 8;
/// Number of replays whose mean is shown: a single one is mostly luck.
const SEEDS: u64 = 5;

/// Replays measuring on the device that a reader finds first.
///
/// Returns none where there are hardly more inputs than are drawn anyway.
pub(super) fn learning_curve(
    recordings: &Recordings,
    split: &Split,
) -> Result<Option<LearningCurve>, LearnError> {
    let first = (0..recordings.devices.len())
        .min_by(|&a, &b| by_name(&recordings.devices[a].id, &recordings.devices[b].id));
    let Some(device) = first.filter(|_| split.train.len() >= 2 * FIRST_INPUTS) else { return Ok(None) };
    // From the first inputs to all, each size a like factor above the one before.
    let factor = split.train.len() as f64 / FIRST_INPUTS as f64;
    let mut sizes: Vec<usize> = Vec::new();
    for step in 0..STEPS {
        let size = FIRST_INPUTS as f64 * factor.powf(f64::from(step) / f64::from(STEPS - 1));
        sizes.push(size.round() as usize);
    }
    sizes.dedup();
    let mut lines = Vec::new();
    for (name, order) in [("least certain next", Order::Uncertainty), ("random order", Order::Random)] {
        let mut means = vec![0.0; sizes.len()];
        for seed in 0..SEEDS {
            let curve = active::learning_curve(recordings, device, split, &sizes, (order, seed))?;
            means.iter_mut().zip(curve).for_each(|(mean, share)| *mean += share / SEEDS as f64);
        }
        lines.push((name.to_owned(), means));
    }
    Ok(Some(LearningCurve { device: recordings.devices[device].id.clone(), lines, sizes }))
}
