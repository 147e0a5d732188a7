//! The calls captured by programs that ran with `NITRO_CAPTURE=FILE`, compared with what models were trained on.
//!
//! [`Traffic`] tells how many are far from the training inputs, what was chosen for them, and which inputs would be
//! worth recording.

mod compared;
mod display;
mod read;
mod region;
mod suggestion;
mod weights;

use std::collections::BTreeMap;

use nitro_core::choice_text;
use nitro_core::model::Model;
use serde::Serialize;

use self::region::TrainingRegion;

pub use compared::add_captured;
pub use read::{CaptureError, CapturedCall, read};
pub use suggestion::{MOST_SUGGESTIONS, Suggestion};
pub use weights::{calls_among, calls_by_input};

/// The captured calls of one function, seen by its model.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_train::learn::{FitOptions, fit};
/// use nitro_train::traffic::{CapturedCall, Traffic};
///
/// let model = fit(&recordings, &FitOptions::default())?.model; // of 1 to 30 keys
/// let call = |length, calls| CapturedCall {
///     function: "sort".into(),
///     device: "host:4".into(),
///     variant: "stable".into(),
///     configuration: String::new(),
///     reason: "predicted by the model".into(),
///     calls,
///     features: [("length".to_owned(), Some(length))].into(),
///     time_ns: None,
/// };
/// let traffic = Traffic::new("sort", &[call(12.0, 10), call(1e6, 64)], Ok(&model));
/// assert_eq!(traffic.devices[0].far_calls, Some(64));
/// assert_eq!(traffic.record_next.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Traffic {
    /// The function.
    pub function: String,
    /// The devices it was called on, in the order of their names.
    pub devices: Vec<DeviceTraffic>,
    /// The reason why far inputs cannot be told; absent where they can.
    pub unknown: Option<String>,
    /// The inputs to record the like of next, that which covers most far calls first.
    pub record_next: Vec<Suggestion>,
}

/// The captured calls of one function on one device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceTraffic {
    /// The device.
    pub device: String,
    /// Number of samples.
    pub samples: usize,
    /// Number of calls that they stand for.
    pub calls: u64,
    /// Number of these calls whose input is far from the training inputs; absent where that is unknown.
    pub far_calls: Option<u64>,
    /// The choices, the most frequent first.
    pub choices: Vec<ChosenVariant>,
}

/// A variant that was chosen for a reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChosenVariant {
    /// The variant, with the values of its tuning parameters.
    pub variant: String,
    /// The reason, in the words of [`nitro_core::Reason`].
    pub reason: String,
    /// Number of calls.
    pub calls: u64,
    /// The mean time of a call in nanoseconds; absent where it was not known.
    pub mean_time_ns: Option<f64>,
}

impl Traffic {
    /// Summarises the samples of one function by a model that knows its training inputs.
    ///
    /// `Err` says why there is no such model.
    #[must_use]
    pub fn new(function: &str, samples: &[CapturedCall], model: Result<&Model, String>) -> Self {
        let (region, unknown) = match model.and_then(TrainingRegion::of) {
            Ok(region) => (Some(region), None),
            Err(reason) => (None, Some(reason)),
        };
        let mut devices: BTreeMap<&str, Vec<(&CapturedCall, Option<bool>)>> = BTreeMap::new();
        for sample in samples {
            let far = region.as_ref().and_then(|region| region.is_far(sample));
            devices.entry(&sample.device).or_default().push((sample, far));
        }
        Self {
            function: function.to_owned(),
            devices: devices
                .into_iter()
                .map(|(device, samples)| DeviceTraffic::new(device, &samples))
                .collect(),
            record_next: region.map_or_else(Vec::new, |region| suggestion::suggestions(&region, samples)),
            unknown,
        }
    }
}

impl DeviceTraffic {
    fn new(device: &str, samples: &[(&CapturedCall, Option<bool>)]) -> Self {
        let (mut calls, mut far_calls) = (0, None);
        let mut choices: BTreeMap<(String, &str), Vec<&CapturedCall>> = BTreeMap::new();
        for (sample, far) in samples {
            calls += sample.calls;
            if let Some(is_far) = far {
                *far_calls.get_or_insert(0) += if *is_far { sample.calls } else { 0 };
            }
            let choice = choice_text(&sample.variant, &sample.configuration);
            choices.entry((choice, &sample.reason)).or_default().push(sample);
        }
        let mut choices: Vec<ChosenVariant> = choices
            .into_iter()
            .map(|((variant, reason), samples)| ChosenVariant::new(variant, reason, &samples))
            .collect();
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.calls));
        Self { device: device.to_owned(), samples: samples.len(), calls, far_calls, choices }
    }
}

impl ChosenVariant {
    fn new(variant: String, reason: &str, samples: &[&CapturedCall]) -> Self {
        let timed = samples.iter().filter_map(|one| Some((one.calls as f64, one.time_ns?)));
        let (calls, time_ns) =
            timed.fold((0.0, 0.0), |(calls, time), (more, each)| (calls + more, time + more * each));
        Self {
            variant,
            reason: reason.to_owned(),
            calls: samples.iter().map(|one| one.calls).sum(),
            mean_time_ns: (calls > 0.0).then(|| time_ns / calls),
        }
    }
}
