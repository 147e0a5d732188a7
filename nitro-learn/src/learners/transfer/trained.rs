//! Any kind of selector: one is trained for every subset, temporary target and part of the inputs.

use nitro_core::model::Selector;

use super::{Frame, Job, Part, Tally, Transfer, TransferPlan, tally};
use crate::learners::{Hyperparameters, TrainingSet};
use crate::task::Task;

/// Fills the table with selectors that `train` makes; `effort` bounds the sum of squared sample counts over all of
/// them.
pub fn by_training(
    task: &Task<'_>,
    plan: &TransferPlan<'_>,
    effort: f64,
    train: impl Fn(&TrainingSet<'_>, &Hyperparameters) -> Selector + Sync,
) -> Transfer {
    let frame = Frame::new(task, plan);
    let mut jobs: Vec<Job<usize>> = Vec::new();
    for target in 0..plan.sources.len() {
        jobs.extend((0..frame.features.len()).map(|column| Job { target, work: column }));
    }
    let features = frame.features.clone();
    frame.fill(&jobs, effort, |&column, part| {
        let device_features = &features[column];
        let hyperparameters = if device_features.is_empty() { &plan.plain } else { &plan.joined };
        let sources: Vec<usize> =
            plan.sources.iter().copied().filter(|&source| source != part.target).collect();
        let inputs = &part.train;
        let set = TrainingSet { task, sources: &sources, inputs, device_features, is_final: false };
        vec![(column, judged(task, part, device_features, &train(&set, hyperparameters)))]
    })
}

fn judged(task: &Task<'_>, part: &Part<'_>, device_features: &[String], selector: &Selector) -> Tally {
    let selector = selector.on_device(&task.device_row(part.target, device_features));
    tally(
        part.judge
            .iter()
            .map(|&input| task.share_of(part.target, input, selector.rank(&task.input_row(input)))),
    )
}
