//! The shipped recordings alone, without the devices they were made on, give models and the figures that the README
//! claims.

use std::path::{Path, PathBuf};

use nitro::model::Model;
use nitro_learn::evaluate::{Chooser, DeviceEvaluation, EvaluateOptions, Split, evaluate};
use nitro_learn::{FitOptions, fit};
use nitro_store::exchange::read_bytes;
use nitro_store::recordings::Recordings;
use nitro_train::profile::Folder;

/// Two GPUs and two slices: all seven devices take seven times as long to judge.
const DEVICES: [&str; 4] = [
    "cuda:0@nvidia-h200-140gb",
    "cuda:0@nvidia-h100-80gb-hbm3-79gb",
    "cuda:0/8sm@nvidia-h200-140gb",
    "cuda:0/32sm@nvidia-h200-140gb",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn recordings(function: &str) -> Recordings {
    let folder = folder().join("recordings");
    let read = |name: &str| std::fs::read(folder.join(function).join(name)).unwrap();
    let [measurements, inputs, devices] = ["measurements.csv.gz", "inputs.csv.gz", "devices.csv"].map(read);
    let recordings = read_bytes(function, &measurements, &inputs, &devices).unwrap();
    Recordings { profiles: Folder::new(folder).read(function).unwrap(), ..recordings }
}

/// What was recorded on some of the devices.
fn on(devices: &[&str], mut recordings: Recordings) -> Recordings {
    let kept: Vec<usize> = devices.iter().map(|id| recordings.device_index(id).expect(id)).collect();
    recordings.devices = kept.iter().map(|&device| recordings.devices[device].clone()).collect();
    recordings.measurements.retain_mut(|one| {
        let place = kept.iter().position(|&device| device == one.device);
        one.device = place.unwrap_or_default();
        place.is_some()
    });
    recordings
}

/// Mean of a selector over the devices left out.
fn mean(devices: &[DeviceEvaluation], selector: &str) -> f64 {
    let of_device = |device: &DeviceEvaluation| device.selectors.get(selector).expect(selector).mean;
    devices.iter().map(of_device).sum::<f64>() / devices.len() as f64
}

#[test]
fn gpu_functions_are_learned_and_judged_without_a_gpu() {
    for name in ["histogram", "spmv", "sort", "transpose", "bfs", "solver"].map(|name| format!("cuda_{name}"))
    {
        let recordings = recordings(&name);
        assert!(recordings.devices.len() >= 7, "{name}: two GPUs and five slices of one");
        let recordings = on(&DEVICES, recordings);
        let split = Split::by_name(&recordings);
        let options = FitOptions { inputs: Some(split.train.clone()), ..FitOptions::default() };
        let model = fit(&recordings, &options).unwrap().model;
        assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model, "{name}");

        let devices = evaluate(&recordings, &split, &EvaluateOptions::default()).unwrap().devices;
        assert_eq!(devices.len(), DEVICES.len(), "{name}");
        let auto = mean(&devices, "auto");
        assert!(auto >= 0.9, "{name}: {auto}");
        for selector in ["random", "static"] {
            assert!(auto > mean(&devices, selector), "{name}: {selector} is as good");
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
        let chosen = chooser.choose(input, |variant| times[variant].is_some()).expect("one runs");
        (chosen, times)
    };
    let is_test = |(input, _): &(usize, _)| recordings.inputs[*input].name.starts_with("test/");
    times_ns.into_iter().enumerate().filter(is_test).map(choose).collect()
}

#[test]
fn the_shipped_model_chooses_otherwise_on_a_slice_and_gains_by_it() {
    let model = Model::read(&folder().join("cuda_spmv.model")).unwrap();
    let recordings = recordings("cuda_spmv");
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
