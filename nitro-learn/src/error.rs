//! Errors of a request to fit.

use nitro_core::MAX_VARIANTS;
use thiserror::Error;

use nitro_store::printable::list;

/// The reason that no selector could be fitted.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum LearnError {
    /// A device that nothing was recorded on.
    #[error("function `{function}` has no recordings of device `{device}`; recorded are: {}", list(known))]
    UnknownDevice {
        /// The function.
        function: String,
        /// The device that was asked for.
        device: String,
        /// The devices that are known.
        known: Vec<String>,
    },
    /// No source device is left.
    #[error(
        "function `{function}` has no source device to learn from; record it on a device or name sources"
    )]
    NoSources {
        /// The function.
        function: String,
    },
    /// Not one training input has a successful variant on any source.
    #[error(
        "function `{function}`: no variant succeeded on any of {inputs} training inputs on {}; record more inputs",
        list(sources)
    )]
    NoSamples {
        /// The function.
        function: String,
        /// Number of inputs.
        inputs: usize,
        /// The source devices.
        sources: Vec<String>,
    },
    /// More variants than a selection tells apart.
    #[error(
        "function `{function}` has {variants} variants, and may have {MAX_VARIANTS}: leave out those that are gone, or \
         record into another store"
    )]
    TooManyVariants {
        /// The function.
        function: String,
        /// Number of variants.
        variants: usize,
    },
    /// More than fits into memory.
    #[error(
        "function `{function}` has {devices} devices, {inputs} inputs and {choices} choices, which is more than can be \
         compared: learn from fewer in a store of their own"
    )]
    TooLarge {
        /// The function.
        function: String,
        /// Number of devices.
        devices: usize,
        /// Number of inputs.
        inputs: usize,
        /// Number of choices: variants with their configurations.
        choices: usize,
    },
    /// The model is one that nothing could read.
    #[error(
        "function `{function}`: the model that was fitted could not be read back ({why}); look for features of extreme \
         values"
    )]
    Unreadable {
        /// The function.
        function: String,
        /// The reader's message.
        why: String,
    },
    /// An input position outside the recordings.
    #[error("function `{function}`: training input {input} is not among its {inputs} recorded inputs")]
    UnknownInput {
        /// The function.
        function: String,
        /// The position asked for.
        input: usize,
        /// Number of inputs.
        inputs: usize,
    },
    /// Device features by hardware counters, of which there are none.
    #[error(
        "function `{function}`: no hardware counters were read on a source device; read some with `profile`, or ask \
         for other device features"
    )]
    NoProfiles {
        /// The function.
        function: String,
    },
    /// The default choice is to run where the selector is unsure, and is none of those that it may pick.
    #[error(
        "the default variant of `{function}` is not known from its recordings, or was not measured: record with the \
         program that declares it, or leave out --when-unsure default"
    )]
    DefaultUnknown {
        /// The function.
        function: String,
    },
    /// A strategy's name that means nothing.
    #[error("unknown selector strategy `{found}`; write one of {}", known.join(", "))]
    UnknownStrategy {
        /// The name that was written.
        found: String,
        /// The names that are known.
        known: Vec<&'static str>,
    },
    /// A model that knows what the recordings do not.
    #[error(
        "the model of `{function}` has a {kind} `{name}` that its recordings do not tell apart: fit it again from them"
    )]
    ForeignModel {
        /// The function.
        function: String,
        /// `choice` or `feature`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}
