//! Runs, of several implementations of a function, the one that is expected to be fastest for each input on this
//! machine.
//!
//! [`code_variant`](macro@code_variant) makes a function of a signature and its variants:
//!
//! ```
//! use nitro::code_variant;
//!
//! #[code_variant(features(length = keys.len()), variants(stable, unstable), default = stable)]
//! pub fn sort(keys: &mut [u32]);
//!
//! fn stable(keys: &mut [u32]) {
//!     keys.sort();
//! }
//!
//! fn unstable(keys: &mut [u32]) {
//!     keys.sort_unstable();
//! }
//!
//! fn main() {
//!     let mut keys = [3, 1, 2];
//!     println!("{}", sort::select(&mut keys)); // stable: default, there is no model; nothing was run
//!     sort(&mut keys);
//!     assert_eq!(keys, [1, 2, 3]);
//! }
//! ```
//!
//! The nouns:
//! - A *variant* is an implementation, a *feature* a number that describes the input, a *constraint* a condition
//!   under which alone a variant may run.
//! - A [`Device`] is where a call runs: a [`host`] with so many threads, or a GPU (package `nitro-variants-cuda`).
//! - A [`Model`](model::Model) ranks the variants by features of input and device. A trainer makes it, a program of
//!   its own (package `nitro-variants-train`).
//! - A [`Selection`] is the chosen variant and the [`Reason`]. Choosing never fails. Whatever is wrong with a model,
//!   a feature or the environment, the best variant that may run does.
//!
//! In a running program [`stats()`] counts which variants ran and why, and [`reload()`] takes new models while
//! calls go on, and [`calibrate_in_background`] lets it learn from its own calls.
//!
//! # Environment
//!
//! | variable | does |
//! | --- | --- |
//! | `NITRO_MODELS` | folder of models, searched before the other places of models ([below](#models)) |
//! | `NITRO_FORCE` | pins variants, e.g. `spmv=ell,sort=radix` |
//! | `NITRO_EXACT` | `1`: only variants whose results are bit for bit the default's ([`set_exact`]) |
//! | `NITRO_DETERMINISTIC` | `1`: the same choice for an input on every device of one kind ([`set_deterministic`]) |
//! | `NITRO_CAPTURE` | file that samples of real calls are added to, for `train coverage` |
//! | `NITRO_STORE` | the trainer's store, a file or `redis://host:port/db` |
//!
//! Every mistake in a variable, and a model that is damaged or does not fit the code, is told once: as an event of
//! `tracing` where the program listens, otherwise as a line on stderr.
//!
//! # Models
//!
//! A function takes its model from the first place that has one:
//! 1. the folder that `NITRO_MODELS` names,
//! 2. the folder that [`set_models`] names,
//! 3. the program itself ([`embedded_model`]),
//! 4. `models/` beside the executable,
//! 5. `models/` in the working directory, unless the model carries generated code.
//!
//! # Versions
//!
//! The packages `nitro-variants`, `nitro-variants-core`, `nitro-variants-macros`, `nitro-variants-cuda` and
//! `nitro-variants-train` have one version and are used together. They follow semantic versioning as Cargo reads it:
//! before 1.0, a release that breaks code of users raises the second number. Part of the promise are all documented
//! items, the grammar of the attribute, the environment, the trainer's commands and `--json`, and that a store is
//! read by later versions. Models of another format are refused with their reason, and are then fitted again from
//! the store. Not part of it are items hidden from the documentation, words of messages, and which variant a model
//! chooses. The least Rust is 1.95; a newer one is asked for with the second number only.

pub use nitro_core::{
    Artifact, ArtifactError, Benchmark, Choice, CodeChoice, CodeVariant, Configuration, ConfigurationError,
    Constraint, Contract, Count, Device, DeviceEntry, DeviceFeature, Doubt, Far, FeatureValue, FeatureVector,
    Function, Held, MAX_ARTIFACT_BYTES, MAX_CHOICES, MAX_FEATURES, MAX_VARIANTS, MeasuredFeature, Parameter,
    ParameterKind, Parameters, PrepareError, Prepared, Reason, ReasonKind, Regime, ReloadError, Selection,
    Stats, Stopwatch, Unit, UnknownChoice, UnknownRegime, UnknownUnit, UnknownVariant, VariantInfo,
    calibrate_in_background, features, host, in_regime, model, recording, reload, set_deterministic,
    set_exact, set_models, stats,
};

#[doc = include_str!("code_variant.md")]
pub use nitro_macros::code_variant;

#[doc = include_str!("cloneable.md")]
pub use nitro_macros::cloneable;

#[doc = include_str!("code_variants.md")]
pub use nitro_macros::code_variants;

/// The bytes of a model's file, for `model = ..` of [`code_variant`](macro@code_variant). None as long as there is
/// no such file.
///
/// So a program compiles before its first model is fitted, runs its default variants, and carries the model once
/// there is one. The path is relative to the folder of the package's `Cargo.toml`.
///
/// ```
/// # use nitro::code_variant;
/// #[code_variant(
///     name = "spmv",
///     variants(csr_rows),
///     default = csr_rows,
///     model = nitro::embedded_model!("models/spmv.model"),
/// )]
/// fn spmv(x: &[f32]) -> f32;
/// # fn csr_rows(x: &[f32]) -> f32 { x.iter().sum() }
/// # fn main() { assert!(spmv::function().embedded_model().is_some()) }
/// ```
///
/// A file that is there is noticed when it changes, as with `include_bytes!`. That one appears cargo notices by a
/// build script, which the macro asks for where it is missing: a file `build.rs` beside `Cargo.toml` with
/// `fn main() { println!("cargo::rerun-if-changed=models") }`.
///
/// A model that was fitted for other variants or features than the code has is told of at the first call, and
/// `train check` refuses it before it ships.
pub use nitro_macros::embedded_model;

/// The part that generated code uses; changes with the macro.
#[doc(hidden)]
pub use nitro_core::__private;
