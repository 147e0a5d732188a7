//! Checks that the parts of a model fit together.

use super::super::{MAX_ARTIFACTS, MAX_CALIBRATIONS, Model, Selector};
use crate::{MAX_CHOICES, MAX_FEATURES, name};

/// Checks a model. One that passes cannot make a prediction panic.
pub(super) fn check(model: &Model) -> Result<(), &'static str> {
    let choices = model.choices.len();
    if choices == 0 || choices > MAX_CHOICES {
        return Err("number of choices");
    }
    if model.features.len() > MAX_FEATURES {
        return Err("number of features");
    }
    if !model.feature_digests.is_empty() && model.feature_digests.len() != model.features.len() {
        return Err("number of digests of features");
    }
    if model.artifacts.len() > MAX_ARTIFACTS {
        return Err("number of artifacts");
    }
    check_names(model)?;
    model.coverage.check(model.features.len())?;
    model.training_inputs.check(model.features.len())?;
    if model.calibrations.len() > MAX_CALIBRATIONS {
        return Err("number of calibrations");
    }
    let inputs = model.features.len();
    model.calibrations.iter().try_for_each(|one| check_selector(&one.selector, choices, inputs, inputs))?;
    let columns = inputs + model.device_features.len();
    model.caution.map_or(Ok(()), |caution| caution.check(choices))?;
    model.gate.as_ref().map_or(Ok(()), |gate| gate.check(choices, inputs, columns))?;
    check_selector(&model.selector, choices, inputs, columns)
}

fn check_selector(
    selector: &Selector,
    choices: usize,
    inputs: usize,
    columns: usize,
) -> Result<(), &'static str> {
    match selector {
        Selector::Constant { choice } if *choice >= choices => Err("constant choice"),
        Selector::Constant { .. } => Ok(()),
        Selector::Svm(svm) => svm.check(choices, columns),
        Selector::Forest(forest) => forest.check(choices, inputs, columns).map(|_| ()),
    }
}

/// Checks names, which may be shown on a terminal and name files.
fn check_names(model: &Model) -> Result<(), &'static str> {
    name::check_function(&model.function).map_err(|_| "name of the function")?;
    let provenance = &model.provenance;
    let lists = [
        ("name of a choice", &model.choices),
        ("name of a feature", &model.features),
        ("name of a device feature", &model.device_features),
        ("name of a source", &provenance.sources),
    ];
    let columns = model.coverage.devices.iter().map(|devices| ("name of a column", &devices.features));
    for (what, names) in lists.into_iter().chain(columns) {
        names.iter().try_for_each(|one| name::check(one)).map_err(|_| what)?;
    }
    let mut calibrated = model.calibrations.iter().map(|calibration| name::check(&calibration.device));
    calibrated.try_for_each(|checked| checked).map_err(|_| "name of a calibrated device")?;
    let texts = [
        ("strategy", &provenance.strategy),
        ("objective", &provenance.objective),
        ("digest", &provenance.recordings_digest),
    ];
    let ill = texts.into_iter().find(|(_, text)| !text.is_empty() && name::check(text).is_err());
    ill.map_or(Ok(()), |(what, _)| Err(what))
}
