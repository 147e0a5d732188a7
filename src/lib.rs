#![doc = include_str!("../README.md")]

pub use nitro_core::{
    Choice, CodeChoice, CodeVariant, Configuration, ConfigurationError, Constraint, Count, Device,
    DeviceEntry, DeviceFeature, Far, FeatureValue, FeatureVector, Function, MAX_CHOICES, MAX_FEATURES,
    MAX_VARIANTS, Parameter, ParameterKind, Parameters, Reason, ReasonKind, ReloadError, Selection, Stats,
    Stopwatch, UnknownChoice, UnknownVariant, VariantInfo, host, model, recording, reload, set_deterministic,
    set_exact, stats,
};

#[doc = include_str!("code_variant.md")]
pub use nitro_macros::code_variant;

/// What generated code uses; changes with the macro.
#[doc(hidden)]
pub use nitro_core::__private;
