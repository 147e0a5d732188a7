//! The cost of the selectors that would be shipped, and the benefit of their features.

use std::collections::BTreeSet;

use nitro_core::model::{Model, Selector};
use nitro_learn::evaluate::{Chooser, DeviceEvaluation, EvaluateError, Evaluation, Split, feature_benefits};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::task::Task;
use nitro_stats::statistics::quantile;
use nitro_store::recordings::Recordings;

use super::floors::best_times;
use crate::report::data::{Benefit, MedianAndP90, Overhead, WithFeatures};

/// Returns the costs over the devices left out; none where there are none.
pub(super) fn overhead(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
    seed: u64,
) -> Result<Option<Overhead>, EvaluateError> {
    let devices = &evaluation.devices;
    if devices.is_empty() {
        return Ok(None);
    }
    let (mut model_bytes, mut model_parts, mut choosing_ns) = (Vec::new(), Vec::new(), Vec::new());
    for device in devices {
        let model = &device.auto_model;
        model_bytes.push(model.to_bytes().len() as f64);
        model_parts.extend(parts(model));
        let chooser = Chooser::new(recordings, model, position(recordings, device))?;
        choosing_ns.push(chooser.choosing_ns(&split.test));
    }
    Ok(Some(Overhead {
        model_bytes: median(model_bytes).unwrap_or(f64::NAN),
        parts: median(model_parts),
        choosing_ns: median(choosing_ns).unwrap_or(f64::NAN),
        best_variant_ns: median(best_times_ns(recordings, &split.test)).unwrap_or(f64::NAN),
        with_features: with_features(recordings, split, devices, seed)?,
        benefits: benefits(recordings, split, devices, seed)?,
    }))
}

/// Compares the time of features and selector with that of the chosen variant.
///
/// Returns none where the times of the features are unknown.
fn with_features(
    recordings: &Recordings,
    split: &Split,
    devices: &[DeviceEvaluation],
    seed: u64,
) -> Result<Option<WithFeatures>, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, seed);
    if task.costs.is_none() {
        return Ok(None);
    }
    let mut times_ns = Vec::new();
    for device in devices {
        let at = position(recordings, device);
        let chooser = Chooser::new(recordings, &device.auto_model, at)?;
        let measured = split.test.iter().filter(|&&input| performance.shares(at, input).is_some());
        for (&input, &share) in measured.zip(&device.shares["auto"]).filter(|(_, share)| **share > 0.0) {
            times_ns.push((chooser.taken_ns(&task, at, input), performance.best_ns(at, input) / share));
        }
    }
    if times_ns.is_empty() {
        return Ok(None);
    }
    Ok(Some(WithFeatures {
        choosing_ns: median_and_p90(times_ns.iter().map(|(choosing, _)| *choosing).collect()),
        chosen_ns: median_and_p90(times_ns.iter().map(|(_, chosen)| *chosen).collect()),
        ratio: median_and_p90(times_ns.iter().map(|(choosing, chosen)| choosing / chosen).collect()),
    }))
}

/// Returns the median and the 90th percentile of values, of which there is one at least.
fn median_and_p90(mut values: Vec<f64>) -> MedianAndP90 {
    values.sort_unstable_by(f64::total_cmp);
    MedianAndP90 { median: quantile(&values, 0.5), p90: quantile(&values, 0.9) }
}

fn position(recordings: &Recordings, device: &DeviceEvaluation) -> usize {
    recordings.device_index(&device.held_out).expect("what was evaluated was recorded")
}

/// Counts the support vectors of a machine, or the nodes of a forest.
fn parts(model: &Model) -> Option<f64> {
    match &model.selector {
        selector if selector.is_constant() => None,
        Selector::Svm(svm) => Some(svm.support() as f64),
        Selector::Forest(forest) => Some(forest.nodes.len() as f64),
        Selector::Constant { .. } => None,
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| quantile(&values, 0.5))
}

/// Returns the best time on every device and each of these inputs with a success.
fn best_times_ns(recordings: &Recordings, inputs: &[usize]) -> Vec<f64> {
    let inputs: BTreeSet<usize> = inputs.iter().copied().collect();
    let all = best_times(recordings).into_iter();
    all.filter(|((_, input), _)| inputs.contains(input)).map(|(_, best_ns)| best_ns).collect()
}

/// Returns the benefit of each feature, mean over the devices left out. A model without the feature gains nothing.
fn benefits(
    recordings: &Recordings,
    split: &Split,
    devices: &[DeviceEvaluation],
    seed: u64,
) -> Result<Vec<Benefit>, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    let mut sums = vec![0.0; recordings.features.len()];
    for device in devices {
        let (model, at) = (&device.auto_model, position(recordings, device));
        let drops = feature_benefits(recordings, &performance, model, at, &split.test, seed)?;
        for (name, drop) in model.features.iter().zip(drops) {
            let feature = recordings.feature_index(name);
            sums[feature.expect("a model's features are those of its recordings")] += drop;
        }
    }
    let mut benefits = Vec::new();
    for (feature, sum) in recordings.features.iter().zip(sums) {
        benefits.push(Benefit { feature: feature.clone(), drop: sum / devices.len() as f64 });
    }
    Ok(benefits)
}

#[cfg(test)]
mod tests {
    use nitro_learn::evaluate::{EvaluateOptions, evaluate};
    use nitro_store::exchange::read_bytes;
    use nitro_store::recordings::FeatureTimes;

    use super::*;

    /// `stable` takes 10 µs a key and `unstable` 150 µs, on both devices.
    fn recordings() -> Recordings {
        let (mut measurements, mut inputs) =
            (String::from("device,input,variant,time_ns\n"), String::from("input,length\n"));
        for n in 1..=30 {
            let name = format!("{}/{n}", if n % 3 == 0 { "test" } else { "train" });
            inputs += &format!("{name},{n}\n");
            for device in ["small", "large"] {
                let stable_ns = 10_000 * n;
                measurements +=
                    &format!("{device},{name},stable,{stable_ns}\n{device},{name},unstable,150000\n");
            }
        }
        let devices = b"device,threads\nsmall,2\nlarge,16\n";
        read_bytes("sort", measurements.as_bytes(), inputs.as_bytes(), devices).unwrap()
    }

    fn of(recordings: &Recordings) -> Option<WithFeatures> {
        let split = Split::by_name(recordings);
        let evaluation = evaluate(recordings, &split, &EvaluateOptions::default()).unwrap();
        with_features(recordings, &split, &evaluation.devices, 0).unwrap()
    }

    #[test]
    fn features_and_selector_stand_beside_what_is_chosen() {
        let mut recordings = recordings();
        assert!(of(&recordings).is_none(), "nothing is known of features");
        recordings.feature_times = (0..recordings.inputs.len())
            .map(|input| FeatureTimes { device: 0, input, times_ns: vec![Some(3_000.0)] })
            .collect();
        let own = of(&recordings).unwrap();
        assert!((3_000.0..5_000.0).contains(&own.choosing_ns.median), "{own:?}");
        // The lengths 3, 6, 9 and 12 take 30 to 120 µs, the six others 150.
        assert!((120_000.0..=150_000.0).contains(&own.chosen_ns.median), "{own:?}");
        assert!((0.02..0.04).contains(&own.ratio.median), "{own:?}");
        assert!(own.ratio.p90 > own.ratio.median && own.ratio.p90 < 0.2, "{own:?}");
    }
}
