//! The arguments of commands that measure.

use std::path::PathBuf;

use clap::Args;

use super::{AgainArgs, JsonArgs, NoStoreArgs, ShowArgs};
use crate::trainer::{LocalJobRequest, ProfileRequest, RecordRequest};

/// Seconds that one run of a variant may take.
pub(in crate::cli) const DEADLINE_SECONDS: u32 = 120;

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
    /// Seconds that one run of a variant may take; one that takes longer twice is recorded as failed on that input
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) deadline: u32,
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
