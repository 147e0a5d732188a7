//! A function that gets a feature: what was recorded before is left out until it is recorded again, every call that
//! uses recordings says so, and no model passes the gate meanwhile.

use std::path::Path;
use std::sync::{Arc, Mutex};

use nitro_train::exchange::Files;
use nitro_train::recordings::{DeviceRecord, Input, Outcome};
use nitro_train::store::{self, FunctionSchema, Row};
use nitro_train::{
    CheckRequest, DataRequest, EvaluateRequest, ExplainRequest, FitRequest, Observer, ReportRequest, Trainer,
};

const INPUTS: u32 = 12;

/// Inputs of which the first were not recorded again since the function has got `width`.
fn record(location: &str, not_again: u32) {
    let mut store = store::open(location).unwrap();
    for (features, first) in [(&["length"][..], 0), (&["length", "width"], not_again)] {
        let variants = ["fast", "slow"];
        let (default_variant, default_configuration) = (None, "");
        store
            .register(&FunctionSchema {
                function: "f",
                variants: &variants,
                default_variant,
                default_configuration,
                features,
            })
            .unwrap();
        for (id, factor) in [("A", 1.0), ("B", 2.0)] {
            store
                .put_device(&DeviceRecord { id: id.into(), features: [("gbps".into(), factor)].into() })
                .unwrap();
            for n in first..INPUTS {
                let group = if n % 2 == 0 { "train" } else { "test" };
                let values = [f64::from(n), f64::from(n * n)];
                let input =
                    Input { name: format!("{group}/{n}"), features: values[..features.len()].to_vec() };
                let time = |ns: f64| Outcome::Time(factor * ns);
                let rows = [Row::new("fast", time(5.0)), Row::new("slow", time(f64::from(n) + 1.0))];
                store.put("f", id, &input, &rows).unwrap();
            }
        }
    }
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }
}

/// How often it was said what is left out in one call.
fn told(call: impl FnOnce(&Trainer)) -> usize {
    let heard = Heard::default();
    call(&Trainer::new().observer(heard.clone()));
    let lines = heard.0.lock().unwrap();
    let is_it = |line: &&String| {
        line.contains("f: 4 of 12 inputs in the store are left out") && line.contains("they lack: width")
    };
    lines.iter().filter(is_it).count()
}

fn check(data: &DataRequest, models: &Path) -> Vec<String> {
    let request = CheckRequest {
        data: data.clone(),
        models: models.to_owned(),
        max_regret: 1.0,
        ..CheckRequest::default()
    };
    Trainer::new().check(&request).unwrap().remove(0).problems
}

#[test]
fn what_is_left_out_is_said_once_and_fails_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let location = folder.path().join("s.db").display().to_string();
    let models = folder.path().join("models");
    record(&location, 4);
    let store = Some(location.clone());
    let data = DataRequest { store: store.clone(), ..DataRequest::default() };
    let fit = FitRequest { data: data.clone(), models: models.clone(), ..FitRequest::default() };
    assert_eq!(told(|trainer| drop(trainer.fit(&fit).unwrap())), 1);
    let evaluate = EvaluateRequest { data: data.clone(), ..EvaluateRequest::default() };
    assert_eq!(told(|trainer| drop(trainer.evaluate(&evaluate).unwrap().collect::<Vec<_>>())), 1);
    let report = ReportRequest { data: data.clone(), ..ReportRequest::default() };
    assert_eq!(told(|trainer| drop(trainer.report(&report).unwrap())), 1);
    let explain = ExplainRequest {
        device: Some("A".into()),
        store,
        models: models.clone(),
        ..ExplainRequest::new("f", [("length", 2.0), ("width", 4.0)])
    };
    assert_eq!(told(|trainer| drop(trainer.explain(&explain))), 1);
    let [measurements, inputs, devices] = ["m.csv", "i.csv", "d.csv"].map(|name| folder.path().join(name));
    let files = Files {
        measurements,
        inputs,
        devices,
        parameters: None,
        feature_times: None,
        artifacts: None,
        units: None,
    };
    assert_eq!(told(|trainer| drop(trainer.export("f", &files, &data).unwrap())), 1);

    let problems = check(&data, &models);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let is_said = ["4 inputs of `f`", "the feature `width`", "record them again"];
    assert!(is_said.iter().all(|part| problems[0].contains(part)), "{problems:?}");

    record(&location, 0);
    Trainer::new().fit(&fit).unwrap().all().unwrap();
    assert_eq!(check(&data, &models), [""; 0], "they were recorded again");
}
