//! What the selectors that would be shipped cost, and what their features bring.

use nitro_core::model::{Model, Selector};

use crate::evaluate::{
    Chooser, DeviceEvaluation, EvaluateError, Evaluation, Split, feature_benefits, quantile,
};
use crate::learn::performance::PerformanceTable;
use crate::recordings::{Outcome, Recordings};
use crate::report::data::{Benefit, Overhead};

/// Over the devices left out; nothing where there are none.
pub(super) fn overhead(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
    seed: u64,
) -> Result<Option<Overhead>, EvaluateError> {
    let devices = &evaluation.devices;
    let models = || devices.iter().map(|device| &device.auto_model);
    if devices.is_empty() {
        return Ok(None);
    }
    let choosing_ns = devices.iter().map(|device| {
        let chooser = Chooser::new(recordings, &device.auto_model, position(recordings, device))?;
        Ok(chooser.choosing_ns(&split.test))
    });
    Ok(Some(Overhead {
        model_bytes: median(models().map(|model| model.to_bytes().len() as f64).collect())
            .unwrap_or(f64::NAN),
        parts: median(models().filter_map(parts).collect()),
        choosing_ns: median(choosing_ns.collect::<Result<_, EvaluateError>>()?).unwrap_or(f64::NAN),
        best_variant_ns: median(best_times_ns(recordings, &split.test)).unwrap_or(f64::NAN),
        benefits: benefits(recordings, split, devices, seed)?,
    }))
}

fn position(recordings: &Recordings, device: &DeviceEvaluation) -> usize {
    recordings.device_index(&device.held_out).expect("what was evaluated was recorded")
}

/// Support vectors of a machine, nodes of a forest.
fn parts(model: &Model) -> Option<f64> {
    match &model.selector {
        Selector::Constant { .. } => None,
        Selector::Svm(svm) => Some(svm.support() as f64),
        Selector::Forest(forest) => Some(forest.nodes.len() as f64),
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| quantile(&values, 0.5))
}

/// Of every device and every one of these inputs with a success.
fn best_times_ns(recordings: &Recordings, inputs: &[usize]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; recordings.devices.len() * recordings.inputs.len()];
    for row in &recordings.measurements {
        if let Outcome::Time(ns) = row.outcome {
            let slot = &mut best[row.device * recordings.inputs.len() + row.input];
            *slot = slot.min(ns);
        }
    }
    let of_device = |times: &[f64]| inputs.iter().map(|&input| times[input]).collect::<Vec<_>>();
    let times = best.chunks(recordings.inputs.len().max(1)).flat_map(of_device);
    times.filter(|time| time.is_finite()).collect()
}

/// Mean over the devices left out, by the names of the features; one that a model does not have brings it nothing.
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
    let mean = |(feature, sum): (&String, f64)| Benefit {
        feature: feature.clone(),
        drop: sum / devices.len() as f64,
    };
    Ok(recordings.features.iter().zip(sums).map(mean).collect())
}
