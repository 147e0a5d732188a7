//! A few measurements on the device of use correct a model that was learned elsewhere, there and nowhere else.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use nitro::code_variant;
use nitro_train::model::Model;
use nitro_train::recordings::{DeviceRecord, Input, Outcome};
use nitro_train::store::{self, FunctionSchema, Row};
use nitro_train::{
    BoxError, CalibrateRequest, DataRequest, FitRequest, Observer, Session, TrainError, Trainer, Tunable,
};

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};

#[code_variant(name = "halves", device = Scripted, features(size = n), variants(low, high), default = low)]
fn halves(n: u32) -> u32;

/// Twice as fast below 60 of 90 on this device; on those that were recorded, below 30.
fn low(n: u32) -> u32 {
    TIME_NS.set(if n < 60 { 1e6 } else { 2e6 });
    n
}

fn high(n: u32) -> u32 {
    TIME_NS.set(if n < 60 { 2e6 } else { 1e6 });
    n
}

fn names() -> Vec<String> {
    (0..90).map(|n| format!("train/{n}")).collect()
}

fn trainer() -> Trainer {
    Trainer::new().devices(Devices).processors(Hidden).tunable(tunable())
}

fn tunable() -> Tunable {
    let closure = |session: &mut Session<'_>| -> Result<(), BoxError> {
        for name in session.inputs("") {
            let n: u32 = name.trim_start_matches("train/").parse()?;
            session.input(name, || halves(n))?;
        }
        Ok(())
    };
    let names = names();
    Tunable::new(halves::function(), closure).generated_inputs(names.iter().map(String::as_str))
}

/// Three devices that are alike.
fn record_elsewhere(location: &str) {
    let mut store = store::open(location).unwrap();
    let schema = FunctionSchema {
        function: "halves",
        variants: &["low", "high"],
        default_variant: Some("low"),
        default_configuration: "",
        features: &["size"],
    };
    store.register(&schema).unwrap();
    for id in ["A", "B", "C"] {
        store.put_device(&DeviceRecord { id: id.into(), features: Default::default() }).unwrap();
        for (n, name) in (0..).zip(names()) {
            let time = |is_best: bool| Outcome::Time(if is_best { 1e3 } else { 2e3 });
            let rows = [Row::new("low", time(n < 30)), Row::new("high", time(n >= 30))];
            let input = Input { name, features: vec![f64::from(n)] };
            store.put("halves", id, &input, &rows).unwrap();
        }
    }
}

fn request(folder: &tempfile::TempDir) -> CalibrateRequest {
    let store = Some(folder.path().join("s.db").display().to_string());
    CalibrateRequest {
        data: DataRequest { store, ..DataRequest::default() },
        device: "scripted:0".into(),
        models: folder.path().join("models"),
        ..CalibrateRequest::default()
    }
}

#[test]
fn the_model_chooses_by_what_was_measured_on_its_device_alone() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder);
    record_elsewhere(request.data.store.as_deref().unwrap());
    let (data, models) = (request.data.clone(), request.models.clone());
    let file = trainer()
        .fit(&FitRequest { data, models, ..FitRequest::default() })
        .unwrap()
        .all()
        .unwrap()
        .remove(0)
        .file;
    let before = Model::read(&file).unwrap();

    let calibrated = trainer().calibrate(&request).unwrap().all().unwrap().remove(0);
    assert!(calibrated.is_calibrated && calibrated.model == file);
    assert_eq!((calibrated.device.as_str(), calibrated.measured_inputs), ("scripted", 10));
    let after = Model::read(&file).unwrap();
    assert_eq!(Model { calibrations: vec![], ..after.clone() }, before, "elsewhere nothing is changed");
    let chosen =
        |device: &str, n: f64| after.choices[after.on_device(device, &[]).first(&[n]).unwrap()].as_str();
    let here = (0..90).filter(|&n| (chosen("scripted", f64::from(n)) == "low") == (n < 60)).count();
    assert!(here >= 81, "right for {here} of 90, where the model was right for 60");
    assert_eq!((chosen("A", 20.0), chosen("A", 45.0)), ("low", "high"));

    let again = trainer().calibrate(&request).unwrap().all().unwrap().remove(0);
    assert_eq!(again, calibrated, "nothing is left to measure");
    assert_eq!(Model::read(&file).unwrap(), after);
    let more = trainer()
        .calibrate(&CalibrateRequest { measurements: Some(30), ..request })
        .unwrap()
        .all()
        .unwrap()
        .remove(0);
    assert_eq!(more.measured_inputs, 30);
    assert_eq!(Model::read(&file).unwrap().calibrations.len(), 1, "one a device");
}

/// Keeps what is said.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

#[test]
fn times_under_load_are_told_of_as_at_the_end_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder);
    fit(&request);
    let mut store = store::open(request.data.store.as_deref().unwrap()).unwrap();
    store.put_device(&DeviceRecord { id: "scripted".into(), features: Default::default() }).unwrap();
    let row = |variant, load| Row { load, ..Row::new(variant, Outcome::Time(1e6)) };
    let input = Input { name: "train/3".into(), features: vec![3.0] };
    store.put("halves", "scripted", &input, &[row("low", Some(0.5)), row("high", Some(0.0))]).unwrap();
    let heard = Heard::default();
    trainer().observer(heard.clone()).calibrate(&request).unwrap().all().unwrap();
    let heard = heard.0.lock().unwrap();
    assert_eq!(
        heard.last().map(String::as_str),
        Some(
            "halves on scripted:0: 1 time on input `train/3` was taken while others used up to 50 % of the \
             processors needed; `record --again --function halves --device scripted:0 --input 'train/3'` takes it anew"
        )
    );
}

/// So many captured calls for a size.
fn capture(folder: &tempfile::TempDir, function: &str, sizes: std::ops::Range<u32>) -> Option<PathBuf> {
    let line = |n: u32| {
        format!(
            "{{\"function\":\"{function}\",\"device\":\"host:4\",\"variant\":\"low\",\"reason\":\"default\",\"calls\":3,\
             \"features\":{{\"size\":{n}.25}},\"time_ns\":5}}\n"
        )
    };
    let file = folder.path().join("calls.jsonl");
    fs::write(&file, sizes.map(line).collect::<String>()).unwrap();
    Some(file)
}

/// The sizes that the store holds of the device.
fn measured(request: &CalibrateRequest) -> Vec<f64> {
    let recordings = store::open(request.data.store.as_deref().unwrap()).unwrap().load("halves").unwrap();
    let device = recordings.device_index("scripted").unwrap();
    let inputs: BTreeSet<usize> =
        recordings.measurements.iter().filter(|one| one.device == device).map(|one| one.input).collect();
    inputs.into_iter().map(|input| recordings.inputs[input].features[0]).collect()
}

fn fit(request: &CalibrateRequest) {
    record_elsewhere(request.data.store.as_deref().unwrap());
    let (data, models) = (request.data.clone(), request.models.clone());
    trainer().fit(&FitRequest { data, models, ..FitRequest::default() }).unwrap().all().unwrap();
}

#[test]
fn captured_calls_say_which_inputs_to_measure() {
    let count = |captured: bool| {
        let folder = tempfile::tempdir().unwrap();
        let request = request(&folder);
        fit(&request);
        let known = if captured { 60 } else { 0 };
        let captured = if captured { capture(&folder, "halves", 70..90) } else { None };
        let request = CalibrateRequest { captured, ..request };
        let calibrated = trainer().calibrate(&request).unwrap().all().unwrap().remove(0);
        assert_eq!((calibrated.measured_inputs, calibrated.captured_calls), (10, known));
        measured(&request).into_iter().filter(|&size| size >= 70.0).count()
    };
    let (without, with) = (count(false), count(true));
    assert!(without <= 3 && with >= 5, "of ten inputs {with} are like the calls, and {without} without");
}

#[test]
fn calls_of_other_functions_change_nothing_and_a_file_without_any_is_refused() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [plain, captured] = [&folder, &other].map(request);
    [&plain, &captured].into_iter().for_each(fit);
    trainer().calibrate(&plain).unwrap().all().unwrap();
    let of_others = CalibrateRequest { captured: capture(&other, "thirds", 70..90), ..captured };
    assert_eq!(trainer().calibrate(&of_others).unwrap().all().unwrap()[0].captured_calls, 0);
    assert_eq!(measured(&of_others), measured(&plain));

    let empty = CalibrateRequest { captured: capture(&other, "halves", 0..0), ..of_others };
    let error = trainer().calibrate(&empty).unwrap_err();
    assert!(matches!(error, TrainError::NoCalls { .. }), "{error}");
}

#[code_variant(name = "unfitted", device = Scripted, features(size = n), variants(low, high), default = low)]
fn unfitted(n: u32) -> u32;

#[test]
fn a_function_that_cannot_be_calibrated_costs_itself() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder);
    record_elsewhere(request.data.store.as_deref().unwrap());
    let (data, models) = (request.data.clone(), request.models.clone());
    trainer().fit(&FitRequest { data, models, ..FitRequest::default() }).unwrap().all().unwrap();
    // The one without a model comes first.
    let one_more =
        Trainer::new().devices(Devices).processors(Hidden).function(unfitted::function(), |_| Ok(()));
    let calibrated = one_more.tunable(tunable()).calibrate(&request).unwrap();
    assert_eq!((calibrated.models.len(), calibrated.models[0].measured_inputs), (1, 10));
    assert!(
        matches!(&calibrated.failed[..], [TrainError::NoModel { function, .. }] if function == "unfitted")
    );
    assert!(calibrated.all().is_err());
}

#[test]
fn a_source_needs_no_calibration_and_a_model_has_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&folder);
    record_elsewhere(request.data.store.as_deref().unwrap());
    let error = trainer().calibrate(&request).unwrap().all().unwrap_err();
    assert!(matches!(&error, TrainError::NoModel { function, .. } if function == "halves"), "{error}");

    let (data, models) = (request.data.clone(), request.models.clone());
    trainer()
        .record(&nitro_train::RecordRequest {
            data,
            devices: vec!["scripted:0".into()],
            ..Default::default()
        })
        .unwrap();
    let data = request.data.clone();
    let file = trainer()
        .fit(&FitRequest { data, models, ..FitRequest::default() })
        .unwrap()
        .all()
        .unwrap()
        .remove(0)
        .file;
    let before = Model::read(&file).unwrap();
    assert!(!trainer().calibrate(&request).unwrap().all().unwrap()[0].is_calibrated);
    assert_eq!(Model::read(&file).unwrap(), before);
}

#[test]
fn seconds_bound_the_measuring_and_spare_variants_that_cannot_win() {
    let count = |seconds: f64| {
        let folder = tempfile::tempdir().unwrap();
        let request = CalibrateRequest { seconds: Some(seconds), ..request(&folder) };
        fit(&request);
        let calibrated = trainer().calibrate(&request).unwrap().all().unwrap().remove(0);
        (calibrated.measured_inputs, calibrated.is_calibrated)
    };
    assert_eq!(count(1e-9), (0, false), "no input is begun when the time is over");
    assert_eq!(count(3600.0), (90, true), "all that there are");
}

/// Calls of both variants with sizes around 45, where this device is unlike those that were recorded.
fn captured_by_force(folder: &tempfile::TempDir, variants: &[&str]) -> Option<PathBuf> {
    let mut lines = String::new();
    for n in (31..60).chain(70..80) {
        for variant in variants {
            let time_ns = if (*variant == "low") == (n < 60) { 1e6 } else { 2e6 };
            lines += &format!(
                "{{\"function\":\"halves\",\"device\":\"scripted\",\"variant\":\"{variant}\",\"reason\":\"forced\",\
                 \"calls\":2,\"features\":{{\"size\":{n}}},\"time_ns\":{time_ns}}}\n"
            );
        }
    }
    let file = folder.path().join("calls.jsonl");
    fs::write(&file, lines).unwrap();
    Some(file)
}

#[test]
fn times_of_captured_calls_calibrate_without_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let from_traffic = captured_by_force(&folder, &["low", "high"]);
    let request = CalibrateRequest { from_traffic, ..request(&folder) };
    fit(&request);
    let calibrated = trainer().calibrate(&request).unwrap().all().unwrap().remove(0);
    assert_eq!((calibrated.measured_inputs, calibrated.captured_calls), (39, 156));
    assert!(calibrated.is_calibrated);
    let model = Model::read(&calibrated.model).unwrap();
    let chosen = |n: f64| model.choices[model.on_device("scripted", &[]).first(&[n]).unwrap()].as_str();
    assert_eq!((chosen(45.0), chosen(80.0)), ("low", "high"));
    let recordings = store::open(request.data.store.as_deref().unwrap()).unwrap().load("halves").unwrap();
    assert!(recordings.device_index("scripted").is_none(), "nothing is kept of it");
}

#[test]
fn captured_calls_that_compare_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let request = CalibrateRequest { from_traffic: captured_by_force(&folder, &["low"]), ..request(&folder) };
    fit(&request);
    let error = trainer().calibrate(&request).unwrap().all().unwrap_err();
    assert!(
        matches!(&error, TrainError::NothingCompared { function, .. } if function == "halves"),
        "{error}"
    );
}
