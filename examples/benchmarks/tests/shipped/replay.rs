//! The shipped recordings alone, without the devices they were made on, give models and the figures that the README claims.

use std::path::Path;

use crate::trainer::success;
use nitro::model::Model;
use nitro_train::evaluate::Chooser;
use nitro_train::exchange::read_bytes;
use nitro_train::recordings::Recordings;
use serde_json::Value;

/// Mean of a selector over the devices left out.
fn mean(devices: &[Value], selector: &str) -> f64 {
    let of_device = |device: &Value| device["selectors"][selector]["mean"].as_f64().expect(selector);
    devices.iter().map(of_device).sum::<f64>() / devices.len() as f64
}

#[test]
fn gpu_functions_are_learned_and_judged_without_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["histogram", "spmv", "sort", "transpose", "bfs", "solver"].map(|name| format!("cuda_{name}"));
    let functions: Vec<&str> = names.iter().flat_map(|name| ["--function", name]).collect();

    success(folder.path(), &[&["fit", "--models", "."], functions.as_slice()].concat());
    let text = success(folder.path(), &[&["evaluate", "--json"], functions.as_slice()].concat());
    let evaluations: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    assert_eq!(evaluations.len(), names.len());
    for (name, evaluation) in names.iter().zip(&evaluations) {
        assert!(folder.path().join(format!("{name}.model")).is_file(), "{name}");
        let devices = evaluation["devices"].as_array().unwrap();
        assert!(devices.len() >= 6, "{name}: the GPU and five slices of it");
        let auto = mean(devices, "auto");
        assert!(auto >= 0.9, "{name}: {auto}");
        for selector in ["random", "static"] {
            assert!(auto > mean(devices, selector), "{name}: {selector} is as good");
        }
    }
}

/// What the shipped model chooses for the test matrices on one device, and the recorded times of every variant there.
fn choices(recordings: &Recordings, model: &Model, device: &str) -> Vec<(usize, Vec<Option<f64>>)> {
    let device = recordings.device_index(device).expect("a recorded device");
    let chooser = Chooser::new(recordings, model, device).unwrap();
    let mut times_ns = vec![vec![None; recordings.variants.len()]; recordings.inputs.len()];
    for one in recordings.measurements.iter().filter(|one| one.device == device) {
        times_ns[one.input][one.variant] = one.outcome.time_ns();
    }
    let choose = |(input, times): (usize, Vec<Option<f64>>)| {
        let chosen = chooser.ranking(input).find(|&variant| times[variant].is_some()).expect("one runs");
        (chosen, times)
    };
    let is_test = |(input, _): &(usize, _)| recordings.inputs[*input].name.starts_with("test/");
    times_ns.into_iter().enumerate().filter(is_test).map(choose).collect()
}

#[test]
fn the_shipped_model_chooses_otherwise_on_a_slice_and_gains_by_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let model = Model::read(&folder.join("cuda_spmv.model")).unwrap();
    let read = |name: &str| std::fs::read(folder.join("recordings/cuda_spmv").join(name)).unwrap();
    let tables = ["measurements.csv.gz", "inputs.csv.gz", "devices.csv"].map(read);
    let [measurements, inputs, devices] = &tables;
    let recordings = read_bytes("cuda_spmv", measurements, inputs, devices).unwrap();
    let devices = ["cuda:0@nvidia-h200-140gb", "cuda:0/16sm@nvidia-h200-140gb"];
    let [whole, slice] = devices.map(|device| choices(&recordings, &model, device));

    // Times of the own choice and of the choice for the other device, where the two differ.
    let (mut differ, mut logs) = (0, [0.0, 0.0]);
    for ((on_whole, whole_ns), (on_slice, slice_ns)) in whole.iter().zip(&slice) {
        let of = |times: &[Option<f64>], variant: &usize| times[*variant];
        let times = [
            of(whole_ns, on_whole).zip(of(whole_ns, on_slice)),
            of(slice_ns, on_slice).zip(of(slice_ns, on_whole)),
        ];
        if let ([Some(whole), Some(slice)], true) = (times, on_whole != on_slice) {
            differ += 1;
            for (sum, (own, other)) in logs.iter_mut().zip([whole, slice]) {
                *sum += f64::ln(other / own);
            }
        }
    }
    let gains = logs.map(|sum: f64| (sum / f64::from(differ)).exp());
    assert!(differ >= 10, "{differ} matrices");
    assert!(gains.iter().all(|gain| *gain > 1.05), "the other's choice takes {gains:?} times as long");
}
