//! Where models come from: files and the program itself, in a fixed order.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::model::{self, Model, ModelError};
use crate::{Function, Reason, environment};

/// Where a model is from, for messages.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(PathBuf),
    Embedded,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(formatter),
            Self::Embedded => formatter.write_str("the embedded model"),
        }
    }
}

/// Why a model that was found is not used.
#[derive(Clone, Debug)]
pub(crate) struct Unusable {
    pub(crate) reason: Reason,
    pub(crate) origin: Origin,
    pub(crate) why: String,
}

/// The model of a function, or none, from the first of these places that has one:
/// 1. the folder that `NITRO_MODELS` names,
/// 2. the program itself (`model = EXPR`),
/// 3. the folder `models` beside the executable,
/// 4. the folder `models` in the working directory.
pub(crate) fn find_model(function: &Function) -> Result<Option<(Model, Origin)>, Unusable> {
    let Some(origin) = origin(function) else { return Ok(None) };
    let read = match &origin {
        Origin::File(path) => Model::read(path),
        Origin::Embedded => Model::from_bytes(function.embedded_model().unwrap_or_default()),
    };
    match read {
        Err(error) => {
            let why = format!("cannot be read: {}", cause(&error));
            Err(Unusable { reason: Reason::ModelUnreadable, origin, why })
        }
        Ok(model) if model.function != function.name() => {
            let why = format!("is of another function, `{}`", model.function);
            Err(Unusable { reason: Reason::ModelForeign, origin, why })
        }
        Ok(model) => Ok(Some((model, origin))),
    }
}

fn origin(function: &Function) -> Option<Origin> {
    let file = model::file_name(function.name());
    let in_folder = |folder: PathBuf| Some(folder.join(&file)).filter(|path| path.exists());
    let beside = || std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("models")));
    let chosen = environment::models_folder().and_then(in_folder).map(Origin::File);
    chosen
        .or_else(|| function.embedded_model().map(|_| Origin::Embedded))
        .or_else(|| beside().and_then(in_folder).map(Origin::File))
        .or_else(|| in_folder(Path::new("models").into()).map(Origin::File))
}

/// What is wrong, without the path, which the origin tells.
fn cause(error: &ModelError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
