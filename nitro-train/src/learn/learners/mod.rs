//! The kinds of selectors, each behind one trait. A new one is a file here and an entry in [`LEARNERS`]; strategies, `auto`, the command
//! line and the columns of an evaluation follow from that list.

mod constant;
mod forest;
mod svm;

use nitro_core::model::Selector;

use super::grid::Grid;
use super::svm::Hyperparameters;
use super::task::Task;

pub use constant::Constant;
pub(super) use forest::important;
pub use forest::{Forests, Growth};
pub use svm::Svms;

/// All of them, simpler ones first: the order in which ties are settled.
pub const LEARNERS: [&dyn Learner; 4] =
    [&Constant, &Svms { by_regret: false }, &Svms { by_regret: true }, &Forests];

/// A way to make a selector from measurements of source devices.
pub trait Learner: Sync {
    /// Its name, the first part of a strategy's.
    fn name(&self) -> &'static str;

    /// Whether features, of inputs or devices, make a difference.
    fn uses_features(&self) -> bool {
        true
    }

    /// What has to be found by trying on held-out inputs and sources before training; none where there is nothing.
    fn tune(&self, _lesson: &Lesson<'_>, _grid: &Grid) -> Option<Hyperparameters> {
        None
    }

    /// Trains a selector.
    ///
    /// # Panics
    ///
    /// If the learner has hyperparameters and got none.
    fn train(&self, lesson: &Lesson<'_>, hyperparameters: Option<Hyperparameters>) -> Trained;
}

/// What to learn from.
#[derive(Clone, Copy)]
pub struct Lesson<'a> {
    /// Inputs, features and performance of the function.
    pub task: &'a Task<'a>,
    /// The source devices.
    pub sources: &'a [usize],
    /// The training inputs, as positions in [`Task::inputs`].
    pub inputs: &'a [usize],
    /// The device features.
    pub device_features: &'a [String],
    /// Whether the selector is to be shipped; one that is only compared with others may save effort.
    pub is_final: bool,
}

/// A trained selector over the task's input features and the lesson's device features.
pub struct Trained {
    /// What the run time reads.
    pub selector: Selector,
    /// Whether every solver reached its tolerance.
    pub converged: bool,
}
