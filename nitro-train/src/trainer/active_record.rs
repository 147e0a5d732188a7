//! The recording of a limited number of inputs: those that tell most, instead of all of them.

use std::collections::BTreeSet;

use nitro_learn::active::{FIRST_INPUTS, next_inputs};
use nitro_store::recordings::{Input, Recordings};
use nitro_store::store::SharedStore;

use super::error::TrainError;
use super::observer::Observer;
use super::recorder::Recorder;
use crate::measure::{Attempt, Candidate, Plan, Progress, RecordedInputs, SurveyedInputs};

/// Number of inputs after which a line says how far the recording is.
const LINE_EVERY: usize = 25;
/// The share of what is measured after which a selector is fitted anew.
const ROUNDS_SHARE: usize = 8;

/// Records inputs, the least certain next, until so many are in the store.
pub(super) fn record_within(
    recorder: &Recorder<'_>,
    plan: &Plan<'_>,
    store: &mut dyn SharedStore,
    max_inputs: usize,
) -> Result<RecordedInputs, TrainError> {
    let (function, device) = (recorder.tunable.function, recorder.device.entry().id());
    let SurveyedInputs { inputs: mut surveyed, failed } = recorder.survey(plan)?;
    let mut recorded = RecordedInputs { failed, ..RecordedInputs::default() };
    let candidates = plan.candidates.clone().unwrap_or_else(|| Candidate::all(function));
    let choices: Vec<_> = candidates.iter().map(Candidate::name).collect();
    let mut measured = store.recorded(function.name(), device, &choices)?;
    let before_all = measured.len();
    let in_rounds = InRounds(recorder.observer);
    let in_rounds = Recorder { observer: &in_rounds, ..*recorder };
    while measured.len() < max_inputs.min(surveyed.len()) {
        // A selector is fitted before each round: rounds grow with what is measured, so that fits take little of it.
        let left = max_inputs.min(surveyed.len()) - measured.len();
        let count =
            left.min((measured.len() / ROUNDS_SHARE).max(1).max(FIRST_INPUTS.saturating_sub(measured.len())));
        let only = choose(store, function.name(), device, &surveyed, &measured, count)?;
        let (before, candidates) = (measured.len(), surveyed.len());
        // Inputs that cannot be measured are no candidates any more.
        let now = in_rounds.record(&Plan { only: Some(only), ..plan.clone() }, store)?;
        surveyed.retain(|input| !now.failed.contains_key(&input.name));
        recorded.measured += now.measured;
        recorded.errors.extend(now.errors);
        recorded.failed.extend(now.failed);
        measured = store.recorded(function.name(), device, &choices)?;
        if (measured.len(), surveyed.len()) == (before, candidates) {
            break; // what was chosen was left out by the recording itself
        }
        if before / LINE_EVERY < measured.len() / LINE_EVERY {
            recorder.say(&format!("{} of {max_inputs} inputs measured", measured.len()));
        }
    }
    recorder.say(&format!("{} inputs measured, {before_all} measured before", recorded.measured));
    Ok(recorded)
}

/// Hears of rounds as parts of one recording: what each expects and comes to is told of all together.
struct InRounds<'o>(&'o dyn Observer);

impl Observer for InRounds<'_> {
    fn message(&self, line: &str) {
        self.0.message(line);
    }

    fn recording(&self, function: &str, device: &str) -> Box<dyn Progress> {
        Box::new(Round(self.0.recording(function, device)))
    }
}

/// The progress of one round.
struct Round(Box<dyn Progress>);

impl Progress for Round {
    fn begin(&self, input: &str) {
        self.0.begin(input);
    }

    fn end(&self, input: &str) {
        self.0.end(input);
    }

    fn wait(&self, inputs: usize) {
        self.0.wait(inputs);
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        self.0.attempt(attempt);
    }
}

/// Returns the names of the next inputs.
fn choose(
    store: &mut dyn SharedStore,
    function: &str,
    device: &str,
    surveyed: &[Input],
    measured: &BTreeSet<String>,
    count: usize,
) -> Result<BTreeSet<String>, TrainError> {
    let mut recordings = match measured.is_empty() {
        true => Recordings::default(),
        false => store.load(function)?,
    };
    let (mut known, mut candidates) = (Vec::new(), Vec::new());
    for input in surveyed {
        let position = recordings.input_index(&input.name).unwrap_or_else(|| {
            recordings.inputs.push(input.clone());
            recordings.inputs.len() - 1
        });
        let group = if measured.contains(&input.name) { &mut known } else { &mut candidates };
        group.push(position);
    }
    let device = recordings.device_index(device).unwrap_or(0);
    let next = next_inputs(&recordings, device, (&known, &candidates), count, crate::DEFAULT_SEED)?;
    Ok(next.into_iter().map(|input| recordings.inputs[input].name.clone()).collect())
}
