//! The errors of a trainer's calls.

use std::io;
use std::path::PathBuf;
use std::string::FromUtf8Error;

use nitro_core::Regime;
use nitro_core::model::ModelError;
use nitro_learn::LearnError;
use nitro_learn::evaluate::EvaluateError;
use nitro_store::exchange::{ExportError, ImportError};
use nitro_store::printable::list;
use nitro_store::store::StoreError;
use thiserror::Error;

use crate::measure::{BoxError, RecordError};
use crate::profile::ProfileError;
use crate::search::SearchError;
use crate::traffic::CaptureError;

/// An error of a call of a [`Trainer`](crate::Trainer). The message, with its causes, names what to change.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum TrainError {
    /// The trainer has nothing to measure.
    #[error("this program has no functions: add them with Trainer::function")]
    NoFunctions,

    /// Models are to be written where a file is.
    #[error("{} is no folder: name the folder that the models go to", path.display())]
    ModelsAreNoFolder { path: PathBuf },

    /// Two functions of the trainer have the same name.
    #[error(
        "two functions of this program are called `{function}`, and their recordings would be mixed: \
         give one another name by `name = \"..\"` in its #[code_variant]"
    )]
    FunctionTwice { function: String },

    /// The trainer has no function of this name.
    #[error("this program has no function `{function}` to measure; it has {}", list(known))]
    UnknownFunction { function: String, known: Vec<String> },

    /// The request does not say what to forget.
    #[error("this would forget everything: name a function, a variant, inputs or a device, or say --all")]
    ForgetsAll,

    /// The store has nothing of what should be measured again.
    #[error(
        "nothing that store `{store}` holds is to be measured again: `record` without --again measures what is new"
    )]
    NothingToMeasureAgain { store: String },

    /// The function has no variant of this name.
    #[error("there is no variant `{variant}`; there are {}", list(known))]
    UnknownVariant { variant: String, known: Vec<String> },

    /// The function is declared otherwise than what was recorded.
    #[error("{function}: {} declared otherwise than when it was recorded: `record` it again", are(changes))]
    OtherDeclaration { function: String, changes: Vec<String> },

    /// The function does not run on the named device.
    #[error("`{function}` runs on {kind} devices, not on {device}: name one of those")]
    OtherKind { function: String, kind: &'static str, device: String },

    /// The name has the form of no provider's devices.
    #[error("`{name}` is not a device of this program: write {}", forms.join(", or "))]
    UnknownDevice { name: String, forms: Vec<&'static str> },

    /// The device cannot be named so, or cannot be used.
    #[error(transparent)]
    Device(BoxError),

    /// The machine has no device that `all` stands for.
    #[error(
        "no GPU was found that this program can use{}; name a device, for example {host}",
        reasons.iter().map(|reason| format!(" ({reason})")).collect::<String>()
    )]
    NoGpu { reasons: Vec<String>, host: String },

    /// A device is neither of this machine nor in the store.
    #[error("no device `{name}` in the store (it has {}) and none of that name here", list(known))]
    DeviceNowhere { name: String, known: Vec<String>, source: Box<Self> },

    /// A kind of device is not measured in the regime.
    #[error("devices of kind {kind} are not measured in regime {regime}: name one of {}", list(known))]
    NoSuchRegime { kind: &'static str, regime: Regime, known: Vec<&'static str> },

    /// A device in a regime is to be measured in another one.
    #[error("{device} names another regime than {regime}: leave one of the two out")]
    TwoRegimes { device: String, regime: Regime },

    /// A recording ended early.
    #[error("recording {function} on {device} stopped; what was measured is kept")]
    Record { function: String, device: String, source: Box<RecordError> },

    /// The inputs could not be looked at.
    #[error("the features of the inputs of {function} on {device}")]
    Survey { function: String, device: String, source: Box<RecordError> },

    /// The store has no recordings.
    #[error("{store}: no recordings; make some with `record`, then `fit`, or take some with `import`")]
    NoRecordings { store: String },

    /// The store has no recordings of a function that was asked for.
    #[error(
        "{store}: no recordings of `{function}`{}; make some with `record`, or take some with `import`",
        others(known)
    )]
    NoneOfFunction { store: String, function: String, known: Vec<String> },

    /// The only recordings are those of this machine.
    #[error(
        "no recordings of `{function}` on another machine: run `record` there with the same store, or `import` \
         them; to learn from this one alone, use `fit`"
    )]
    NoSources { function: String },

    /// The function has no measurements to write.
    #[error("there are no measurements of `{function}` to export")]
    NothingToExport { function: String },

    /// The configurations were asked for, and nothing tells which exist.
    #[error(
        "which configurations of `{function}` exist is not listed: leave out --parameters, or import them"
    )]
    NoSpaceToExport { function: String },

    /// The times of the features were asked for, and were not measured.
    #[error(
        "what the features of `{function}` take was not measured; leave out --feature-times, or `record \
         --feature-times` first"
    )]
    NoTimesToExport { function: String },

    /// The function has no generated code to write.
    #[error("the store has no generated code of `{function}`; leave out --artifacts")]
    NoArtifactsToExport { function: String },

    /// The program has no generator for the code that is asked for.
    #[error(
        "{} of {} runs generated code that this program has a generator of (`Tunable::generated`); it has {}",
        variant.as_ref().map_or("no variant".to_owned(), |variant| format!("no variant `{variant}`")),
        list(functions),
        list(known)
    )]
    NoGenerated { functions: Vec<String>, variant: Option<String>, known: Vec<String> },

    /// The name is that of no generated code.
    #[error(
        "there is no preset `{name}` and no generated code whose digest begins so; there are {}{}",
        list(known),
        if *more > 0 { format!(" and {more} more") } else { String::new() }
    )]
    UnknownGenerated { name: String, known: Vec<String>, more: usize },

    /// The name is that of several pieces of generated code.
    #[error("`{name}` may be {}: write more of the digest, or name function and variant", found.join(" or "))]
    SeveralGenerated { name: String, found: Vec<String> },

    /// A generator describes nothing.
    #[error(
        "the generator of `{variant}` of `{function}` does not describe its code (`Generator::describe`; that of \
         nests does with the feature `show` of nitro-nest)"
    )]
    NoDescription { function: String, variant: String },

    /// A text is none of the generator's.
    #[error("`{name}` of `{function}` cannot be described")]
    Describe { function: String, name: String, source: BoxError },

    /// The recordings that the program carries are damaged.
    #[error("the recordings of `{function}` that this program carries")]
    Shipped { function: String, source: Box<ImportError> },

    /// The profiles that the program carries are damaged.
    #[error("the profiles of `{function}` that this program carries")]
    ShippedProfiles { function: String, source: Box<ImportError> },

    /// A list of inputs cannot be read.
    #[error("{}", file.display())]
    InputList { file: PathBuf, source: io::Error },

    /// A list of inputs is no text.
    #[error("{}: it is not UTF-8 text", file.display())]
    InputListNotText { file: PathBuf, source: FromUtf8Error },

    /// A list of inputs is empty.
    #[error("{}: no names of inputs: write one a line", file.display())]
    InputListEmpty { file: PathBuf },

    /// A bound is given for a function that is not checked.
    #[error(
        "a bound is given for `{function}`, which is not among the functions that are checked: {}",
        list(checked)
    )]
    UncheckedBound { function: String, checked: Vec<String> },

    /// The function has no model, or a damaged one.
    #[error("no usable model of `{function}`: make one with `fit`, or name its folder")]
    NoModel { function: String, source: ModelError },

    /// A value was given of what the model does not know.
    #[error("`{feature}` is not a feature of the model; its features are {}", list(known))]
    UnknownFeature { feature: String, known: Vec<String> },

    /// A value is not finite, which no input has.
    #[error("`{feature}={value}`: `{value}` is not a finite number")]
    FeatureNotFinite { feature: String, value: f64 },

    /// A feature has two values.
    #[error("feature `{feature}` is given twice")]
    FeatureTwice { feature: String },

    /// The values of some features are missing.
    #[error(
        "{} {} missing: the model needs {}",
        missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        if missing.len() == 1 { "is" } else { "are" },
        list(needed)
    )]
    FeaturesMissing { missing: Vec<String>, needed: Vec<String> },

    /// The model asks for a device feature that the device does not have.
    #[error(
        "device {device} has no device feature `{feature}`, which the model needs: name a device like those it \
         learned from, for example {example}"
    )]
    DeviceFeatureMissing { device: String, feature: String, example: String },

    /// A profiler cannot watch the device.
    #[error("{device}: no hardware counters are read of this kind of device; name one as cuda:0")]
    NoCounters { device: String },

    /// A variant or proxy could not be profiled.
    #[error("there is no profile of {}; what the others gave is written", list(missing))]
    ProfilesMissing { missing: Vec<String> },

    /// A captured file has no calls.
    #[error("{} has no calls: let a program run with NITRO_CAPTURE={0}", file.display())]
    NoCalls { file: PathBuf },

    /// Captured calls compare nothing.
    #[error(
        "{}: no two choices of `{function}` were called on {device} with the same features, so there is nothing to \
         compare: let the program run again with the same NITRO_CAPTURE and another choice in NITRO_FORCE",
        file.display()
    )]
    NothingCompared { file: PathBuf, function: String, device: String },

    /// An operation of the operating system fails.
    #[error("{what}")]
    Io { what: String, source: io::Error },

    /// An error of a store.
    #[error(transparent)]
    Store(#[from] StoreError),

    /// An error of a session.
    #[error(transparent)]
    Session(Box<RecordError>),

    /// An error of learning.
    #[error(transparent)]
    Learn(#[from] LearnError),

    /// An error of evaluating.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),

    /// An error of a model.
    #[error(transparent)]
    Model(#[from] ModelError),

    /// An error of importing measurements of other tools.
    #[error(transparent)]
    Import(#[from] ImportError),

    /// An error of exporting measurements for other tools.
    #[error(transparent)]
    Export(#[from] ExportError),

    /// An error of a space of configurations, or of a search in it.
    #[error(transparent)]
    Search(#[from] SearchError),

    /// An error of reading hardware counters.
    #[error(transparent)]
    Profile(#[from] ProfileError),

    /// The captured calls say nothing of a function.
    #[error(
        "{file} has no captured call of `{function}` whose features are known; capture some, name other functions, \
         or take another objective"
    )]
    NoTraffic { file: String, function: String },

    /// An error of reading captured calls.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

impl TrainError {
    /// Returns what makes an error of a failed operation of the operating system.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    /// Tells if a folder has no inputs of the function.
    pub(super) fn is_of_no_match(&self) -> bool {
        match self {
            Self::Record { source, .. } | Self::Survey { source, .. } => {
                matches!(**source, RecordError::NoMatch { .. })
            }
            _ => false,
        }
    }

    /// Returns true if a variant took the device away from this process: a fresh one can go on.
    #[must_use]
    pub fn is_device_loss(&self) -> bool {
        matches!(self.of_recording(), Some(RecordError::DeviceLost { .. }))
    }

    /// Returns the error of a recording, or of a look at its inputs, if that is what failed.
    pub(crate) fn of_recording(&self) -> Option<&RecordError> {
        match self {
            Self::Record { source, .. } | Self::Survey { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Returns true if this process can measure no other function either.
    pub(super) fn ends_the_process(&self) -> bool {
        matches!(self, Self::Store(_))
            || matches!(
                self.of_recording(),
                Some(RecordError::DeviceLost { .. } | RecordError::Panicked { .. } | RecordError::Store(_))
            )
    }
}

/// Returns what was done, or the first error if there is one.
pub(super) fn all_or_first<T>(done: Vec<T>, failed: Vec<TrainError>) -> Result<Vec<T>, TrainError> {
    match failed.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(done),
    }
}

/// Names the functions that have recordings.
fn others(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; there are some of {}", known.join(", ")) }
}

/// Names what changed, as the subject of a sentence.
pub(crate) fn are(changes: &[String]) -> String {
    format!("{} {}", changes.join(", "), if changes.len() == 1 { "is" } else { "are" })
}
