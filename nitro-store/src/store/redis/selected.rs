//! Changes of recordings that are picked out: they are forgotten, or due again; and digests of names.

use std::collections::{BTreeMap, BTreeSet};

use redis::Pipeline;

use super::answers::{self, hash, names};
use super::error::Result;
use super::keys::{self, Features, Schema};
use super::read;
use super::wire::Wire;
use crate::recordings::Meanings;
use crate::store::{ChoiceName, Forgotten, Selected, StoreError};

/// The keys that a change of a function's recordings reads.
pub(super) fn watched(connection: &mut Wire, location: &str, function: &str) -> Result<Vec<String>> {
    let mut watched = vec![keys::FUNCTIONS.to_owned(), keys::DEVICES.to_owned(), keys::inputs(function)];
    for device in devices(connection, location, function)? {
        let of_device = [keys::measurements, keys::evaluations, keys::feature_times, keys::due];
        watched.extend(of_device.map(|key| key(function, &device)));
    }
    Ok(watched)
}

/// All devices, and those of which only searches know.
fn devices(connection: &mut Wire, location: &str, function: &str) -> Result<BTreeSet<String>> {
    let mut devices: BTreeSet<String> = names(connection, location, keys::DEVICES)?.into_iter().collect();
    for key in answers::keys_of(connection, location, &format!("{}*", keys::EVALUATIONS))? {
        let of: (String, String) =
            keys::parse(location, &key, key.strip_prefix(keys::EVALUATIONS).unwrap_or_default())?;
        if of.0 == function {
            devices.insert(of.1);
        }
    }
    Ok(devices)
}

fn schema(connection: &mut Wire, location: &str, function: &str) -> Result<Schema> {
    match read::schema(connection, location, function)? {
        Some(schema) => Ok(schema),
        None => {
            let known = read::functions(connection, location)?;
            Err(StoreError::unknown_function(location, function, &known).into())
        }
    }
}

/// Marks measurements; returns how many.
pub(super) fn measure_again(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    function: &str,
    which: &Selected,
) -> Result<usize> {
    schema(connection, location, function)?;
    let mut marked = 0;
    for device in devices(connection, location, function)? {
        let (key, due) = (keys::measurements(function, &device), keys::due(function, &device));
        for (field, _) in read::fields(connection, location, &key, &device, which)? {
            marked += 1;
            pipe.hset(&due, field, "").ignore();
        }
    }
    Ok(marked)
}

pub(super) fn forget(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    function: &str,
    which: &Selected,
) -> Result<Forgotten> {
    let mut schema = schema(connection, location, function)?;
    let mut forgotten = Forgotten::default();
    // Inputs that lose a measurement, and those that keep one.
    let (mut losing, mut keeping, mut has_variant) = (BTreeSet::new(), BTreeSet::new(), false);
    for device in devices(connection, location, function)? {
        let key = keys::measurements(function, &device);
        let own = read::fields(connection, location, &key, &device, which)?;
        let all = read::fields(connection, location, &key, &device, &Selected::default())?;
        let gone: BTreeSet<&str> = own.iter().map(|(field, _)| field.as_str()).collect();
        let kept: Vec<_> = all.iter().filter(|(field, _)| !gone.contains(field.as_str())).collect();
        has_variant |= kept.iter().any(|(_, parts)| Some(parts.1.as_str()) == which.variant());
        let kept_here: BTreeSet<&String> = kept.iter().map(|(_, parts)| &parts.0).collect();
        for (field, (input, ..)) in &own {
            pipe.hdel(&key, field).ignore().hdel(keys::due(function, &device), field).ignore();
            if !kept_here.contains(input) {
                pipe.hdel(keys::feature_times(function, &device), input).ignore();
            }
        }
        keeping.extend(kept_here.into_iter().cloned());
        losing.extend(own.iter().map(|(_, parts)| parts.0.clone()));
        forgotten.measurements += own.len();
        let searched = keys::evaluations(function, &device);
        for (field, _) in read::fields(connection, location, &searched, &device, which)? {
            pipe.hdel(&searched, field).ignore();
            forgotten.evaluations += 1;
        }
        if which.is_everything() {
            pipe.del(keys::feature_times(function, &device)).ignore();
        }
    }
    if which.is_everything() {
        forgotten.inputs = names(connection, location, &keys::inputs(function))?.len();
        pipe.del([keys::inputs(function), keys::spaces(function), keys::artifacts(function)].as_slice())
            .ignore();
        pipe.hdel(keys::FUNCTIONS, function).ignore();
        return Ok(forgotten);
    }
    for input in losing.difference(&keeping) {
        forgotten.inputs += 1;
        pipe.hdel(keys::inputs(function), input).ignore();
    }
    match which.variant() {
        Some(variant) if !has_variant && schema.default_variant.as_deref() != Some(variant) => {
            schema.variants.retain(|own| own != variant);
            pipe.hset(keys::FUNCTIONS, function, keys::json(&schema)).ignore();
            pipe.hdel(keys::spaces(function), variant).ignore();
        }
        _ => {}
    }
    Ok(forgotten)
}

pub(super) fn put_meanings(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    function: &str,
    given: &Meanings,
) -> Result<()> {
    let mut schema = schema(connection, location, function)?;
    let changed: Vec<&str> = given.changed_features(&schema.meanings).collect();
    if !changed.is_empty() {
        let key = keys::inputs(function);
        let all: BTreeMap<String, String> = hash(connection, location, &key)?;
        for (input, text) in all {
            let mut features: Features = keys::parse_features(location, &key, &text)?;
            features.retain(|name, _| !changed.contains(&name.as_str()));
            pipe.hset(&key, input, keys::json(&features)).ignore();
        }
    }
    for variant in given.changed_variants(&schema.meanings) {
        measure_again(connection, pipe, location, function, &Selected::new(Some(variant), None, None)?)?;
    }
    schema.meanings.declare(given);
    pipe.hset(keys::FUNCTIONS, function, keys::json(&schema)).ignore();
    Ok(())
}

/// Gives a variant another name: measurements of the old name become its own, unless it has such already.
pub(super) fn rename_variant(
    connection: &mut Wire,
    pipe: &mut Pipeline,
    location: &str,
    function: &str,
    (old, new): (&str, &str),
) -> Result<()> {
    let mut schema = schema(connection, location, function)?;
    let Some(position) = schema.variants.iter().position(|own| own == old) else { return Ok(()) };
    match schema.variants.iter().any(|own| own == new) {
        true => drop(schema.variants.remove(position)),
        false => new.clone_into(&mut schema.variants[position]),
    }
    if schema.default_variant.as_deref() == Some(old) {
        schema.default_variant = Some(new.to_owned());
    }
    pipe.hset(keys::FUNCTIONS, function, keys::json(&schema)).ignore();
    let of_old = Selected::new(Some(old), None, None)?;
    for device in devices(connection, location, function)? {
        for key in [keys::measurements, keys::evaluations, keys::due].map(|key| key(function, &device)) {
            for (field, (input, _, configuration)) in
                read::fields(connection, location, &key, &device, &of_old)?
            {
                let Some(value) = answers::value(connection, location, &key, &field)? else { continue };
                let choice = ChoiceName { variant: new, configuration: &configuration };
                pipe.hset_nx(&key, keys::measurement_field(&input, choice), value).ignore();
                pipe.hdel(&key, field).ignore();
            }
        }
    }
    let spaces = keys::spaces(function);
    if let Some(space) = answers::value(connection, location, &spaces, old)? {
        pipe.hset_nx(&spaces, new, space).ignore().hdel(&spaces, old).ignore();
    }
    Ok(())
}
