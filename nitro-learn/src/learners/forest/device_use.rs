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
/// Number of uses that are compared at once.
const COMPARED: usize = 2;
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
    let judged = |own: DeviceUse| (own, shares(set, &machines, own));
    let mut best = better(judged(DeviceUse::default()), judged(DeviceUse { blind: HALF, ratios: false }));
    // Ratios are judged beside that, so that units alone do not change which trees are blind.
    if !ratios(set).is_empty() {
        let with_ratios = DeviceUse { ratios: true, ..best.0 };
        best = better(best, judged(with_ratios));
    }
    best.0.hyperparameters()
}

/// A use, and the share of speed that it keeps without each machine and part of the inputs.
type Judged = (DeviceUse, Vec<f64>);

/// Returns the second of two uses where it gains over the first.
fn better(first: Judged, second: Judged) -> Judged {
    let gain: f64 = first.1.iter().zip(&second.1).map(|(first, second)| second - first).sum();
    if gain > 0.0 { second } else { first }
}

/// Returns the share of speed that a use keeps, by machine and part of the inputs that are left out.
fn shares(set: &TrainingSet<'_>, machines: &[&str], own: DeviceUse) -> Vec<f64> {
    let runs = machines.len() * FOLDS * COMPARED;
    let limit = inputs_within(EFFORT / runs as f64, set.sources.len(), FOLDS);
    let parts = set.task.folds(&sample(set.inputs.to_vec(), limit, set.task.seed), FOLDS, 0);
    let all = (0..machines.len() * parts.len()).into_par_iter();
    all.map(|at| judge(set, machines[at / parts.len()], (&parts, at % parts.len()), own)).collect()
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
