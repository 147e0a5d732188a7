//! `train report`, and the page of the main job.

use std::path::Path;

use anyhow::{Context, Result};

use super::args::ReportArgs;
use super::data::Stores;
use super::job::{COLUMNS, Judged};
use super::named;
use super::split;
use crate::evaluate::{
    DeviceEvaluation, EvaluateOptions, Evaluation, Split, best_variant_shares, evaluate_with,
};
use crate::learn::PerformanceTable;
use crate::measure::{describe_device, whole_host};
use crate::recordings::{DeviceRecord, Recordings};
use crate::report::{
    Curve, FunctionReport, HeldOut, HeldOutDevice, Quantity, ReportData, Score, Winners, page,
};
use crate::trainer::Trainer;

/// Leaves out each recorded device in turn and writes the page.
pub(super) fn run(trainer: &Trainer, args: &ReportArgs) -> Result<()> {
    let mut stores = Stores::open(trainer, &args.data.store)?;
    let mut functions = Vec::new();
    for function in stores.functions(&args.data.functions)? {
        let recordings = stores.load(&function)?;
        let split =
            split::read(&recordings, args.split.train_inputs.as_deref(), args.split.test_inputs.as_deref())?;
        eprintln!("{function}: leaving out each of {} devices in turn", recordings.devices.len());
        let options = EvaluateOptions { seed: args.seed, ..EvaluateOptions::default() };
        let evaluation = evaluate_with(&recordings, &split, &options, super::evaluate::progress)?;
        let held_out = Some(held_out(&evaluation));
        functions.push(FunctionReport { held_out, ..facts(&recordings, &split) });
    }
    let about = "How close selectors come to exhaustive search on devices that they were not trained on: each \
                 recorded device is left out in turn.";
    write_page(&args.out, about, &describe_device(&*named::open(trainer, &whole_host())?), functions)?;
    println!("{}", args.out.display());
    Ok(())
}

/// The page of the main job.
pub(super) fn write(out: &Path, here: &DeviceRecord, results: &[Judged]) -> Result<()> {
    let function = |judged: &Judged| FunctionReport {
        scores: scores(&judged.evaluation),
        curves: curves(&judged.evaluation),
        ..facts(&judged.recordings, &judged.split)
    };
    let about = "Selectors learned from other machines' recordings chose for this machine, which took no part in their \
                 training. Exhaustive measurement here shows what those choices achieve.";
    write_page(out, about, here, results.iter().map(function).collect())
}

fn write_page(out: &Path, about: &str, here: &DeviceRecord, functions: Vec<FunctionReport>) -> Result<()> {
    let data = ReportData {
        title: "Nitro: how good the choices are".to_owned(),
        about: about.to_owned(),
        machine: here.id.clone(),
        machine_features: here.features.iter().map(quantity).collect(),
        functions,
        footer: format!("Made by Nitro {}.", env!("CARGO_PKG_VERSION")),
    };
    std::fs::write(out, page(&data)).with_context(|| format!("{}: the page cannot be written", out.display()))
}

/// A device feature with the unit that its name ends in.
fn quantity((name, &value): (&String, &f64)) -> Quantity {
    const UNITS: [(&str, &str); 6] = [
        ("_bytes", "bytes"),
        ("_mhz", "MHz"),
        ("_gbps", "GB/s"),
        ("_bits", "bit"),
        ("_mops", "million/s"),
        ("_ns", "ns"),
    ];
    let unit = UNITS.iter().find_map(|(suffix, unit)| Some((name.strip_suffix(suffix)?, *unit)));
    let unit = unit.or_else(|| name.starts_with("gflops").then_some((name.as_str(), "GFLOP/s")));
    let (name, unit) = unit.unwrap_or((name, ""));
    Quantity { name: name.replace('_', " "), value, unit: unit.to_owned() }
}

/// What is known of a function before anything is chosen.
fn facts(recordings: &Recordings, split: &Split) -> FunctionReport {
    let statistics = best_variant_shares(recordings, &PerformanceTable::new(recordings), &split.train);
    let without = |variant: usize| {
        statistics.iter().map(|device| device.share_without[variant]).sum::<f64>() / statistics.len() as f64
    };
    FunctionReport {
        name: recordings.function.clone(),
        training_inputs: split.train.len(),
        test_inputs: split.test.len(),
        winners: Winners {
            variants: recordings.variants.clone(),
            without: (0..recordings.variants.len()).map(without).collect(),
            devices: statistics.into_iter().map(|device| (device.device, device.best_share)).collect(),
        },
        ..FunctionReport::default()
    }
}

fn held_out(evaluation: &Evaluation) -> HeldOut {
    let devices = &evaluation.devices;
    let names = devices.first().map_or_else(Vec::new, |device| {
        device.selectors.by_name().into_iter().map(|(name, _)| name).collect()
    });
    let row = |device: &DeviceEvaluation| HeldOutDevice {
        device: device.held_out.clone(),
        means: device
            .selectors
            .by_name()
            .iter()
            .map(|(_, figures)| figures.map(|figures| figures.mean))
            .collect(),
        device_features: device.device_features.get("svm-cross-validation").cloned().unwrap_or_default(),
    };
    HeldOut {
        selectors: names.into_iter().map(str::to_owned).collect(),
        devices: devices.iter().map(row).collect(),
        sensitivity: format!("Over all devices, {}.", evaluation.sensitivity),
    }
}

fn scores(evaluation: &DeviceEvaluation) -> Vec<Score> {
    let score = |&(name, heading): &(&str, &str)| {
        let figures = evaluation.selectors.get(name)?;
        Some(Score {
            selector: heading.to_owned(),
            description: describe(name, evaluation),
            mean: figures.mean,
            p05: figures.p05,
            worst: figures.worst,
            highlighted: name == "auto",
        })
    };
    COLUMNS.iter().filter_map(score).collect()
}

/// What a selector knows, in a few words.
fn describe(selector: &str, evaluation: &DeviceEvaluation) -> String {
    let sources = evaluation.sources.len();
    match selector {
        "auto" => format!("{} from {sources} devices of other machines", evaluation.auto_is),
        "static" => "the one variant best on average there".to_owned(),
        "majority" => "one selector a device there, majority".to_owned(),
        "target-trained" => "trained on this machine itself".to_owned(),
        "random" => "mean over the admissible variants".to_owned(),
        _ => String::new(),
    }
}

fn curves(evaluation: &DeviceEvaluation) -> Vec<Curve> {
    let curve = |&(name, heading): &(&str, &str)| {
        let shares = evaluation.shares.get(name)?;
        Some(Curve { selector: heading.to_owned(), shares: shares.clone() })
    };
    COLUMNS.iter().filter(|(name, _)| *name != "random").filter_map(curve).collect()
}
