//! What ends the work on an input.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::search::SearchError;
use crate::store::StoreError;

// The error of a recording closure, as of a generator: whatever its own work may raise.
pub use nitro_search::BoxError;

/// Why an input could not be recorded.
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
    /// The configurations cannot be searched.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The default variant or the closure itself fails on the input.
    #[error("input `{input}`: the default variant of `{function}` {what}; it has to run on every input")]
    DefaultFailed {
        /// The function.
        function: &'static str,
        /// The input.
        input: String,
        /// What happened.
        what: String,
    },
    /// A variant took the device away from this process.
    #[error(
        "input `{input}`: variant `{variant}` of `{function}` lost {device}; it is recorded as failed there, and only a fresh process can go on"
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
        /// What went wrong.
        source: BoxError,
    },
    /// The closure asked for inputs and has none of its own.
    #[error("`{function}` has no built-in inputs: give a folder of inputs")]
    NoInputs {
        /// The function.
        function: &'static str,
    },
    /// The closure asked for inputs, has none of its own, and the folder of inputs has no files.
    #[error("there is no file of an input for `{function}` in {}, nor below it: name the folder that has the inputs", folder.display())]
    NoFiles {
        /// The folder.
        folder: PathBuf,
        /// The function.
        function: &'static str,
    },
    /// The closure asked for inputs, has none of its own, and no file of the folder is of its patterns.
    #[error(
        "none of the {files} files in {} is an input of `{function}`, which reads {patterns}: name another folder, or unpack what is \
         packed",
        folder.display()
    )]
    NoMatch {
        /// The folder.
        folder: PathBuf,
        /// The function.
        function: &'static str,
        /// How many files there are.
        files: usize,
        /// What the function reads.
        patterns: String,
    },
    /// The closure asked for inputs of a pattern that is none.
    #[error("`{function}` asks for inputs of `{pattern}`, which is no pattern: {problem}")]
    BadPattern {
        /// The function.
        function: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The folder of inputs cannot be read.
    #[error("{}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
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
        /// What happened.
        source: BoxError,
    },
    /// The recording closure failed in its own work.
    #[error(transparent)]
    Closure(BoxError),
}

impl RecordError {
    /// What ended a closure: an error of the session that it passed on, or one of its own, be it with an input in hand.
    pub(super) fn of_closure(error: BoxError, in_hand: Option<String>) -> Self {
        let of_closure = |source| match in_hand {
            Some(input) => Self::Input { input, source },
            None => Self::Closure(source),
        };
        error.downcast().map_or_else(of_closure, |own| *own)
    }
}
