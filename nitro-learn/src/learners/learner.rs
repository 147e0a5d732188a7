//! The trait of every kind of selector.

use super::training::{Hyperparameters, TrainingResult, TrainingSet};
use crate::learners::transfer::{Transfer, TransferPlan, by_training};
use crate::task::Task;

/// A way to make a selector from measurements of source devices.
pub trait Learner: Sync {
    /// Its name, the first part of a strategy's.
    fn name(&self) -> &'static str;

    /// Its name at the head of a column.
    fn short_name(&self) -> &'static str {
        self.name()
    }

    /// Returns its name in the words of a report.
    fn description(&self) -> &'static str;

    /// Returns true if features, of inputs or devices, make a difference.
    fn uses_features(&self) -> bool {
        true
    }

    /// The learner by whose table device features are selected for this one; none for its own.
    fn selects_by(&self) -> Option<&'static dyn Learner> {
        None
    }

    /// Returns the usual time of its selectors for an input that a call does not remember, in nanoseconds, without the
    /// features.
    fn selection_ns(&self) -> f64;

    /// Finds hyperparameters by trying on held-out inputs and sources before training; nothing for most.
    fn tune(&self, _set: &TrainingSet<'_>) -> Hyperparameters {
        Hyperparameters::new()
    }

    /// Trains a selector with hyperparameters that [`tune`](Self::tune) of this learner has found.
    fn train(&self, set: &TrainingSet<'_>, hyperparameters: &Hyperparameters) -> TrainingResult;

    /// Measures how well its selectors carry over from source to source with each subset of device features: CV-DFS
    /// selects by that.
    ///
    /// [`selects_by`](Self::selects_by) may name another learner whose table serves.
    fn transfer(&self, task: &Task<'_>, plan: &TransferPlan<'_>) -> Transfer {
        by_training(task, plan, SUBSETS_EFFORT, |set, hyperparameters| {
            self.train(set, hyperparameters).selector
        })
    }
}

/// Bound on the sum of squared sample counts over all selectors trained for one table of [`Learner::transfer`].
const SUBSETS_EFFORT: f64 = 4e8;
