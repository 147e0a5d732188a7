//! A fitted model knows what is far from everything it was trained on.

use nitro_core::model::{Coverage, Model};
use nitro_learn::{FitOptions, Strategy, fit};
use nitro_store::recordings::Recordings;

use crate::synthetic::{Planted, recordings};

fn fitted(recordings: &Recordings, strategy: &str) -> Model {
    let strategies = vec![strategy.parse::<Strategy>().unwrap()];
    let options = FitOptions { strategies, seed: 3, ..FitOptions::default() };
    fit(recordings, &options).expect("there is enough to learn from").model
}

fn planted() -> Recordings {
    recordings(&Planted::default())
}

fn input_distance(model: &Model, size: f64) -> f64 {
    model.coverage.inputs.as_ref().unwrap().distance(&[size, 0.5]).unwrap()
}

fn device_distance(model: &Model, width: f64) -> f64 {
    let value = |name: &str| Some(if name == "width" { width } else { 0.5 });
    model.coverage.devices.as_ref().unwrap().distance(value).unwrap()
}

#[test]
fn an_input_inside_the_training_range_is_near_and_one_a_decade_outside_is_far() {
    for strategy in ["svm-none", "forest-none", "forest-all"] {
        let model = fitted(&planted(), strategy);
        for size in [150.0, 400.0, 900.0] {
            assert!(input_distance(&model, size) <= 1.0, "{strategy}: {size}");
        }
        for size in [10_000.0, -1000.0] {
            assert!(input_distance(&model, size) > 1.0, "{strategy}: {size}");
        }
    }
}

/// Also where the selector uses no device feature at all: what it learned is of the sources all the same.
#[test]
fn a_device_outside_of_the_range_of_all_sources_is_far() {
    for strategy in ["static", "svm-none", "forest-all"] {
        let model = fitted(&planted(), strategy);
        for source in planted().devices {
            let distance = model.coverage.devices.as_ref().unwrap();
            let distance = distance.distance(|name| source.features.get(name).copied()).unwrap();
            assert!(distance < 0.1, "{strategy}: the source {} is {distance} away", source.id);
        }
        assert!(device_distance(&model, 2.3) <= 1.0, "{strategy}: within all ranges");
        assert!(device_distance(&model, 35.0) > 1.0, "{strategy}: ten times as wide as the widest");
    }
}

#[test]
fn the_part_stays_small_however_many_inputs_there_are() {
    let model = fitted(&recordings(&Planted { inputs: 600, ..Planted::default() }), "forest-none");
    let without = Model { coverage: Coverage::default(), ..model.clone() };
    let bytes = model.to_bytes().len() - without.to_bytes().len();
    assert!((100..600).contains(&bytes), "{bytes} bytes for 64 inputs of 2 features and 6 devices of 4");
    assert_eq!(model.coverage.inputs.unwrap().centers.len(), 64 * 2);
}

#[test]
fn what_cannot_be_calibrated_is_left_out() {
    let two = fitted(&recordings(&Planted { devices: 2, ..Planted::default() }), "svm-none");
    assert!(
        two.coverage.devices.is_none() && two.coverage.inputs.is_some(),
        "two devices have no distances to compare"
    );
    let few = fitted(&recordings(&Planted { inputs: 5, ..Planted::default() }), "svm-none");
    assert!(few.coverage.inputs.is_none(), "five inputs cannot be held out in a meaningful way");
    let constant = fitted(&planted(), "static");
    assert!(constant.coverage.inputs.is_none(), "a static selector never asks for a feature");
}
