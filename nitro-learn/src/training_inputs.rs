//! The training inputs that a model keeps.

use nitro_core::model::{MAX_TRAINING_INPUTS, TrainingInputs};
use nitro_stats::statistics::mean;

use super::folds::sample;
use super::task::Task;

/// Returns some of these inputs (positions in [`Task::inputs`]) with what choosing costs on each, in the mean over the
/// sources; none where the time of features is not known.
pub fn training_inputs(task: &Task<'_>, sources: &[usize], inputs: &[usize]) -> TrainingInputs {
    let mut kept = TrainingInputs::default();
    if task.costs.is_none() {
        return kept;
    }
    for input in sample(inputs.to_vec(), MAX_TRAINING_INPUTS, task.seed) {
        let of_sources = sources.iter().map(|&source| task.performance.best_ns(source, task.inputs[input]));
        let Some(best_ns) = mean(of_sources.filter(|best_ns| best_ns.is_finite())) else { continue };
        let feature_ns =
            |column| mean(sources.iter().map(|&source| task.features_ns(source, input, &[column])));
        let features_ns: Vec<f64> =
            (0..task.columns.len()).map(|column| feature_ns(column).unwrap_or(0.0)).collect();
        kept.push(&task.input_row(input), best_ns, &features_ns);
    }
    kept
}
