//! The trainer of an application: its functions with their inputs, its devices, and the calls that work on them.
//!
//! Each call takes a request and returns a value. The command line ([`Trainer::main`]) is one caller of these.
//!
//! - [`Tunable`]: one function and the closure that calls it; [`Trainer`] has any number of them.
//! - What a call works on is a request with a [`Default`]: [`RecordRequest`], [`FitRequest`], [`EvaluateRequest`]
//!   and so on, each with a [`DataRequest`] that says which recordings.
//! - [`Observer`] hears what goes on meanwhile; without one nothing is printed.

mod active_record;
mod builder;
mod calibrate;
mod captured_traffic;
mod check;
mod command;
mod describe;
mod devices;
mod devices_display;
mod doubtful;
mod error;
mod evaluate;
mod exchange;
mod explain;
mod explained_device;
mod fit;
mod forget;
mod input_lists;
mod layered_store;
mod left_out;
mod local_job;
mod near_floors;
mod next_device;
mod objective;
mod observer;
mod profile;
mod record;
mod record_request;
mod recorder;
mod replay;
mod report;
mod request;
mod sample;
mod sample_choice;
mod sample_result;
mod search;
mod tunable;

pub use builder::Trainer;
pub use calibrate::{CalibrateRequest, CalibratedModel, CalibratedModels};
pub use captured_traffic::captured_traffic;
pub use check::{CheckRequest, ModelCheck};
pub use command::{TrainerCommand, UsageError};
pub use describe::{DescribeRequest, Described, GeneratedCode, GeneratedRequest};
pub use devices::{Devices, MeasuredDevice};
pub(crate) use devices::{all_in_regime, or_whole_host};
pub use error::TrainError;
pub use evaluate::EvaluateRequest;
pub use explain::{ExplainRequest, Explained};
pub use fit::{FitRequest, FittedModel, FittedModels};
pub use forget::{ForgetRequest, ForgottenOf, WhichRecordings};
pub(crate) use left_out::{by_reason, named};
pub(crate) use local_job::CALIBRATED_WITH;
pub use local_job::{LocalJob, LocalJobRequest};
pub use near_floors::NearFloor;
pub use next_device::{Candidates, DeviceRanking};
pub use objective::ObjectiveRequest;
pub use observer::Observer;
pub(crate) use profile::is_watched;
pub use profile::{ProfileRequest, WrittenProfile};
pub use record::RecordSummary;
pub use record_request::RecordRequest;
pub use recorder::{FailedRecording, Fault, Recorded};
pub use replay::ReplayRequest;
pub use report::ReportRequest;
pub(crate) use request::at_least_one;
pub use request::{DataRequest, InputLists};
pub use sample_choice::SampleOptions;
pub use sample_result::{ChangedVariant, DeviceSample, Shift, VariantName};
pub use search::{Kept, MetricsSource, SearchRequest, SearchSummary, SearchTime};
pub use tunable::{ShippedRecordings, Tunable};
