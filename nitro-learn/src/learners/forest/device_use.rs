//! The use that a forest makes of device features.
//!
//! On a device like the sources what devices say helps. On one that is unlike them all, a split on a device feature
//! says which source it is taken for, and half of the trees are better off without. Where features have units, splits
//! on input features over device features may carry over instead. How it is, sources tell: each machine in turn is left
//! out, as the machine of a foreign device is.

use std::collections::BTreeSet;

use nitro_stats::statistics::mean;
use rayon::prelude::*;

use super::ratios::ratios;
use super::{Growth, forest};
use crate::folds::{inputs_within, rest, sample};
use crate::learners::{Hyperparameters, TrainingSet};

/// The name of the share among hyperparameters; none is 0.
const SHARE: &str = "trees without device features";
/// The name among hyperparameters of asking for ratios; absent where they are not.
const RATIOS: &str = "ratios to device features";
/// The share that is tried beside none. On the GPUs of MIOpen it is within 0.2 points of the best share.
const HALF: f64 = 0.5;
/// Fewer machines than this say nothing of others: one is left out, and the others have to differ.
const MIN_MACHINES: usize = 3;
/// Number of parts that inputs are cut into, of which each is judged once.
const FOLDS: usize = 2;
/// Bound on the sum of squared sample counts over all forests.
const EFFORT: f64 = 1e8;

/// The use of device features in a forest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DeviceUse {
    /// The share of trees that ask for no device feature.
    pub(super) blind: f64,
    /// True where the other trees ask for ratios to device features too.
    pub(super) ratios: bool,
}

impl DeviceUse {
    pub(super) fn of(hyperparameters: &Hyperparameters) -> Self {
        Self {
            blind: hyperparameters.get(SHARE).copied().unwrap_or(0.0),
            ratios: hyperparameters.contains_key(RATIOS),
        }
    }

    fn hyperparameters(self) -> Hyperparameters {
        let mut found = Hyperparameters::new();
        if self.blind > 0.0 {
            found.insert(SHARE, self.blind);
        }
        if self.ratios {
            found.insert(RATIOS, 1.0);
        }
        found
    }
}

/// Finds the use that chooses best on machines that were left out; of equals the simplest.
pub(super) fn tune(set: &TrainingSet<'_>) -> Hyperparameters {
    let machines: BTreeSet<&str> = set.sources.iter().map(|&source| machine(set, source)).collect();
    if set.device_features.is_empty() || machines.len() < MIN_MACHINES {
        return Hyperparameters::new();
    }
    let machines: Vec<&str> = machines.into_iter().collect();
    let (without, half) = (DeviceUse::default(), DeviceUse { blind: HALF, ratios: false });
    let mut best = if gain(set, &machines, [without, half]) > 0.0 { half } else { without };
    // Ratios are judged beside that, so that units alone do not change which trees are blind.
    let with_ratios = DeviceUse { ratios: true, ..best };
    if !ratios(set).is_empty() && gain(set, &machines, [best, with_ratios]) > 0.0 {
        best = with_ratios;
    }
    best.hyperparameters()
}

/// Returns what the second of two uses gains over the first, summed up over machines that are left out.
fn gain(set: &TrainingSet<'_>, machines: &[&str], uses: [DeviceUse; 2]) -> f64 {
    let runs = machines.len() * FOLDS * uses.len();
    let limit = inputs_within(EFFORT / runs as f64, set.sources.len(), FOLDS);
    let parts = set.task.folds(&sample(set.inputs.to_vec(), limit, set.task.seed), FOLDS, 0);
    let gains = (0..machines.len() * parts.len()).into_par_iter().map(|at| {
        let (machine, part) = (machines[at / parts.len()], at % parts.len());
        let judged = uses.map(|own| judge(set, machine, (&parts, part), own));
        judged[1] - judged[0]
    });
    gains.collect::<Vec<f64>>().iter().sum()
}

fn machine<'a>(set: &TrainingSet<'a>, device: usize) -> &'a str {
    set.task.recordings.devices[device].machine()
}

/// Trains without a machine and a part of the inputs. Returns the share of speed that is kept on those.
fn judge(
    set: &TrainingSet<'_>,
    left_out: &str,
    (parts, part): (&[Vec<usize>], usize),
    own: DeviceUse,
) -> f64 {
    let (targets, sources): (Vec<usize>, Vec<usize>) =
        set.sources.iter().partition(|&&source| machine(set, source) == left_out);
    let inputs = rest(parts, part);
    let selector = forest(&TrainingSet { sources: &sources, inputs: &inputs, ..*set }, Growth::COMPARED, own);
    let mut shares = Vec::new();
    for target in targets {
        let on_device = selector.on_device(&set.task.device_row(target, set.device_features));
        for &input in &parts[part] {
            shares.extend(set.task.share_of(target, input, on_device.rank(&set.task.input_row(input))));
        }
    }
    mean(shares).unwrap_or(0.0)
}
