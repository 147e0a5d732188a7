//! The configurations of parameterised variants, as recordings know them, become spaces of [`nitro_search`].

mod by_input;
mod error;
mod measured;
mod space;
mod values;

use std::collections::BTreeMap;

use nitro_search::{Evaluation, Failure, Source, Sources};
use nitro_store::recordings::DeviceRecord;

pub use self::by_input::ByInput;
pub use self::error::ConfigurationsError;
pub use self::measured::{Measured, evaluation};
pub use self::space::space_of;

/// Counts what was never measured as failed: nobody can say what it would have given.
pub fn answers(measured: &[Option<Evaluation>]) -> Vec<Evaluation> {
    measured.iter().map(|answer| answer.unwrap_or(Evaluation::Failed(Failure::Invalid))).collect()
}

/// Returns what these devices measured, for a search on a device with the features `here`, by the features that all of
/// them have.
pub fn sources(
    here: &BTreeMap<String, f64>,
    devices: Vec<(&DeviceRecord, Vec<Option<Evaluation>>)>,
) -> Sources {
    let mut names: Vec<&String> = here.keys().collect();
    names.retain(|name| devices.iter().all(|(device, _)| device.features.contains_key(*name)));
    let mut sources = Sources { devices: Vec::new(), features: values(&names, here) };
    for (device, evaluations) in devices {
        let features = values(&names, &device.features);
        sources.devices.push(Source { device: device.id.clone(), evaluations, features });
    }
    sources
}

/// Returns the values of these features.
fn values(names: &[&String], features: &BTreeMap<String, f64>) -> Vec<f64> {
    names.iter().map(|name| features[*name]).collect()
}
