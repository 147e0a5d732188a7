//! The arguments of commands that measure.

use std::path::PathBuf;

use clap::Args;

use super::common::{DeadlineArgs, NoStoreArgs};
use super::show::{JsonArgs, ShowArgs};
use super::which::AgainArgs;
use crate::trainer::{CalibrateRequest, LocalJobRequest, ProfileRequest, RecordRequest};

#[derive(Args, Debug)]
pub(in crate::cli) struct JobArgs {
    #[command(flatten)]
    pub(in crate::cli) request: LocalJobRequest,
    /// The report page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(in crate::cli) out: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct RecordArgs {
    #[command(flatten)]
    pub(in crate::cli) request: RecordRequest,
    #[command(flatten)]
    pub(in crate::cli) deadline: DeadlineArgs,
    /// Measure again what is recorded on these devices, and nothing new: after a change of code, compiler or driver. A
    /// command that was stopped is continued by the next `record`
    #[arg(long, conflicts_with_all = ["max_inputs", "feature_times_only"])]
    pub(in crate::cli) again: bool,
    #[command(flatten)]
    pub(in crate::cli) which: AgainArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ProfileArgs {
    #[command(flatten)]
    pub(in crate::cli) request: ProfileRequest,
    #[command(flatten)]
    no_store: NoStoreArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct CalibrateArgs {
    #[command(flatten)]
    pub(in crate::cli) request: CalibrateRequest,
    #[command(flatten)]
    pub(in crate::cli) deadline: DeadlineArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
