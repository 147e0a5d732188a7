//! The share of a forest's trees that ask for no device feature.
//!
//! On a device like the sources what devices say helps. On one that is unlike them all, a split on a device feature
//! says which source it is taken for, and half of the trees are better off without. How it is, sources tell: each
//! machine in turn is left out, as the machine of a foreign device is.

use std::collections::BTreeSet;

use nitro_stats::statistics::mean;
use rayon::prelude::*;

use super::{Growth, forest};
use crate::folds::{inputs_within, rest, sample};
use crate::learners::{Hyperparameters, TrainingSet};

/// The name of the share among hyperparameters; none is 0.
const SHARE: &str = "trees without device features";
/// The share that is tried beside none. On the GPUs of MIOpen it is within 0.2 points of the best share.
const HALF: f64 = 0.5;
/// Fewer machines than this say nothing of others: one is left out, and the others have to differ.
const MIN_MACHINES: usize = 3;
/// Number of parts that inputs are cut into, of which each is judged once.
const FOLDS: usize = 2;
/// Bound on the sum of squared sample counts over all forests.
const EFFORT: f64 = 1e8;

pub(super) fn share(hyperparameters: &Hyperparameters) -> f64 {
    hyperparameters.get(SHARE).copied().unwrap_or(0.0)
}

/// Finds the share that chooses best on machines that were left out.
pub(super) fn tune(set: &TrainingSet<'_>) -> Hyperparameters {
    let machines: BTreeSet<&str> = set.sources.iter().map(|&source| machine(set, source)).collect();
    if set.device_features.is_empty() || machines.len() < MIN_MACHINES {
        return Hyperparameters::new();
    }
    let runs = machines.len() * FOLDS * 2;
    let limit = inputs_within(EFFORT / runs as f64, set.sources.len(), FOLDS);
    let parts = set.task.folds(&sample(set.inputs.to_vec(), limit, set.task.seed), FOLDS, 0);
    let machines: Vec<&str> = machines.into_iter().collect();
    let gains = (0..machines.len() * parts.len()).into_par_iter().map(|at| {
        let (machine, part) = (machines[at / parts.len()], at % parts.len());
        let judged = [0.0, HALF].map(|share| judge(set, machine, (&parts, part), share));
        judged[1] - judged[0]
    });
    let gain: f64 = gains.collect::<Vec<f64>>().iter().sum();
    if gain > 0.0 { [(SHARE, HALF)].into() } else { Hyperparameters::new() }
}

fn machine<'a>(set: &TrainingSet<'a>, device: usize) -> &'a str {
    set.task.recordings.devices[device].machine()
}

/// Trains without a machine and a part of the inputs. Returns the share of speed that is kept on those.
fn judge(set: &TrainingSet<'_>, left_out: &str, (parts, part): (&[Vec<usize>], usize), share: f64) -> f64 {
    let (targets, sources): (Vec<usize>, Vec<usize>) =
        set.sources.iter().partition(|&&source| machine(set, source) == left_out);
    let inputs = rest(parts, part);
    let selector =
        forest(&TrainingSet { sources: &sources, inputs: &inputs, ..*set }, Growth::COMPARED, share);
    let mut shares = Vec::new();
    for target in targets {
        let on_device = selector.on_device(&set.task.device_row(target, set.device_features));
        for &input in &parts[part] {
            shares.extend(set.task.share_of(target, input, on_device.rank(&set.task.input_row(input))));
        }
    }
    mean(shares).unwrap_or(0.0)
}
