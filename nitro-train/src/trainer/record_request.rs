//! The settings of a recording.

use std::path::PathBuf;

use clap::Args;
use nitro_core::Regime;

use super::forget::WhichRecordings;
use super::request::{DataRequest, at_least_one, repeats};
use super::sample_choice::SampleOptions;
use crate::measure::{Repeats, Share};

/// The settings of a recording: what to record, where and how.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordRequest {
    /// The functions, and the store.
    #[command(flatten)]
    pub data: DataRequest,
    /// Device to measure on, for example host:4 [default: host with all threads]. With CUDA also cuda:0 and
    /// cuda:0/16sm. Repeat for several, which are measured one after the other. all: every GPU of this machine at once,
    /// where identical ones share the inputs
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<String>,
    /// Regime of the measured calls: eager, graph (CUDA: the launches of a call are captured into a CUDA graph, whose
    /// replay is timed) or cold (before every timed call the last-level cache is filled with something else). A device
    /// in a regime is one of its own: --device cuda:0+graph means the same [default: eager]
    #[arg(long, value_name = "REGIME")]
    pub regime: Option<Regime>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Time for the repeats of one variant on one input, in milliseconds. Repeats end earlier once the median is known
    /// to about 1 %
    #[arg(long = "repeat-ms", value_name = "MS", default_value = "60", value_parser = repeats())]
    pub repeats: Repeats,
    /// Measure only so many inputs of each function and device. The first are drawn at random; then come those at which
    /// a selector of what is measured so far is least certain. The features of all inputs are computed
    #[arg(long = "budget", value_name = "N", value_parser = at_least_one())]
    pub max_inputs: Option<usize>,
    /// Measure only the time of features, on inputs of which the store does not know it
    #[arg(long = "feature-times")]
    pub feature_times_only: bool,
    /// The recorded inputs and variants to measure again, and nothing else.
    ///
    /// Of these, those are measured that [`Trainer::measure_again`](crate::Trainer::measure_again) has marked.
    #[arg(skip)]
    pub again: Option<WhichRecordings>,
    /// The sample of what is recorded already that is measured again, to see whether it still holds.
    #[command(flatten)]
    pub sample: SampleOptions,
    /// The recorders with whom the inputs are shared.
    #[arg(skip)]
    pub share: Share,
}
