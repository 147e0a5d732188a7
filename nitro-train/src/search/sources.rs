//! What other devices measured of a space, as a strategy is told it.

use std::collections::BTreeMap;

use nitro_search::{Evaluation, Source, Sources, Strategy};

use crate::recordings::DeviceRecord;

/// What these devices measured, for whoever searches on a device with the features `here`: those features that all
/// of them have.
pub(super) fn sources(
    here: &BTreeMap<String, f64>,
    devices: Vec<(&DeviceRecord, Vec<Option<Evaluation>>)>,
) -> Sources {
    let of_all = |name: &&String| devices.iter().all(|(device, _)| device.features.contains_key(*name));
    let names: Vec<&String> = here.keys().filter(of_all).collect();
    let known =
        |features: &BTreeMap<String, f64>| names.iter().map(|name| features[*name]).collect::<Vec<f64>>();
    let features = known(here);
    let source = |(device, evaluations): (&DeviceRecord, _)| Source {
        device: device.id.clone(),
        evaluations,
        features: known(&device.features),
    };
    let devices = devices.into_iter().map(source).collect();
    Sources { devices, features }
}

/// The names of the devices that a search learns from: one strategy looks at them.
pub(crate) fn told(strategy: Strategy, sources: &Sources) -> Vec<String> {
    let told = sources.devices.iter().filter(|_| strategy == Strategy::Transfer);
    told.map(|source| source.device.clone()).collect()
}
