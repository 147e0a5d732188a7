//! In double precision.

use crate::case::Case;
use crate::expected::{Expected, Results};

const UNITS: usize = 16;
const RATE: f64 = 0.3;
const MOMENTUM: f64 = 0.3;

fn sigmoid(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

fn doubles(case: &Case, name: &str) -> Vec<f64> {
    case.f32s(name).into_iter().map(f64::from).collect()
}

/// A network with a hidden layer, trained with one sample by gradient descent with momentum.
pub fn backprop(case: &Case) -> Results {
    let (inputs, target) = (doubles(case, "inputs"), case.number("target"));
    let [mut weights, mut moved] = ["weights", "moved"].map(|name| doubles(case, name));
    let [mut bias, mut to_output] = ["bias", "to_output"].map(|name| doubles(case, name));
    let mut output = 0.0;
    for _ in 0..case.size("epochs") {
        let mut sums = bias.clone();
        for (input, row) in inputs.iter().zip(weights.chunks(UNITS)) {
            (0..UNITS).for_each(|unit| sums[unit] += input * row[unit]);
        }
        let hidden: Vec<f64> = sums.into_iter().map(sigmoid).collect();
        output = sigmoid(hidden.iter().zip(&to_output).map(|(unit, weight)| unit * weight).sum());
        let error = output * (1.0 - output) * (target - output);
        let deltas: Vec<f64> =
            (0..UNITS).map(|unit| hidden[unit] * (1.0 - hidden[unit]) * error * to_output[unit]).collect();
        for unit in 0..UNITS {
            to_output[unit] += RATE * error * hidden[unit];
            bias[unit] += RATE * deltas[unit];
        }
        for (at, weight) in weights.iter_mut().enumerate() {
            moved[at] = RATE * deltas[at % UNITS] * inputs[at / UNITS] + MOMENTUM * moved[at];
            *weight += moved[at];
        }
    }
    let near = |values: Vec<f64>, absolute| {
        let values = values.into_iter().map(|value| value as f32).collect();
        Expected::Near { values, relative: 1e-4, absolute }
    };
    vec![
        ("weights", near(weights, 1e-5)),
        ("moved", near(moved, 1e-5)),
        ("bias", near(bias, 1e-5)),
        ("to_output", near(to_output, 1e-5)),
        ("output", near(vec![output], 1e-5)),
    ]
}
