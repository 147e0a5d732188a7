//! Whether the figures of Ginkgo's data hang on the split: other splits by group, drawn at random.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::evaluate::{Chooser, Split};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::study::Study;
use nitro_learn::task::Task;
use nitro_learn::{Strategy, StudyOptions};
use nitro_stats::random::Random;
use nitro_store::recordings::Recordings;

use super::{mean, share};
use crate::Error;
use crate::figures::percent;
use crate::recordings::{GINKGO, shipped};

const STRATEGIES: [&str; 2] = ["forest-none", "forest-all"];
const SPLITS: u64 = 5;

/// By strategy the mean over the GPUs, each left out, on each split.
///
/// # Errors
/// When the recordings cannot be read or learned from.
pub fn splits() -> Result<BTreeMap<String, Vec<f64>>, Error> {
    let recordings = shipped(GINKGO)?;
    let performance = PerformanceTable::new(&recordings)?;
    let mut means: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for seed in 1..=SPLITS {
        eprintln!("  {GINKGO}: split {seed} of {SPLITS}");
        let split = by_group(&recordings, seed);
        for name in STRATEGIES {
            let share = judge(&recordings, &performance, &split, name.parse()?)?;
            means.entry(name.to_owned()).or_default().push(percent(share));
        }
    }
    Ok(means)
}

/// Groups in a drawn order: those of the first half of the inputs to train on, the rest to test.
fn by_group(recordings: &Recordings, seed: u64) -> Split {
    let group = |input: usize| recordings.inputs[input].name.rsplit_once('/').map_or("", |(group, _)| group);
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    (0..recordings.inputs.len()).for_each(|input| groups.entry(group(input)).or_default().push(input));
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    Random::new(seed).shuffle(&mut groups);
    let mut split = Split::default();
    for group in groups {
        let side =
            if 2 * split.train.len() < recordings.inputs.len() { &mut split.train } else { &mut split.test };
        side.extend(group);
    }
    split.train.sort_unstable();
    split.test.sort_unstable();
    split
}

/// The mean over the devices, each left out.
fn judge(
    recordings: &Recordings,
    performance: &PerformanceTable,
    split: &Split,
    strategy: Strategy,
) -> Result<f64, Error> {
    let task = Task::new(recordings, performance, &split.train, 0);
    let options = StudyOptions::default();
    let mut means = Vec::new();
    for device in 0..recordings.devices.len() {
        let sources = (0..recordings.devices.len()).filter(|&other| other != device).collect();
        let known: BTreeSet<String> = recordings.devices[device].features.keys().cloned().collect();
        let model = Study::new(&task, sources, Some(&known), &options).fit(strategy).model;
        let chooser = Chooser::new(recordings, &model, device)?;
        let share = |&input: &usize| share(performance, &chooser, device, input);
        means.push(mean(&split.test.iter().filter_map(share).collect::<Vec<_>>()));
    }
    Ok(mean(&means))
}
