//! A recording of one function on one device.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use nitro_core::choice_text;
use nitro_core::provide::OpenDevice;
use nitro_core::recording::message;
use nitro_store::printable::{printable, sentence};
use nitro_store::recordings::{Outcome, Recordings};
use nitro_store::store::{SharedStore, Store};
use serde::Serialize;

use super::builder::Trainer;
use super::doubtful::Doubtful;
use super::error::TrainError;
use super::left_out::{by_reason, named};
use super::observer::Observer;
use super::tunable::Tunable;
use crate::measure::{
    Attempt, FailedInputs, Plan, Processors, Progress, Proposer, RecordError, RecordedInputs, SurveyedInputs,
    evaluate_inputs, record_inputs, run_on, survey_inputs,
};
use crate::worker;

/// A function whose recording on a device ended early; what was measured until then is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedRecording {
    /// The function.
    pub function: String,
    /// The device as the request names it.
    pub device: String,
    /// The error that ended it.
    pub why: String,
}

/// Records one function on one device.
#[derive(Clone, Copy)]
pub(super) struct Recorder<'a> {
    pub(super) tunable: &'a Tunable,
    /// The name of the device, as the user wrote it.
    pub(super) device_name: &'a str,
    pub(super) device: &'a dyn OpenDevice,
    pub(super) observer: &'a dyn Observer,
    pub(super) processors: &'a dyn Processors,
}

impl Trainer {
    /// Returns the recorder of a function on a device, which the user calls by this name.
    pub(super) fn recorder<'a>(
        &'a self,
        tunable: &'a Tunable,
        device_name: &'a str,
        device: &'a dyn OpenDevice,
    ) -> Recorder<'a> {
        Recorder { tunable, device_name, device, observer: &*self.observer, processors: &*self.processors }
    }
}

impl Recorder<'_> {
    /// Records the inputs of the plan that the store does not hold.
    pub(super) fn record(
        &self,
        plan: &Plan<'_>,
        store: &mut dyn SharedStore,
    ) -> Result<RecordedInputs, TrainError> {
        let plan = self.after_others(plan);
        let recorded = run_on(self.device, || {
            let progress = self.observer.recording(self.tunable.name(), self.device_name);
            let closure = &self.tunable.record;
            record_inputs(self.tunable.function, &self.device, &plan, store, &*progress, closure)
        });
        recorded.map_err(RecordError::Device).flatten().map_err(|source| self.stopped(source))
    }

    /// Evaluates what a proposer asks for on the inputs of the plan.
    pub(super) fn evaluate(
        &self,
        plan: &Plan<'_>,
        proposer: &mut dyn Proposer,
        store: &mut dyn SharedStore,
    ) -> Result<RecordedInputs, TrainError> {
        let plan = self.after_others(plan);
        let evaluated = run_on(self.device, || {
            let progress = self.observer.recording(self.tunable.name(), self.device_name);
            let closure = &self.tunable.record;
            evaluate_inputs(self.tunable.function, &self.device, &plan, proposer, store, &*progress, closure)
        });
        evaluated.map_err(RecordError::Device).flatten().map_err(|source| self.stopped(source))
    }

    fn stopped(&self, source: RecordError) -> TrainError {
        let (function, device) = self.names();
        TrainError::Record { function, device, source: source.into() }
    }

    /// Returns all inputs with their features, which takes a run of the default variant each.
    pub(super) fn survey(&self, plan: &Plan<'_>) -> Result<SurveyedInputs, TrainError> {
        let (function, device) = self.names();
        self.observer.message(&format!("{function} on {device}: looking at the features of all inputs"));
        let plan = self.after_others(plan);
        let surveyed = run_on(self.device, || {
            let progress = self.observer.recording(self.tunable.name(), self.device_name);
            survey_inputs(self.tunable.function, &self.device, &plan, &*progress, &self.tunable.record)
        });
        let surveyed = surveyed.map_err(RecordError::Device).flatten();
        surveyed.map_err(|source| TrainError::Survey { function, device, source: source.into() })
    }

    /// Measures a sample of what is recorded, into a store of its own.
    pub(super) fn measure_sample(
        &self,
        plan: &Plan<'_>,
        store: &mut dyn SharedStore,
    ) -> Result<RecordedInputs, RecordError> {
        let plan = Plan { processors: self.processors, ..plan.clone() };
        let recorded = run_on(self.device, || {
            let progress = InSample(self.observer.sampling(self.tunable.name(), self.device_name));
            record_inputs(self.tunable.function, &self.device, &plan, store, &progress, &self.tunable.record)
        });
        recorded.map_err(RecordError::Device).flatten()
    }

    /// Returns the plan, after what the workers before this one have left out, on the trainer's processors.
    fn after_others<'p>(&'p self, plan: &Plan<'p>) -> Plan<'p> {
        let left_out_before = worker::left_out(self.tunable.name(), self.device.entry().id());
        Plan { left_out_before, processors: self.processors, ..plan.clone() }
    }

    /// Returns the summary of a recording, with what the store knows of the variants.
    pub(super) fn summary(
        &self,
        inputs: RecordedInputs,
        store: &mut dyn SharedStore,
    ) -> Result<Recorded, TrainError> {
        let (function, device) = self.names();
        let RecordedInputs { measured, errors, failed } = inputs;
        if let Some(example) = errors.first() {
            let (count, example) = (errors.len(), printable(example));
            self.observer.message(&format!(
                "{function} on {device}: on {count} inputs the default variant returns an error, \
                 which is taken for the answer there; one is `{example}`"
            ));
        }
        for (why, inputs) in by_reason(&failed) {
            let is = if inputs.len() == 1 { "is" } else { "are" };
            let (inputs, why) = (named(&inputs), printable(why));
            self.observer.message(&format!("{function} on {device}: {inputs} {is} left out: {why}"));
        }
        let (faults, doubtful) = self.known(store)?;
        Ok(Recorded {
            function,
            device,
            inputs: measured,
            error_inputs: errors,
            failed_inputs: failed,
            faults,
            doubtful_inputs: doubtful.inputs,
        })
    }

    /// Finds what failed and what is doubtful on the device, as far as the store knows; the observer is told.
    fn known(&self, store: &mut dyn Store) -> Result<(Vec<Fault>, Doubtful), TrainError> {
        let recordings = match store.functions()?.iter().any(|name| name == self.tunable.name()) {
            true => store.load(self.tunable.name())?,
            false => Recordings::default(), // there was nothing to measure
        };
        let (function, device) = self.names();
        let faults = self.faults(&recordings);
        faults.iter().for_each(|fault| self.say(&fault.to_string()));
        let doubtful = Doubtful::of(&recordings, self.device.entry().id());
        doubtful.sentence(&function, &device).iter().for_each(|sentence| self.say(sentence));
        Ok((faults, doubtful))
    }

    /// Returns which variants failed or answered wrong on the device.
    fn faults(&self, recordings: &Recordings) -> Vec<Fault> {
        let id = self.device.entry().id();
        let mut faults: BTreeMap<(usize, &str), Fault> = BTreeMap::new();
        for one in &recordings.measurements {
            if recordings.devices[one.device].id != id
                || !matches!(one.outcome, Outcome::Failed | Outcome::Wrong)
            {
                continue;
            }
            let fault = faults.entry((one.variant, &one.configuration)).or_insert_with(|| Fault {
                variant: choice_text(&recordings.variants[one.variant], &one.configuration),
                inputs: 0,
                example: recordings.inputs[one.input].name.clone(),
                reason: if one.reason.is_empty() {
                    "failed".into()
                } else {
                    printable(&one.reason).into_owned()
                },
            });
            fault.inputs += 1;
        }
        faults.into_values().collect()
    }

    /// Tells the observer that the function is worked on no further on the device.
    pub(super) fn failed(&self, error: &TrainError, done: &str) -> FailedRecording {
        let why = message(&error.of_recording().map_or_else(|| sentence(error), |error| sentence(error)));
        let (function, device) = self.names();
        self.observer.message(&format!("{function} on {device} is {done} no further: {}", printable(&why)));
        FailedRecording { function, device, why }
    }

    /// Tells the observer something of this function on this device.
    pub(super) fn say(&self, what: &str) {
        self.observer.message(&format!("{} on {}: {what}", self.tunable.name(), self.device_name));
    }

    /// Returns the names of the function and of the device.
    pub(super) fn names(&self) -> (String, String) {
        (self.tunable.name().to_owned(), self.device_name.to_owned())
    }
}

/// Hears of the runs of a sample, which are marked so: if one ends the process, that costs no recording.
struct InSample(Box<dyn Progress>);

impl Progress for InSample {
    fn begin(&self, input: &str) {
        self.0.begin(input);
    }

    fn end(&self, input: &str) {
        self.0.end(input);
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        let of_sample = attempt.map(|attempt| Attempt { is_sample: true, ..*attempt });
        self.0.attempt(of_sample.as_ref());
    }
}

/// A function that was recorded on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recorded {
    /// The function.
    pub function: String,
    /// The device as the request names it.
    pub device: String,
    /// Number of inputs that were measured now; what the store held before is not measured again.
    pub inputs: usize,
    /// The inputs on which the default variant returns `Err`, which is taken for the answer there.
    pub error_inputs: BTreeSet<String>,
    /// The inputs that could not be measured, by name, with the reason.
    ///
    /// The closure failed or panicked with them in hand, the default variant did, or their runs cannot be compared. The
    /// others were measured.
    pub failed_inputs: FailedInputs,
    /// The variants that failed or answered wrong, now or before.
    pub faults: Vec<Fault>,
    /// The inputs that were measured, now or before, while others took the processors: their times are doubtful.
    pub doubtful_inputs: BTreeSet<String>,
}

/// A variant that failed or answered wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The variant, with the values of its tuning parameters.
    pub variant: String,
    /// Number of inputs with this fault.
    pub inputs: usize,
    /// The name of one of these inputs.
    pub example: String,
    /// The reason on that input.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, inputs, example, reason } = self;
        write!(formatter, "no time of `{variant}` on {inputs} inputs; on {example} it {reason}")
    }
}
