//! A function is declared otherwise, or its code has changed: what is recorded again, what stays, and what the gate
//! says meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};

use nitro_train::measure::Repeats;
use nitro_train::store::{self, Selected};
use nitro_train::{
    CheckRequest, DataRequest, FitRequest, FittedModels, ForgetRequest, RecordRequest, Session, TrainError,
    Trainer, WhichRecordings,
};

const INPUTS: u32 = 12;
/// How often the second variant has run: what is measured again runs again.
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn one(count: u32) -> u32 {
    count
}

fn two(count: u32) -> u32 {
    RUNS.fetch_add(1, Ordering::Relaxed);
    count
}

use two as other_name;

mod before {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size = count), variants(super::one, super::two if size < 100), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

mod same {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size=count,), variants(super::one, super::two if (size) < 100), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

/// The feature means something else.
mod feature {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size = count * 8), variants(super::one, super::two), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

/// Without a constraint, before and after.
mod plain {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size = count), variants(super::one, super::two), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

/// The constraint says something else.
mod constraint {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size = count), variants(super::one, super::two if size < 7), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

/// As `plain`, in a unit.
mod unit {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size: Bytes = count), variants(super::one, super::two), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

mod renamed {
    use nitro::code_variant;
    #[code_variant(name = "declared", features(size = count), variants(super::one, super::other_name = was("two")), default = one, crate = nitro)]
    pub fn declared(count: u32) -> u32;
}

macro_rules! trainer {
    ($version:ident) => {
        Trainer::new().function($version::declared::function(), |session: &mut Session<'_>| {
            (1..=INPUTS).try_for_each(|count| {
                let group = if count % 2 == 0 { "train" } else { "test" };
                Ok(session.input(&format!("{group}/{count}"), || $version::declared(count))?)
            })
        })
    };
}

fn data(folder: &tempfile::TempDir) -> DataRequest {
    let store = folder.path().join("t.db").display().to_string();
    DataRequest { store: Some(store), ..DataRequest::default() }
}

fn record(trainer: &Trainer, data: &DataRequest, again: Option<WhichRecordings>) -> usize {
    let devices = vec!["host:1".to_owned()];
    if let Some(which) = &again {
        trainer.measure_again(data, &devices, which).unwrap();
    }
    let repeats = Repeats { most: 5, budget_ns: 1e5, ..Repeats::default() };
    let request = RecordRequest { data: data.clone(), devices, repeats, again, ..RecordRequest::default() };
    trainer.record(&request).unwrap().recorded.iter().map(|one| one.inputs).sum()
}

/// What a declaration says and what a body does may change together: times of before are looked at all the same.
#[test]
fn a_sample_is_taken_though_declarations_have_changed() {
    for changed in [trainer!(feature), trainer!(constraint)] {
        let folder = tempfile::tempdir().unwrap();
        record(&trainer!(plain), &data(&folder), None);
        let (data, devices) = (data(&folder), vec!["host:1".to_owned()]);
        let summary = changed.record(&RecordRequest { data, devices, ..RecordRequest::default() }).unwrap();
        assert_eq!(summary.samples.len(), 1);
        assert!(summary.samples[0].failed_inputs.is_empty(), "{:?}", summary.samples);
    }
}

fn fit(trainer: &Trainer, folder: &tempfile::TempDir) -> Result<(), TrainError> {
    let models = folder.path().to_owned();
    trainer
        .fit(&FitRequest { data: data(folder), models, ..FitRequest::default() })
        .and_then(FittedModels::all)
        .map(drop)
}

fn problems(trainer: &Trainer, folder: &tempfile::TempDir) -> Vec<String> {
    let request = CheckRequest {
        data: data(folder),
        models: folder.path().to_owned(),
        max_regret: 1e9,
        ..CheckRequest::default()
    };
    trainer.check(&request).unwrap().remove(0).problems
}

fn times(data: &DataRequest) -> Vec<(String, Option<f64>)> {
    let loaded = store::open(data.store.as_deref().unwrap()).unwrap().load("declared").unwrap();
    let name = |one: &nitro_train::recordings::Measurement| {
        format!("{} {}", loaded.inputs[one.input].name, loaded.variants[one.variant])
    };
    loaded.measurements.iter().map(|one| (name(one), one.outcome.time_ns())).collect()
}

#[test]
fn layout_and_parentheses_of_one_name_change_nothing_in_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    record(&trainer!(before), &data(&folder), None);
    assert_eq!(
        before::declared::function().feature_digests(),
        same::declared::function().feature_digests(),
        "blanks and commas"
    );
    assert_eq!(record(&trainer!(before), &data(&folder), None), 0);
}

#[test]
fn a_changed_feature_is_computed_again_and_fails_the_gate_until_then() {
    let folder = tempfile::tempdir().unwrap();
    record(&trainer!(plain), &data(&folder), None);
    fit(&trainer!(plain), &folder).unwrap();
    assert_eq!(problems(&trainer!(plain), &folder), [] as [&str; 0]);
    let changed = trainer!(feature);
    let refused = fit(&changed, &folder).unwrap_err().to_string();
    assert_eq!(
        refused,
        "declared: feature `size` is declared otherwise than when it was recorded: `record` it again"
    );
    let found = problems(&changed, &folder);
    assert!(
        found.iter().any(|line| line.contains("feature `size` of `declared` is declared otherwise")),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.contains("fitted when its feature `size` had another meaning")),
        "{found:?}"
    );
    let before = times(&data(&folder));
    assert_eq!(record(&changed, &data(&folder), None), INPUTS as usize);
    assert_eq!(times(&data(&folder)), before, "times stay valid");
    let loaded = store::open(data(&folder).store.as_deref().unwrap()).unwrap().load("declared").unwrap();
    assert!(loaded.inputs.iter().all(|input| input.features[0] % 8.0 == 0.0));
    let found = problems(&changed, &folder);
    assert!(
        found.iter().any(|line| line.contains("had another meaning")),
        "the model is old still: {found:?}"
    );
    fit(&changed, &folder).unwrap();
    assert_eq!(problems(&changed, &folder), [] as [&str; 0]);
}

#[test]
fn a_changed_constraint_makes_its_variant_due() {
    let folder = tempfile::tempdir().unwrap();
    record(&trainer!(plain), &data(&folder), None);
    let changed = trainer!(constraint);
    let refused = fit(&changed, &folder).unwrap_err().to_string();
    assert!(refused.contains("the constraint or the parameters of `two` is declared otherwise"), "{refused}");
    record(&changed, &data(&folder), None);
    let untimed = times(&data(&folder)).into_iter().filter(|(_, time)| time.is_none());
    assert_eq!(untimed.count(), 6, "`two` is forbidden from 7 on");
    fit(&changed, &folder).unwrap();
    assert_eq!(problems(&changed, &folder), [] as [&str; 0]);
}

#[test]
fn what_is_named_is_measured_again_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (trainer, data) = (trainer!(plain), data(&folder));
    record(&trainer, &data, None);
    fit(&trainer, &folder).unwrap();
    let which = WhichRecordings { variant: Some("two".into()), inputs: Some("train/1*".into()) };
    assert_eq!(trainer.measure_again(&data, &["host:1".into()], &which).unwrap(), 2);
    let found = problems(&trainer, &folder);
    assert!(
        found.iter().any(|line| line.contains("2 measurements of `declared` are to be made again")),
        "{found:?}"
    );
    let before = times(&data);
    let runs = RUNS.load(Ordering::Relaxed);
    assert_eq!(record(&trainer, &data, Some(which)), 2);
    assert!(RUNS.load(Ordering::Relaxed) > runs);
    let ones = |all: Vec<(String, Option<f64>)>| {
        all.into_iter().filter(|(name, _)| name.ends_with("one")).collect::<Vec<_>>()
    };
    assert_eq!(ones(times(&data)), ones(before), "of the other variant what was recorded stays");
    let unknown = WhichRecordings { variant: Some("three".into()), inputs: None };
    let refused = trainer.measure_again(&data, &[], &unknown).unwrap_err().to_string();
    assert_eq!(refused, "there is no variant `three`; there are one, two");
    let none = WhichRecordings { variant: None, inputs: Some("nothing".into()) };
    let refused = trainer.measure_again(&data, &["host:1".into()], &none).unwrap_err();
    assert!(matches!(refused, TrainError::NothingToMeasureAgain { .. }), "{refused:?}");
    // No store is made by looking for one.
    let absent = folder.path().join("absent.db");
    let nowhere = DataRequest { store: Some(absent.display().to_string()), ..DataRequest::default() };
    trainer.measure_again(&nowhere, &[], &WhichRecordings::default()).unwrap_err();
    trainer.forget(&ForgetRequest { data: nowhere, all: true, ..ForgetRequest::default() }).unwrap_err();
    assert!(!absent.exists());
}

#[test]
fn forgotten_inputs_are_recorded_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (trainer, data) = (trainer!(plain), data(&folder));
    record(&trainer, &data, None);
    let all = ForgetRequest { data: data.clone(), ..ForgetRequest::default() };
    assert!(matches!(trainer.forget(&all), Err(TrainError::ForgetsAll)));
    let which = WhichRecordings { variant: None, inputs: Some("test/*".into()) };
    let forgotten = trainer.forget(&ForgetRequest { which, ..all.clone() }).unwrap();
    assert_eq!((forgotten[0].forgotten.measurements, forgotten[0].forgotten.inputs), (12, 6));
    assert_eq!(record(&trainer, &data, None), 6);
    let forgotten = trainer.forget(&ForgetRequest { all: true, ..all }).unwrap();
    assert_eq!(forgotten[0].forgotten.measurements, 24);
    assert_eq!(record(&trainer, &data, None), 12);
}

#[test]
fn a_renamed_variant_keeps_its_measurements() {
    let folder = tempfile::tempdir().unwrap();
    record(&trainer!(plain), &data(&folder), None);
    let renamed = trainer!(renamed);
    fit(&renamed, &folder).unwrap(); // before anything is recorded under the new name
    assert_eq!(problems(&renamed, &folder), [] as [&str; 0]);
    let names = |name: &str| name.replace("two", "other_name");
    let expected: Vec<_> =
        times(&data(&folder)).into_iter().map(|(name, time)| (names(&name), time)).collect();
    assert_eq!(record(&renamed, &data(&folder), None), 0, "nothing is due");
    assert_eq!(times(&data(&folder)), expected);
    let selected = Selected::new(Some("two"), None, None).unwrap();
    let gone =
        store::open(data(&folder).store.as_deref().unwrap()).unwrap().forget("declared", &selected).unwrap();
    assert_eq!(gone.measurements, 0);
}

/// Measurements stay, and those of before have the unit that the program declares.
#[test]
fn a_unit_makes_nothing_due_and_comes_with_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(&folder);
    let units = |data: &DataRequest| {
        let mut store = store::open(data.store.as_ref().unwrap()).unwrap();
        store.load("declared").unwrap().meanings.units
    };
    assert_eq!(record(&trainer!(plain), &data, None), INPUTS as usize);
    assert!(units(&data).is_empty());
    let models = folder.path().join("models");
    let request = FitRequest { data: data.clone(), models, ..FitRequest::default() };
    let digest = |trainer: &Trainer| {
        let fitted = trainer.fit(&request).unwrap();
        fitted.models[0].fitted.model.provenance.recordings_digest.clone()
    };
    assert_ne!(
        digest(&trainer!(plain)),
        digest(&trainer!(unit)),
        "it is learned from what the code declares"
    );
    assert_eq!(record(&trainer!(unit), &data, None), 0, "nothing to record");
    assert_eq!(units(&data), [("size".to_owned(), nitro::Unit::Bytes)].into());
    record(&trainer!(plain), &data, None);
    assert!(units(&data).is_empty());
}
