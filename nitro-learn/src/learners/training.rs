//! Input and result of a learner.

use std::collections::BTreeMap;

use nitro_core::model::Selector;

use crate::task::Task;

/// Hyperparameters that a learner has found by trying, by names of its own.
pub type Hyperparameters = BTreeMap<&'static str, f64>;

/// The data to learn from: some inputs of a task on some devices, seen through some device features.
#[derive(Clone, Copy)]
pub struct TrainingSet<'a> {
    /// Inputs, features and performance of the function.
    pub task: &'a Task<'a>,
    /// The source devices.
    pub sources: &'a [usize],
    /// The training inputs, as positions in [`Task::inputs`].
    pub inputs: &'a [usize],
    /// The device features.
    pub device_features: &'a [String],
    /// True if the selector is to be shipped; one that is only compared with others may save effort.
    pub is_final: bool,
}

/// A trained selector over the task's input features and the set's device features.
pub struct TrainingResult {
    /// The selector that the run time reads; its classes are the task's.
    pub selector: Selector,
    /// True if every solver reached its tolerance.
    pub converged: bool,
}
