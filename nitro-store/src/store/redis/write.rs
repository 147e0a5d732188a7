//! Writing transactions: reads happen at once, writes are put into the pipe.

use std::collections::BTreeMap;

use nitro_core::Artifact;
use redis::Pipeline;

use super::error::Result;
use super::keys::{self, Features, MeasurementValue, Schema};
use super::wire::Wire;
use super::{answers, read};
use crate::exact::Exact;
use crate::recordings::{Input, Meanings, Recordings};
use crate::store::merge::Import;
use crate::store::times::named_times;
use crate::store::{FunctionSchema, Row, Searches, StoreError, check};

pub(super) fn schema(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    given: &FunctionSchema<'_>,
    meanings: Option<&Meanings>,
) -> Result<()> {
    let mut stored = read::schema(connection, location, given.function)?.unwrap_or_default();
    for &variant in given.variants {
        if !stored.variants.iter().any(|known| known == variant) {
            stored.variants.push(variant.to_owned());
        }
    }
    check::variant_count(given.function, stored.variants.len())?;
    stored.features = given.features.iter().map(|&name| name.to_owned()).collect();
    if let Some(variant) = given.default_variant {
        stored.default_variant = Some(variant.to_owned());
        stored.default_configuration = given.default_configuration.to_owned();
    }
    stored.meanings.extend(meanings.unwrap_or(&Meanings::default()));
    pipe.hset(keys::FUNCTIONS, given.function, keys::json(&stored)).ignore();
    Ok(())
}

pub(super) fn device(pipe: &mut Pipeline, id: &str, features: &BTreeMap<String, f64>) {
    pipe.hset(keys::DEVICES, id, keys::json(features)).ignore();
}

/// The text of an artifact is always the same.
pub(super) fn artifact(pipe: &mut Pipeline, function: &str, artifact: Artifact, text: &str) {
    pipe.hset(keys::artifacts(function), artifact.to_string(), text).ignore();
}

/// The arguments of [`put`](crate::store::Store::put).
pub(super) struct MeasurementWrite<'a> {
    pub(super) function: &'a str,
    pub(super) device: &'a str,
    pub(super) input: &'a Input,
    pub(super) rows: &'a [Row<'a>],
}

pub(super) fn measured(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    measured: &MeasurementWrite<'_>,
) -> Result<()> {
    let MeasurementWrite { function, device, input: given, rows } = measured;
    let schema = subject(connection, pipe, location, measured)?;
    for row in *rows {
        if !schema.variants.iter().any(|name| name == row.variant) {
            return Err(StoreError::unregistered(location, "variant", row.variant).into());
        }
        write_row(pipe, function, device, &given.name, row);
    }
    Ok(())
}

/// Puts the times of an input's features on a device.
pub(super) fn feature_times(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    measured: &MeasurementWrite<'_>,
    times_ns: &[f64],
) -> Result<()> {
    let MeasurementWrite { function, device, input, .. } = measured;
    let Schema { features, .. } = subject(connection, pipe, location, measured)?;
    let times_ns = times_ns.iter().copied().map(Some);
    check::feature_times(function, &features, &input.name, times_ns.clone())?;
    let times_ns = named_times(&features, times_ns);
    pipe.hset(keys::feature_times(function, device), &input.name, keys::json(&times_ns)).ignore();
    Ok(())
}

/// Makes sure of function and device, and adds the input.
fn subject(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    MeasurementWrite { function, device, input: given, .. }: &MeasurementWrite<'_>,
) -> Result<Schema> {
    let Some(schema) = read::schema(connection, location, function)? else {
        return Err(StoreError::unknown_function(
            location,
            function,
            &read::functions(connection, location)?,
        )
        .into());
    };
    check::input(function, &schema.features, given)?;
    if answers::value(connection, location, keys::DEVICES, device)?.is_none() {
        return Err(StoreError::unregistered(location, "device", device).into());
    }
    input(connection, pipe, location, function, &schema.features, given)?;
    Ok(schema)
}

/// Adds the input, or checks that it is the one known.
fn input(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    function: &str,
    names: &[impl AsRef<str>],
    input: &Input,
) -> Result<()> {
    let key = keys::inputs(function);
    let stored = answers::value(connection, location, &key, &input.name)?;
    let mut features: Features = match stored {
        Some(text) => keys::parse_features(location, &key, &text)?,
        None => Features::new(),
    };
    for (name, &value) in names.iter().map(AsRef::as_ref).zip(&input.features) {
        let &mut Exact(kept) = features.entry(name.to_owned()).or_insert(Exact(value));
        check::same_feature(location, &input.name, name, kept, value)?;
    }
    pipe.hset(&key, &input.name, keys::json(&features)).ignore();
    Ok(())
}

/// Writes a row, which is not due any more.
fn write_row(pipe: &mut Pipeline, function: &str, device: &str, input: &str, row: &Row<'_>) {
    let field = keys::measurement_field(input, row.choice());
    pipe.hset(keys::measurements(function, device), &field, keys::json(&MeasurementValue::of(row))).ignore();
    pipe.hdel(keys::due(function, device), field).ignore();
}

/// Adds what searches have left. Of what is known the first stays, so that nothing has to be read before.
pub(super) fn searches(searches: &Searches) -> Pipeline {
    let mut pipe = redis::pipe();
    pipe.atomic();
    for ([function, device, input], row) in searches.rows() {
        let (key, field) =
            (keys::evaluations(function, device), keys::measurement_field(input, row.choice()));
        pipe.hset_nx(key, field, keys::json(&MeasurementValue::of(&row))).ignore();
    }
    for (name, with) in &searches.begun {
        pipe.hset_nx(keys::SEARCHES, name, with).ignore();
    }
    pipe
}

pub(super) fn import(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    given: &Recordings,
) -> Result<()> {
    let function = given.function.as_str();
    let stored = read::recordings(connection, location, function)?;
    let devices = read::devices(connection, location)?;
    let plan = Import::plan(location, stored.as_ref(), &devices, given)?;
    schema(connection, pipe, location, &plan.schema(), Some(plan.meanings()))?;
    for one in &given.devices {
        let mut features = one.features.clone();
        let known = devices.iter().filter(|device| device.id == one.id);
        features.extend(known.flat_map(|device| device.features.clone()));
        device(pipe, &one.id, &features);
    }
    for one in &given.inputs {
        input(connection, pipe, location, function, plan.schema().features, &plan.ordered(one))?;
    }
    given.artifacts.iter().for_each(|(own, text)| artifact(pipe, function, *own, text));
    for (variant, space) in plan.spaces() {
        pipe.hset(keys::spaces(function), variant, keys::json(space)).ignore();
    }
    for one in &given.feature_times {
        let key = keys::feature_times(function, &given.devices[one.device].id);
        let times_ns = named_times(&given.features, one.times_ns.iter().copied());
        pipe.hset(key, &given.inputs[one.input].name, keys::json(&times_ns)).ignore();
    }
    for one in &given.measurements {
        let (device, input) = (&given.devices[one.device].id, &given.inputs[one.input].name);
        write_row(pipe, function, device, input, &plan.row(given, one));
    }
    Ok(())
}
