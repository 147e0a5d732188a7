//! The arguments of `train nest`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::show::ShowArgs;
use crate::trainer::DescribeRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct NestArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: NestCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum NestCommand {
    /// Show what became of the loops of a nest: dependences, kernels, and what they need of a GPU
    ///
    /// Without KERNEL it lists what can be shown: the presets that every search begins with, and by digest what
    /// searches have left in the store and what a model picks.
    #[command(after_help = EXAMPLES)]
    Show(ShowNestArgs),
}

const EXAMPLES: &str = "\
Examples:
  train nest show
      which kernels there are
  train nest show sane
      what one would write without measuring, as text
  train nest show 3fa9 --store my.db --html found.html
      what a search has found, as a page; 3fa9 begins its digest, as in
      found{kernel=3fa90c1b22d4e675} of train inspect or train search
  train nest show sane --passes
      the nest after each pass, from temporaries to the code of threads
  train nest show sane --architecture 90
      with registers and shared memory on sm_90, compiled by NVRTC";

#[derive(Args, Debug)]
pub(in crate::cli) struct ShowNestArgs {
    /// Name of a preset, or the beginning of a digest that no other has [default: list what there is]
    #[arg(value_name = "KERNEL")]
    pub(in crate::cli) kernel: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) request: DescribeRequest,
    /// Write a self-contained page to this file instead of printing text
    #[arg(long, value_name = "FILE", requires = "kernel")]
    pub(in crate::cli) html: Option<PathBuf>,
    /// Show the passes that made the kernels, with the nest or the kernels after each
    #[arg(long, requires = "kernel", conflicts_with = "html")]
    pub(in crate::cli) passes: bool,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}
