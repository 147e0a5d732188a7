//! Queries.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nitro_core::{Artifact, ArtifactError};

use super::answers::{self, hash, names, value};
use super::error::Result;
use super::keys::{self, Features, MeasurementField, MeasurementValue, Schema};
use super::wire::Wire;
use crate::exact::Exact;
use crate::recordings::{
    DeviceRecord, FeatureTimes, Incomplete, Input, Measurement, MeasurementKey, Recordings, SpaceRecord,
};
use crate::store::times::{NamedTimes, ordered_times};
use crate::store::{ChoiceName, Evaluated, EvaluationKey, Searches, Selected, StoreError, merge};

pub(super) fn functions(connection: &mut Wire, location: &str) -> Result<Vec<String>> {
    let mut names = names(connection, location, keys::FUNCTIONS)?;
    names.sort();
    Ok(names)
}

pub(super) fn devices(connection: &mut Wire, location: &str) -> Result<Vec<DeviceRecord>> {
    let all: BTreeMap<String, String> = hash(connection, location, keys::DEVICES)?;
    all.into_iter()
        .map(|(id, features)| {
            let features: Features = keys::parse_features(location, keys::DEVICES, &features)?;
            let features = features.into_iter().map(|(name, Exact(value))| (name, value)).collect();
            Ok(DeviceRecord { id, features })
        })
        .collect()
}

pub(super) fn schema(connection: &mut Wire, location: &str, function: &str) -> Result<Option<Schema>> {
    let text = value(connection, location, keys::FUNCTIONS, function)?;
    text.map(|text| keys::parse(location, keys::FUNCTIONS, &text)).transpose()
}

/// Reads everything of one function; `None` if it is unknown.
pub(super) fn recordings(
    connection: &mut Wire,
    location: &str,
    function: &str,
) -> Result<Option<Recordings>> {
    let Some(schema) = schema(connection, location, function)? else { return Ok(None) };
    let (inputs, incomplete) = inputs(connection, location, function, &schema.features)?;
    let mut recordings = Recordings {
        function: function.to_owned(),
        inputs,
        incomplete,
        variants: schema.variants,
        features: schema.features,
        default_configuration: schema.default_configuration,
        meanings: schema.meanings,
        ..Recordings::default()
    };
    recordings.default_variant = schema.default_variant.and_then(|name| recordings.variant_index(&name));
    recordings.spaces = spaces(connection, location, &recordings)?;
    recordings.artifacts = artifacts(connection, location, function)?;
    let devices = devices(connection, location)?;
    let mut by_device = BTreeMap::new();
    for device in &devices {
        let measurements = measurements(connection, location, &recordings, &device.id)?;
        if !measurements.is_empty() {
            by_device.insert(device.id.clone(), measurements);
        }
    }
    merge::attach(&mut recordings, devices, by_device);
    recordings.feature_times = feature_times(connection, location, &recordings)?;
    let devices = recordings.devices.iter().map(|device| &device.id);
    recordings.due = due(connection, location, function, devices)?;
    Ok(Some(recordings))
}

fn artifacts(connection: &mut Wire, location: &str, function: &str) -> Result<BTreeMap<Artifact, String>> {
    let key = keys::artifacts(function);
    let all: BTreeMap<String, String> = hash(connection, location, &key)?;
    let mut artifacts = BTreeMap::new();
    for (digest, text) in all {
        let artifact =
            digest.parse().map_err(|why: ArtifactError| keys::damaged(location, &key, &why.to_string()))?;
        artifacts.insert(artifact, text);
    }
    Ok(artifacts)
}

fn spaces(connection: &mut Wire, location: &str, recordings: &Recordings) -> Result<Vec<SpaceRecord>> {
    let key = keys::spaces(&recordings.function);
    let all: BTreeMap<String, String> = hash(connection, location, &key)?;
    let mut spaces = Vec::new();
    for (variant, name) in recordings.variants.iter().enumerate() {
        let Some(text) = all.get(name) else { continue };
        let space: SpaceRecord = keys::parse(location, &key, text)?;
        spaces.push(SpaceRecord { variant, ..space });
    }
    Ok(spaces)
}

/// The inputs that have all features, sorted by name, and what the others lack.
fn inputs(
    connection: &mut Wire,
    location: &str,
    function: &str,
    features: &[String],
) -> Result<(Vec<Input>, Incomplete)> {
    let key = keys::inputs(function);
    let all: BTreeMap<String, String> = hash(connection, location, &key)?;
    let (mut inputs, mut incomplete) = (Vec::with_capacity(all.len()), Incomplete::default());
    for (name, text) in all {
        let known: Features = keys::parse_features(location, &key, &text)?;
        let lacking: Vec<&String> = features.iter().filter(|name| !known.contains_key(*name)).collect();
        if lacking.is_empty() {
            let features = features.iter().map(|feature| known[feature].0).collect();
            inputs.push(Input { name, features });
        } else {
            incomplete.inputs += 1;
            incomplete.features.extend(lacking.into_iter().cloned());
        }
    }
    Ok((inputs, incomplete))
}

/// Reads the measurements of one device. Rows that another program has just added, of inputs or variants read before,
/// are left for the next time.
fn measurements(
    connection: &mut Wire,
    location: &str,
    recordings: &Recordings,
    device: &str,
) -> Result<Vec<Measurement>> {
    let inputs: HashMap<&str, usize> =
        recordings.inputs.iter().enumerate().map(|(index, input)| (input.name.as_str(), index)).collect();
    let key = keys::measurements(&recordings.function, device);
    let all: Vec<(String, String)> = hash(connection, location, &key)?;
    let mut measurements = Vec::with_capacity(all.len());
    for (field, value) in all {
        let (input, variant, configuration): MeasurementField = keys::parse(location, &key, &field)?;
        let indices = (inputs.get(input.as_str()), recordings.variant_index(&variant));
        let (Some(&input), Some(variant)) = indices else { continue };
        let entry = format!("{key} {field}");
        let measured: MeasurementValue = keys::parse(location, &entry, &value)?;
        let measurement = measured.at(input, variant, configuration);
        measurements.push(measurement.ok_or_else(|| contradiction(location, &entry))?);
    }
    Ok(measurements)
}

/// Reads the times of features on the inputs and devices of these recordings.
fn feature_times(
    connection: &mut Wire,
    location: &str,
    recordings: &Recordings,
) -> Result<Vec<FeatureTimes>> {
    let mut found = Vec::new();
    for (device, record) in recordings.devices.iter().enumerate() {
        let key = keys::feature_times(&recordings.function, &record.id);
        let all: HashMap<String, String> = hash(connection, location, &key)?;
        for (input, one) in recordings.inputs.iter().enumerate() {
            let Some(text) = all.get(&one.name) else { continue };
            let known: NamedTimes = keys::parse_features(location, &key, text)?;
            found.push(FeatureTimes { device, input, times_ns: ordered_times(&recordings.features, &known) });
        }
    }
    Ok(found)
}

pub(super) fn evaluations(
    connection: &mut Wire,
    location: &str,
    key: &str,
    input: &str,
    choices: &[ChoiceName<'_>],
) -> Result<Vec<Option<Evaluated>>> {
    let fields: Vec<String> = choices.iter().map(|&choice| keys::measurement_field(input, choice)).collect();
    if fields.is_empty() {
        return Ok(Vec::new());
    }
    let found = answers::values(connection, location, key, &fields)?;
    let mut evaluations = Vec::with_capacity(fields.len());
    for (field, text) in fields.iter().zip(found) {
        evaluations.push(text.map(|text| evaluated(location, key, field, &text)).transpose()?);
    }
    Ok(evaluations)
}

fn evaluated(location: &str, key: &str, field: &str, text: &str) -> Result<Evaluated> {
    let entry = format!("{key} {field}");
    let value: MeasurementValue = keys::parse(location, &entry, text)?;
    Ok(value.evaluated().ok_or_else(|| contradiction(location, &entry))?)
}

fn contradiction(location: &str, entry: &str) -> StoreError {
    keys::damaged(location, entry, "outcome and time contradict each other")
}

/// Answers as [`recorded`] does, for one input; `subject` are function, device and input.
pub(super) fn is_recorded(
    connection: &mut Wire,
    location: &str,
    [function, device, input]: [&str; 3],
    choices: &[ChoiceName<'_>],
) -> Result<bool> {
    let Some(schema) = schema(connection, location, function)? else { return Ok(false) };
    let key = keys::inputs(function);
    let Some(features) = value(connection, location, &key, input)? else { return Ok(false) };
    let known: Features = keys::parse_features(location, &key, &features)?;
    let fields: Vec<String> = choices.iter().map(|&choice| keys::measurement_field(input, choice)).collect();
    if !schema.features.iter().all(|name| known.contains_key(name)) {
        return Ok(false);
    }
    if fields.is_empty() {
        return Ok(true);
    }
    let measured = answers::values(connection, location, &keys::measurements(function, device), &fields)?;
    let due = answers::values(connection, location, &keys::due(function, device), &fields)?;
    Ok(measured.iter().all(Option::is_some) && due.iter().all(Option::is_none))
}

/// Reads everything that searches have left.
pub(super) fn searches(connection: &mut Wire, location: &str) -> Result<Searches> {
    let keys_found = answers::keys_of(connection, location, &format!("{}*", keys::EVALUATIONS))?;
    let mut searches = Searches { begun: hash(connection, location, keys::SEARCHES)?, ..Searches::default() };
    for key in keys_found {
        let names = key.strip_prefix(keys::EVALUATIONS).unwrap_or_default();
        let (function, device): (String, String) = keys::parse(location, &key, names)?;
        let all: Vec<(String, String)> = hash(connection, location, &key)?;
        for (field, text) in all {
            let (input, variant, configuration): MeasurementField = keys::parse(location, &key, &field)?;
            let evaluated = evaluated(location, &key, &field, &text)?;
            let (function, device) = (function.clone(), device.clone());
            let of = EvaluationKey { function, device, input, variant, configuration };
            searches.evaluations.insert(of, evaluated);
        }
    }
    Ok(searches)
}

pub(super) fn recorded(
    connection: &mut Wire,
    location: &str,
    function: &str,
    device: &str,
    choices: &[ChoiceName<'_>],
    with_features: bool,
) -> Result<BTreeSet<String>> {
    let Some(schema) = schema(connection, location, function)? else { return Ok(BTreeSet::new()) };
    let wanted: BTreeSet<_> = choices.iter().collect();
    let key = keys::measurements(function, device);
    let fields = names(connection, location, &key)?;
    let due: BTreeSet<String> =
        names(connection, location, &keys::due(function, device))?.into_iter().collect();
    let mut measured: HashMap<String, usize> = HashMap::new();
    for field in fields.into_iter().filter(|field| !due.contains(field)) {
        let (input, variant, configuration): MeasurementField = keys::parse(location, &key, &field)?;
        if wanted.contains(&ChoiceName { variant: &variant, configuration: &configuration }) {
            *measured.entry(input).or_default() += 1;
        }
    }
    let needed = if with_features { schema.features.as_slice() } else { &[] };
    let (inputs, _) = inputs(connection, location, function, needed)?;
    let mut complete: BTreeSet<String> = inputs.into_iter().map(|input| input.name).collect();
    complete.retain(|name| measured.get(name).copied().unwrap_or(0) == wanted.len());
    Ok(complete)
}

/// The fields of a key that are meant, each with its parts.
pub(super) fn fields(
    connection: &mut Wire,
    location: &str,
    key: &str,
    device: &str,
    which: &Selected,
) -> Result<Vec<(String, MeasurementField)>> {
    let mut found = Vec::new();
    for field in names(connection, location, key)? {
        let parts: MeasurementField = keys::parse(location, key, &field)?;
        if which.matches(device, &parts.0, &parts.1) {
            found.push((field, parts));
        }
    }
    Ok(found)
}

/// The measurements that are to be made again.
fn due(
    connection: &mut Wire,
    location: &str,
    function: &str,
    devices: impl Iterator<Item = impl AsRef<str>>,
) -> Result<BTreeSet<MeasurementKey>> {
    let mut due = BTreeSet::new();
    for device in devices {
        let device = device.as_ref();
        let key = keys::due(function, device);
        for (_, parts) in fields(connection, location, &key, device, &Selected::default())? {
            let (input, variant, configuration) = parts;
            due.insert(MeasurementKey { device: device.to_owned(), input, variant, configuration });
        }
    }
    Ok(due)
}
