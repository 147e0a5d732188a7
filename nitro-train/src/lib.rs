//! The offline half of Nitro: measures variants, keeps the measurements, learns selectors from them, and tells how good
//! they are on devices that were not learned from.
//!
//! An application has its own trainer, by convention a package `train` beside it: see [`Trainer`]. The stages, data
//! moving to the right:
//!
//! [`measure`], [`profile`] → [`store`], [`exchange`] → [`recordings`] → [`learn`] → [`evaluate`] → [`report`]
//!
//! [`Trainer`] joins them: each of its methods takes a request and returns a value, and [`Trainer::main`] is the
//! command line over them.
//!
//! What a trainer writes for applications are model files ([`nitro_core::model`]).

// Printing panics when nobody reads; `terminal::output` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod active;
mod approximation;
pub mod check;
mod cli;
pub mod evaluate;
mod exact;
pub mod exchange;
pub mod explain;
pub mod generate;
mod greedy;
#[doc(hidden)]
pub mod internals;
pub mod learn;
pub mod measure;
mod model_summary;
mod plain_table;
mod printable;
pub mod profile;
pub mod recordings;
pub mod report;
pub mod search;
mod selection;
pub mod store;
mod terminal;
pub mod traffic;
mod trainer;
mod unique;
mod worker;

/// What a [`TrainerCommand`] says its arguments with.
pub use approximation::Approximation;
pub use clap;
pub use measure::{BoxError, Session};
pub use model_summary::ModelSummary;
// What a trainer's own code names of the run time: so that it needs no dependency on `nitro-core`.
pub use nitro_core::{
    Artifact, DeviceFeature, Doubt, Function, MeasuredFeature, ProcessorTime, model, provide,
};
pub(crate) use nitro_learn::random;
pub use trainer::{
    CalibrateRequest, CalibratedModel, CalibratedModels, Candidates, ChangedVariant, CheckRequest,
    DataRequest, DescribeRequest, Described, DeviceRanking, DeviceSample, Devices, EvaluateRequest,
    ExplainRequest, Explained, FailedRecording, Fault, FitRequest, FittedModel, FittedModels, ForgetRequest,
    ForgottenOf, GeneratedCode, GeneratedRequest, InputLists, Kept, LocalJob, LocalJobRequest,
    MeasuredDevice, MetricsSource, ModelCheck, ObjectiveRequest, Observer, ProfileRequest, RecordRequest,
    RecordSummary, Recorded, ReplayRequest, ReportRequest, SampleOptions, SearchRequest, SearchSummary,
    Shift, ShippedRecordings, TrainError, Trainer, TrainerCommand, Tunable, UsageError, VariantName,
    WhichRecordings, WrittenProfile, captured_traffic,
};

/// Seed of everything random where the user gives none.
pub const DEFAULT_SEED: u64 = 0;
