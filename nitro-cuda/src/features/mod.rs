//! Device features that take a benchmark, and those that users add.

mod measure;

use std::sync::{Mutex, PoisonError};

use nitro_core::provide::{load_features, save_features, tell_event};
use nitro_core::{DeviceEntry, DeviceFeature};

use crate::{Cuda, CudaError, capture, device};

/// Changes with the definition of what is measured, so that old figures are measured anew.
const HEADING: &str = "nitro cuda features 1";

/// A feature and how it is measured.
type Feature = (&'static str, fn(Cuda) -> Result<f64, CudaError>);

const BUILT_IN: [Feature; 3] = [
    ("copy_gbps", measure::copy_gbps),
    ("shared_atomic_ms", measure::shared_atomic_ms),
    ("global_atomic_ms", measure::global_atomic_ms),
];

static REGISTERED: Mutex<Vec<Feature>> = Mutex::new(Vec::new());

/// Adds a device feature of one's own, to every CUDA device. Call it before the devices are used.
///
/// `measure` gets a device that the calling thread works on. As with the built-in ones, it runs once a device: the value is cached
/// in the user's cache folder under `name`, so give a changed definition another name.
///
/// ```
/// nitro_cuda::register_feature("clusters", |device| Ok(device.multiprocessors() as f64 / 2.0));
/// ```
pub fn register_feature(name: &'static str, measure: fn(Cuda) -> Result<f64, CudaError>) {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    registered.retain(|(known, _)| *known != name);
    registered.push((name, measure));
}

/// The measured features of a device; what was measured before is looked up.
pub(crate) fn measured(entry: &DeviceEntry) -> Vec<DeviceFeature> {
    let Some(device) = device::of_entry(entry) else { return Vec::new() };
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let wanted: Vec<Feature> = BUILT_IN.into_iter().chain(registered).collect();
    let cached = load_features(entry.id(), HEADING).unwrap_or_default();
    // A failure here is that of every measurement, which says so.
    let _relaxed = capture::relaxed();
    let (features, new) = complete(&wanted, cached, |measure| device.scope(|| measure(device)));
    if new {
        save_features(entry.id(), HEADING, &features);
    }
    let named = |feature: &DeviceFeature| wanted.iter().any(|(name, _)| *name == feature.name);
    features.into_iter().filter(named).collect()
}

/// The cached features and those wanted that were missing, and whether there are any such. A feature that cannot be measured is
/// absent.
fn complete(
    wanted: &[Feature],
    mut features: Vec<DeviceFeature>,
    run: impl Fn(fn(Cuda) -> Result<f64, CudaError>) -> Result<f64, CudaError>,
) -> (Vec<DeviceFeature>, bool) {
    let cached = features.len();
    for &(name, measure) in wanted {
        if features.iter().any(|feature| feature.name == name) {
            continue;
        }
        match run(measure) {
            Ok(value) if value.is_finite() => features.push(DeviceFeature { name: name.to_owned(), value }),
            Ok(value) => tell_event(move || {
                tracing::warn!(name, value, "the device feature is no number and is left out");
            }),
            Err(error) => tell_event(move || {
                tracing::warn!(name, %error, "the device feature cannot be measured and is left out");
            }),
        }
    }
    let new = features.len() > cached;
    (features, new)
}

/// The median of at least one time.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cached_is_not_measured_again_and_what_fails_is_absent() {
        let wanted: [Feature; 4] = [
            ("cached", |_| panic!("it is known")),
            ("new", |_| unreachable!("run below")),
            ("failing", |_| unreachable!("run below")),
            ("nan", |_| unreachable!("run below")),
        ];
        let cached = vec![DeviceFeature { name: "cached".into(), value: 1.0 }];
        let answers = std::cell::RefCell::new(vec![Ok(f64::NAN), Err(CudaError::NoDevice), Ok(2.0)]);
        let (features, new) = complete(&wanted, cached, |_| answers.borrow_mut().pop().unwrap());
        let found: Vec<_> = features.iter().map(|feature| (feature.name.as_str(), feature.value)).collect();
        assert_eq!(found, [("cached", 1.0), ("new", 2.0)]);
        assert!(new);
        assert!(!complete(&wanted[..1], features, |_| unreachable!()).1);
    }

    #[test]
    fn an_outlier_does_not_move_a_median() {
        assert_eq!(median(vec![3.0, 1e9, 1.0, 2.0, 2.5]), 2.5);
    }
}
