//! The calls in a file, compared with the models of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use nitro_core::model::{Model, file_name};

use super::error::TrainError;
use crate::traffic::{CapturedCall, Traffic, read};

/// Compares the captured calls in a file with the models in a folder, function by function.
///
/// Programs write such a file with `NITRO_CAPTURE=FILE`. The result says how many calls are far from the training
/// inputs, what was chosen for them, and what to record next.
///
/// ```no_run
/// for traffic in nitro_train::captured_traffic("calls.jsonl".as_ref(), "models".as_ref())? {
///     println!("{}: {} kinds of inputs are worth recording", traffic.function, traffic.record_next.len());
/// }
/// # Ok::<(), nitro_train::TrainError>(())
/// ```
///
/// # Errors
/// When the file cannot be read or has no calls, and when a model that is there cannot be read.
pub fn captured_traffic(capture: &Path, models: &Path) -> Result<Vec<Traffic>, TrainError> {
    let mut functions: BTreeMap<String, Vec<CapturedCall>> = BTreeMap::new();
    for sample in read(capture)? {
        functions.entry(sample.function.clone()).or_default().push(sample);
    }
    if functions.is_empty() {
        return Err(TrainError::NoCalls { file: capture.to_owned() });
    }
    functions.iter().map(|(function, samples)| of_function(function, samples, models)).collect()
}

fn of_function(function: &str, samples: &[CapturedCall], models: &Path) -> Result<Traffic, TrainError> {
    let file = models.join(file_name(function));
    let model = match file.exists() {
        true => Ok(Model::read(&file)?),
        false => Err(format!("there is no model {}: name its folder", file.display())),
    };
    Ok(Traffic::new(function, samples, model.as_ref().map_err(Clone::clone)))
}
