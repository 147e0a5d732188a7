//! Forests of extremely randomised trees that regress what every variant costs.
//!
//! The method is that of Geurts, Ernst and Wehenkel, "Extremely randomized trees", 2006, table 1: each tree sees
//! all samples; at a node one threshold a feature is drawn at random between the feature's extremes, and the best
//! of these splits is taken. Here all features are drawn from (their K is the number of features, which they
//! recommend for regression), and a split is scored by the sum of the variance reductions over all variants.
//!
//! What is regressed is the share of speed that a variant loses, 1 − best time / time of that input and device, for
//! all variants at once: the figure that selectors are judged by. The logarithm of time / best time was tried,
//! capped at a factor of 10; a mean of logarithms minds the difference between four and eight times too slow as
//! much as that between right and half as fast, and chose worse on all three kinds of recordings (Ginkgo 95.7
//! instead of 95.9 % of exhaustive search, GPU slices 97.4 instead of 97.7, hosts 97.0 instead of 97.4). A variant
//! that failed loses everything; one that is inadmissible is absent, since dispatch passes over it.
//!
//! Which variants an input lists is no accident where there are tens of them: a database has the four fastest. So where
//! rows lack variants a node fits `loss = level of the row + mean of the variant`, and splits are scored on the loss
//! less the level (`grow`). On the GPUs of MIOpen with an architecture left out that takes the forest from 87.7 to
//! 89.6 % of exhaustive search. Where machines that are left out say so, half of the trees know no device
//! (`device_use`): 90.3 there.
//!
//! How trees are grown matters little else. Tried in Python with the same trees, each device left out in turn, on 66
//! splits of the inputs (six of each of the eleven recordings); differences in points of % of exhaustive search,
//! with standard errors over splits of 0.06 to 0.16: 256 trees +0.05; at least 1, 3 or 5 samples a leaf instead of
//! 2 +0.02, +0.03, −0.19; half or a third of the features at a node −0.23, −0.36; 3 or 10 thresholds a feature +0.04,
//! −0.12; bootstrap samples −0.03. On 44 of the splits: one forest a source −0.67 ± 0.15; the mean with a forest
//! that knows no device −0.26 ± 0.12; leaves drawn towards the nodes above them 0.00 ± 0.03; half of the device
//! features, drawn anew for each tree, +0.09 ± 0.09, and +0.01 ± 0.03 on 36 others.

mod device_use;
mod grow;
mod important;
mod ratios;
mod samples;

use nitro_core::model::{Forest, Ratio, Selector, forest_ns};
use nitro_stats::random::Random;
use rayon::prelude::*;

use self::device_use::DeviceUse;
use self::grow::{Samples, Tree, grow};
use self::ratios::ratios;
use self::samples::samples;
use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};
use crate::learners::transfer::{Transfer, TransferPlan, by_training};
use crate::task::Task;

pub use self::important::important;

/// Bound on the sum of squared sample counts over all forests by which CV-DFS compares subsets of device features.
const SUBSETS_EFFORT: f64 = 4e8;

/// The forest learner.
pub struct Forests;

/// The size of a forest and of its leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Number of trees.
    pub trees: usize,
    /// Least number of samples in a leaf.
    pub min_leaf: usize,
}

impl Growth {
    /// The growth of a forest to be shipped: more trees hardly choose better and take longer to walk.
    const SHIPPED: Self = Self { trees: 64, min_leaf: 2 };
    /// The growth of a forest that is only compared with other selectors.
    const COMPARED: Self = Self { trees: 32, ..Self::SHIPPED };
    /// The growth of one of the hundreds of forests by which CV-DFS compares subsets of device features.
    const OF_SUBSETS: Self = Self { trees: 4, ..Self::SHIPPED };
}

impl Learner for Forests {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn description(&self) -> &'static str {
        "forest that estimates the share of the best variant's speed"
    }

    fn selection_ns(&self) -> f64 {
        forest_ns(Growth::SHIPPED.trees)
    }

    fn tune(&self, set: &TrainingSet<'_>) -> Hyperparameters {
        device_use::tune(set)
    }

    fn train(&self, set: &TrainingSet<'_>, hyperparameters: &Hyperparameters) -> TrainingResult {
        let growth = if set.is_final { Growth::SHIPPED } else { Growth::COMPARED };
        TrainingResult { selector: forest(set, growth, DeviceUse::of(hyperparameters)), converged: true }
    }

    fn transfer(&self, task: &Task<'_>, plan: &TransferPlan<'_>) -> Transfer {
        by_training(task, plan, SUBSETS_EFFORT, |set, _| {
            forest(set, Growth::OF_SUBSETS, DeviceUse::default())
        })
    }
}

/// Grows a forest. Its blind trees are the first ones.
fn forest(set: &TrainingSet<'_>, growth: Growth, device_use: DeviceUse) -> Selector {
    let ratios = if device_use.ratios { ratios(set) } else { Vec::new() };
    let samples = samples(set, &ratios);
    let (inputs, all) = (set.task.columns.len(), samples.columns());
    let blind = (device_use.blind * growth.trees as f64) as usize;
    let trees = (0..growth.trees).into_par_iter().map(|number| {
        // A seed for each tree, so that the forest is the same on any number of threads.
        let seed = Random::new(set.task.seed ^ 0x4652_5354).next_u64().wrapping_add(number as u64);
        let columns = if number < blind { inputs } else { all };
        grow(&samples, 0..columns, growth.min_leaf, seed)
    });
    Selector::Forest(join(&trees.collect::<Vec<_>>(), inputs, &samples, ratios))
}

/// The trees as the run time reads them.
fn join(trees: &[Tree], inputs: usize, samples: &Samples, ratios: Vec<Ratio>) -> Forest {
    // A leaf's losses are shares of the best speed. A byte resolves them to 0.4 %.
    let losses = trees.iter().flat_map(|tree| &tree.values);
    Forest {
        inputs,
        choices: samples.classes,
        nodes: trees.iter().flat_map(|tree| tree.nodes.iter().copied()).collect(),
        values: losses.map(|loss| (255.0 * loss).round().clamp(0.0, 255.0) as u8).collect(),
        origins: samples.origins(),
        ratios,
    }
}
