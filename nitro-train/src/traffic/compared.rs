//! Captured calls as measurements: those with the same features that ran different choices.

use std::collections::BTreeMap;

use nitro_stats::statistics::{interquartile_range, quantile};
use nitro_store::recordings::{Input, Measurement, Outcome, Recordings};

use super::read::CapturedCall;

/// Times of captured calls by variant and configuration.
type Times<'a> = BTreeMap<(usize, &'a str), Vec<f64>>;

/// Adds captured calls to the recordings of a device of theirs, as inputs of their own: each set of features with which
/// at least two choices ran there. Returns the positions of these inputs, and the number of calls that they stand for.
///
/// Of a choice the time is the median of its samples. Calls without a time, or without a feature that the recordings
/// know, are passed over, and so are variants that they do not know.
///
/// ```
/// # let mut recordings = nitro_store::example();
/// use nitro_train::traffic::{CapturedCall, add_captured};
///
/// let call = |variant: &str, length, time_ns| CapturedCall {
///     function: "sort".into(),
///     device: "small".into(),
///     variant: variant.into(),
///     configuration: String::new(),
///     reason: "forced".into(),
///     calls: 10,
///     features: [("length".to_owned(), Some(length))].into(),
///     time_ns: Some(time_ns),
/// };
/// let calls = [call("stable", 7.0, 90.0), call("unstable", 7.0, 70.0), call("stable", 8.0, 95.0)];
/// let (inputs, calls) = add_captured(&mut recordings, "small", &calls);
/// assert_eq!((inputs.len(), calls), (1, 20)); // of 8 keys nothing is compared
/// assert_eq!(recordings.inputs[inputs[0]].features, [7.0]);
/// ```
pub fn add_captured(
    recordings: &mut Recordings,
    device: &str,
    samples: &[CapturedCall],
) -> (Vec<usize>, u64) {
    let Some(at) = recordings.device_index(device) else { return (Vec::new(), 0) };
    let mut by_features: BTreeMap<Vec<u64>, (Times<'_>, u64)> = BTreeMap::new();
    for sample in samples.iter().filter(|one| one.function == recordings.function && one.device == device) {
        let features = features(recordings, sample);
        let known = recordings.variant_index(&sample.variant).zip(sample.time_ns).zip(features);
        let Some(((variant, time_ns), features)) = known else { continue };
        let (times, calls) = by_features.entry(features).or_default();
        times.entry((variant, &sample.configuration)).or_default().push(time_ns);
        *calls += sample.calls;
    }
    let (mut added, mut all_calls) = (Vec::new(), 0);
    for (features, (times, calls)) in by_features.into_iter().filter(|(_, (times, _))| times.len() > 1) {
        let input = recordings.inputs.len();
        let features = features.into_iter().map(f64::from_bits).collect();
        recordings.inputs.push(Input { name: format!("captured/{}", added.len()), features });
        for ((variant, configuration), times_ns) in times {
            recordings.measurements.push(measurement((at, input, variant), configuration, times_ns));
        }
        added.push(input);
        all_calls += calls;
    }
    (added, all_calls)
}

/// Returns the bits of all features of the recordings; none where one is not known or not finite.
fn features(recordings: &Recordings, sample: &CapturedCall) -> Option<Vec<u64>> {
    let values = sample.values(&recordings.features);
    values.map(|value| value.filter(|value| value.is_finite()).map(f64::to_bits)).collect()
}

fn measurement(
    (device, input, variant): (usize, usize, usize),
    configuration: &str,
    mut times_ns: Vec<f64>,
) -> Measurement {
    times_ns.sort_unstable_by(f64::total_cmp);
    Measurement {
        device,
        input,
        variant,
        configuration: configuration.to_owned(),
        outcome: Outcome::Time(quantile(&times_ns, 0.5)),
        spread_ns: interquartile_range(&times_ns),
        repeats: times_ns.len() as u32,
        load: None,
        reason: String::new(),
    }
}
