//! A trainer without its command line: calls return what was measured, what failed and why, and an observer hears the rest.

use std::sync::{Arc, Mutex};

use nitro::code_variant;
use nitro_train::measure::{Progress, RecordError};
use nitro_train::{BoxError, DataRequest, Observer, RecordRequest, Session, TrainError, Trainer, Tunable};

use crate::scripted::{Devices, Scripted, TIME_NS};

#[code_variant(name = "work", device = Scripted, features(size = n), variants(steady, brittle), default = steady)]
fn work(n: u32) -> Result<u32, String>;

#[expect(clippy::unnecessary_wraps, reason = "the variants have one signature")]
fn steady(n: u32) -> Result<u32, String> {
    TIME_NS.set(1e9);
    Ok(n)
}

fn brittle(n: u32) -> Result<u32, String> {
    TIME_NS.set(1e9);
    if n > 2 { Err("too large".to_owned()) } else { Ok(n) }
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer for Heard {
    fn message(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn recording(&self, function: &str, device: &str) -> Box<dyn Progress> {
        self.message(&format!("begin {function} on {device}"));
        Box::new(self.clone())
    }
}

impl Progress for Heard {
    fn end(&self, input: &str) {
        self.message(input);
    }
}

/// Records inputs of these names into a store of the folder.
fn record(
    folder: &tempfile::TempDir,
    names: &[&str],
    heard: &Heard,
) -> Result<Vec<(usize, usize)>, TrainError> {
    let closure = |session: &mut Session<'_>| -> Result<(), BoxError> {
        for name in session.inputs("") {
            let n: u32 = name.parse()?;
            session.input(name, || work(n))?;
        }
        Ok(())
    };
    let trainer = Trainer::new().devices(Devices).observer(heard.clone());
    let trainer =
        trainer.tunable(Tunable::new(work::function(), closure).generated_inputs(names.iter().copied()));
    let store = folder.path().join("s.db").display().to_string();
    let data = DataRequest { store: Some(store), ..DataRequest::default() };
    let request = RecordRequest { data, devices: vec!["scripted:0".into()], ..RecordRequest::default() };
    let summary = trainer.record(&request)?;
    Ok(summary
        .recorded
        .iter()
        .map(|one| (one.inputs, one.faults.iter().map(|fault| fault.inputs).sum()))
        .collect())
}

#[test]
fn a_call_returns_what_was_measured_and_what_failed() {
    let (folder, heard) = (tempfile::tempdir().unwrap(), Heard::default());
    assert_eq!(record(&folder, &["1", "2"], &heard).unwrap(), [(2, 0)]);
    assert_eq!(record(&folder, &["1", "2", "3", "4"], &heard).unwrap(), [(2, 2)], "what is there is skipped");
    let heard = heard.0.lock().unwrap().join("\n");
    assert!(heard.starts_with("begin work on scripted:0\n1\n2\nbegin work on scripted:0\n3\n4\n"), "{heard}");
    assert!(heard.contains("no time of `brittle` on 2 inputs; on 3 it returned an error"), "{heard}");
}

#[test]
fn an_error_of_the_closure_comes_back_as_its_own() {
    let (folder, heard) = (tempfile::tempdir().unwrap(), Heard::default());
    let error = record(&folder, &["1", "many"], &heard).unwrap_err();
    let TrainError::Record { source, .. } = &error else { panic!("{error}") };
    let RecordError::Closure(own) = &**source else { panic!("{source}") };
    assert!(own.is::<std::num::ParseIntError>(), "{own}");
    assert!(!error.is_device_loss());
    assert_eq!(record(&folder, &["1"], &heard).unwrap(), [(0, 0)], "what was measured before is kept");
}
