//! Checks of all back ends in one place, so that they refuse the same.

use std::collections::HashSet;

use nitro_core::recording::PartTime;
use nitro_core::{Artifact, MAX_ARTIFACT_BYTES, MAX_VARIANTS, name};

use super::row::as_row;
use super::{ChoiceName, Evaluated, FunctionSchema, Row, Searches, StoreError};
use crate::recordings::{DeviceRecord, Input, MAX_FEATURES, Outcome, Recordings, SpaceRecord};

/// Features of one input recorded twice may differ by this share of their value: sums over another number of threads
/// round differently.
const FEATURE_TOLERANCE: f64 = 1e-9;

/// Returns whether two values of a feature are the same up to rounding.
pub fn is_same_feature(one: f64, other: f64) -> bool {
    (one - other).abs() <= FEATURE_TOLERANCE * one.abs().max(other.abs())
}

pub(super) fn schema(schema: &FunctionSchema<'_>) -> Result<(), StoreError> {
    let function = schema.function;
    function_name(function)?;
    variant_count(function, schema.variants.len())?;
    feature_count(|| format!("function `{function}`"), schema.features.len())?;
    names(|| format!("variant of function `{function}`"), schema.variants.iter().copied())?;
    names(|| format!("feature of function `{function}`"), schema.features.iter().copied())?;
    match schema.default_variant {
        Some(name) if !schema.variants.contains(&name) => Err(StoreError::Name {
            what: format!("default variant of function `{function}`"),
            name: name.to_owned(),
            problem: "is not one of its variants: add it to them".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn function_name(function: &str) -> Result<(), StoreError> {
    name::check_function(function).map_err(|error| ill_named("function", function, error))
}

/// Refuses more variants than a selection tells apart; `count` is with those that other programs have recorded.
pub(super) fn variant_count(function: &str, count: usize) -> Result<(), StoreError> {
    let advice = "record fewer of them, those of another program into another store";
    too_many(|| format!("function `{function}`"), (count, "variants", MAX_VARIANTS), advice)
}

fn feature_count(whose: impl FnOnce() -> String, count: usize) -> Result<(), StoreError> {
    too_many(whose, (count, "features", MAX_FEATURES), "leave out those that say little")
}

fn too_many(
    whose: impl FnOnce() -> String,
    (count, what, most): (usize, &'static str, usize),
    advice: &'static str,
) -> Result<(), StoreError> {
    if count <= most {
        Ok(())
    } else {
        Err(StoreError::TooMany { whose: whose(), count, what, most, advice })
    }
}

fn ill_named(what: &str, name: &str, error: impl ToString) -> StoreError {
    StoreError::Name { what: what.to_owned(), name: name.to_owned(), problem: error.to_string() }
}

/// Refuses generated code that nothing takes.
pub(super) fn artifact(text: &str) -> Result<Artifact, StoreError> {
    let artifact = Artifact::of(text);
    let advice = "generate less of it";
    too_many(|| format!("artifact {artifact}"), (text.len(), "bytes", MAX_ARTIFACT_BYTES), advice)?;
    Ok(artifact)
}

/// Checks an artifact as [`artifact`] does, and its digest.
fn artifact_of_digest(digest: Artifact, text: &str) -> Result<(), StoreError> {
    let found = artifact(text)?;
    if found == digest { Ok(()) } else { Err(StoreError::OtherArtifact { digest, found }) }
}

/// Refuses what no variant is called.
pub(super) fn variant_name(name: &str) -> Result<(), StoreError> {
    one_name("variant", name)
}

fn one_name(what: &str, name: &str) -> Result<(), StoreError> {
    name::check(name).map_err(|error| ill_named(what, name, error))
}

fn names<'a>(what: impl Fn() -> String, names: impl Iterator<Item = &'a str>) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    for one in names {
        name::check(one).map_err(|error| ill_named(&what(), one, error))?;
        if !seen.insert(one) {
            return Err(ill_named(&what(), one, "appears twice: give each a name of its own"));
        }
    }
    Ok(())
}

/// The most configurations of one variant that are listed: some hundred MiB of text.
const MAX_LISTED: usize = 1 << 20;
/// The most parameters of one variant that are listed.
const MAX_PARAMETERS: usize = 64;

fn space(variant: &str, space: &SpaceRecord) -> Result<(), StoreError> {
    let (whose, parameters) = (|| format!("variant `{variant}`"), space.parameters.len());
    too_many(whose, (parameters, "parameters", MAX_PARAMETERS), "leave out those that have one value")?;
    let (configurations, advice) = (space.configurations.len(), "list those that a search may try");
    too_many(whose, (configurations, "configurations", MAX_LISTED), advice)?;
    names(|| format!("parameter of variant `{variant}`"), space.parameters.iter().map(String::as_str))?;
    space.configurations.iter().try_for_each(|(name, values)| {
        one_name(&format!("configuration of variant `{variant}`"), name)?;
        if values.len() != parameters {
            let what = format!("configuration of variant `{variant}`");
            return Err(ill_named(
                &what,
                name,
                format!("has {} values for {parameters} parameters", values.len()),
            ));
        }
        values.iter().try_for_each(|value| one_name("value of a parameter", value))
    })
}

pub(super) fn device(device: &DeviceRecord) -> Result<(), StoreError> {
    let id = device.id.as_str();
    one_name("device", id)?;
    feature_count(|| format!("device `{id}`"), device.features.len())?;
    for (feature, &value) in &device.features {
        one_name(&format!("feature of device `{id}`"), feature)?;
        finite(value, || format!("feature `{feature}` of device `{id}`"))?;
    }
    Ok(())
}

/// Checks an input against the registered features.
pub(super) fn input(function: &str, features: &[String], input: &Input) -> Result<(), StoreError> {
    one_name(&format!("input of function `{function}`"), &input.name)?;
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
    row_of(|| format!("input `{input}`"), row)
}

/// `whose` names input and, where it is known, device.
fn row_of(whose: impl Fn() -> String, row: &Row<'_>) -> Result<(), StoreError> {
    let variant = row.variant;
    if let Outcome::Time(ns) = row.outcome
        && !(ns.is_finite() && ns > 0.0)
    {
        let what = format!("time of variant `{variant}` for {}", whose());
        return Err(StoreError::Number { what, value: ns, expected: "finite and above zero" });
    }
    if !row.configuration.is_empty() {
        one_name(&format!("configuration of variant `{variant}` for {}", whose()), row.configuration)?;
    }
    parts(|| format!("variant `{variant}` for {}", whose()), row.parts)?;
    if let Some(load) = row.load
        && !(0.0..=1.0).contains(&load)
    {
        let what = format!("load of variant `{variant}` for {}", whose());
        return Err(StoreError::Number { what, value: load, expected: "from 0 to 1" });
    }
    if row.spread_ns.is_finite() && row.spread_ns >= 0.0 {
        return Ok(());
    }
    let what = format!("spread of variant `{variant}` for {}", whose());
    Err(StoreError::Number { what, value: row.spread_ns, expected: "finite and 0 or above" })
}

/// The most parts of one evaluation that are kept.
const MAX_PARTS: usize = 1024;
/// The most metrics of one part that are kept.
const MAX_METRICS: usize = 64;

/// Refuses what is no time or metric of a part.
pub fn parts(whose: impl Fn() -> String, parts: &[PartTime]) -> Result<(), StoreError> {
    too_many(&whose, (parts.len(), "parts", MAX_PARTS), "tell of larger ones")?;
    names(|| format!("part of {}", whose()), parts.iter().map(|part| part.name.as_str()))?;
    parts.iter().try_for_each(|PartTime { name, time_ns: value, metrics }| {
        let part = || format!("part `{name}` of {}", whose());
        too_many(part, (metrics.len(), "metrics", MAX_METRICS), "tell of those that say most")?;
        names(|| format!("metric of {}", part()), metrics.iter().map(|(name, _)| name.as_str()))?;
        if !value.is_finite() || *value < 0.0 {
            let (what, expected) = (format!("time of {}", part()), "finite and 0 or above");
            return Err(StoreError::Number { what, value: *value, expected });
        }
        metrics
            .iter()
            .try_for_each(|(name, value)| finite(*value, || format!("metric `{name}` of {}", part())))
    })
}

/// Refuses times of features that are none.
pub(super) fn feature_times(
    function: &str,
    features: &[String],
    input: &str,
    times_ns: impl ExactSizeIterator<Item = Option<f64>>,
) -> Result<(), StoreError> {
    if times_ns.len() != features.len() {
        return Err(StoreError::FeatureCount {
            function: function.to_owned(),
            input: input.to_owned(),
            expected: features.len(),
            found: times_ns.len(),
        });
    }
    for (name, time_ns) in features.iter().zip(times_ns) {
        if let Some(value) = time_ns.filter(|own| !own.is_finite() || *own < 0.0) {
            let what = format!("time of feature `{name}` for input `{input}`");
            return Err(StoreError::Number { what, value, expected: "finite and 0 or above" });
        }
    }
    Ok(())
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
    if is_same_feature(stored, given) {
        return Ok(());
    }
    let what = format!("feature `{feature}` of input `{input}`");
    Err(StoreError::conflict(location, what, stored, given))
}

/// Checks what a store hands out: another program may have written it.
pub(super) fn loaded(location: &str, found: Recordings) -> Result<Recordings, StoreError> {
    recordings(&found).map_err(|source| unusable(location, source))?;
    Ok(found)
}

/// Checks devices as [`loaded`] does.
pub(super) fn loaded_devices(
    location: &str,
    found: Vec<DeviceRecord>,
) -> Result<Vec<DeviceRecord>, StoreError> {
    found.iter().try_for_each(device).map_err(|source| unusable(location, source))?;
    Ok(found)
}

/// Checks evaluations of these choices as [`loaded`] does.
pub(super) fn loaded_evaluations(
    location: &str,
    input: &str,
    choices: &[ChoiceName<'_>],
    found: Vec<Option<Evaluated>>,
) -> Result<Vec<Option<Evaluated>>, StoreError> {
    let known = choices.iter().zip(&found).filter_map(|(choice, one)| Some(one.as_ref()?.row(*choice)));
    known.into_iter().try_for_each(|one| row(input, &one)).map_err(|source| unusable(location, source))?;
    Ok(found)
}

/// Checks everything that searches have left as [`loaded`] does.
pub(super) fn loaded_searches(location: &str, found: Searches) -> Result<Searches, StoreError> {
    searches(&found).map_err(|source| unusable(location, source))?;
    Ok(found)
}

/// Refuses evaluations that a store cannot take.
pub(super) fn searches(searches: &Searches) -> Result<(), StoreError> {
    searches.rows().try_for_each(|([_, _, input], own)| row(input, &own))
}

fn unusable(location: &str, source: StoreError) -> StoreError {
    StoreError::Unusable { location: location.to_owned(), source: source.into() }
}

/// Refuses recordings that a store cannot take, whatever is in it.
pub(super) fn recordings(recordings: &Recordings) -> Result<(), StoreError> {
    let function = recordings.function.as_str();
    let variants: Vec<&str> = recordings.variants.iter().map(String::as_str).collect();
    let features: Vec<&str> = recordings.features.iter().map(String::as_str).collect();
    let of_function = FunctionSchema {
        function,
        variants: &variants,
        default_variant: None,
        default_configuration: "",
        features: &features,
    };
    schema(&of_function)?;
    names(
        || format!("input of function `{function}`"),
        recordings.inputs.iter().map(|input| input.name.as_str()),
    )?;
    names(|| "device".to_owned(), recordings.devices.iter().map(|device| device.id.as_str()))?;
    recordings.devices.iter().try_for_each(device)?;
    recordings.artifacts.iter().try_for_each(|(digest, text)| artifact_of_digest(*digest, text))?;
    recordings.spaces.iter().try_for_each(|one| space(&recordings.variants[one.variant], one))?;
    recordings.inputs.iter().try_for_each(|one| input(function, &recordings.features, one))?;
    recordings.feature_times.iter().try_for_each(|one| {
        let (input, times_ns) = (&recordings.inputs[one.input].name, one.times_ns.iter().copied());
        feature_times(function, &recordings.features, input, times_ns)
    })?;
    recordings.measurements.iter().try_for_each(|measurement| {
        let (input, device) =
            (&recordings.inputs[measurement.input].name, &recordings.devices[measurement.device].id);
        let whose = || format!("input `{input}` on device `{device}` of function `{function}`");
        row_of(whose, &as_row(recordings, measurement))
    })
}
