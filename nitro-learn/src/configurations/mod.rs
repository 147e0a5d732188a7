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
