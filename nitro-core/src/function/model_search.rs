//! The places of models: files and the program itself, in a fixed order.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use super::Function;
use crate::hash::fnv1a;
use crate::model::{self, Model, ModelError};
use crate::{Reason, environment};

/// The place that a model is from, for messages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// A file that somebody chose: by naming its folder, or by putting it beside the executable.
    File(PathBuf),
    /// A file in the working directory, where anybody's may lie.
    WorkingFolder(PathBuf),
    Embedded,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) | Self::WorkingFolder(path) => path.display().fmt(formatter),
            Self::Embedded => formatter.write_str("the embedded model"),
        }
    }
}

/// The bytes that stand where a function's model was found.
pub(crate) struct Source {
    pub(crate) origin: Origin,
    bytes: Result<Cow<'static, [u8]>, ModelError>,
}

/// Tells sources apart: the place, and the length and digest of what is there.
pub(crate) type SourceIdentity = (Origin, usize, u64);

/// The reason why a model that was found is not used.
#[derive(Clone, Debug)]
pub(crate) struct UnusableModel {
    pub(crate) reason: Reason,
    pub(crate) origin: Origin,
    pub(crate) why: String,
}

/// The first of these places that has a model of the function:
/// 1. the folder that `NITRO_MODELS` names,
/// 2. the folder that the program names ([`set_models`](crate::set_models)),
/// 3. the program itself (`model = EXPR`),
/// 4. the folder `models` beside the executable,
/// 5. the folder `models` in the working directory, for models without generated code.
pub(crate) fn find_source(function: &Function) -> Option<Source> {
    let origin = origin(function)?;
    let bytes = match &origin {
        Origin::File(path) | Origin::WorkingFolder(path) => Model::read_bytes(path).map(Cow::Owned),
        Origin::Embedded => Ok(Cow::Borrowed(function.embedded_model().unwrap_or_default())),
    };
    Some(Source { origin, bytes })
}

impl Source {
    /// The identity, which tells it apart from others; none where it cannot be read.
    pub(crate) fn identity(&self) -> Option<SourceIdentity> {
        let bytes = self.bytes.as_ref().ok()?;
        Some((self.origin.clone(), bytes.len(), fnv1a(bytes)))
    }

    /// The model of the function in it.
    pub(crate) fn model(self, function: &Function) -> Result<(Model, Origin), UnusableModel> {
        let Self { origin, bytes } = self;
        let is_trusted = !matches!(origin, Origin::WorkingFolder(_));
        let read = bytes.and_then(|bytes| match is_trusted {
            true => Model::from_bytes(&bytes).map(Some),
            false => Model::from_bytes_without_code(&bytes),
        });
        match read {
            Err(error) => {
                let why = format!("cannot be read: {}", cause(&error));
                Err(UnusableModel { reason: Reason::ModelUnreadable, origin, why })
            }
            Ok(None) => {
                let why = "carries generated code, which would run, and lies in the working directory: \
                    name its folder in NITRO_MODELS, or put it beside the executable"
                    .to_owned();
                Err(UnusableModel { reason: Reason::ModelUntrusted, origin, why })
            }
            Ok(Some(model)) if model.function != function.name() => {
                let why = format!("is of another function, `{}`", model.function);
                Err(UnusableModel { reason: Reason::ModelForeign, origin, why })
            }
            Ok(Some(model)) => Ok((model, origin)),
        }
    }
}

fn origin(function: &Function) -> Option<Origin> {
    let file = model::file_name(function.name());
    for folder in [environment::models_folder(), environment::models_of_program()].into_iter().flatten() {
        if let Some(path) = existing(folder, &file) {
            return Some(Origin::File(path));
        }
    }
    if function.embedded_model().is_some() {
        return Some(Origin::Embedded);
    }
    let beside = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join("models")));
    if let Some(path) = beside.and_then(|folder| existing(folder, &file)) {
        return Some(Origin::File(path));
    }
    existing("models".into(), &file).map(Origin::WorkingFolder)
}

/// The path of a file in a folder, if it exists.
fn existing(folder: PathBuf, file: &str) -> Option<PathBuf> {
    Some(folder.join(file)).filter(|path| path.exists())
}

/// The message of an error without its path, which the origin tells.
fn cause(error: &ModelError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
