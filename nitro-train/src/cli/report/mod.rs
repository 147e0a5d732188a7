//! `train report`, and the page of the main job.

mod budget;
mod function;
mod overhead;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use nitro_core::files;

use super::args::ReportArgs;
use super::data::Stores;
use super::job::Judged;
use super::named;
use super::split;
use crate::evaluate::{EvaluateError, EvaluateOptions, evaluate_with, selector_names};
use crate::learn::Strategy;
use crate::measure::{describe_device, whole_host};
use crate::recordings::DeviceRecord;
use crate::report::{FunctionReport, Quantity, ReportData, page};
use crate::trainer::Trainer;

/// Leaves out each recorded device in turn and writes the page.
pub(super) fn run(trainer: &Trainer, args: &ReportArgs, out: &mut dyn Write) -> Result<()> {
    let stores = Stores::open(trainer, &args.data.store)?;
    let mut stores = stores.with_profiles(args.profiles.profiles.as_deref());
    let names = stores.functions(&args.data.functions)?;
    let mut functions = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let recordings = stores.load(name)?;
        let split =
            split::read(&recordings, args.split.train_inputs.as_deref(), args.split.test_inputs.as_deref())?;
        let (place, of, devices) = (place + 1, names.len(), recordings.devices.len());
        say!("{name} ({place} of {of}): leaving out each of {devices} devices in turn");
        let options = EvaluateOptions { seed: args.seed, ..EvaluateOptions::default() };
        functions.push(match evaluate_with(&recordings, &split, &options, crate::cli::evaluate::progress) {
            // The others are worth a page all the same.
            Err(error @ EvaluateError::TooFewDevices { .. }) if names.len() > 1 => {
                say!("{error}");
                function::facts(&recordings, &split)?
            }
            evaluation => function::left_out(&recordings, &split, &evaluation?, args.seed)?,
        });
    }
    let about = "How close selectors come to exhaustive search on devices that they were not trained on: each \
                 recorded device is left out in turn.";
    write_page(&args.out, about, &describe_device(&*named::open(trainer, &whole_host())?), functions)?;
    writeln!(out, "{}", args.out.display())?;
    Ok(())
}

/// The page of the main job.
pub(super) fn write(out: &Path, here: &DeviceRecord, results: &[Judged]) -> Result<()> {
    let about = "Selectors learned from other machines' recordings chose for this machine, which took no part in their \
                 training. Exhaustive measurement here shows what those choices achieve.";
    write_page(out, about, here, results.iter().map(function::measured_here).collect::<Result<_>>()?)
}

fn write_page(out: &Path, about: &str, here: &DeviceRecord, functions: Vec<FunctionReport>) -> Result<()> {
    let data = ReportData {
        title: "Nitro: how good the choices are".to_owned(),
        about: about.to_owned(),
        machine: here.id.clone(),
        machine_features: here.features.iter().map(quantity).collect(),
        glossary: glossary(),
        functions,
        footer: format!("Made by Nitro {}.", env!("CARGO_PKG_VERSION")),
    };
    files::replace(out, page(&data).as_bytes())
        .with_context(|| format!("{}: the page cannot be written", out.display()))
}

/// What the selectors of an evaluation are.
fn glossary() -> Vec<(String, String)> {
    let words = |name: &str| match name {
        "random" => "mean over the admissible variants".to_owned(),
        "majority" => "one selector a device, majority of their choices".to_owned(),
        "auto" => "whichever does best on the other devices: what would be shipped".to_owned(),
        "best-single-feature" => "one device feature, chosen on the device left out".to_owned(),
        "target-trained" => "trained on the device left out".to_owned(),
        strategy => strategy.parse().map_or_else(|_| String::new(), Strategy::description),
    };
    selector_names().map(|name| (name.to_owned(), words(name))).collect()
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
