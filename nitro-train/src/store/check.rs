//! What every back end refuses, in one place so that they refuse the same.

use std::collections::HashSet;

use super::as_row;
use super::{FunctionSchema, Row, StoreError};
use crate::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

/// Features of one input recorded twice may differ by this share of their value: sums over another number of threads
/// round differently.
const FEATURE_TOLERANCE: f64 = 1e-9;

pub(super) fn schema(schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
    let function = schema.function;
    name("function", function)?;
    names(|| format!("variant of function `{function}`"), schema.variants.iter().copied())?;
    names(|| format!("feature of function `{function}`"), schema.features.iter().copied())?;
    match schema.default_variant {
        Some(name) if !schema.variants.contains(&name) => Err(StoreError::Name {
            what: format!("default variant of function `{function}`"),
            name: name.to_owned(),
            problem: "is not one of its variants: add it to them",
        }),
        _ => Ok(()),
    }
}

fn name(what: &str, name: &str) -> Result<(), StoreError> {
    names(|| what.to_owned(), std::iter::once(name))
}

fn names<'a>(what: impl FnOnce() -> String, names: impl Iterator<Item = &'a str>) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    for name in names {
        let problem = match name {
            "" => "is empty: give it a name",
            name if !seen.insert(name) => "appears twice: give each a name of its own",
            _ => continue,
        };
        return Err(StoreError::Name { what: what(), name: name.to_owned(), problem });
    }
    Ok(())
}

pub(super) fn device(device: &DeviceRecord) -> Result<(), StoreError> {
    name("device", &device.id)?;
    for (name, &value) in &device.features {
        finite(value, || format!("feature `{name}` of device `{}`", device.id))?;
    }
    Ok(())
}

/// Checks an input against the registered features.
pub(super) fn input(function: &str, features: &[String], input: &Input) -> Result<(), StoreError> {
    if input.name.is_empty() {
        name(&format!("input of function `{function}`"), &input.name)?;
    }
    if input.features.len() != features.len() {
        return Err(StoreError::FeatureCount {
            function: function.to_owned(),
            input: input.name.clone(),
            expected: features.len(),
            found: input.features.len(),
        });
    }
    for (name, &value) in features.iter().zip(&input.features) {
        finite(value, || format!("feature `{name}` of input `{}` of function `{function}`", input.name))?;
    }
    Ok(())
}

pub(super) fn row(input: &str, row: &Row<'_>) -> Result<(), StoreError> {
    if let Outcome::Time(ns) = row.outcome
        && !(ns.is_finite() && ns > 0.0)
    {
        let what = format!("time of variant `{}` for input `{input}`", row.variant);
        return Err(StoreError::Number { what, value: ns, expected: "finite and above zero" });
    }
    finite(row.spread_ns, || format!("spread of variant `{}` for input `{input}`", row.variant))
}

/// Refuses what is in the store, and no program of ours has put there.
pub(super) fn stored(
    location: &str,
    recordings: &Recordings,
    device: &str,
    measurement: &Measurement,
) -> Result<(), StoreError> {
    let input = &recordings.inputs[measurement.input].name;
    row(input, &as_row(recordings, measurement)).map_err(|error| StoreError::Damaged {
        location: location.to_owned(),
        detail: format!("function `{}`, device `{device}`: {error}", recordings.function),
    })
}

fn finite(value: f64, what: impl FnOnce() -> String) -> Result<(), StoreError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(StoreError::Number { what: what(), value, expected: "a finite number" })
}

/// Refuses a feature value that differs from the one recorded before.
pub(super) fn same_feature(
    location: &str,
    input: &str,
    feature: &str,
    stored: f64,
    given: f64,
) -> Result<(), StoreError> {
    if (stored - given).abs() <= FEATURE_TOLERANCE * stored.abs().max(given.abs()) {
        return Ok(());
    }
    let what = format!("feature `{feature}` of input `{input}`");
    Err(StoreError::conflict(location, what, stored, given))
}

/// Refuses recordings that a store cannot take, whatever is in it.
pub(super) fn recordings(recordings: &Recordings) -> Result<(), StoreError> {
    let function = recordings.function.as_str();
    let variants: Vec<&str> = recordings.variants.iter().map(String::as_str).collect();
    let features: Vec<&str> = recordings.features.iter().map(String::as_str).collect();
    schema(&FunctionSchema { function, variants: &variants, default_variant: None, features: &features })?;
    names(
        || format!("input of function `{function}`"),
        recordings.inputs.iter().map(|input| input.name.as_str()),
    )?;
    names(|| "device".to_owned(), recordings.devices.iter().map(|device| device.id.as_str()))?;
    recordings.devices.iter().try_for_each(device)?;
    recordings.inputs.iter().try_for_each(|one| input(function, &recordings.features, one))?;
    recordings.measurements.iter().try_for_each(|measurement| {
        row(&recordings.inputs[measurement.input].name, &as_row(recordings, measurement))
    })
}
