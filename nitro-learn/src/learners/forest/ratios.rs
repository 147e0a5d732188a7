//! Input features over device features of their unit.

use nitro_core::MAX_FEATURES;
use nitro_core::model::{MAX_RATIOS, Ratio};

use crate::device_features::MAX_DEVICE_FEATURES;
use crate::learners::TrainingSet;
use crate::scaling::is_in_range;

const _: () = assert!(MAX_FEATURES * MAX_DEVICE_FEATURES <= MAX_RATIOS, "a model has them all");

/// Returns the ratios that mean something on all sources: units agree, and every source has a value to divide by which
/// leaves ratios within single precision, in which trees compare them.
pub(super) fn ratios(set: &TrainingSet<'_>) -> Vec<Ratio> {
    let task = set.task;
    let meanings = &task.recordings.meanings;
    let mut ratios = Vec::new();
    for (input, feature) in (0..).zip(task.features()) {
        let Some(&unit) = meanings.units.get(&feature) else { continue };
        let values = set.inputs.iter().map(|&one| task.input_row(one)[usize::from(input)].abs());
        let largest = values.fold(0.0, f64::max);
        for (device, name) in (0..).zip(set.device_features) {
            let is_defined = |&source: &usize| {
                let value = task.device_feature(source, name);
                Ratio::is_defined(value) && is_in_range(&[largest / value])
            };
            let divides = meanings.device_unit(name).is_some_and(|own| own.divides(unit));
            if divides && set.sources.iter().all(is_defined) {
                ratios.push(Ratio { input, device });
            }
        }
    }
    ratios
}
