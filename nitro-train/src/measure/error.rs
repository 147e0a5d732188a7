//! The errors that end the work on an input.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use nitro_core::recording::{Panicked, message};
use nitro_store::printable::sentence;
use nitro_store::store::StoreError;
use thiserror::Error;

// The error of a recording closure, as of a generator: whatever its own work may raise.
pub use nitro_search::BoxError;

/// The inputs that could not be worked on, by name, each with its reason.
///
/// Either the closure failed or panicked with them in hand, or they cannot be measured.
pub type FailedInputs = BTreeMap<String, String>;

/// The reason for which an input could not be recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The closure did not call the function on the session's thread.
    #[error(
        "input `{input}`: the closure never called `{function}` on its own thread; call it there, once or more"
    )]
    NotCalled {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
    },
    /// The function ran on another device than the one being recorded.
    #[error(
        "input `{input}`: `{function}` ran on {found}, while {expected} is being recorded; check its `device = ..`"
    )]
    OtherDevice {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The device being recorded.
        expected: String,
        /// The device of the call.
        found: String,
    },
    /// A feature of the input is no number that a model could use.
    #[error("input `{input}`: feature `{feature}` of `{function}` is {value}; a feature has to be finite")]
    FeatureNotFinite {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The feature.
        feature: &'static str,
        /// Its value.
        value: f64,
    },
    /// A closure calls the function on several inputs.
    #[error(
        "input `{input}`: one closure calls `{function}` on several inputs ({how}): \
         give each a name of its own, or copy the input before each call that changes it"
    )]
    SeveralInputs {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The difference between the calls.
        how: String,
    },
    /// The default variant does not do the same in each run.
    #[error(
        "input `{input}`: {how}, so runs of `{function}` cannot be compared: \
         where the closure changes its input, copy it inside the closure or make it with \
         `session.input_with_setup`; what is random must be seeded"
    )]
    InputChanges {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The difference between two runs.
        how: String,
    },
    /// A name is that of two inputs.
    #[error(
        "input `{input}`: `{function}` is given two inputs of this name, of which the first is kept: name each apart"
    )]
    NameTwice {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
    },
    /// The default variant returns `Err`, which the input's check does not take for an answer.
    #[error(
        "input `{input}`: the default variant of `{function}` returned an error, \
         and the check does not accept that as its answer"
    )]
    DefaultRefused {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
    },
    /// A variant or a closure panicked, and a fresh process is to go on.
    #[error("{what}; a fresh process goes on")]
    Panicked {
        /// The function.
        function: &'static str,
        /// The device.
        device: String,
        /// A sentence that says who panicked.
        what: String,
        /// The inputs that the fresh process is to leave out.
        left_out: FailedInputs,
    },
    /// A proposer has nothing to propose.
    #[error(transparent)]
    Proposer(BoxError),
    /// The default variant or the closure itself fails on the input.
    #[error("input `{input}`: the default variant of `{function}` {what}; it has to run on every input")]
    DefaultFailed {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The failure, as the rest of a sentence.
        what: String,
    },
    /// The default variant or the closure itself panics on the input.
    #[error("input `{input}`: the default variant of `{function}` {panicked}; it has to run on every input")]
    DefaultPanicked {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The message of the panic.
        panicked: Panicked,
    },
    /// A variant took the device away from this process.
    #[error(
        "input `{input}`: variant `{variant}` of `{function}` lost {device}; \
         it is recorded as failed there, and only a fresh process can go on"
    )]
    DeviceLost {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The variant.
        variant: &'static str,
        /// The device.
        device: String,
    },
    /// The time given to a profile has passed.
    #[error("the time for the profile of `{function}` has passed; what was profiled is kept")]
    OutOfTime {
        /// The function.
        function: &'static str,
    },
    /// The profiler could not be shown a call.
    #[error("input `{input}`: `{function}` could not be shown to the profiler")]
    NotShown {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// The error of the profiler, or of the file of sections.
        source: BoxError,
    },
    /// The closure asked for inputs and has none of its own.
    #[error("`{function}` has no built-in inputs: give a folder of inputs")]
    NoInputs {
        /// The function.
        function: &'static str,
    },
    /// The closure asked for inputs, has none of its own, and the folder of inputs has no files.
    #[error(
        "there is no file of an input for `{function}` in {}, nor below it: name the folder that has the inputs",
        folder.display()
    )]
    NoFiles {
        /// The folder.
        folder: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// The closure asked for inputs, has none of its own, and no file of the folder is of its patterns.
    #[error(
        "none of the {files} files in {} is an input of `{function}`, which reads {patterns}: \
         name another folder, or unpack what is packed",
        folder.display()
    )]
    NoMatch {
        /// The folder.
        folder: PathBuf,
        /// The function.
        function: &'static str,
        /// Number of files there.
        files: usize,
        /// The patterns that the function reads.
        patterns: String,
    },
    /// The closure asked for inputs of a pattern that is none.
    #[error("`{function}` asks for inputs of `{pattern}`, which is no pattern: {problem}")]
    BadPattern {
        /// The function.
        function: &'static str,
        /// The pattern.
        pattern: String,
        /// The mistake in it.
        problem: String,
    },
    /// The folder of inputs cannot be read.
    #[error("{}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The store refused the measurements.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The device cannot be worked on now.
    #[error(transparent)]
    Device(BoxError),
    /// The recording closure failed or panicked in its own work on an input, such as making it.
    #[error("input `{input}`")]
    Input {
        /// The input.
        input: String,
        /// The error of the closure.
        source: BoxError,
    },
    /// The recording closure failed in its own work.
    #[error(transparent)]
    Closure(BoxError),
}

impl RecordError {
    /// Creates the error of a closure with an input in hand or none; one of the session is passed on.
    pub(super) fn of_closure(error: BoxError, in_hand: Option<String>) -> Self {
        match (error.downcast::<Self>(), in_hand) {
            (Ok(of_session), _) => *of_session,
            (Err(source), Some(input)) => Self::Input { input, source },
            (Err(source), None) => Self::Closure(source),
        }
    }

    /// Returns the input that alone is concerned: the others can go on.
    pub(super) fn of_input(&self) -> Option<&str> {
        match self {
            Self::NotCalled { input, .. }
            | Self::FeatureNotFinite { input, .. }
            | Self::SeveralInputs { input, .. }
            | Self::InputChanges { input, .. }
            | Self::NameTwice { input, .. }
            | Self::DefaultFailed { input, .. }
            | Self::DefaultPanicked { input, .. }
            | Self::DefaultRefused { input, .. }
            | Self::Input { input, .. } => Some(input),
            _ => None,
        }
    }

    /// Returns the message in one line, without the name of the input.
    pub(super) fn without_input(&self) -> String {
        let text = match self {
            Self::Input { source, .. } => sentence(&**source),
            own => sentence(own),
        };
        let own = self.of_input().map(|input| format!("input `{input}`: ")).unwrap_or_default();
        // A panic may say several lines, and the user's error anything.
        let text = message(text.strip_prefix(&own).unwrap_or(&text));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
