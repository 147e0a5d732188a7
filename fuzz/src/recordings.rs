use nitro_core::{Artifact, MAX_ARTIFACT_BYTES, MAX_VARIANTS, name};
use nitro_store::recordings::{MAX_FEATURES, Recordings};

/// Asserts that recordings refer to what is there, in finite numbers, within the limits, by printable names.
pub(crate) fn check(recordings: &Recordings) {
    for measurement in &recordings.measurements {
        assert!(measurement.device < recordings.devices.len());
        assert!(measurement.input < recordings.inputs.len());
        assert!(measurement.variant < recordings.variants.len());
        assert!(measurement.outcome.time_ns().is_none_or(|time_ns| time_ns.is_finite() && time_ns > 0.0));
    }
    for input in &recordings.inputs {
        assert_eq!(input.features.len(), recordings.features.len());
        assert!(input.features.iter().all(|value| value.is_finite()));
    }
    assert!(recordings.variants.len() <= MAX_VARIANTS && recordings.features.len() <= MAX_FEATURES);
    assert!(recordings.devices.iter().all(|device| device.features.len() <= MAX_FEATURES));
    for (artifact, text) in &recordings.artifacts {
        assert!(Artifact::of(text) == *artifact && text.len() <= MAX_ARTIFACT_BYTES);
    }
    name::check_function(&recordings.function).expect("a function is called so");
    let inputs = recordings.inputs.iter().map(|input| &input.name);
    let devices = recordings.devices.iter().flat_map(|device| device.features.keys().chain([&device.id]));
    let names = recordings.variants.iter().chain(&recordings.features).chain(inputs).chain(devices);
    for name in names {
        name::check(name).expect("something is called so");
    }
}
