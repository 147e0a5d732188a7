//! One function, several implementations, and on every call the one that is expected to be fastest for this input
//! on this machine.
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
//! - A [`Selection`] is the chosen variant and the [`Reason`]. Choosing never fails: whatever is wrong with a
//!   model, a feature or the environment, the best variant that may run does.
//!
//! In a running program [`stats()`] counts which variants ran and why, and [`reload()`] takes new models while
//! calls go on.
//!
//! # Environment
//!
//! | variable | does |
//! | --- | --- |
//! | `NITRO_MODELS` | folder of models; without it, or where it lacks one: what [`set_models`] names, the program's own ([`embedded_model`]), `models/` beside the executable, then in the working directory, there without generated code |
//! | `NITRO_FORCE` | pins variants, e.g. `spmv=ell,sort=radix` |
//! | `NITRO_EXACT` | `1`: only variants whose results are bit for bit the default's, as `exact(..)` groups say ([`set_exact`]) |
//! | `NITRO_DETERMINISTIC` | `1`: the same choice for the same input on every device of one kind, in every process: nothing measured on the device decides ([`set_deterministic`]) |
//! | `NITRO_CAPTURE` | file that samples of real calls are added to, for `train coverage` |
//! | `NITRO_STORE` | the trainer's store, a file or `redis://host:port/db` |
//!
//! What is wrong with a variable, and that a model is damaged or does not fit the code, is told once: as an event
//! of `tracing` where the program listens, otherwise as a line on stderr.
//!
//! # Versions
//!
//! The packages `nitro-variants`, `nitro-variants-core`, `nitro-variants-macros`, `nitro-variants-cuda` and
//! `nitro-variants-train` have one version and are used together. They follow semantic versioning as Cargo reads
//! it: before 1.0, a release that breaks code of users raises the second number. Part of the promise are all
//! documented items, the grammar of the attribute, the environment, the trainer's commands and `--json`, and that a
//! store is read by later versions; models of another format are refused with their reason, and are then fitted
//! again from the store. Not part of it are items hidden from the documentation, words of messages, and which
//! variant a model chooses. The least Rust is 1.95; a newer one is asked for with the second number only.

pub use nitro_core::{
    Artifact, ArtifactError, Benchmark, Choice, CodeChoice, CodeVariant, Configuration, ConfigurationError,
    Constraint, Contract, Count, Device, DeviceEntry, DeviceFeature, Doubt, Far, FeatureValue, FeatureVector,
    Function, MAX_ARTIFACT_BYTES, MAX_CHOICES, MAX_FEATURES, MAX_VARIANTS, MeasuredFeature, Parameter,
    ParameterKind, Parameters, PrepareError, Prepared, Reason, ReasonKind, ReloadError, Selection, Stats,
    Stopwatch, UnknownChoice, UnknownVariant, VariantInfo, host, model, recording, reload, set_deterministic,
    set_exact, set_models, stats,
};

#[doc = include_str!("code_variant.md")]
pub use nitro_macros::code_variant;

/// The bytes of a model's file, for `model = ..` of [`code_variant`](macro@code_variant); none as long as there is
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

/// What generated code uses; changes with the macro.
#[doc(hidden)]
pub use nitro_core::__private;
