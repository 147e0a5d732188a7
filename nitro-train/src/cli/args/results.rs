//! The arguments of commands that show or check what there is: models, devices, recordings and captured calls.

use std::path::PathBuf;

use clap::Args;

use super::bound::Bound;
use super::common::{NoStoreArgs, ProfilesArgs};
use super::show::{JsonArgs, ShowArgs};
use crate::trainer::{CheckRequest, DataRequest, ExplainRequest, ReportRequest};

#[derive(Args, Debug)]
pub(in crate::cli) struct ReportArgs {
    #[command(flatten)]
    pub(in crate::cli) request: ReportRequest,
    #[command(flatten)]
    pub(in crate::cli) profiles: ProfilesArgs,
    /// The page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(in crate::cli) out: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    pub(in crate::cli) request: CheckRequest,
    /// Most regret that a model may have, in percent of the best variant's speed. It is the mean over test inputs and
    /// devices. For one function with its name, as spmv=8; repeat for several [default: 5]
    #[arg(long, value_name = "PERCENT")]
    pub(in crate::cli) max_regret: Vec<Bound>,
    /// Check no model but the proofs in this file of `search --certificate`: whether they follow from its times and
    /// rates by the generators of this program. Runs nothing on a device
    #[arg(long, value_name = "FILE", conflicts_with = "max_regret")]
    pub(in crate::cli) certificate: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct DevicesArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataRequest,
    /// Suggest the unmeasured device to measure next: the one that is expected to reduce regret most. Candidates are
    /// devices that this program can name here, or else points among the recorded devices
    #[arg(long, conflicts_with = "devices")]
    pub(in crate::cli) next: bool,
    /// Measure the device features that take a benchmark, and replace those that are kept; best while nothing else runs
    #[arg(long, conflicts_with = "next")]
    pub(in crate::cli) measure: bool,
    /// Device to describe, for example host:4 or cuda:0/16sm; repeat for several [default: host with all threads]
    #[arg(long = "device", value_name = "DEVICE")]
    pub(in crate::cli) devices: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct InspectArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(in crate::cli) model: PathBuf,
    #[command(flatten)]
    no_store: NoStoreArgs,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ExplainArgs {
    #[command(flatten)]
    pub(in crate::cli) request: ExplainRequest,
    /// Values of the input features; without them, the message says which ones the model needs
    #[arg(value_name = "feature=value")]
    pub(in crate::cli) features: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct CoverageArgs {
    /// File that programs with NITRO_CAPTURE=FILE have written
    #[arg(value_name = "FILE")]
    pub(in crate::cli) capture: PathBuf,
    #[command(flatten)]
    no_store: NoStoreArgs,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub(in crate::cli) models: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}
