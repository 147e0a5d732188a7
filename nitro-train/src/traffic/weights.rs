//! The number of calls that each recorded input stands for.

use nitro_core::model::Scale;
use nitro_learn::scaling::scale_of;
use nitro_store::recordings::Recordings;

use super::read::CapturedCall;

/// Counts for each recorded input the captured calls that are nearest to it.
///
/// Near is by the features that both know, each scaled to its range over the inputs. Calls of which no feature is known
/// count for nothing.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_train::traffic::{CapturedCall, calls_by_input};
///
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
/// let calls = calls_by_input(&recordings, &[call(12.2, 10), call(11.9, 5)]);
/// let twelve = recordings.inputs.iter().position(|input| input.features == [12.0]).expect("it was recorded");
/// assert_eq!((calls[twelve], calls.iter().sum::<f64>()), (15.0, 15.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn calls_by_input(recordings: &Recordings, samples: &[CapturedCall]) -> Vec<f64> {
    calls_among(recordings, &(0..recordings.inputs.len()).collect::<Vec<_>>(), samples)
}

/// Counts as [`calls_by_input`], where only these inputs (positions in the recordings) stand for calls.
pub fn calls_among(recordings: &Recordings, inputs: &[usize], samples: &[CapturedCall]) -> Vec<f64> {
    let features: Vec<&[f64]> =
        inputs.iter().map(|&input| recordings.inputs[input].features.as_slice()).collect();
    // Scaled to their ranges, features of different units count alike.
    let mut scales = Vec::new();
    for feature in 0..recordings.features.len() {
        let column: Vec<f64> = features.iter().map(|values| values[feature]).collect();
        scales.push(scale_of(&column));
    }
    let mut rows: Vec<Vec<Option<f64>>> = Vec::new();
    for values in features {
        rows.push(scaled(&scales, values.iter().copied().map(Some)));
    }
    let mut calls = vec![0.0; recordings.inputs.len()];
    for sample in samples.iter().filter(|sample| sample.function == recordings.function) {
        if let Some(nearest) = nearest(&rows, &scaled(&scales, sample.values(&recordings.features))) {
            calls[inputs[nearest]] += sample.calls as f64;
        }
    }
    calls
}

/// Returns the values, each scaled; none for those that are unknown or not finite.
fn scaled(scales: &[Scale], values: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let finite = values.map(|value| value.filter(|value| value.is_finite()));
    scales.iter().zip(finite).map(|(scale, value)| value.map(|value| scale.apply(value))).collect()
}

/// Returns the nearest row over the values that both have, the first of several. None where they share no value.
fn nearest(rows: &[Vec<Option<f64>>], row: &[Option<f64>]) -> Option<usize> {
    if row.iter().all(Option::is_none) {
        return None;
    }
    (0..rows.len()).min_by(|&a, &b| distance(&rows[a], row).total_cmp(&distance(&rows[b], row)))
}

/// Returns the squared distance over the values that both rows have.
fn distance(a: &[Option<f64>], b: &[Option<f64>]) -> f64 {
    a.iter().zip(b).filter_map(|(a, b)| Some(((*a)? - (*b)?).powi(2))).sum()
}
