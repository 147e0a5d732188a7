//! A kind of selector that is nothing but a file here and an entry in the list: what it then is everywhere.

use nitro_core::model::Selector;
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};

use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};
use crate::evaluate::{EvaluateOptions, Split, evaluate, selector_names};
use crate::performance::PerformanceTable;
use crate::study::Study;
use crate::task::Task;
use crate::{FitOptions, Strategy, StudyOptions, fit};

/// Always the same class, which it finds by trying: the worst, so that it is never shipped unasked.
pub struct Always;

impl Learner for Always {
    fn name(&self) -> &'static str {
        "always"
    }

    fn description(&self) -> &'static str {
        "the worst there is"
    }

    fn tune(&self, set: &TrainingSet<'_>) -> Hyperparameters {
        let shares =
            set.task.performance.shares(set.sources[0], set.task.inputs[0]).expect("it was measured");
        let worst = (0..shares.len()).reduce(|a, b| if shares[b] < shares[a] { b } else { a });
        [("class", worst.expect("there are classes") as f64)].into()
    }

    fn selection_ns(&self) -> f64 {
        0.0
    }

    fn train(&self, _: &TrainingSet<'_>, hyperparameters: &Hyperparameters) -> TrainingResult {
        let variant = hyperparameters["class"] as usize;
        TrainingResult { selector: Selector::Constant { choice: variant }, converged: true }
    }
}

fn recordings() -> Recordings {
    of_devices(&["d", "e"])
}

/// Devices that differ in the one feature that they have.
fn of_devices(names: &[&str]) -> Recordings {
    let measurement = |device, input, variant| Measurement {
        device,
        input,
        variant,
        configuration: String::new(),
        outcome: Outcome::Time(if variant == 1 { 40.0 } else { 10.0 }),
        spread_ns: 0.0,
        repeats: 1,
        load: None,
        reason: String::new(),
    };
    let device = |id: &str, number: u32| DeviceRecord {
        id: id.into(),
        features: [("cores".to_owned(), f64::from(number * number))].into(),
    };
    let sides = |side: &'static str| (0..6).map(move |n| format!("{side}/{n}"));
    let inputs = sides("train").chain(sides("test")).zip(0..);
    let inputs: Vec<Input> = inputs.map(|(name, x)| Input { name, features: vec![x.into()] }).collect();
    let cells = (0..names.len()).flat_map(|d| (0..12).flat_map(move |i| (0..2).map(move |v| (d, i, v))));
    Recordings {
        function: "f".into(),
        variants: vec!["fast".into(), "slow".into()],
        features: vec!["x".into()],
        devices: names.iter().zip(1..).map(|(id, number)| device(id, number)).collect(),
        inputs,
        measurements: cells.map(|(device, input, variant)| measurement(device, input, variant)).collect(),
        ..Recordings::default()
    }
}

#[test]
fn it_is_a_strategy_with_every_set_of_device_features() {
    let own: Vec<&str> =
        Strategy::all().filter(|one| one.learner_name() == "always").map(Strategy::name).collect();
    assert_eq!(own, ["always-none", "always-profile", "always-cross-validation", "always-all"]);
    assert!(Strategy::learner_names().any(|name| name == "always"), "`--selector always`");
}

#[test]
fn it_is_fitted_into_a_model_with_what_it_found() {
    let strategies = vec!["always-none".parse().unwrap()];
    let fitted = fit(&recordings(), &FitOptions { strategies, ..FitOptions::default() }).unwrap();
    assert_eq!(fitted.model.selector, Selector::Constant { choice: 1 });
    assert_eq!(fitted.hyperparameters, [("class", 1.0)].into());
    assert_eq!(fitted.model.provenance.strategy, "always-none");
}

#[test]
fn it_is_compared_and_evaluated_beside_the_others() {
    let recordings = recordings();
    let fitted = fit(&recordings, &FitOptions::default()).unwrap();
    assert!(fitted.scores.iter().any(|(strategy, score)| strategy.name() == "always-none" && *score == 0.25));
    let split = Split::by_name(&recordings);
    let evaluation = evaluate(&recordings, &split, &EvaluateOptions::default()).unwrap();
    assert_eq!(evaluation.devices[0].selectors.get("always-none").unwrap().mean, 0.25);
    assert!(selector_names().any(|name| name == "always-none"));
    assert!(evaluation.to_string().contains("always-none"), "{evaluation}");
}

#[test]
fn what_selects_device_features_for_it_are_selectors_of_its_own_kind() {
    let recordings = of_devices(&["d", "e", "f", "g"]);
    let performance = PerformanceTable::new(&recordings).unwrap();
    let task = Task::new(&recordings, &performance, &(0..6).collect::<Vec<_>>(), 0);
    let options = StudyOptions::default();
    let study = Study::new(&task, vec![0, 1, 2, 3], None, &options);
    for (strategy, share) in [
        ("always-cross-validation", 0.25),
        ("svm-cross-validation", 1.0),
        ("svm-weighted-cross-validation", 1.0),
        ("forest-cross-validation", 1.0),
    ] {
        let table = study.transfer(strategy.parse().unwrap());
        assert_eq!((table.candidates.as_slice(), table.subsets.len()), (&["cores".to_owned()][..], 2));
        assert_eq!(table.scores, vec![vec![share; 2]; 4], "{strategy}");
    }
}
