//! The trainer of Nitro: measures variants, stores the measurements, learns selectors, and evaluates them on unseen
//! devices.
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

mod cli;
mod gate_text;
pub mod generate;
pub mod measure;
mod model_summary;
pub mod profile;
pub mod report;
pub mod search;
mod terminal;
pub mod traffic;
mod trainer;
mod worker;

/// The crate with which a [`TrainerCommand`] declares its arguments.
pub use clap;
pub use measure::{BoxError, Session};
pub use model_summary::ModelSummary;
// What a trainer's own code names of the run time: so that it needs no dependency on `nitro-core`.
pub use nitro_core::{
    Artifact, DeviceFeature, Doubt, Function, MeasuredFeature, ProcessorTime, model, provide,
};
pub use nitro_learn::{self as learn, Approximation, active, check, evaluate, explain};
pub use nitro_store::{exchange, recordings, store};
pub use trainer::{
    CalibrateRequest, CalibratedModel, CalibratedModels, Candidates, ChangedVariant, CheckRequest,
    DataRequest, DescribeRequest, Described, DeviceRanking, DeviceSample, Devices, EvaluateRequest,
    ExplainRequest, Explained, FailedRecording, Fault, FitRequest, FittedModel, FittedModels, ForgetRequest,
    ForgottenOf, GeneratedCode, GeneratedRequest, InputLists, Kept, LocalJob, LocalJobRequest,
    MeasuredDevice, MetricsSource, ModelCheck, NearFloor, ObjectiveRequest, Observer, ProfileRequest,
    RecordRequest, RecordSummary, Recorded, ReplayRequest, ReportRequest, SampleOptions, SearchRequest,
    SearchSummary, SearchTime, Shift, ShippedRecordings, TrainError, Trainer, TrainerCommand, Tunable,
    UsageError, VariantName, WhichRecordings, WrittenProfile, captured_traffic,
};

/// The default seed of everything random.
pub const DEFAULT_SEED: u64 = 0;
