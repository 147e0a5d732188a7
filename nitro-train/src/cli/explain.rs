//! `train explain`: which variant would be selected for given feature values, and why.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use nitro_core::model::Model;

use super::args::ExplainArgs;
use super::data::Stores;
use super::devices::number;
use super::named;
use super::table::Table;
use crate::measure::{describe_device, whole_host};
use crate::recordings::DeviceRecord;
use crate::trainer::Trainer;

pub(super) fn run(trainer: &Trainer, args: &ExplainArgs) -> Result<()> {
    let path = args.models.models.join(nitro_core::model::file_name(&args.function));
    let model = Model::read(&path).with_context(|| {
        format!(
            "no usable model of `{}`: make one with `fit`, or name its folder with --models",
            args.function
        )
    })?;
    let features = features(&model, &args.features)?;
    let device = device(trainer, args)?;
    let device_features = model.device_features.iter().map(|name| {
        device
            .features
            .get(name)
            .copied()
            .with_context(|| format!("device {} has no device feature `{name}`", device.id))
    });
    let device_features = device_features.collect::<Result<Vec<_>>>()?;
    let ranking = model.explain(&features, &device_features);
    println!("function         {}", model.function);
    println!("device           {}", device.id);
    let pairs = |names: &[String], values: &[f64]| {
        names
            .iter()
            .zip(values)
            .map(|(name, &value)| format!("{name}={}", number(value)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    println!("features         {}", pairs(&model.features, &features));
    println!("device features  {}", pairs(&model.device_features, &device_features));
    println!(
        "model            {}, learned from {}",
        model.provenance.strategy,
        model.provenance.sources.join(", ")
    );
    println!();
    let slowdowns = ranking.iter().any(|ranked| ranked.expected_slowdown.is_some());
    let mut table = Table::new(["variant", if slowdowns { "expected slow-down" } else { "comparisons won" }]);
    for ranked in &ranking {
        let figure = match ranked.expected_slowdown {
            Some(slowdown) => format!("{slowdown:.2}"),
            None => format!("{:.0} %", ranked.confidence * 100.0),
        };
        table.row([model.variants[ranked.variant].clone(), figure]);
    }
    print!("{table}");
    println!("\nThe first that its constraint admits is run: {}", model.variants[ranking[0].variant]);
    Ok(())
}

/// The values of the model's features, each given exactly once.
fn features(model: &Model, given: &[String]) -> Result<Vec<f64>> {
    let mut values = BTreeMap::new();
    for pair in given {
        let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}`: write feature=value"))?;
        if !model.features.iter().any(|own| own == name) {
            bail!("`{name}` is not a feature of the model; its features are {}", model.features.join(", "));
        }
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let number = number.with_context(|| format!("`{pair}`: `{value}` is not a finite number"))?;
        if values.insert(name, number).is_some() {
            bail!("feature `{name}` is given twice");
        }
    }
    let value = |name: &String| {
        values.get(name.as_str()).copied().with_context(|| {
            format!("feature `{name}` is missing: the model needs {}", model.features.join(", "))
        })
    };
    model.features.iter().map(value).collect()
}

/// A device of this machine or one in the store.
fn device(trainer: &Trainer, args: &ExplainArgs) -> Result<DeviceRecord> {
    let Some(name) = &args.device else { return Ok(describe_device(&*named::open(trainer, &whole_host())?)) };
    let stored = Stores::open(trainer, &args.store)?.devices()?;
    if let Some(device) = stored.iter().find(|device| device.id == *name) {
        return Ok(device.clone());
    }
    let device = named::open(trainer, name).with_context(|| {
        let known = stored.iter().map(|device| device.id.as_str()).collect::<Vec<_>>().join(", ");
        format!("no device `{name}` in the store (it has {known}) and none of that name here")
    })?;
    Ok(describe_device(&*device))
}
