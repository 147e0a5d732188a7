use nitro_train::exchange::read_bytes;

use crate::parts;

/// The three tables of an import, separated by bytes 0: what is accepted refers only to what is there, in finite numbers.
pub fn import(data: &[u8]) {
    let [measurements, inputs, devices] = parts(data);
    let Ok(recordings) = read_bytes("fuzzed", measurements, inputs, devices) else { return };
    for measurement in &recordings.measurements {
        assert!(measurement.device < recordings.devices.len());
        assert!(measurement.input < recordings.inputs.len());
        assert!(measurement.variant < recordings.variants.len());
        assert!(measurement.outcome.time_ns().is_none_or(|time_ns| time_ns.is_finite() && time_ns >= 0.0));
    }
    for input in &recordings.inputs {
        assert_eq!(input.features.len(), recordings.features.len());
        assert!(input.features.iter().all(|value| value.is_finite()));
    }
}
