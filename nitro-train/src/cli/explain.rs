//! `train explain`: which variant would be selected for given feature values, and why.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use nitro_core::model::{Model, Ranked, Scale, Selector};
use nitro_core::{DeviceEntry, Far};

use super::args::ExplainArgs;
use super::constraint::{Verdict, verdict};
use super::data::Stores;
use super::devices::number;
use super::named;
use super::table::Table;
use crate::measure::{describe_device, whole_host};
use crate::recordings::DeviceRecord;
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &ExplainArgs, out: &mut dyn Write) -> Result<()> {
    let path = args.models.models.join(nitro_core::model::file_name(&args.function));
    let model = Model::read(&path).with_context(|| {
        format!(
            "no usable model of `{}`: make one with `fit`, or name its folder with --models",
            args.function
        )
    })?;
    let known =
        trainer.registered(&args.function).map_or(&[][..], |registered| registered.function.features());
    let given = values(&model, known, &args.features)?;
    let features: Vec<f64> = model.features.iter().map(|name| given[name.as_str()]).collect();
    let device = Subject::find(trainer, args)?;
    let device_features = device.features(&model)?;
    writeln!(out, "function         {}", model.function)?;
    writeln!(out, "device           {}", device.record.id)?;
    let provenance = &model.provenance;
    writeln!(
        out,
        "model            {}, learned from {}",
        provenance.strategy,
        provenance.sources.join(", ")
    )?;
    writeln!(out, "\n{}", columns(&model, &features, &device_features))?;
    let ranking = model.explain(&features, &device_features);
    let fates = fates(trainer, &model, &ranking, &given);
    writeln!(out, "{}", table(&model, &ranking, &fates))?;
    let distances = (input_distance(&model, &features), device.distance(&model));
    print_reach(out, &model, distances)?;
    writeln!(out, "{}", outcome(&model, &ranking, &fates, Far::of(distances.0, distances.1)))?;
    Ok(())
}

/// The given values by feature: each of the model's exactly once, and what else of the code's a constraint may ask for.
fn values<'g>(model: &Model, known: &[&str], given: &'g [String]) -> Result<BTreeMap<&'g str, f64>> {
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}`: write feature=value"))?;
        if !model.features.iter().any(|own| own == name) && !known.contains(&name) {
            bail!("`{name}` is not a feature of the model; its features are {}", model.features.join(", "));
        }
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let number = number.with_context(|| format!("`{pair}`: `{value}` is not a finite number"))?;
        if values.insert(name, number).is_some() {
            bail!("feature `{name}` is given twice");
        }
    }
    match model.features.iter().find(|name| !values.contains_key(name.as_str())) {
        Some(name) => {
            bail!("feature `{name}` is missing: the model needs {}", model.features.join(", "))
        }
        None => Ok(values),
    }
}

/// The device that is selected for.
struct Subject {
    record: DeviceRecord,
    /// Where it is one of this machine.
    entry: Option<&'static DeviceEntry>,
}

impl Subject {
    /// A device of this machine or one in the store.
    fn find(trainer: &Trainer, args: &ExplainArgs) -> Result<Self> {
        let Some(name) = &args.device else { return Self::here(trainer, &whole_host()) };
        let stored = Stores::open(trainer, &args.store)?.devices()?;
        if let Some(device) = stored.iter().find(|device| device.id == *name) {
            return Ok(Self { record: device.clone(), entry: None });
        }
        Self::here(trainer, name).with_context(|| {
            let known = stored.iter().map(|device| device.id.as_str()).collect::<Vec<_>>().join(", ");
            format!("no device `{name}` in the store (it has {known}) and none of that name here")
        })
    }

    fn here(trainer: &Trainer, name: &str) -> Result<Self> {
        let device = named::open(trainer, name)?;
        Ok(Self { record: describe_device(&*device), entry: Some(device.entry()) })
    }

    fn features(&self, model: &Model) -> Result<Vec<f64>> {
        let value = |name: &String| {
            let value = self.record.features.get(name).copied();
            value.with_context(|| format!("device {} has no device feature `{name}`", self.record.id))
        };
        model.device_features.iter().map(value).collect()
    }

    /// As dispatch takes it on this machine; from a record over all features that it has.
    fn distance(&self, model: &Model) -> Option<f64> {
        match self.entry {
            Some(entry) => model.device_distance(entry),
            None => model.coverage.devices.as_ref()?.distance(|name| self.record.features.get(name).copied()),
        }
    }
}

/// How a column was scaled in training, where that is known.
fn scale(model: &Model, column: usize) -> Option<Scale> {
    if let Selector::Svm(svm) = &model.selector {
        return svm.scaling.get(column).copied();
    }
    match column.checked_sub(model.features.len()) {
        None => model.coverage.inputs.as_ref()?.scaling.get(column).copied(),
        Some(column) => {
            let devices = model.coverage.devices.as_ref()?;
            let place = devices.features.iter().position(|name| *name == model.device_features[column])?;
            devices.region.scaling.get(place).copied()
        }
    }
}

/// One row a feature: its value, scaled, and whether it lies outside of what was trained on.
fn columns(model: &Model, features: &[f64], device_features: &[f64]) -> Table {
    let mut table = Table::new(["feature", "value", "scaled", "trained on"]);
    let names = model.features.iter().chain(&model.device_features);
    for (column, (name, &value)) in names.zip(features.iter().chain(device_features)).enumerate() {
        let is_device = column >= model.features.len();
        let scale = scale(model, column);
        let scaled = scale.map_or_else(String::new, |scale| format!("{:.2}", scale.apply(value)));
        let range = scale.map_or_else(String::new, |scale| range(model, &scale, value, is_device));
        let name = if is_device { format!("device: {name}") } else { name.clone() };
        table.row([name, number(value), scaled, range]);
    }
    table
}

/// The training range, and what becomes of a value outside of it.
fn range(model: &Model, scale: &Scale, value: f64, is_device: bool) -> String {
    let end = |end| number(scale.transform.undo(end));
    let range = format!("{} to {}", end(scale.min), end(scale.max));
    let is_outside = scale.max > scale.min && scale.apply(value).abs() > 1.0 + 1e-9;
    match &model.selector {
        _ if !is_outside => range,
        Selector::Svm(_) if is_device => format!("outside of {range}, taken for its end"),
        _ => format!("outside of {range}"),
    }
}

/// What becomes of each variant of the ranking.
fn fates<'t>(
    trainer: &'t Trainer,
    model: &Model,
    ranking: &[Ranked],
    given: &BTreeMap<&str, f64>,
) -> Vec<(Verdict, Option<&'t str>)> {
    let variants =
        trainer.registered(&model.function).map_or(&[][..], |registered| registered.function.variants());
    let fate = |ranked: &Ranked| {
        let name = &model.variants[ranked.variant];
        let constraint = variants.iter().find(|own| own.name == name).and_then(|own| own.constraint);
        let verdict = constraint
            .map_or(Verdict::Admits, |condition| verdict(condition, |name| given.get(name).copied()));
        (verdict, constraint)
    };
    ranking.iter().map(fate).collect()
}

fn table(model: &Model, ranking: &[Ranked], fates: &[(Verdict, Option<&str>)]) -> Table {
    let slowdowns = ranking.iter().any(|ranked| ranked.expected_slowdown.is_some());
    let figure = if slowdowns { "expected slow-down" } else { "comparisons won" };
    let mut table = Table::new(["variant", figure, "constraint"]);
    for (ranked, (verdict, constraint)) in ranking.iter().zip(fates) {
        let figure = match ranked.expected_slowdown {
            Some(slowdown) => format!("{slowdown:.2}"),
            None => format!("{:.0} %", ranked.confidence * 100.0),
        };
        let constraint = constraint.map_or_else(String::new, |condition| match verdict {
            Verdict::Admits => format!("`{condition}` admits it"),
            Verdict::Forbids => format!("`{condition}` forbids it"),
            Verdict::Unknown => format!("`{condition}` cannot be told from the given features"),
        });
        table.row([model.variants[ranked.variant].clone(), figure, constraint]);
    }
    table
}

fn input_distance(model: &Model, features: &[f64]) -> Option<f64> {
    model.coverage.inputs.as_ref()?.distance(features)
}

fn print_reach(
    out: &mut dyn Write,
    model: &Model,
    (input, device): (Option<f64>, Option<f64>),
) -> io::Result<()> {
    let mut print = |name: &str, distance: Option<f64>, of: String| match distance {
        Some(distance) => {
            let word = if distance > 1.0 { "far" } else { "near" };
            writeln!(out, "{name}  {distance:.2}, {word} (far is above 1) {of}")
        }
        None => writeln!(out, "{name}  not known: the model says nothing of distance {of}"),
    };
    print(
        "input distance ",
        input,
        format!("from the {} training inputs", model.provenance.training_inputs),
    )?;
    print("device distance", device, format!("from the {} source devices", model.provenance.sources.len()))
}

/// The variants that may be run, and how far the first is ahead.
fn outcome(model: &Model, ranking: &[Ranked], fates: &[(Verdict, Option<&str>)], far: Option<Far>) -> String {
    let possible: Vec<(&Ranked, Verdict)> = ranking
        .iter()
        .zip(fates)
        .filter(|(_, (verdict, _))| *verdict != Verdict::Forbids)
        .map(|(ranked, (verdict, _))| (ranked, *verdict))
        .collect();
    let Some((first, verdict)) = possible.first() else {
        return "No variant that the model knows is admissible: the default is run".to_owned();
    };
    let name = |ranked: &Ranked| &model.variants[ranked.variant];
    let mut text = String::new();
    if let Some((next, _)) = possible.get(1) {
        let margin = first.confidence - next.confidence;
        text.push_str(&format!("margin           {margin:.2} over `{}`\n", name(next)));
    }
    text.push_str(&format!("\nThe first that its constraint admits is run: {}", name(first)));
    if *verdict == Verdict::Unknown {
        text.push_str(", unless its constraint, which asks for more than the given features, forbids it");
    }
    if let Some(far) = far {
        text.push_str(&format!("\nTake it with caution: {far}"));
    }
    text
}
