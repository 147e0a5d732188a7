//! Two stores that come to hold the same inputs and measurements.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::merge::{Import, is_other, key, times_key};
use super::row::as_row;
use super::{CopyCounts, Searches, Store, StoreError};
use crate::recordings::{DeviceRecord, FeatureTimes, Measurement, Recordings};

/// The result of [`sync`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncReport {
    /// The rows that the first store got from the second.
    pub into_first: CopyCounts,
    /// The rows that the second store got from the first.
    pub into_second: CopyCounts,
    /// Measurements that both had before, with other values.
    pub differing: usize,
}

/// Copies what one store has and the other lacks, either way.
///
/// Afterwards both hold a measurement for every function, device, input and choice that either had. What both had
/// stays in each as it was, also where it differs: there is no telling which is right. Variants, their listed
/// configurations, generated code and the times of features add up in the same way, and so do the features of
/// devices whose measurements are copied, and what searches have evaluated and begun with, so that each goes on
/// from either store.
///
/// Everything is compared before anything is written; then each function is one transaction of each store, and all
/// searches are one. If one fails, e.g. since a recorder has come between, what was copied is whole, and another
/// call copies the rest.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_store::store;
///
/// let (mut here, mut there) = (store::memory()?, store::memory()?);
/// here.import(&recordings)?;
/// let synced = store::sync(&mut *here, &mut *there)?;
/// assert_eq!((synced.into_second.measurements, synced.into_first.measurements), (120, 0));
/// assert_eq!(there.load("sort")?, here.load("sort")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StoreError::OtherFeatures`] and [`StoreError::Conflict`] when a function has other input features in the two
/// stores, an input other values of them, or a listed configuration other values of its parameters; and when a back
/// end fails.
pub fn sync(first: &mut dyn Store, second: &mut dyn Store) -> Result<SyncReport, StoreError> {
    let functions: BTreeSet<String> = first.functions()?.into_iter().chain(second.functions()?).collect();
    let (mut first, mut second) = (Side::of(first)?, Side::of(second)?);
    let mut synced = SyncReport::default();
    let mut parts = Vec::new();
    for function in &functions {
        let (in_first, in_second) = (first.load(function)?, second.load(function)?);
        let into_first = first.lacking(in_first.as_ref(), in_second.as_ref(), &mut synced.into_first)?;
        let into_second = second.lacking(in_second.as_ref(), in_first.as_ref(), &mut synced.into_second)?;
        synced.differing += differing(in_first.as_ref(), in_second.as_ref());
        parts.push((into_first, into_second));
    }
    let (of_first, of_second) = (first.store.searches()?, second.store.searches()?);
    for (into_first, into_second) in parts {
        into_first.map_or(Ok(()), |part| first.store.import(&part))?;
        into_second.map_or(Ok(()), |part| second.store.import(&part))?;
    }
    synced.into_first.evaluations = add_searches(first.store, &of_first.lacking(&of_second))?;
    synced.into_second.evaluations = add_searches(second.store, &of_second.lacking(&of_first))?;
    Ok(synced)
}

/// Adds searches to a store that lacks them; returns the number of their evaluations.
fn add_searches(store: &mut dyn Store, lacking: &Searches) -> Result<usize, StoreError> {
    if *lacking != Searches::default() {
        store.add_searches(lacking)?;
    }
    Ok(lacking.evaluations.len())
}

struct Side<'s> {
    store: &'s mut dyn Store,
    functions: BTreeSet<String>,
    devices: HashMap<String, DeviceRecord>,
    /// Ids of devices that come from the other side.
    new_devices: BTreeSet<String>,
}

impl<'s> Side<'s> {
    fn of(store: &'s mut dyn Store) -> Result<Self, StoreError> {
        let functions = store.functions()?.into_iter().collect();
        let devices = store.devices()?.into_iter().map(|device| (device.id.clone(), device)).collect();
        Ok(Self { store, functions, devices, new_devices: BTreeSet::new() })
    }

    fn load(&mut self, function: &str) -> Result<Option<Recordings>, StoreError> {
        self.functions.contains(function).then(|| self.store.load(function)).transpose()
    }

    /// Returns what this side lacks of the other's; none if it is nothing.
    fn lacking(
        &mut self,
        own: Option<&Recordings>,
        other: Option<&Recordings>,
        copied: &mut CopyCounts,
    ) -> Result<Option<Recordings>, StoreError> {
        let Some(other) = other else { return Ok(None) };
        let own_devices: Vec<DeviceRecord> = self.devices.values().cloned().collect();
        // Refuses what does not fit, before anything is written. What both have may differ.
        let part = part(other, own, &self.devices);
        let plan = Import::plan(self.store.location(), own, &own_devices, &part.recordings)?;
        let adds_configurations = plan.spaces().iter().any(|(variant, joined)| {
            let known = own.and_then(|own| own.space(variant));
            known.is_none_or(|known| known.configurations.len() < joined.configurations.len())
        });
        self.new_devices.extend(part.new_devices);
        copied.functions += usize::from(own.is_none());
        copied.devices = self.new_devices.len();
        copied.inputs += part.new_inputs;
        copied.measurements += part.recordings.measurements.len();
        copied.artifacts += part.recordings.artifacts.len();
        let adds_variants =
            own.is_none_or(|own| other.variants.iter().any(|name| own.variant_index(name).is_none()));
        let adds_meanings = own.is_some_and(|own| *plan.meanings() != own.meanings);
        let adds = adds_variants
            || adds_configurations
            || adds_meanings
            || part.new_inputs > 0
            || !part.recordings.artifacts.is_empty()
            || !part.recordings.feature_times.is_empty()
            || !part.recordings.measurements.is_empty();
        Ok(adds.then_some(part.recordings))
    }
}

struct Part {
    recordings: Recordings,
    new_inputs: usize,
    new_devices: Vec<String>,
}

/// Returns what `own` lacks of `other`. Inputs that both know come along, to be compared.
fn part(other: &Recordings, own: Option<&Recordings>, own_devices: &HashMap<String, DeviceRecord>) -> Part {
    let known: BTreeSet<_> =
        own.into_iter().flat_map(|own| own.measurements.iter().map(|one| key(own, one))).collect();
    let measurements: Vec<Measurement> =
        other.measurements.iter().filter(|one| !known.contains(&key(other, one))).cloned().collect();
    let feature_times = unknown_times(other, own);
    let used: BTreeSet<usize> =
        measurements.iter().map(|one| one.device).chain(feature_times.iter().map(|one| one.device)).collect();
    let indices: HashMap<usize, usize> = used.iter().copied().zip(0..).collect();
    let inputs: BTreeSet<&str> =
        own.into_iter().flat_map(|own| &own.inputs).map(|input| input.name.as_str()).collect();
    let new_devices = used.iter().map(|&device| &other.devices[device].id);
    Part {
        new_inputs: other.inputs.iter().filter(|input| !inputs.contains(input.name.as_str())).count(),
        new_devices: new_devices.filter(|&id| !own_devices.contains_key(id)).cloned().collect(),
        recordings: Recordings {
            // What the store knows as default stays.
            default_variant: other
                .default_variant
                .filter(|_| own.is_none_or(|own| own.default_variant.is_none())),
            devices: used
                .iter()
                .map(|&device| unknown_features(&other.devices[device], own_devices))
                .collect(),
            measurements: measurements
                .into_iter()
                .map(|one| Measurement { device: indices[&one.device], ..one })
                .collect(),
            feature_times: feature_times
                .into_iter()
                .map(|one| FeatureTimes { device: indices[&one.device], ..one })
                .collect(),
            artifacts: other
                .artifacts
                .iter()
                .filter(|(artifact, _)| own.is_none_or(|own| !own.artifacts.contains_key(artifact)))
                .map(|(artifact, text)| (*artifact, text.clone()))
                .collect(),
            profiles: Default::default(),
            ..other.clone()
        },
    }
}

/// Returns the times of features on devices and inputs of which they are not known yet.
fn unknown_times(other: &Recordings, own: Option<&Recordings>) -> Vec<FeatureTimes> {
    let known: BTreeSet<_> =
        own.into_iter().flat_map(|own| own.feature_times.iter().map(|one| times_key(own, one))).collect();
    other.feature_times.iter().filter(|one| !known.contains(&times_key(other, one))).cloned().collect()
}

/// The device with those features that are not known of it yet.
fn unknown_features(device: &DeviceRecord, known: &HashMap<String, DeviceRecord>) -> DeviceRecord {
    let mut features = device.features.clone();
    if let Some(known) = known.get(&device.id) {
        features.retain(|name, _| !known.features.contains_key(name));
    }
    DeviceRecord { id: device.id.clone(), features }
}

/// Counts the measurements that both have with other values.
fn differing(first: Option<&Recordings>, second: Option<&Recordings>) -> usize {
    let (Some(first), Some(second)) = (first, second) else { return 0 };
    let known: HashMap<_, _> =
        first.measurements.iter().map(|one| (key(first, one), as_row(first, one))).collect();
    let mut count = 0;
    for one in &second.measurements {
        let differs = known.get(&key(second, one)).is_some_and(|row| is_other(row, &as_row(second, one)));
        count += usize::from(differs);
    }
    count
}
