//! Choices on devices that are like no source: convolutions on GPUs of another architecture, and sorts on another
//! processor.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::StudyOptions;
use nitro_learn::evaluate::{Chooser, EvaluateOptions, LeaveOut, Split};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::study::Study;
use nitro_learn::task::Task;
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Recordings};

use super::evaluation::{evaluate_split, mode};
use super::{mean, share};
use crate::Error;
use crate::figures::{ByDevice, Foreign, percent};
use crate::recordings::{listed_split, shipped};

/// Numbers of training inputs that are measured on a device.
const CALIBRATION: [usize; 4] = [10, 30, 100, 300];
/// Numbers of seconds in which training inputs are measured on a device.
const SECONDS: [usize; 2] = [1, 10];
/// Numbers of training inputs.
const TRAINING: [usize; 4] = [250, 1000, 3000, 6000];
/// The training inputs of everything else: more change little.
const MANY: usize = 3000;
/// What is compared by number of training inputs and of sources.
const STRATEGIES: [&str; 3] = ["static", "forest-none", "forest-all"];

/// One function whose inputs are listed.
///
/// # Errors
/// When its recordings cannot be read or learned from.
pub fn foreign(function: &str) -> Result<Foreign, Error> {
    let recordings = shipped(function)?;
    let (whole, split) = (listed_split(&recordings)?, split(&recordings)?);
    let options = EvaluateOptions {
        leave_out: LeaveOut::Machine,
        calibration: CALIBRATION.into_iter().filter(|&count| count < split.train.len()).collect(),
        calibration_seconds: SECONDS.to_vec(),
        ..EvaluateOptions::default()
    };
    let evaluation = evaluate_split(&recordings, &split, &options)?;
    let performance = PerformanceTable::new(&recordings)?;
    let nearest = (0..recordings.devices.len())
        .map(|device| (recordings.devices[device].id.clone(), nearest(&recordings.devices, device)));
    Ok(Foreign {
        train_inputs: split.train.len(),
        test_inputs: split.test.len(),
        nearest: nearest.collect(),
        left_out: mode(&evaluation),
        by_training: by_training(&performance, &recordings, &whole)?,
        by_sources: by_sources(&performance, &recordings, &split)?,
    })
}

/// Returns the training and test inputs of everything but the comparison of numbers of training inputs.
///
/// # Errors
/// When the inputs are not listed.
pub fn split(recordings: &Recordings) -> Result<Split, Error> {
    Ok(drawn(&listed_split(recordings)?, MANY))
}

/// Returns the means with fewer training inputs.
fn by_training(
    performance: &PerformanceTable,
    recordings: &Recordings,
    whole: &Split,
) -> Result<BTreeMap<usize, ByDevice>, Error> {
    let mut by_training = BTreeMap::new();
    for count in TRAINING.into_iter().filter(|&count| count <= whole.train.len()) {
        eprintln!("  {}: {count} training inputs", recordings.function);
        by_training.insert(count, means(performance, recordings, &drawn(whole, count), usize::MAX)?);
    }
    Ok(by_training)
}

/// Returns the means with fewer machines as sources.
fn by_sources(
    performance: &PerformanceTable,
    recordings: &Recordings,
    split: &Split,
) -> Result<BTreeMap<usize, ByDevice>, Error> {
    let machines: BTreeSet<&str> = recordings.devices.iter().map(DeviceRecord::machine).collect();
    let mut by_sources = BTreeMap::new();
    for count in 1..machines.len() {
        eprintln!("  {}: sources of {count} machines", recordings.function);
        by_sources.insert(count, means(performance, recordings, split, count)?);
    }
    Ok(by_sources)
}

/// The split with a draw of so many of its training inputs.
fn drawn(split: &Split, count: usize) -> Split {
    let mut train = split.train.clone();
    Random::new(count as u64).shuffle(&mut train);
    train.truncate(count);
    train.sort_unstable();
    Split { train, test: split.test.clone() }
}

/// Returns the mean of each strategy on each device that was left out with its machine. So many of the other machines
/// are sources, in every combination.
fn means(
    performance: &PerformanceTable,
    recordings: &Recordings,
    split: &Split,
    sources: usize,
) -> Result<ByDevice, Error> {
    let task = Task::new(recordings, performance, &split.train, 0);
    let mut shares: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
    let machines: BTreeSet<&str> = recordings.devices.iter().map(DeviceRecord::machine).collect();
    for machine in machines {
        let (targets, others): (Vec<usize>, Vec<usize>) = (0..recordings.devices.len())
            .partition(|&device| recordings.devices[device].machine() == machine);
        for sources in combinations(&recordings.devices, &others, sources) {
            let options = StudyOptions::default();
            let study = Study::new(&task, sources, None, &options);
            for strategy in STRATEGIES {
                let model = study.fit(strategy.parse()?).model;
                for &device in &targets {
                    let chooser = Chooser::new(recordings, &model, device)?;
                    let own =
                        split.test.iter().filter_map(|&input| share(performance, &chooser, device, input));
                    shares.entry((device, strategy)).or_default().push(mean(&own.collect::<Vec<_>>()));
                }
            }
        }
    }
    let mut means = ByDevice::new();
    for ((device, strategy), shares) in shares {
        let of_device = means.entry(recordings.devices[device].id.clone()).or_default();
        of_device.insert(strategy.to_owned(), percent(mean(&shares)));
    }
    Ok(means)
}

/// The devices of each combination of so many machines; all of them where there are no more.
fn combinations(devices: &[DeviceRecord], among: &[usize], count: usize) -> Vec<Vec<usize>> {
    let machines: BTreeSet<&str> = among.iter().map(|&device| devices[device].machine()).collect();
    let mut found = Vec::new();
    for chosen in 0..1_u32 << machines.len() {
        if chosen.count_ones() as usize == count.min(machines.len()) {
            let is_chosen = |device: &&usize| {
                let own = devices[**device].machine();
                machines.iter().zip(0..).any(|(machine, bit)| *machine == own && chosen >> bit & 1 == 1)
            };
            found.push(among.iter().filter(is_chosen).copied().collect());
        }
    }
    found
}

/// Returns how far a device is from the nearest one of another machine: the root mean square of the logarithms of
/// ratios, over features that are positive on both.
fn nearest(devices: &[DeviceRecord], device: usize) -> f64 {
    let others = LeaveOut::Machine.sources(devices, device);
    let own = &devices[device].features;
    let distances = others.into_iter().map(|other| {
        let both = own.iter().filter_map(|(name, &one)| Some((one, *devices[other].features.get(name)?)));
        let positive = both.filter(|(one, other)| *one > 0.0 && *other > 0.0);
        mean(&positive.map(|(one, other)| (one / other).ln().powi(2)).collect::<Vec<_>>()).sqrt()
    });
    (1000.0 * distances.fold(f64::INFINITY, f64::min)).round() / 1000.0
}
