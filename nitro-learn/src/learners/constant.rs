//! One class for everything.

use nitro_core::model::Selector;

use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};

/// The class that is best on average on the sources.
pub struct Constant;

impl Learner for Constant {
    fn name(&self) -> &'static str {
        "static"
    }

    fn description(&self) -> &'static str {
        "the one variant best on average on the other devices"
    }

    fn uses_features(&self) -> bool {
        false
    }

    fn selection_ns(&self) -> f64 {
        0.0
    }

    fn train(&self, set: &TrainingSet<'_>, _: &Hyperparameters) -> TrainingResult {
        TrainingResult { selector: Selector::Constant { choice: best_on_average(set) }, converged: true }
    }
}

/// The class that is worth most in all; of equals the first.
fn best_on_average(set: &TrainingSet<'_>) -> usize {
    let task = set.task;
    let mut sums = vec![0.0; task.performance.classes().count()];
    for &device in set.sources {
        for &input in set.inputs {
            if let Some(shares) = task.performance.shares(device, task.inputs[input]) {
                let weight = task.weight(device, input);
                for (sum, share) in sums.iter_mut().zip(shares) {
                    *sum += task.weights.worth(share.unwrap_or(0.0), weight);
                }
            }
        }
    }
    let best = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    sums.iter().position(|&sum| sum == best).unwrap_or(0)
}
