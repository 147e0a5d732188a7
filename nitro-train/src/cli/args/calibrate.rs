//! What `train calibrate` is asked.

use std::path::PathBuf;

use clap::Args;

use super::{DEADLINE_SECONDS, DataArgs, JsonArgs, ModelsArgs};

#[derive(Args, Debug)]
pub(in crate::cli) struct CalibrateArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Device to calibrate for, as record names it
    #[arg(long, value_name = "DEVICE", default_value = "host")]
    pub(in crate::cli) device: String,
    /// Inputs of each function to measure
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) measurements: u32,
    /// File that programs with NITRO_CAPTURE=FILE have written: the inputs to measure are those that tell most of
    /// such calls
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) captured: Option<PathBuf>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) inputs: Option<PathBuf>,
    /// File with the names of the training inputs, one a line [default: as fit]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) train_inputs: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) models: ModelsArgs,
    /// A variant that takes longer than this for one run, twice, is ended and recorded as failed on that input, in
    /// seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) deadline: u32,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
