//! The samples that trees are grown from.

use nitro_core::model::Ratio;

use super::grow::Samples;
use crate::learners::TrainingSet;
use crate::scaling::scale_of;

/// One row for each training input and source on which a variant succeeded. Columns of ratios come last.
pub(super) fn samples(set: &TrainingSet<'_>, ratios: &[Ratio]) -> Samples {
    let (task, names) = (set.task, set.device_features);
    let mut samples = Samples::new(task.performance.classes().count());
    let devices: Vec<Vec<f64>> = set.sources.iter().map(|&device| task.device_row(device, names)).collect();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for &input in set.inputs {
        let row = task.input_row(input);
        for (&source, device) in set.sources.iter().zip(&devices) {
            if let Some(shares) = task.performance.shares(source, task.inputs[input]) {
                let losses = shares.iter().map(|share| share.map(|share| (1.0 - share) as f32));
                samples.push_targets(losses, task.weight(source, input) as f32);
                rows.push([row.as_slice(), device].concat());
            }
        }
    }
    let columns = task.columns.len() + names.len();
    for column in 0..columns {
        let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        samples.push_column(&values, scale_of(&values).transform);
    }
    for &ratio in ratios {
        let device = task.columns.len() + usize::from(ratio.device);
        let values: Vec<f64> = rows.iter().map(|row| row[usize::from(ratio.input)] / row[device]).collect();
        samples.push_column(&values, scale_of(&values).transform);
    }
    samples
}
