use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome};

use super::*;
use crate::{FitOptions, fit};

/// One variant with three configurations, of which the named one is best on each device.
fn recordings(devices: &[(&str, &str)]) -> Recordings {
    let row = |device: usize, input: usize, configuration: &str| Measurement {
        device,
        input,
        variant: 0,
        configuration: configuration.into(),
        outcome: Outcome::Time(if configuration == devices[device].1 { 1e3 } else { 2e3 }),
        spread_ns: 0.0,
        repeats: 3,
        load: None,
        reason: String::new(),
    };
    let rows = (0..devices.len()).flat_map(|device| {
        (0..30).flat_map(move |input| {
            ["x=1", "x=2", "x=3"].map(move |configuration| (device, input, configuration))
        })
    });
    Recordings {
        function: "f".into(),
        variants: vec!["v".into()],
        features: vec!["n".into()],
        inputs: (0..30).map(|n| Input { name: n.to_string(), features: vec![f64::from(n)] }).collect(),
        devices: devices
            .iter()
            .map(|(id, _)| DeviceRecord { id: (*id).into(), features: Default::default() })
            .collect(),
        measurements: rows.map(|(device, input, configuration)| row(device, input, configuration)).collect(),
        ..Recordings::default()
    }
}

/// With the source gone for which a choice was kept, it would be pruned now; what the calibration chooses
/// are the model's choices.
#[test]
fn the_choices_are_those_of_the_model() {
    let model =
        fit(&recordings(&[("A", "x=1"), ("B", "x=3"), ("C", "x=1")]), &FitOptions::default()).unwrap().model;
    assert_eq!(model.choices, ["v{x=1}", "v{x=3}"]);
    let later = recordings(&[("A", "x=1"), ("here", "x=3"), ("C", "x=1")]);
    let inputs: Vec<usize> = (0..30).collect();
    let calibration = with_calibrator(&later, &model, (1, &inputs), |calibrator| {
        calibrator.fit(&calibrator.inputs(10, calibrator.measured(), &[]), &model)
    });
    let calibration = calibration.unwrap().expect("what was best on the source is not best here");
    let chosen = calibration.selector.on_device(&[]).first(&[7.0]).unwrap();
    assert_eq!(model.choices[chosen], "v{x=3}");
}
