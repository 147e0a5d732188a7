//! The arguments that name recordings.

use clap::Args;

use super::show::JsonArgs;
use crate::trainer::ForgetRequest;

/// The recordings that `record --again` measures.
#[derive(Args, Debug)]
pub(in crate::cli) struct AgainArgs {
    /// With --again: measure only this variant
    #[arg(long, value_name = "V", requires = "again")]
    pub(in crate::cli) variant: Option<String>,
    /// With --again: measure only inputs whose whole name matches the pattern; * is any text, as in 'dense/*'
    #[arg(long, value_name = "GLOB", requires = "again")]
    pub(in crate::cli) input: Option<String>,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ForgetArgs {
    #[command(flatten)]
    pub(in crate::cli) request: ForgetRequest,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
