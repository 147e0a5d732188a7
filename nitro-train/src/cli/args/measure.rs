//! What commands that measure are told.

use std::path::PathBuf;

use clap::Args;

use super::{AgainArgs, DataArgs, JsonArgs, NoStoreArgs, ShowArgs};

/// How long one run of a variant may take.
pub(in crate::cli) const DEADLINE_SECONDS: u32 = 120;

#[derive(Args, Debug)]
pub(in crate::cli) struct JobArgs {
    /// Device to choose for and to measure on, for example host:4; a program with CUDA devices has cuda:0 and
    /// partitions such as cuda:0/16sm too [default: host with all threads]
    #[arg(long, value_name = "DEVICE")]
    pub(in crate::cli) device: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Folder the models are written to [default: models beside the program, where dispatch looks first]
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS")]
    pub(in crate::cli) models: Option<PathBuf>,
    /// The report page
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(in crate::cli) out: PathBuf,
    /// Time for measuring here, in seconds, inputs made included; where it would not do fewer repeats are made,
    /// then fewer inputs measured
    #[arg(long, value_name = "SECONDS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) budget: u32,
    #[command(flatten)]
    pub(in crate::cli) show: ShowArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct RecordArgs {
    #[command(flatten)]
    pub(in crate::cli) data: DataArgs,
    /// Device to measure on, for example host:4, or cuda:0 and cuda:0/16sm in a program with CUDA devices; repeat
    /// for several, which are measured one after the other; all: every GPU of this machine at the same time, of
    /// which identical ones share the inputs [default: host with all threads]
    #[arg(long = "device", value_name = "DEVICE")]
    pub(in crate::cli) devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) inputs: Option<PathBuf>,
    /// Time for the repeats of one variant on one input, in milliseconds; repeats end earlier once the median is
    /// known to about 1 %
    #[arg(long, value_name = "MS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) repeat_ms: u32,
    /// Measure only so many inputs of each function and device: first some drawn at random, then always those at
    /// which a selector of what is measured so far is least certain. All inputs are looked at for their features
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) budget: Option<u32>,
    /// A variant that takes longer than this for one run, twice, is ended and recorded as failed on that input, in
    /// seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEADLINE_SECONDS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) deadline: u32,
    /// Measure only what features take, on inputs of which the store does not know it
    #[arg(long)]
    pub(in crate::cli) feature_times: bool,
    /// Measure again what is recorded on these devices, and nothing new: where the code, a compiler or a driver has
    /// changed. What is not measured again yet, since the command was stopped, is so by the next `record`
    #[arg(long, conflicts_with_all = ["budget", "feature_times"])]
    pub(in crate::cli) again: bool,
    #[command(flatten)]
    pub(in crate::cli) which: AgainArgs,
    /// Of what is recorded already measure about so many inputs of each variant again in the end, within 5 % of the
    /// time of the recording, and say where times differ: a variant's body, a compiler, a driver or a clock has
    /// changed. Nothing of it is kept; 0 measures none
    #[arg(long, value_name = "INPUTS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(..=1000))]
    pub(in crate::cli) sample: u32,
    /// Empty the device's caches before every timed call (CUDA devices: the second-level cache); keep such measurements
    /// in a store of their own
    #[arg(long)]
    pub(in crate::cli) cold: bool,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ProfileArgs {
    /// Function to profile; repeat for several [default: all that run on the device]
    #[arg(long = "function", value_name = "F")]
    pub(in crate::cli) functions: Vec<String>,
    /// Device to profile on, for example cuda:0 or cuda:0/16sm; repeat for several
    #[arg(long = "device", value_name = "DEVICE", default_value = "cuda:0")]
    pub(in crate::cli) devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) inputs: Option<PathBuf>,
    #[command(flatten)]
    no_store: NoStoreArgs,
    /// Folder that the profiles are written to, a function at a time
    #[arg(long, value_name = "DIR", default_value = "profiles")]
    pub(in crate::cli) out: PathBuf,
    /// Time for everything, in seconds; calls that it does not suffice for are left out
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) seconds: u32,
    /// Inputs of each function, spread evenly over its training inputs
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) sample: u16,
    /// Launches of each call; of more, so many are drawn at random from all over the call
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) launches: u16,
}
