//! The arguments of `train calibrate`.

use clap::Args;

use super::{DEADLINE_SECONDS, JsonArgs};
use crate::trainer::CalibrateRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct CalibrateArgs {
    #[command(flatten)]
    pub(in crate::cli) request: CalibrateRequest,
    /// Seconds that one run of a variant may take; one that takes longer twice is recorded as failed on that input
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) deadline: u32,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
