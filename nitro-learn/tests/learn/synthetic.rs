//! Recordings in which one device feature decides where the best variant changes, and the others are noise.

use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

/// What to plant.
pub struct Planted {
    /// Number of devices.
    pub devices: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Seed of features and noise.
    pub seed: u64,
}

impl Default for Planted {
    fn default() -> Self {
        Self { devices: 6, inputs: 80, seed: 1 }
    }
}

/// Two variants: `serial` takes time in proportion to the size, `parallel` a fixed time more and then the size over
/// `width`. Where they meet depends on the device's `width` alone; `noise_a`, `noise_b` and `noise_c` say nothing.
pub fn recordings(planted: &Planted) -> Recordings {
    let mut random = Random::new(planted.seed);
    let mut recordings = Recordings {
        function: "planted".into(),
        variants: vec!["serial".into(), "parallel".into()],
        default_variant: Some(0),
        features: vec!["size".into(), "other".into()],
        ..Recordings::default()
    };
    for device in 0..planted.devices {
        let noise = ["noise_a", "noise_b", "noise_c"].map(|name| (name.to_owned(), random.unit()));
        let width = ("width".to_owned(), 1.05 + 0.5 * device as f64);
        let features = noise.into_iter().chain([width]).collect();
        recordings.devices.push(DeviceRecord { id: format!("d{device}"), features });
    }
    // Wide devices do not stand in order, so that position says nothing either.
    random.shuffle(&mut recordings.devices);
    for input in 0..planted.inputs {
        let size = 100.0 + 900.0 * random.unit();
        let features = vec![size, random.unit()];
        recordings.inputs.push(Input { name: format!("train/{input}"), features });
        for device in 0..planted.devices {
            let width = recordings.devices[device].features["width"];
            for (variant, time) in [size, 200.0 + size / width].into_iter().enumerate() {
                recordings.measurements.push(Measurement {
                    device,
                    input,
                    variant,
                    configuration: String::new(),
                    outcome: Outcome::Time(time),
                    spread_ns: 0.0,
                    repeats: 5,
                    load: None,
                    reason: String::new(),
                });
            }
        }
    }
    recordings
}
