//! Whether the parts of a model fit together.

use super::super::{Model, Selector};
use crate::{MAX_CHOICES, MAX_FEATURES, name};

/// A model that passes cannot make a prediction panic.
pub(super) fn check(model: &Model) -> Result<(), &'static str> {
    let choices = model.choices.len();
    if choices == 0 || choices > MAX_CHOICES {
        return Err("number of choices");
    }
    if model.features.len() > MAX_FEATURES {
        return Err("number of features");
    }
    check_names(model)?;
    model.coverage.check(model.features.len())?;
    let columns = model.features.len() + model.device_features.len();
    match &model.selector {
        Selector::Constant { choice } if *choice >= choices => Err("constant choice"),
        Selector::Constant { .. } => Ok(()),
        Selector::Svm(svm) => svm.check(choices, columns),
        Selector::Forest(forest) => forest.check(choices, model.features.len(), columns).map(|_| ()),
    }
}

/// Names may be shown on a terminal, and name files.
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
    let texts = [("strategy", &provenance.strategy), ("digest", &provenance.recordings_digest)];
    let ill = texts.into_iter().find(|(_, text)| !text.is_empty() && name::check(text).is_err());
    ill.map_or(Ok(()), |(what, _)| Err(what))
}
