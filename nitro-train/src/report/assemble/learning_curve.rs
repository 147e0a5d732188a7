//! What measuring fewer inputs would have given, replayed from what was recorded.

use nitro_learn::LearnError;
use nitro_learn::active::{self, FIRST_INPUTS, Order};
use nitro_learn::evaluate::Split;
use nitro_store::recordings::Recordings;

use crate::report::data::LearningCurve;
use crate::report::device::by_name;

/// Numbers of inputs at which the replay stops to look.
const STEPS: i32 = 8;
/// One replay is much luck.
const SEEDS: u64 = 5;

/// The replay on one device, the first in the order in which a reader looks for them; nothing where there are
/// hardly more inputs than are drawn anyway.
pub(super) fn learning_curve(
    recordings: &Recordings,
    split: &Split,
) -> Result<Option<LearningCurve>, LearnError> {
    let first = (0..recordings.devices.len())
        .min_by(|&a, &b| by_name(&recordings.devices[a].id, &recordings.devices[b].id));
    let Some(device) = first.filter(|_| split.train.len() >= 2 * FIRST_INPUTS) else { return Ok(None) };
    let factor = split.train.len() as f64 / FIRST_INPUTS as f64;
    let size =
        |step: i32| (FIRST_INPUTS as f64 * factor.powf(f64::from(step) / f64::from(STEPS - 1))).round();
    let mut sizes: Vec<usize> = (0..STEPS).map(|step| size(step) as usize).collect();
    sizes.dedup();
    let line = |order: Order| -> Result<Vec<f64>, LearnError> {
        let mut means = vec![0.0; sizes.len()];
        for seed in 0..SEEDS {
            let curve = active::learning_curve(recordings, device, split, &sizes, (order, seed))?;
            means.iter_mut().zip(curve).for_each(|(mean, share)| *mean += share / SEEDS as f64);
        }
        Ok(means)
    };
    Ok(Some(LearningCurve {
        device: recordings.devices[device].id.clone(),
        lines: vec![
            ("least certain next".to_owned(), line(Order::Uncertainty)?),
            ("random order".to_owned(), line(Order::Random)?),
        ],
        sizes,
    }))
}
