use nitro_core::model::{Coverage, Model, Provenance, Selector};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

use super::*;
use crate::performance::PerformanceTable;
use crate::space::{DeviceSpace, InputSpace};
use crate::task::Sample;

const GAMMA: f64 = 0.8;

/// Inputs on a square, three devices on a line; four classes by quadrant, with a turn that depends on the device.
fn problem() -> (Vec<Vec<f64>>, Vec<Vec<f64>>, Vec<Sample>) {
    let mut random = Random::new(11);
    let inputs: Vec<Vec<f64>> = (0..60).map(|_| vec![random.unit() - 0.5, random.unit() - 0.5]).collect();
    let devices = vec![vec![0.0], vec![1.0], vec![2.0]];
    let class = |input: usize, device: usize| {
        let (x, y) = (inputs[input][0], inputs[input][1] + 0.2 * device as f64 - 0.2);
        usize::from(x > 0.0) + if y > 0.0 { 0 } else { 2 } + usize::from(x + y > 0.6)
    };
    let samples = (0..60)
        .flat_map(|input| (0..3).map(move |device| (input, device)))
        .map(|(input, device)| Sample { input, device, class: class(input, device) })
        .collect();
    (inputs, devices, samples)
}

fn train() -> (Vec<Vec<f64>>, SamplesByClass, InputSpace, DeviceSpace, Machine) {
    let (raw, devices, samples) = problem();
    let space = InputSpace::new(&raw.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let devices = DeviceSpace::new(&devices);
    let set = SamplesByClass::new(samples);
    let machine = set.train(&Smo, Stop::default(), &space, &devices, GAMMA, &[10.0]).remove(0);
    (raw, set, space, devices, machine)
}

#[test]
fn classes_are_ordered_by_frequency() {
    let sample = |class: usize| Sample { input: 0, device: 0, class };
    let set = SamplesByClass::new([3, 1, 1, 0, 3, 1, 2].map(sample));
    assert_eq!(set.classes, [(1, 3), (3, 5), (0, 6), (2, 7)]);
}

#[test]
fn the_model_of_the_run_time_decides_like_the_machine() {
    let (raw, set, space, devices, machine) = train();
    let svm = machine.to_svm(&set, &space, &devices, GAMMA);
    assert!(machine.classes.len() >= 4);
    let model = Model {
        function: "f".into(),
        choices: (0..5).map(|variant| format!("v{variant}")).collect(),
        features: vec!["x".into(), "y".into()],
        device_features: vec!["d".into()],
        selector: Selector::Svm(svm),
        gate: None,
        caution: None,
        is_distilled: false,
        training_inputs: Default::default(),
        artifacts: vec![],
        calibrations: vec![],
        feature_digests: vec![],
        coverage: Coverage::default(),
        provenance: Provenance::default(),
    };
    let model = Model::from_bytes(&model.to_bytes()).expect("a trained model is a valid one");
    let kernel = space.kernel(GAMMA);
    for device in [0.0, 0.5, 1.3, 2.0] {
        let to_sources = devices.kernel_to(&[device], GAMMA);
        for (input, raw) in raw.iter().enumerate() {
            let sums = machine.partial_sums(&set, &kernel, &[input], 3).remove(0);
            assert_eq!(model.rank(raw, &[device]), machine.ranking(&sums, &to_sources));
        }
    }
}

#[test]
fn separable_training_points_are_learned() {
    let (_, set, space, devices, machine) = train();
    let kernel = space.kernel(GAMMA);
    let right = set.samples().iter().filter(|sample| {
        let sums = machine.partial_sums(&set, &kernel, &[sample.input], 3).remove(0);
        machine.ranking(&sums, &devices.kernel_to(&[sample.device as f64], GAMMA))[0] == sample.class
    });
    assert!(right.count() * 100 > 95 * set.samples().len());
}

#[test]
fn one_class_needs_no_vote() {
    let space = InputSpace::new(&[&[1.0], &[2.0]]);
    let devices = DeviceSpace::none(1);
    let set = SamplesByClass::new([0, 1].map(|input| Sample { input, device: 0, class: 7 }));
    let machine = set.train(&Smo, Stop::default(), &space, &devices, 1.0, &[1.0]).remove(0);
    assert_eq!(machine.ranking(&[], &[1.0]), [7]);
    let svm = machine.to_svm(&set, &space, &devices, 1.0);
    assert_eq!((svm.classes.len(), svm.vectors.len(), svm.rho.len()), (1, 0, 0));
}

/// Recordings of so many variants, each the best of as many inputs.
fn recordings(variants: usize, inputs: usize) -> Recordings {
    let mut recordings = Recordings {
        variants: (0..variants).map(|variant| format!("v{variant}")).collect(),
        features: vec!["x".into()],
        devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
        ..Recordings::default()
    };
    for input in 0..inputs {
        recordings.inputs.push(Input { name: input.to_string(), features: vec![input as f64] });
        for variant in 0..variants {
            let time_ns = if input % variants == variant { 10.0 } else { 20.0 };
            recordings.measurements.push(Measurement {
                device: 0,
                input,
                variant,
                configuration: String::new(),
                outcome: Outcome::Time(time_ns),
                spread_ns: 0.0,
                repeats: 1,
                load: None,
                reason: String::new(),
            });
        }
    }
    recordings
}

/// Counts the samples that a machine of a search learns from.
fn samples_of_search(variants: usize, inputs: usize) -> usize {
    let recordings = recordings(variants, inputs);
    let performance = PerformanceTable::new(&recordings).unwrap();
    let task = Task::new(&recordings, &performance, &(0..inputs).collect::<Vec<_>>(), 0);
    let inputs = task.all_inputs();
    let set =
        TrainingSet { task: &task, sources: &[0], inputs: &inputs, device_features: &[], is_final: false };
    SamplesByClass::of(&set, false, SEARCH_EFFORT).samples().len()
}

#[test]
fn of_many_classes_fewer_samples_are_taken_and_of_few_all() {
    assert_eq!(samples_of_search(11, 1500), 1500);
    assert_eq!(samples_of_search(50, 300), 300);
    let bounded = samples_of_search(50, 1500);
    assert!((300..340).contains(&bounded), "{bounded}");
}
