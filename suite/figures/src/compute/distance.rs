//! The distance of a device that is left out from those that are learned from, as a model of these tells it.

use std::collections::BTreeMap;

use nitro_core::model::Coverage;
use nitro_learn::evaluate::{LeaveOut, Split};
use nitro_learn::task::MIN_SOURCES;
use nitro_learn::{FitOptions, fit};
use nitro_store::recordings::Recordings;

use crate::Error;
use crate::figures::{Mode, rounded};

/// Returns the distance of each device that was evaluated, in units of what is near; none of what fewer than three
/// devices are learned for. What is fitted is the strategy that `auto` was there.
///
/// # Errors
/// When there is nothing to learn from.
pub fn distances(
    recordings: &Recordings,
    (split, leave_out): (&Split, LeaveOut),
    evaluated: &Mode,
) -> Result<BTreeMap<String, f64>, Error> {
    let mut distances = BTreeMap::new();
    // What devices of one machine are learned from is often the same.
    let mut last: Option<(FitOptions, Coverage)> = None;
    for held_out in &evaluated.devices {
        let device = recordings.device_index(&held_out.device).ok_or("no such device")?;
        let sources = leave_out.sources(&recordings.devices, device);
        if sources.len() < MIN_SOURCES {
            continue;
        }
        let options = FitOptions {
            sources: sources.iter().map(|&source| recordings.devices[source].id.clone()).collect(),
            inputs: Some(split.train.clone()),
            strategies: vec![held_out.auto_is.parse()?],
            known_on_target: Some(recordings.devices[device].known_features()),
            ..FitOptions::default()
        };
        let coverage = match last.take().filter(|(own, _)| *own == options) {
            Some((_, coverage)) => coverage,
            None => fit(recordings, &options)?.model.coverage,
        };
        let record = &recordings.devices[device];
        let distance =
            coverage.devices.as_ref().and_then(|region| region.distance(|name| record.feature(name)));
        distances.extend(distance.map(|distance| (record.id.clone(), rounded(distance))));
        last = Some((options, coverage));
    }
    Ok(distances)
}
