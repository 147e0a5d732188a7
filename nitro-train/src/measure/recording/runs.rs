//! The runs of all candidates on one input.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nitro_core::Choice;
use nitro_core::recording::{Panicked, record};

use super::Recording;
use super::feature_samples::FeatureSamples;
use super::tried::{Lost, Ran, State, Tried};
use crate::measure::candidate::Candidate;
use crate::measure::error::RecordError;
use crate::measure::progress::{Attempt, Progress};
use crate::recordings::{Input, Outcome};
use crate::store::Row;

/// How often a run of a variant is made again because time was lost in it. After that its time counts, on a machine that is so busy.
const MOST_DISTURBED: usize = 3;

impl Recording<'_> {
    pub(super) fn measure<R>(
        &self,
        name: &str,
        run: &mut impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        let default = Candidate::of(self.subject.function, self.subject.function.default_choice());
        let choices: Vec<Choice> = self.candidates.iter().map(|candidate| candidate.choice).collect();
        let described = self.attempt(name, None, &default, || self.subject.describe(name, &choices, run));
        let (expected, observation) = described?;
        let input = Input { name: name.to_owned(), features: observation.features };
        let mut times = FeatureSamples::of(observation.time_ns, observation.feature_times_ns);
        if self.plan.feature_times_only {
            self.time_features(&input, &default, &choices, &mut times, run);
            return Ok(self.put_feature_times(&input, &times.medians_ns())?);
        }
        let candidates = self.candidates.iter().zip(observation.admissible.iter().copied());
        let warm = self.warm_up(&input, candidates, run, |found| same(&expected, found));
        drop(expected);
        match warm.and_then(|mut tried| self.repeat(&input, &mut tried, run).map(|()| tried)) {
            Ok(tried) => {
                self.time_features(&input, &default, &choices, &mut times, run);
                self.put_feature_times(&input, &times.medians_ns())?;
                self.put(&input, &tried.iter().map(Tried::row).collect::<Vec<_>>())?;
            }
            Err(lost) => self.note_lost(&input, &lost)?,
        }
        Ok(())
    }

    /// The candidate has failed here, and this process can do no more.
    pub(super) fn note_lost(&self, input: &Input, Lost(candidate): &Lost) -> Result<(), RecordError> {
        let (variant, configuration) = (candidate.variant, candidate.configuration.as_str());
        let reason = "lost the device to its process";
        let row = Row { configuration, reason, ..Row::new(variant, Outcome::Failed) };
        match self.plan.search {
            Some(_) => self.put_evaluation(&input.name, &row)?,
            None => self.put(input, &[row])?,
        }
        self.lost.replace(Some((input.name.clone(), variant)));
        Ok(())
    }

    /// Runs the default choice again, for what features take. One that fails now did not before: its earlier times do.
    fn time_features<R>(
        &self,
        input: &Input,
        default: &Candidate,
        choices: &[Choice],
        times: &mut FeatureSamples,
        run: &mut impl FnMut() -> R,
    ) {
        let function = self.subject.function;
        while !function.features().is_empty() && !times.are_enough(&self.plan.repeats) && !self.is_over() {
            let ran = self.attempt(&input.name, Some(&input.features), default, || {
                record(function, default.choice, choices, &mut *run)
            });
            match ran {
                Ok((_, observation)) => times.push(observation.time_ns, observation.feature_times_ns),
                Err(_) => return,
            }
        }
    }

    /// Does what may take the process with it, or never end, and is a variant's doing; nothing else is.
    pub(super) fn attempt<T>(
        &self,
        input: &str,
        features: Option<&[f64]>,
        candidate: &Candidate,
        run: impl FnOnce() -> T,
    ) -> T {
        let (function, device) = (self.subject.function, self.subject.device.entry().id());
        let (function, variant, configuration) =
            (function.name(), candidate.variant, candidate.configuration.as_str());
        let is_evaluation = self.plan.search.is_some();
        self.progress.attempt(Some(&Attempt {
            function,
            device,
            input,
            features,
            variant,
            configuration,
            is_evaluation,
        }));
        let _until = UntilDropped(self.progress);
        run()
    }

    /// Runs one candidate, timed, and looks whether its output is correct.
    fn run<R>(
        &self,
        input: &Input,
        candidate: &Candidate,
        run: &mut impl FnMut() -> R,
        is_correct: impl FnOnce(&R) -> bool,
    ) -> Result<Ran, State> {
        self.attempt(&input.name, Some(&input.features), candidate, || {
            let lost_before = self.shared.lost_time.look();
            let ran = record(self.subject.function, candidate.choice, &[], run);
            let is_disturbed = self.shared.lost_time.look() > lost_before;
            let (output, observation) = ran.map_err(|panicked| self.panicked(candidate, &panicked))?;
            if observation.failures > 0 {
                return Err(State::returned_error());
            }
            match catch_unwind(AssertUnwindSafe(|| is_correct(&output))) {
                Ok(true) => Ok(Ran { time_ns: observation.time_ns, is_disturbed }),
                Ok(false) => Err(State::wrong("gave another output than the default variant".to_owned())),
                // Nothing is wrong with the output that the others are compared with.
                Err(panic) if candidate.choice == self.subject.function.default_choice() => {
                    resume_unwind(panic)
                }
                Err(panic) => {
                    let panicked = Panicked::of(&*panic);
                    Err(State::wrong(format!("gave an output whose comparison {panicked}")))
                }
            }
        })
    }

    /// Runs every candidate once, if it is admissible, and checks it. The time counts only where one run is enough and is not the variant's
    /// first on the device, which loads what it needs.
    pub(super) fn warm_up<'c, R>(
        &self,
        input: &Input,
        candidates: impl Iterator<Item = (&'c Candidate, bool)>,
        run: &mut impl FnMut() -> R,
        is_correct: impl Fn(&R) -> bool,
    ) -> Result<Vec<Tried>, Lost> {
        let mut state = |candidate: &Candidate, is_admissible: bool| {
            if !is_admissible {
                return State::Ended(Outcome::Inadmissible, String::new());
            }
            if let Some(reason) = self.failed.get(&(input.name.clone(), candidate.text())) {
                return State::Ended(Outcome::Failed, reason.clone());
            }
            match self.run(input, candidate, &mut *run, &is_correct) {
                Ok(Ran { time_ns, is_disturbed }) => {
                    let is_first = self.loaded.borrow_mut().insert(candidate.choice);
                    let counts = !is_first && !is_disturbed && self.plan.repeats.enough(&[time_ns]);
                    State::Running { times_ns: if counts { vec![time_ns] } else { Vec::new() }, disturbed: 0 }
                }
                Err(ended) => ended,
            }
        };
        candidates.map(|(own, admissible)| self.still_there(own, state(own, admissible))).collect()
    }

    /// Repeats in rounds over all candidates that still run, so that a slow phase of the machine meets all alike.
    pub(super) fn repeat<R>(
        &self,
        input: &Input,
        all: &mut [Tried],
        run: &mut impl FnMut() -> R,
    ) -> Result<(), Lost> {
        loop {
            let mut ran = false;
            for tried in all.iter_mut() {
                let State::Running { times_ns, disturbed } = &mut tried.state else { continue };
                if self.is_enough(times_ns) {
                    continue;
                }
                ran = true;
                match self.run(input, &tried.candidate, &mut *run, |_| true) {
                    Ok(Ran { is_disturbed: true, .. }) if *disturbed < MOST_DISTURBED => *disturbed += 1,
                    Ok(Ran { time_ns, .. }) => times_ns.push(time_ns),
                    Err(failed) => *tried = self.still_there(&tried.candidate, failed)?,
                }
            }
            if !ran {
                return Ok(());
            }
        }
    }

    /// Whether these times of one candidate are enough, or one has to do as no time is left.
    fn is_enough(&self, times_ns: &[f64]) -> bool {
        self.plan.repeats.enough(times_ns) || !times_ns.is_empty() && self.is_over()
    }

    /// The candidate in this state, unless its failure took the device away.
    fn still_there(&self, candidate: &Candidate, state: State) -> Result<Tried, Lost> {
        let suspect = matches!(state, State::Ended(Outcome::Failed | Outcome::Wrong, _));
        let candidate = candidate.clone();
        match suspect && self.subject.device.is_lost() {
            true => Err(Lost(candidate)),
            false => Ok(Tried { candidate, state }),
        }
    }

    fn panicked(&self, candidate: &Candidate, panicked: &Panicked) -> State {
        let (function, choice) = (self.subject.function.name(), candidate.text());
        tracing::warn!(function, choice, %panicked, "the variant is recorded as failed");
        State::Ended(Outcome::Failed, panicked.to_string())
    }
}

/// Ends an attempt, also when the trainer itself panics.
struct UntilDropped<'p>(&'p dyn Progress);

impl Drop for UntilDropped<'_> {
    fn drop(&mut self) {
        self.0.attempt(None);
    }
}
