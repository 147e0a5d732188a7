//! What is asked of a recording.

use std::path::PathBuf;

use super::forget::WhichRecordings;
use super::request::DataRequest;
use super::sample_choice::SampleOptions;
use crate::measure::{Repeats, Share};

/// What to record, where and how.
#[derive(Clone, Debug, Default)]
pub struct RecordRequest {
    /// Which functions, into which store.
    pub data: DataRequest,
    /// Devices by name, one after the other; the host with all threads without any.
    pub devices: Vec<String>,
    /// Folder of real inputs; without one, the built-in inputs.
    pub inputs: Option<PathBuf>,
    /// When the repeats of one variant on one input end.
    pub repeats: Repeats,
    /// Record only so many inputs of each function and device: first some drawn at random, then always those at
    /// which a selector of what is measured so far is least certain. All inputs are looked at for their features.
    pub max_inputs: Option<usize>,
    /// Measure only what features take, of inputs of which that is not known: of recordings from before it was
    /// measured.
    pub feature_times_only: bool,
    /// Measure nothing but these of the inputs and variants that are recorded, and of them what
    /// [`Trainer::measure_again`](crate::Trainer::measure_again) has marked.
    pub again: Option<WhichRecordings>,
    /// Empty the device's caches before every timed call.
    pub cold: bool,
    /// How much of what is recorded already is measured again in the end, to see whether it still holds.
    pub sample: SampleOptions,
    /// With whom the inputs are shared.
    pub share: Share,
}
