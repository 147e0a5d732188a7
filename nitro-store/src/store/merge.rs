//! Recordings that come together: those of one function out of a back end's rows, and imported ones into a store.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::row::as_row;
use super::{FunctionSchema, Row, StoreError, check};
use crate::printable::{excerpt, list};
use crate::recordings::{
    DeviceRecord, FeatureTimes, Input, Meanings, Measurement, Recordings, SpaceDifference, SpaceRecord,
};

/// Completes recordings with the measurements of each device, sorted; their `device` is set here.
pub(super) fn attach(
    recordings: &mut Recordings,
    devices: Vec<DeviceRecord>,
    mut by_device: BTreeMap<String, Vec<Measurement>>,
) {
    for device in devices {
        let Some(mut measurements) = by_device.remove(&device.id) else { continue };
        measurements.iter_mut().for_each(|one| one.device = recordings.devices.len());
        measurements.sort_by(|a, b| key_order(a).cmp(&key_order(b)));
        recordings.measurements.append(&mut measurements);
        recordings.devices.push(device);
    }
}

fn key_order(measurement: &Measurement) -> (usize, usize, &str) {
    (measurement.input, measurement.variant, &measurement.configuration)
}

/// A plan to put recordings from elsewhere into a store.
pub(super) struct Import<'a> {
    function: &'a str,
    variants: Vec<&'a str>,
    default_variant: Option<&'a str>,
    default_configuration: &'a str,
    features: Vec<&'a str>,
    /// For each of `features`, where the given inputs have it.
    order: Vec<usize>,
    /// The configurations that these variants (by name) have afterwards.
    spaces: Vec<(&'a str, SpaceRecord)>,
    /// The digests that names have afterwards.
    meanings: Meanings,
    /// The load of measurements in the store, where it is known.
    loads: HashMap<Key<'a>, f64>,
}

impl<'a> Import<'a> {
    /// Compares with what the store holds of the function (`None`: nothing) and of devices.
    pub(super) fn plan(
        location: &str,
        stored: Option<&'a Recordings>,
        devices: &[DeviceRecord],
        given: &'a Recordings,
    ) -> Result<Self, StoreError> {
        same_devices(location, devices, &given.devices)?;
        let features = &stored.unwrap_or(given).features;
        let order = feature_order(location, features, given)?;
        if let Some(stored) = stored {
            same_inputs(location, stored, given, &order)?;
            same_measurements(location, stored, given)?;
            same_feature_times(location, stored, given)?;
        }
        Ok(Self {
            function: &given.function,
            variants: given.variants.iter().map(String::as_str).collect(),
            default_variant: given.default_variant.map(|index| given.variants[index].as_str()),
            default_configuration: &given.default_configuration,
            features: features.iter().map(String::as_str).collect(),
            order,
            spaces: joined_spaces(location, stored, given)?,
            meanings: joined_meanings(location, stored, given)?,
            loads: stored.map(known_loads).unwrap_or_default(),
        })
    }

    pub(super) fn schema(&self) -> FunctionSchema<'_> {
        FunctionSchema {
            function: self.function,
            variants: &self.variants,
            default_variant: self.default_variant,
            default_configuration: self.default_configuration,
            features: &self.features,
        }
    }

    pub(super) fn spaces(&self) -> &[(&'a str, SpaceRecord)] {
        &self.spaces
    }

    pub(super) fn meanings(&self) -> &Meanings {
        &self.meanings
    }

    /// Returns a given measurement as it is to be kept: the store may know under which load it was made.
    pub(super) fn row<'g>(&self, given: &'g Recordings, one: &'g Measurement) -> Row<'g> {
        let row = as_row(given, one);
        Row { load: row.load.or_else(|| self.loads.get(&key(given, one)).copied()), ..row }
    }

    /// The input with its features in the store's order.
    pub(super) fn ordered<'i>(&self, input: &'i Input) -> Cow<'i, Input> {
        if self.order.is_sorted() {
            return Cow::Borrowed(input);
        }
        let features = self.order.iter().map(|&index| input.features[index]).collect();
        Cow::Owned(Input { name: input.name.clone(), features })
    }
}

/// Returns the place in `given` of each feature of the store; refuses another set of features.
fn feature_order(location: &str, stored: &[String], given: &Recordings) -> Result<Vec<usize>, StoreError> {
    let order: Option<Vec<usize>> =
        stored.iter().map(|name| given.features.iter().position(|other| other == name)).collect();
    order.filter(|order| order.len() == given.features.len()).ok_or_else(|| StoreError::OtherFeatures {
        location: location.to_owned(),
        function: given.function.clone(),
        expected: list(stored),
        found: list(&given.features),
    })
}

/// Joins the digests and units of both sides. Refuses features that mean something else.
fn joined_meanings(
    location: &str,
    stored: Option<&Recordings>,
    given: &Recordings,
) -> Result<Meanings, StoreError> {
    let Some(stored) = stored.map(|stored| &stored.meanings) else { return Ok(given.meanings.clone()) };
    if let Some(change) = given.meanings.changes(stored).into_iter().next() {
        let location = location.to_owned();
        return Err(StoreError::OtherDeclaration { location, function: given.function.clone(), change });
    }
    if let Some((feature, found, known)) = given.meanings.other_unit(stored) {
        return Err(StoreError::OtherUnit {
            location: location.to_owned(),
            function: given.function.clone(),
            feature: feature.to_owned(),
            known,
            found,
        });
    }
    let mut joined = stored.clone();
    joined.extend(&given.meanings);
    Ok(joined)
}

/// Refuses device features that differ from those in the store.
fn same_devices(location: &str, stored: &[DeviceRecord], given: &[DeviceRecord]) -> Result<(), StoreError> {
    let stored: HashMap<&str, &DeviceRecord> = stored.iter().map(|one| (one.id.as_str(), one)).collect();
    for device in given {
        let Some(known) = stored.get(device.id.as_str()) else { continue };
        for (name, &value) in &device.features {
            match known.features.get(name) {
                Some(&old) if old != value => {
                    let what = format!("feature `{name}` of device `{}`", device.id);
                    return Err(StoreError::conflict(location, what, old, value));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Refuses inputs that the store knows with other features; `order` says where `given` has each stored one.
fn same_inputs(
    location: &str,
    stored: &Recordings,
    given: &Recordings,
    order: &[usize],
) -> Result<(), StoreError> {
    let inputs: HashMap<&str, &Input> = stored.inputs.iter().map(|one| (one.name.as_str(), one)).collect();
    for input in &given.inputs {
        let Some(known) = inputs.get(input.name.as_str()) else { continue };
        for ((name, &old), &index) in stored.features.iter().zip(&known.features).zip(order) {
            check::same_feature(location, &input.name, name, old, input.features[index])?;
        }
    }
    Ok(())
}

/// The given configurations with those that the store has; refuses such as contradict each other.
fn joined_spaces<'a>(
    location: &str,
    stored: Option<&Recordings>,
    given: &'a Recordings,
) -> Result<Vec<(&'a str, SpaceRecord)>, StoreError> {
    let joined = given.spaces.iter().map(|space| {
        let variant = given.variants[space.variant].as_str();
        let Some(known) = stored.and_then(|stored| stored.space(variant)) else {
            return Ok((variant, space.clone()));
        };
        let mut joined = known.clone();
        match joined.extend(space) {
            Ok(()) => Ok((variant, joined)),
            Err(difference) => Err(other_space(location, variant, known, space, difference)),
        }
    });
    joined.collect()
}

fn other_space(
    location: &str,
    variant: &str,
    known: &SpaceRecord,
    given: &SpaceRecord,
    difference: SpaceDifference,
) -> StoreError {
    match difference {
        SpaceDifference::Parameters => {
            let what = format!("list of parameters of variant `{variant}`");
            StoreError::conflict(location, what, list(&known.parameters), list(&given.parameters))
        }
        SpaceDifference::Values { configuration } => {
            let [known, given] = [known, given].map(|space| list(&space.configurations[&configuration]));
            let what = format!("configuration `{}` of variant `{variant}`", excerpt(&configuration));
            StoreError::conflict(location, what, known, given)
        }
    }
}

/// Refuses measurements whose key the store holds with another value.
fn same_measurements(location: &str, stored: &Recordings, given: &Recordings) -> Result<(), StoreError> {
    let known: HashMap<_, &Measurement> =
        stored.measurements.iter().map(|one| (key(stored, one), one)).collect();
    for measurement in &given.measurements {
        let key = key(given, measurement);
        match known.get(&key) {
            Some(old) if is_other(&as_row(stored, old), &as_row(given, measurement)) => {
                let (device, input, variant, _) = key;
                let what = format!("measurement of `{variant}` for input `{input}` on device `{device}`");
                return Err(StoreError::conflict(location, what, value(old), value(measurement)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns true where two rows of one key contradict each other: an unknown load contradicts none.
pub(super) fn is_other(one: &Row<'_>, other: &Row<'_>) -> bool {
    Row { load: one.load.or(other.load), ..*one } != Row { load: other.load.or(one.load), ..*other }
}

fn known_loads(stored: &Recordings) -> HashMap<Key<'_>, f64> {
    stored.measurements.iter().filter_map(|one| Some((key(stored, one), one.load?))).collect()
}

/// Refuses times of features that the store holds with another value.
fn same_feature_times(location: &str, stored: &Recordings, given: &Recordings) -> Result<(), StoreError> {
    let known: HashMap<_, &FeatureTimes> =
        stored.feature_times.iter().map(|one| (times_key(stored, one), one)).collect();
    for one in &given.feature_times {
        let (device, input) = times_key(given, one);
        let Some(known) = known.get(&(device, input)) else { continue };
        for (name, &time_ns) in given.features.iter().zip(&one.times_ns) {
            let old = stored.feature_index(name).and_then(|column| known.times_ns[column]);
            if let (Some(old), Some(time_ns)) = (old, time_ns)
                && old != time_ns
            {
                let what = format!("time of feature `{name}` for input `{input}` on device `{device}`");
                return Err(StoreError::conflict(location, what, old, time_ns));
            }
        }
    }
    Ok(())
}

/// Device and input, by name.
pub(super) fn times_key<'a>(recordings: &'a Recordings, one: &FeatureTimes) -> (&'a str, &'a str) {
    (&recordings.devices[one.device].id, &recordings.inputs[one.input].name)
}

/// Device, input, variant and configuration, by name.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The names that a measurement is found by.
pub(super) fn key<'a>(recordings: &'a Recordings, measurement: &'a Measurement) -> Key<'a> {
    (
        &recordings.devices[measurement.device].id,
        &recordings.inputs[measurement.input].name,
        &recordings.variants[measurement.variant],
        &measurement.configuration,
    )
}

fn value(measurement: &Measurement) -> String {
    let Measurement { outcome, spread_ns, repeats, load, .. } = measurement;
    match outcome.time_ns() {
        Some(ns) => {
            let load = load.map(|load| format!(", load {load}")).unwrap_or_default();
            format!("{ns} ns (spread {spread_ns} ns, {repeats} repeats{load})")
        }
        None => outcome.name().to_owned(),
    }
}
