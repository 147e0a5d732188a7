//! The devices that were recorded, as tables of their features (Muralidharan et al., ASPLOS 2016, Table 1).

use std::collections::BTreeSet;

use nitro_learn::next_device::{distances, distinct};
use nitro_store::recordings::{DeviceRecord, Recordings};

use crate::report::data::{DeviceTable, Matrix, Quantity};
use crate::report::device::by_name;

/// Returns a table for each sort of device: those that share at least half of their features.
pub(crate) fn device_tables<'r>(recordings: impl IntoIterator<Item = &'r Recordings>) -> Vec<DeviceTable> {
    let all = recordings.into_iter().flat_map(|function| function.devices.iter().cloned());
    let mut groups: Vec<Vec<DeviceRecord>> = Vec::new();
    for device in distinct(all) {
        match groups.iter_mut().find(|group| are_alike(&group[0], &device)) {
            Some(group) => group.push(device),
            None => groups.push(vec![device]),
        }
    }
    groups.into_iter().map(table).collect()
}

fn are_alike(one: &DeviceRecord, other: &DeviceRecord) -> bool {
    let shared = one.features.keys().filter(|name| other.features.contains_key(*name)).count();
    2 * shared >= one.features.len().max(other.features.len())
}

fn table(mut devices: Vec<DeviceRecord>) -> DeviceTable {
    devices.sort_by(|a, b| by_name(&a.id, &b.id));
    let names: BTreeSet<&String> = devices.iter().flat_map(|device| device.features.keys()).collect();
    // Under the names that models and selectors have for them, which end in the unit; bytes are read better in
    // larger ones.
    let mut features = Vec::new();
    for name in names {
        let unit = if name.ends_with("_bytes") { "bytes" } else { "" };
        let values = devices.iter().map(|device| device.features.get(name).copied().unwrap_or(f64::NAN));
        let quantity = Quantity { name: name.clone(), value: f64::NAN, unit: unit.to_owned() };
        features.push((quantity, values.collect()));
    }
    let apart = distances(&devices.iter().collect::<Vec<_>>());
    let ids: Vec<String> = devices.iter().map(|device| device.id.clone()).collect();
    let cells = apart.into_iter().map(|row| row.into_iter().map(Some).collect()).collect();
    DeviceTable { devices: ids.clone(), features, distances: Matrix { devices: ids, cells } }
}
