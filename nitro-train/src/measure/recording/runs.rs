//! The runs of all candidates on one input.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nitro_core::Choice;
use nitro_core::recording::{Observation, Panicked, record};
use nitro_store::recordings::{DOUBTFUL_LOAD, Input, Outcome};
use nitro_store::store::Row;

use super::Recording;
use super::feature_samples::FeatureSamples;
use super::reference::Reference;
use super::trial::{Run, State, Stop, Trial};
use crate::measure::calls::Calls;
use crate::measure::candidate::Candidate;
use crate::measure::error::RecordError;
use crate::measure::load::LoadStart;
use crate::measure::progress::{Attempt, attempt};
use crate::measure::spent::{Spent, timed};

/// The most runs of a variant that are made again because time was lost in them.
///
/// After that the time counts, on a machine that is so busy.
const MOST_DISTURBED: usize = 3;
/// The most times that the variants are timed again on one input because others took the processors.
const MOST_TIMED_AGAIN: usize = 2;

/// Returns true for a load that makes times doubtful; where it is not known, nothing speaks against them.
fn is_doubtful(load: Option<f64>) -> bool {
    load.is_some_and(|load| load > DOUBTFUL_LOAD)
}

/// Returns the row of a candidate that failed, after which this process can do no more.
pub(super) fn lost_row<'r>(candidate: &'r Candidate, reason: &'r str) -> Row<'r> {
    let (variant, configuration) = (candidate.variant, candidate.configuration.as_str());
    Row { configuration, reason, ..Row::new(variant, Outcome::Failed) }
}

impl Recording<'_> {
    /// Measures what the store is to know of an input, and writes it there.
    pub(super) fn measure<C: Calls>(
        &self,
        name: &str,
        calls: &mut C,
        same: Option<impl Fn(&C::Output, &C::Output) -> bool>,
    ) -> Result<(), RecordError> {
        let choices: Vec<Choice> = self.candidates.iter().map(|candidate| candidate.choice).collect();
        let (first, seen) = self.first(name, &choices, calls, same)?;
        let mut times = FeatureSamples::of(seen.time_ns, seen.feature_times_ns);
        if self.plan.feature_times_only {
            self.run_again(&first, &choices, &mut times, calls)?;
            return Ok(self.put_feature_times(&first.input, &times.medians_ns())?);
        }
        if self.timed.contains(name) {
            // A feature has come or means something else; the times of variants are what they were.
            self.run_again(&first, &choices, &mut times, calls)?;
            self.put(&first.input, &[])?;
            return Ok(self.put_feature_times(&first.input, &times.medians_ns())?);
        }
        match self.all_times(&first, &seen.admissible, calls) {
            Ok(trials) => {
                self.run_again(&first, &choices, &mut times, calls)?;
                self.put_feature_times(&first.input, &times.medians_ns())?;
                self.put(&first.input, &trials.iter().map(Trial::row).collect::<Vec<_>>())?;
                self.note_errors(&first);
                Ok(())
            }
            Err(Stop::Lost(candidate, reason)) => {
                self.put(&first.input, &[lost_row(&candidate, &reason)])?;
                self.note_lost(&first.input, &candidate);
                Ok(())
            }
            Err(Stop::Changes(error)) => Err(error),
        }
    }

    /// Makes the first run of the default on an input, and asks which of these choices are admissible on all instances.
    pub(super) fn first<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        name: &str,
        choices: &[Choice],
        calls: &mut C,
        same: Option<S>,
    ) -> Result<(Reference<C::Output, S>, Observation), RecordError> {
        let (output, seen) =
            self.attempt(name, None, &self.default, || self.subject.describe_all(name, choices, calls))?;
        Ok((Reference::new(name, (output, seen.clone()), same), seen))
    }

    /// Runs every candidate that is admissible until its time is known.
    fn all_times<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        admissible: &[bool],
        calls: &mut C,
    ) -> Result<Vec<Trial>, Stop> {
        let begun = self.load.begin();
        // The default goes first: what it does in a second run tells of the closure, and not of it.
        let mut default = Some(self.confirm(first, calls)?);
        let mut warm = Vec::new();
        for (candidate, &is_admissible) in self.candidates.iter().zip(admissible) {
            warm.push(match default.take_if(|own| own.candidate.choice == candidate.choice) {
                Some(default) => default,
                None => self.warm_up(first, candidate, is_admissible, calls)?,
            });
        }
        self.time(first, &mut warm, begun, calls)?;
        Ok(warm)
    }

    /// Runs the default for a second time.
    ///
    /// It has to do as in its first run, or else the runs of the input cannot be compared.
    pub(super) fn confirm<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        calls: &mut C,
    ) -> Result<Trial, Stop> {
        self.warm_up(first, &self.default, true, calls)
    }

    /// Creates the error of a default that ran at first, and ended so in a later run.
    fn default_changes<R, S>(&self, first: &Reference<R, S>, outcome: Outcome, reason: &str) -> RecordError {
        match outcome {
            Outcome::Wrong if first.errors > 0 && first.same.is_some() => {
                let function = self.subject.function.name();
                RecordError::DefaultRefused { function, input: first.input.name.clone() }
            }
            Outcome::Wrong => {
                self.changes(first, "the default variant gives another output in each run".to_owned())
            }
            _ => self.changes(first, format!("the default variant ran at first and {reason} in a later run")),
        }
    }

    /// Creates the error of an input whose runs differ so.
    fn changes<R, S>(&self, first: &Reference<R, S>, how: String) -> RecordError {
        let function = self.subject.function.name();
        RecordError::InputChanges { function, input: first.input.name.clone(), how }
    }

    /// Returns the error of a run that is of another input than the first of its instance, if it is.
    fn change<R, S>(
        &self,
        first: &Reference<R, S>,
        instance: usize,
        calls: usize,
        seen: &Observation,
    ) -> Option<RecordError> {
        if !seen.features.is_empty() {
            let mut instances = first.instances.borrow_mut();
            let before = instances.entry(instance).or_insert_with(|| seen.features.clone());
            if let Some(how) = self.subject.difference(before, &seen.features) {
                return Some(self.changes(first, format!("{how} in a later run")));
            }
        }
        if let Some((call, features)) = &seen.other_features {
            let (function, input) = (self.subject.function.name(), first.input.name.clone());
            let how = self.subject.difference(&seen.features, features).unwrap_or_default();
            return Some(RecordError::SeveralInputs {
                function,
                input,
                how: format!("{how} in call {call}"),
            });
        }
        if seen.calls != calls || seen.calls == 0 {
            let how = format!("one run calls the function {calls} times and another {} times", seen.calls);
            return Some(self.changes(first, how));
        }
        None
    }

    /// Notes that the candidate lost the device, if it is lost: this process can do no more.
    pub(super) fn note_lost(&self, input: &Input, candidate: &Candidate) {
        if self.subject.device.is_lost() {
            self.lost.replace(Some((input.name.clone(), candidate.variant)));
        }
    }

    /// Runs the default choice again: once to see if the input has changed, and some times to time features.
    ///
    /// # Errors
    /// Where it does not do as in its first run.
    pub(super) fn run_again<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        choices: &[Choice],
        times: &mut FeatureSamples,
        calls: &mut C,
    ) -> Result<(), RecordError> {
        let has_features = !self.subject.function.features().is_empty();
        if !has_features && first.same.is_none() || self.known_failure(first, &self.default).is_some() {
            return Ok(());
        }
        // The first of these runs tells what became of the input, so that its output alone is compared.
        let Some(mut seen) = self.run_default(first, choices, calls, true)? else { return Ok(()) };
        while has_features && !times.are_enough(&self.plan.repeats) && !self.is_over() {
            let before_ns = seen.time_ns;
            calls.stay();
            let Some(again) = self.run_default(first, choices, calls, false)? else { return Ok(()) };
            times.push(before_ns + again.time_ns, again.feature_times_ns);
            let Some(next) = self.run_default(first, choices, calls, false)? else { return Ok(()) };
            seen = next;
        }
        Ok(())
    }

    /// Runs the default choice once more, compares its output where that is asked for, and returns what was seen;
    /// nothing where it is not known how the run ended.
    ///
    /// # Errors
    /// Where it does not do as in its first run.
    fn run_default<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        choices: &[Choice],
        calls: &mut C,
        is_checked: bool,
    ) -> Result<Option<Observation>, RecordError> {
        let ran = self.subject.as_reference(|| {
            self.run(first, &self.default, choices, calls, |output, seen| {
                if is_checked { first.flaw(output, seen) } else { None }
            })
        });
        let seen = match ran {
            Ok(Run { seen, .. }) => seen,
            Err(State::Ended(outcome, reason)) => return Err(self.default_changes(first, outcome, &reason)),
            Err(State::Running { .. }) => return Ok(None),
        };
        match self.change(first, calls.instance(), first.calls, &seen) {
            Some(change) => Err(change),
            None => Ok(Some(seen)),
        }
    }

    /// Runs a candidate, and tells so: it alone may take the process with it, or never end.
    pub(super) fn attempt<T>(
        &self,
        input: &str,
        features: Option<&[f64]>,
        candidate: &Candidate,
        run: impl FnOnce() -> T,
    ) -> T {
        let one = Attempt {
            function: self.subject.function.name(),
            device: self.subject.device.entry().id(),
            input,
            features,
            variant: candidate.variant,
            configuration: &candidate.configuration,
            is_evaluation: self.task.is_evaluation(),
            is_sample: false,
        };
        attempt(self.progress, &one, run)
    }

    /// Runs one candidate, timed, and looks whether its output has a flaw.
    ///
    /// The features of the input are computed where choices are described.
    fn run<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        candidate: &Candidate,
        described: &[Choice],
        calls: &mut C,
        flaw: impl FnOnce(&C::Output, &Observation) -> Option<State>,
    ) -> Result<Run, State> {
        let Input { name, features } = &first.input;
        let (restoring_s, call) = timed(|| calls.next());
        self.spend(Spent { restoring_s, ..Spent::default() });
        self.attempt(name, Some(features), candidate, || {
            let lost_before = self.shared.lost_time.look();
            let ran = record(self.subject.function, candidate.choice, described, call);
            let is_disturbed = self.shared.lost_time.look() > lost_before;
            let (output, seen) = ran.map_err(|panicked| self.panicked(name, candidate, &panicked))?;
            if let Some(failure) = first.failure(&seen) {
                return Err(failure);
            }
            match catch_unwind(AssertUnwindSafe(|| flaw(&output, &seen))) {
                Ok(None) => Ok(Run { seen, is_disturbed }),
                Ok(Some(flaw)) => Err(flaw),
                // Nothing is wrong with the output that the others are compared with.
                Err(panic) if candidate.choice == self.default.choice => resume_unwind(panic),
                Err(panic) => {
                    let why = format!("gave an output whose comparison {}", Panicked::of(&*panic));
                    self.note_panic(name, candidate, &why);
                    Err(State::wrong(why))
                }
            }
        })
    }

    /// Returns the reason of a candidate that failed on the input in a process before, and is not tried again.
    fn known_failure<R, S>(&self, first: &Reference<R, S>, candidate: &Candidate) -> Option<&String> {
        self.failed.get(&(first.input.name.clone(), candidate.text()))
    }

    /// Runs a candidate once, if it is admissible, and checks it and the features of its input.
    ///
    /// The time counts only where one run is enough and is not the variant's first on the device, which loads what it
    /// needs.
    pub(super) fn warm_up<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        candidate: &Candidate,
        is_admissible: bool,
        calls: &mut C,
    ) -> Result<Trial, Stop> {
        if !is_admissible {
            return Ok(Trial::new(candidate, State::Ended(Outcome::Inadmissible, String::new())));
        }
        if let Some(reason) = self.known_failure(first, candidate) {
            return Ok(Trial::new(candidate, State::Ended(Outcome::Failed, reason.clone())));
        }
        let described = [candidate.choice];
        let (first_runs_s, ran) = self.timed_run(|| {
            self.run(first, candidate, &described, calls, |output, seen| first.flaw(output, seen))
        });
        self.spend(Spent { first_runs_s, ..Spent::default() });
        let Run { seen, is_disturbed } = match ran {
            Ok(ran) => ran,
            Err(failed) => return self.still_there(first, candidate, failed),
        };
        let is_default = candidate.choice == self.default.choice;
        let own_calls = if is_default { first.calls } else { seen.calls };
        if let Some(change) = self.change(first, calls.instance(), own_calls, &seen) {
            return Err(change.into());
        }
        let is_first = self.loaded.borrow_mut().insert(candidate.choice);
        let counts = !is_first && !is_disturbed && self.plan.repeats.enough(&[seen.time_ns]);
        let times_ns = if counts { vec![seen.time_ns] } else { Vec::new() };
        Ok(Trial::new(candidate, State::Running { calls: seen.calls, times_ns, disturbed: 0 }))
    }

    /// Times all candidates that still run, and notes the load since it was looked at.
    ///
    /// What is doubtful is timed again, and the times under the least load stay.
    pub(super) fn time<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        all: &mut [Trial],
        begun: LoadStart,
        calls: &mut C,
    ) -> Result<(), Stop> {
        self.repeat(first, all, calls)?;
        let mut load = self.load.end(begun);
        for trial in all.iter_mut() {
            trial.load = load;
        }
        for _ in 0..MOST_TIMED_AGAIN {
            // Under load that lasts, another time is as doubtful as the first.
            if !is_doubtful(load) || self.is_under_load.get() || self.is_over() {
                break;
            }
            let mut again: Vec<Trial> = all.iter().filter_map(Trial::anew).collect();
            let begun = self.load.begin();
            self.repeat(first, &mut again, calls)?;
            let load_again = self.load.end(begun);
            let is_less = load_again < load && load_again.is_some();
            let running = all.iter_mut().filter(|trial| matches!(trial.state, State::Running { .. }));
            for (trial, again) in running.zip(again) {
                // A candidate that fails now has failed, whatever the load.
                if is_less || matches!(again.state, State::Ended(..)) {
                    *trial = Trial { load: load_again, ..again };
                }
            }
            if is_less {
                load = load_again;
            }
        }
        self.is_under_load.set(is_doubtful(load));
        Ok(())
    }

    /// Repeats in rounds over all candidates that still run, so that a slow phase of the machine meets all alike.
    fn repeat<C: Calls>(
        &self,
        first: &Reference<C::Output, impl Fn(&C::Output, &C::Output) -> bool>,
        all: &mut [Trial],
        calls: &mut C,
    ) -> Result<(), Stop> {
        loop {
            let mut ran = false;
            for trial in all.iter_mut() {
                let State::Running { calls: own_calls, times_ns, disturbed } = &mut trial.state else {
                    continue;
                };
                if self.is_enough(times_ns) {
                    continue;
                }
                ran = true;
                let run = || self.run(first, &trial.candidate, &[], calls, |_, _| None);
                let (timed_runs_s, ran) = self.timed_run(run);
                self.spend(Spent { timed_runs_s, ..Spent::default() });
                match ran {
                    Ok(Run { seen, is_disturbed }) => {
                        if let Some(change) = self.change(first, calls.instance(), *own_calls, &seen) {
                            return Err(change.into());
                        }
                        match is_disturbed && *disturbed < MOST_DISTURBED {
                            true => *disturbed += 1,
                            false => times_ns.push(seen.time_ns),
                        }
                    }
                    Err(failed) => *trial = self.still_there(first, &trial.candidate, failed)?,
                }
            }
            if !ran {
                return Ok(());
            }
        }
    }

    /// Returns true if these times of one candidate are enough, or one has to do as no time is left.
    fn is_enough(&self, times_ns: &[f64]) -> bool {
        self.plan.repeats.enough(times_ns) || !times_ns.is_empty() && self.is_over()
    }

    /// Returns the trial of a failed candidate, unless the failure ends this process, or tells of the closure.
    fn still_there<R, S>(
        &self,
        first: &Reference<R, S>,
        candidate: &Candidate,
        state: State,
    ) -> Result<Trial, Stop> {
        let candidate = candidate.clone();
        match &state {
            State::Ended(Outcome::Failed | Outcome::Wrong, _) if self.subject.device.is_lost() => {
                Err(Stop::Lost(candidate, "lost the device to its process".to_owned()))
            }
            // Its first run, which was an eager one, says nothing of whether it can be captured.
            State::Ended(Outcome::Failed, _)
                if candidate.choice == self.default.choice
                    && self.subject.is_in_graphs()
                    && self.shared.panics.ended_by().is_none() =>
            {
                Ok(Trial::new(&candidate, state))
            }
            State::Ended(outcome, reason) if candidate.choice == self.default.choice => {
                Err(self.default_changes(first, *outcome, reason).into())
            }
            State::Ended(Outcome::Failed, reason) if self.shared.panics.ended_by().is_some() => {
                Err(Stop::Lost(candidate, reason.clone()))
            }
            _ => Ok(Trial::new(&candidate, state)),
        }
    }

    /// Notes and tells of a candidate's panic, and returns its state.
    fn panicked(&self, input: &str, candidate: &Candidate, panicked: &Panicked) -> State {
        let (function, choice) = (self.subject.function.name(), candidate.text());
        let reason = self.shared.panics.reason(panicked.to_string());
        self.note_panic(input, candidate, &panicked.to_string());
        tracing::warn!(function, choice, %panicked, "the variant is recorded as failed");
        State::Ended(Outcome::Failed, reason)
    }

    /// Notes a panic of a candidate, after which others in this process may fail.
    pub(super) fn note_panic(&self, input: &str, candidate: &Candidate, what: &str) {
        let (function, choice) = (self.subject.function.name(), candidate.text());
        self.shared.panics.note(format!("input `{input}`: variant `{choice}` of `{function}` {what}"));
    }
}
