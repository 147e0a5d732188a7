//! What a selector is to do well decides what is shipped.

use nitro_learn::{FitOptions, Objective, fit};
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

/// Ten short inputs on which `light` takes half as long as `heavy`, and two long ones on which it takes four times
/// as long. No feature tells them apart.
fn recordings() -> Recordings {
    let rows = (0..12).flat_map(|input| {
        let times = if input < 10 { [1e3, 2e3] } else { [4e6, 1e6] };
        (0..2).map(move |variant| Measurement {
            device: 0,
            input,
            variant,
            configuration: String::new(),
            outcome: Outcome::Time(times[variant]),
            spread_ns: 0.0,
            repeats: 5,
            load: None,
            reason: String::new(),
        })
    });
    Recordings {
        function: "f".into(),
        variants: vec!["light".into(), "heavy".into()],
        features: vec!["same".into()],
        inputs: (0..12).map(|input| Input { name: format!("train/{input}"), features: vec![1.0] }).collect(),
        devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
        measurements: rows.collect(),
        ..Recordings::default()
    }
}

fn shipped(objective: Objective) -> (String, String) {
    let fitted = fit(&recordings(), &FitOptions { objective, ..FitOptions::default() }).unwrap();
    let model = fitted.model;
    (model.choices[model.rank(&vec![1.0; model.features.len()], &[])[0]].clone(), model.provenance.objective)
}

#[test]
fn ten_short_inputs_outweigh_two_long_ones_in_the_mean_and_not_in_total() {
    assert_eq!(shipped(Objective::MeanRatio), ("light".into(), "mean-ratio".into()));
    assert_eq!(shipped(Objective::TotalTime), ("heavy".into(), "total-time".into()));
}

#[test]
fn traffic_counts_the_inputs_that_are_met() {
    let calls = |short: f64, long: f64| Objective::Traffic {
        calls: (0..12).map(|input| if input < 10 { short } else { long }).collect(),
    };
    assert_eq!(shipped(calls(1.0, 1.0)).0, "heavy");
    assert_eq!(shipped(calls(1e4, 1.0)).0, "light", "so many short calls take longer than the long ones");
}
