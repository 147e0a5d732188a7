//! How many calls each recorded input stands for.

use nitro_learn::scaling::scale_of;
use nitro_store::recordings::Recordings;

use super::read::CapturedCall;

/// For each input of the recordings the number of captured calls that are nearest to it, by the features that both
/// know, each scaled to its range over the inputs. Calls of which no feature is known count for nothing.
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

/// As [`calls_by_input`], where only these inputs (positions in the recordings) stand for calls.
pub fn calls_among(recordings: &Recordings, inputs: &[usize], samples: &[CapturedCall]) -> Vec<f64> {
    let features = |&input: &usize| &recordings.inputs[input].features;
    let column =
        |feature: usize| -> Vec<f64> { inputs.iter().map(|input| features(input)[feature]).collect() };
    let scales: Vec<_> = (0..recordings.features.len()).map(|feature| scale_of(&column(feature))).collect();
    let scaled = |values: &[Option<f64>]| -> Vec<Option<f64>> {
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        scales
            .iter()
            .zip(values)
            .map(|(scale, value)| finite(value).map(|value| scale.apply(value)))
            .collect()
    };
    let rows: Vec<Vec<Option<f64>>> = inputs
        .iter()
        .map(|input| scaled(&features(input).iter().copied().map(Some).collect::<Vec<_>>()))
        .collect();
    let mut calls = vec![0.0; recordings.inputs.len()];
    for sample in samples.iter().filter(|sample| sample.function == recordings.function) {
        let known: Vec<Option<f64>> =
            recordings.features.iter().map(|name| sample.features.get(name).copied().flatten()).collect();
        if let Some(nearest) = nearest(&rows, &scaled(&known)) {
            calls[inputs[nearest]] += sample.calls as f64;
        }
    }
    calls
}

/// The first of the rows that are nearest over the values that both have; none where that is no value.
fn nearest(rows: &[Vec<Option<f64>>], row: &[Option<f64>]) -> Option<usize> {
    if row.iter().all(Option::is_none) {
        return None;
    }
    let distance = |other: &Vec<Option<f64>>| -> f64 {
        other.iter().zip(row).filter_map(|(a, b)| Some(((*a)? - (*b)?).powi(2))).sum()
    };
    (0..rows.len()).min_by(|&a, &b| distance(&rows[a]).total_cmp(&distance(&rows[b])))
}
