//! The part of the page about one function, assembled from its recordings and evaluations.

use std::collections::BTreeSet;

use nitro_learn::evaluate::{
    DeviceEvaluation, EvaluateError, Evaluation, Split, best_variant_shares, selector_names, worst_inputs,
};
use nitro_learn::performance::PerformanceTable;
use nitro_store::recordings::Recordings;

use super::learning_curve::learning_curve;
use super::local::{LOCAL_SELECTORS, LocalResult};
use super::overhead::overhead;
use super::pairs::{matrix, one_fewer, sensitivity};
use super::selection::selection;
use super::spaces::mean;
use crate::report::data::{CalibrationCurve, Curve, FunctionReport, HeldOut, HeldOutDevice, Score, Winners};
use crate::report::device::by_name;

/// Returns the section of a function of which each device was left out in turn.
pub(crate) fn left_out(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
    seed: u64,
) -> Result<FunctionReport, EvaluateError> {
    let pairs = &evaluation.pairs;
    Ok(FunctionReport {
        held_out: Some(held_out(evaluation)),
        curves: pooled_curves(evaluation),
        trained_on_run_on: matrix(&pairs.devices, &pairs.trained_on_run_on),
        sensitivity: Some(sensitivity(recordings, split, evaluation)?),
        worst: evaluation.worst.clone(),
        calibration: calibration(evaluation),
        one_fewer: one_fewer(recordings, split, evaluation, seed)?,
        selection: Some(selection(recordings, split, seed)?),
        overhead: overhead(recordings, split, evaluation, seed)?,
        learning_curve: learning_curve(recordings, split)?,
        ..facts(recordings, split)?
    })
}

/// Returns the section of a function that was measured on this machine.
pub(crate) fn measured_here(result: &LocalResult) -> Result<FunctionReport, EvaluateError> {
    let evaluation = result.evaluation.as_ref();
    let performance = PerformanceTable::new(&result.recordings)?;
    let judged =
        evaluation.and_then(|own| Some((result.recordings.device_index(&own.held_out)?, &own.auto_model)));
    Ok(FunctionReport {
        worst: worst_inputs(&result.recordings, &performance, judged, &result.split.test)?,
        scores: evaluation.map_or_else(Vec::new, scores),
        curves: evaluation.map_or_else(Vec::new, curves),
        test_inputs: result.inputs(),
        ..facts(&result.recordings, &result.split)?
    })
}

/// Returns the facts of a function that hold before anything is chosen.
pub(crate) fn facts(recordings: &Recordings, split: &Split) -> Result<FunctionReport, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    Ok(FunctionReport {
        name: recordings.function.clone(),
        training_inputs: split.train.len(),
        test_inputs: split.test.len(),
        winners: winners(recordings, &performance, &split.test),
        ..FunctionReport::default()
    })
}

/// Returns the best variants over these inputs. Devices on which none of them was measured have no say.
fn winners(recordings: &Recordings, performance: &PerformanceTable, inputs: &[usize]) -> Winners {
    let mut statistics = best_variant_shares(recordings, performance, inputs);
    statistics.retain(|device| device.inputs > 0);
    statistics.sort_by(|a, b| by_name(&a.device, &b.device));
    let mut winners = Winners { variants: recordings.variants.clone(), ..Winners::default() };
    for own in 0..recordings.variants.len() {
        winners.without.push(mean(statistics.iter().map(|device| device.share_without[own])));
        winners.alone.push(mean(statistics.iter().filter_map(|device| device.share_alone[own])));
        winners.may_run.push(mean(statistics.iter().map(|device| device.may_run[own])));
    }
    winners.devices = statistics.into_iter().map(|device| (device.device, device.best_share)).collect();
    winners
}

/// Returns the curve of calibration; none where no calibration was asked for.
fn calibration(evaluation: &Evaluation) -> Option<CalibrationCurve> {
    let counts = evaluation.devices.iter().flat_map(|device| device.calibrated.keys().copied());
    let counts: BTreeSet<usize> = counts.collect();
    let mut devices: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for device in &evaluation.devices {
        let mut means = vec![device.selectors.get("auto").map(|figures| figures.mean)];
        means.extend(counts.iter().map(|count| device.calibrated.get(count).map(|figures| figures.mean)));
        devices.push((device.held_out.clone(), means));
    }
    devices.sort_by(|(a, _), (b, _)| by_name(a, b));
    let curve = CalibrationCurve { counts: std::iter::once(0).chain(counts).collect(), devices };
    (curve.counts.len() > 1).then_some(curve)
}

fn held_out(evaluation: &Evaluation) -> HeldOut {
    let names: Vec<&str> = selector_names().collect();
    let mut columns: Vec<usize> = (0..names.len()).collect();
    columns.retain(|&column| {
        evaluation.devices.iter().any(|device| device.selectors.by_name()[column].1.is_some())
    });
    let mut devices: Vec<HeldOutDevice> =
        evaluation.devices.iter().map(|device| held_out_device(device, &columns)).collect();
    devices.sort_by(|a, b| by_name(&a.device, &b.device));
    HeldOut { selectors: columns.iter().map(|&column| names[column].to_owned()).collect(), devices }
}

fn held_out_device(device: &DeviceEvaluation, columns: &[usize]) -> HeldOutDevice {
    let figures = device.selectors.by_name();
    let mut chosen: Vec<(String, Vec<String>)> = Vec::new();
    for (selector, features) in &device.device_features {
        // Whoever takes all device features does not choose, and an oracle chose with the device at hand.
        if !selector.ends_with("-all") && *selector != "best-single-feature" {
            chosen.push((selector.to_string(), features.clone()));
        }
    }
    chosen.push(("auto".to_owned(), device.auto_model.device_features.clone()));
    HeldOutDevice {
        device: device.held_out.clone(),
        means: columns.iter().map(|&column| figures[column].1.map(|figures| figures.mean)).collect(),
        chosen,
        auto_is: device.auto_is.to_owned(),
    }
}

/// Returns every choice on every device left out, `auto` first; `random` chooses nothing.
fn pooled_curves(evaluation: &Evaluation) -> Vec<Curve> {
    let mut names: Vec<&str> = selector_names().filter(|name| *name != "random").collect();
    names.sort_by_key(|name| *name != "auto"); // stable
    let mut curves = Vec::new();
    for name in names {
        let shares = evaluation.devices.iter().filter_map(|device| device.shares.get(name));
        curves.push(Curve { selector: name.to_owned(), shares: shares.flatten().copied().collect() });
    }
    curves
}

fn scores(evaluation: &DeviceEvaluation) -> Vec<Score> {
    let selectors = evaluation.selectors.by_name();
    let mut scores = Vec::new();
    for (name, heading) in LOCAL_SELECTORS {
        let Some(&(_, Some(figures))) = selectors.iter().find(|(own, _)| *own == name) else { continue };
        scores.push(Score {
            selector: heading.to_owned(),
            description: describe(name, evaluation),
            mean: figures.mean,
            p05: figures.p05,
            worst: figures.worst,
            highlighted: name == "auto",
        });
    }
    scores
}

/// Describes the knowledge of a selector in a few words.
fn describe(selector: &str, evaluation: &DeviceEvaluation) -> String {
    let sources = evaluation.sources.len();
    match selector {
        "auto" => format!("{} from {sources} devices of other machines", evaluation.auto_is),
        "static" => "the admissible variant best on average there".to_owned(),
        "majority" => "one selector a device there, majority".to_owned(),
        "nitro-2014" => "SVM trained on this machine itself, input features alone".to_owned(),
        "target-trained" => "trained on this machine itself".to_owned(),
        "random" => "mean over the admissible variants".to_owned(),
        _ => String::new(),
    }
}

fn curves(evaluation: &DeviceEvaluation) -> Vec<Curve> {
    let mut curves = Vec::new();
    for (name, heading) in LOCAL_SELECTORS.into_iter().filter(|(name, _)| *name != "random") {
        if let Some(shares) = evaluation.shares.get(name) {
            curves.push(Curve { selector: heading.to_owned(), shares: shares.clone() });
        }
    }
    curves
}
