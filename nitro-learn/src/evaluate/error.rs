//! Errors of a request to evaluate.

use nitro_core::Regime;
use thiserror::Error;

use crate::LearnError;

/// The reason that there are no figures.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum EvaluateError {
    /// Nothing to hold out.
    #[error(
        "function `{function}` is recorded on {}; leaving one out takes at least two, so record it on another",
        counted(*devices, "device")
    )]
    TooFewDevices {
        /// The function.
        function: String,
        /// Number of devices.
        devices: usize,
    },
    /// Recordings of another time have nothing of these.
    #[error(
        "what was recorded again has no time of function `{0}` on the same devices and inputs: record there what is \
         recorded here"
    )]
    NothingAgain(String),
    /// Nothing to learn from but the input that is left out.
    #[error(
        "function `{function}` has {} completely measured on `{device}`; leaving one out takes at least two, so record \
         more there",
        counted(*inputs, "input")
    )]
    TooFewInputs {
        /// The function.
        function: String,
        /// The device.
        device: String,
        /// Number of inputs.
        inputs: usize,
    },
    /// Nothing to learn from but the machine that is held out.
    #[error(
        "function `{function}` is recorded on one machine alone; leaving out a machine takes at least two, so record \
         it on another"
    )]
    TooFewMachines {
        /// The function.
        function: String,
    },
    /// Nothing to learn from but the regime that is held out.
    #[error(
        "function `{function}` is recorded in the regime {regime} alone; leaving out a regime takes at least two, so \
         record it in another (`record --regime`)"
    )]
    TooFewRegimes {
        /// The function.
        function: String,
        /// The regime.
        regime: Regime,
    },
    /// A list of inputs names one that was never recorded.
    #[error("the list of {side} inputs names `{input}`, which function `{function}` has no recording of")]
    UnknownInput {
        /// The function.
        function: String,
        /// `training` or `test`.
        side: &'static str,
        /// The name.
        input: String,
    },
    /// An input that would be learned from and tested on.
    #[error(
        "input `{input}` of function `{function}` is both a training and a test input; name it in one list only"
    )]
    Overlap {
        /// The function.
        function: String,
        /// The name.
        input: String,
    },
    /// Nothing to learn from or nothing to test on.
    #[error(
        "function `{function}` has no {side} inputs among its {inputs}; record more inputs or name them in a file"
    )]
    EmptySide {
        /// The function.
        function: String,
        /// `training` or `test`.
        side: &'static str,
        /// Number of inputs.
        inputs: usize,
    },
    /// No test input has a success on the device.
    #[error("function `{function}`: no variant succeeded on any of the test inputs on `{device}`")]
    NoTests {
        /// The function.
        function: String,
        /// The device.
        device: String,
    },
    /// A model whose names are not those of the recordings.
    #[error(
        "the model uses {kind} `{name}`, which the recordings of function `{function}` do not have; fit it again"
    )]
    ForeignModel {
        /// The function.
        function: String,
        /// The kind of thing that the name is of.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Fitting failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
}

/// Returns a number with its noun, in the plural where it takes one.
fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
