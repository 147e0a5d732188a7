//! How long CV-DFS takes for all 377 subsets of one to three of 13 device features, with five sources, 200 inputs
//! and six variants: `cargo bench -p nitro-variants-learn --bench cv_dfs` prints one line a learner.
//!
//! Every subset is judged on each source in turn and on both halves of the inputs. The search for C and γ comes
//! before it and is not counted.

use std::time::Instant;

use nitro_learn::learners::svm::Parameters;
use nitro_learn::learners::transfer::TransferPlan;
use nitro_learn::performance::PerformanceTable;
use nitro_learn::task::Task;
use nitro_learn::{Strategy, StudyOptions};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

const SOURCES: usize = 5;
const INPUTS: usize = 200;
const VARIANTS: usize = 6;
const INPUT_FEATURES: usize = 6;
const DEVICE_FEATURES: usize = 13;

fn main() {
    let recordings = recordings();
    let performance = PerformanceTable::new(&recordings).unwrap();
    let task = Task::new(&recordings, &performance, &(0..INPUTS).collect::<Vec<_>>(), 0);
    let candidates: Vec<String> = recordings.devices[0].features.keys().cloned().collect();
    let parameters = Parameters { cost: 32.0, gamma: 0.125 };
    let sources: Vec<usize> = (0..SOURCES).collect();
    let plan = TransferPlan {
        sources: &sources,
        candidates: &candidates,
        plain: parameters.into(),
        joined: parameters.into(),
        subset_size: StudyOptions::default().subset_size,
    };
    for strategy in ["svm-cross-validation", "svm-weighted-cross-validation", "forest-cross-validation"] {
        let begin = Instant::now();
        let table = strategy.parse::<Strategy>().unwrap().learner().transfer(&task, &plan);
        println!(
            "{strategy}: {} subsets of {DEVICE_FEATURES} device features, {SOURCES} sources, {INPUTS} inputs, \
             {VARIANTS} variants: {:.2} s",
            table.subsets.len() - 1,
            begin.elapsed().as_secs_f64()
        );
    }
}

/// Each variant takes time in proportion to a random power of every input feature, divided by a random power of
/// every device feature.
fn recordings() -> Recordings {
    let mut random = Random::new(1);
    let mut numbers = |count: usize| (0..count).map(|_| random.unit()).collect::<Vec<f64>>();
    let inputs: Vec<Vec<f64>> = (0..INPUTS).map(|_| numbers(INPUT_FEATURES)).collect();
    let devices: Vec<Vec<f64>> = (0..SOURCES).map(|_| numbers(DEVICE_FEATURES)).collect();
    let powers: Vec<Vec<f64>> = (0..VARIANTS).map(|_| numbers(INPUT_FEATURES + DEVICE_FEATURES)).collect();
    let time_ns = |input: usize, device: usize, variant: usize| {
        let (of_input, of_device) = powers[variant].split_at(INPUT_FEATURES);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        1e4 * (2.0 * dot(of_input, &inputs[input]) - dot(of_device, &devices[device])).exp()
    };
    let device = |(at, values): (usize, &Vec<f64>)| DeviceRecord {
        id: format!("d{at}"),
        features: values.iter().enumerate().map(|(at, &value)| (format!("f{at:02}"), value)).collect(),
    };
    let cells =
        (0..SOURCES).flat_map(|d| (0..INPUTS).flat_map(move |i| (0..VARIANTS).map(move |v| (d, i, v))));
    let measurement = |(device, input, variant): (usize, usize, usize)| Measurement {
        device,
        input,
        variant,
        configuration: String::new(),
        outcome: Outcome::Time(time_ns(input, device, variant)),
        spread_ns: 0.0,
        repeats: 1,
        load: None,
        reason: String::new(),
    };
    Recordings {
        function: "synthetic".into(),
        variants: (0..VARIANTS).map(|variant| format!("v{variant}")).collect(),
        features: (0..INPUT_FEATURES).map(|feature| format!("x{feature}")).collect(),
        inputs: inputs
            .iter()
            .enumerate()
            .map(|(at, row)| Input { name: format!("train/{at}"), features: row.clone() })
            .collect(),
        devices: devices.iter().enumerate().map(device).collect(),
        measurements: cells.map(measurement).collect(),
        ..Recordings::default()
    }
}
