//! The settings of a recording.

use std::path::PathBuf;

use clap::Args;

use super::forget::WhichRecordings;
use super::request::{DataRequest, at_least_one, repeats};
use super::sample_choice::SampleOptions;
use crate::measure::{Repeats, Share};

/// The settings of a recording: what to record, where and how.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordRequest {
    /// Which functions, into which store.
    #[command(flatten)]
    pub data: DataRequest,
    /// Device to measure on, for example host:4, or cuda:0 and cuda:0/16sm in a program with CUDA devices; repeat
    /// for several, which are measured one after the other; all: every GPU of this machine at the same time, of
    /// which identical ones share the inputs [default: host with all threads]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Time for the repeats of one variant on one input, in milliseconds; repeats end earlier once the median is
    /// known to about 1 %
    #[arg(long = "repeat-ms", value_name = "MS", default_value = "60", value_parser = repeats())]
    pub repeats: Repeats,
    /// Measure only so many inputs of each function and device: first some drawn at random, then always those at
    /// which a selector of what is measured so far is least certain. All inputs are looked at for their features
    #[arg(long = "budget", value_name = "N", value_parser = at_least_one())]
    pub max_inputs: Option<usize>,
    /// Measure only what features take, on inputs of which the store does not know it
    #[arg(long = "feature-times")]
    pub feature_times_only: bool,
    /// Measure nothing but these of the inputs and variants that are recorded, and of them what
    /// [`Trainer::measure_again`](crate::Trainer::measure_again) has marked.
    #[arg(skip)]
    pub again: Option<WhichRecordings>,
    /// Empty the device's caches before every timed call (CUDA devices: the second-level cache); keep such measurements
    /// in a store of their own
    #[arg(long)]
    pub cold: bool,
    /// How much of what is recorded already is measured again in the end, to see whether it still holds.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// With whom the inputs are shared.
    #[arg(skip)]
    pub share: Share,
}
