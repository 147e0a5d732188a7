//! The evaluations of one input, in the order in which a proposer asks for them.

use std::collections::BTreeMap;
use std::time::Duration;

use nitro_core::Choice;
use nitro_store::recordings::{Input, Outcome};
use nitro_store::store::{Row, StoreError};

use super::Recording;
use super::feature_samples::FeatureSamples;
use super::reference::Reference;
use super::runs::lost_row;
use super::task::Evaluations;
use super::trial::{State, Stop, Trial};
use crate::measure::calls::Calls;
use crate::measure::candidate::{Candidate, is_generated};
use crate::measure::claims::evaluation_of;
use crate::measure::error::RecordError;
use crate::measure::preparation::{PreparationQueue, PreparationThreads};
use crate::measure::proposer::Proposer;
use crate::measure::spent::{Spent, timed};
use crate::measure::subject::Subject;

/// The time between two looks at what others evaluate, where nothing else is left to do.
const LOOK: Duration = Duration::from_millis(50);

impl Recording<'_> {
    /// Evaluates what the proposer asks for on one input, together with whoever else does.
    pub(super) fn evaluate_all<C: Calls>(
        &self,
        evaluations: &Evaluations<'_>,
        name: &str,
        calls: &mut C,
        same: Option<impl Fn(&C::Output, &C::Output) -> bool>,
    ) -> Result<(), RecordError> {
        let listed = evaluations.proposer.borrow().listed().to_vec();
        let choices: Vec<_> = listed.iter().map(|candidate| candidate.choice).collect();
        let (first, seen) = self.first(name, &choices, calls, same)?;
        if let Err(stop) = self.confirm(&first, calls) {
            return self.stop(&first.input, stop);
        }
        let mut admitted = Vec::new();
        for (candidate, &is_admissible) in listed.into_iter().zip(&seen.admissible) {
            if is_admissible {
                admitted.push(candidate);
            }
        }
        let is_done = {
            let mut proposer = evaluations.proposer.borrow_mut();
            proposer.begin(name, admitted).map_err(RecordError::Proposer)?;
            proposer.consult(&mut **self.shared.store.lock()).map_err(RecordError::Proposer)?;
            self.evaluate_in_turn(&first, &mut **proposer, calls)?
        };
        if is_done {
            let mut times = FeatureSamples::of(seen.time_ns, seen.feature_times_ns);
            self.run_again(&first, &[self.default.choice], &mut times, calls)?;
            evaluations.finish(name);
        }
        Ok(())
    }

    /// Stops with an input of which no more runs are made, and keeps what there is to keep.
    fn stop(&self, input: &Input, stop: Stop) -> Result<(), RecordError> {
        match stop {
            Stop::Lost(candidate, reason) => {
                self.put_evaluation(&input.name, &lost_row(&candidate, &reason))?;
                self.note_lost(input, &candidate);
                Ok(())
            }
            Stop::Changes(error) => Err(error),
        }
    }

    /// Evaluates one candidate after the other, while threads of the host prepare the next.
    ///
    /// Returns false where this process can do no more.
    fn evaluate_in_turn<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        first: &Reference<C::Output, S>,
        proposer: &mut dyn Proposer,
        calls: &mut C,
    ) -> Result<bool, RecordError> {
        let queue = PreparationQueue::default();
        self.spent.take();
        let is_done = std::thread::scope(|scope| {
            let ahead = self.plan.prepare.map(|prepare| PreparationThreads::start(scope, &queue, prepare));
            let mut admitted = BTreeMap::new();
            loop {
                let next = || self.next_evaluation(proposer, &first.input.name, ahead.as_ref());
                let (proposing_s, next) = timed(next);
                self.spend(Spent { proposing_s, ..Spent::default() });
                let Some(candidate) = next? else { return Ok(true) };
                if self.is_admitted(&candidate, proposer, &mut admitted, &first.input, calls)? {
                    self.evaluate(first, &candidate, calls)?;
                } else {
                    let Candidate { variant, configuration, .. } = &candidate;
                    let row = Row { configuration, ..Row::new(variant, Outcome::Inadmissible) };
                    self.put_evaluation(&first.input.name, &row)?;
                }
                if self.lost.borrow().is_some() || self.shared.panics.ended_by().is_some() {
                    return Ok(false);
                }
            }
        });
        let (preparing_s, waiting_s, spent) = (queue.seconds(), queue.waited_s(), self.spent.take());
        // It was part of the time in which the next was chosen.
        let proposing_s = (spent.proposing_s - waiting_s).max(0.0);
        proposer.spend(Spent { proposing_s, waiting_s, preparing_s, ..spent });
        is_done
    }

    /// Returns true for a candidate that may run on the input.
    ///
    /// Of what was listed only the admissible is proposed. Of code that was just generated nobody has asked yet; a run
    /// of the default asks for all that is open.
    fn is_admitted(
        &self,
        candidate: &Candidate,
        proposer: &mut dyn Proposer,
        admitted: &mut BTreeMap<Choice, bool>,
        input: &Input,
        calls: &mut impl Calls,
    ) -> Result<bool, RecordError> {
        if !is_generated(&self.subject.function.variants()[candidate.choice.variant]) {
            return Ok(true);
        }
        if !admitted.contains_key(&candidate.choice) {
            let open = proposer.open().map_err(RecordError::Proposer)?;
            let open: Vec<Choice> = open.iter().map(|own| own.choice).collect();
            let (_, observation) = self.attempt(&input.name, Some(&input.features), &self.default, || {
                self.subject.describe_all(&input.name, &open, calls)
            })?;
            admitted.extend(open.into_iter().zip(observation.admissible));
        }
        Ok(admitted.get(&candidate.choice).copied().unwrap_or(false))
    }

    /// Returns the next candidate that is this recorder's to measure; none once nothing more is asked for.
    ///
    /// What is prepared comes first. Waits for what others are measuring where nothing else is left of a step.
    fn next_evaluation(
        &self,
        proposer: &mut dyn Proposer,
        input: &str,
        ahead: Option<&PreparationThreads<'_>>,
    ) -> Result<Option<Candidate>, RecordError> {
        let Subject { function, device } = self.subject;
        loop {
            let open = proposer.open().map_err(RecordError::Proposer)?;
            if open.is_empty() {
                return Ok(None);
            }
            let names: Vec<_> = open.iter().map(Candidate::name).collect();
            let (function, device) = (function.name(), device.entry().id());
            let known = self.shared.store.lock().evaluations(function, device, input, &names)?;
            if known.iter().any(Option::is_some) {
                proposer.tell(known);
                continue;
            }
            let choices: Vec<_> = open.iter().map(|own| own.choice).collect();
            let order = ahead.map_or_else(
                || (0..open.len()).collect(),
                |ahead| ahead.order(&choices, proposer.ahead().into_iter().map(|own| own.choice)),
            );
            for candidate in order.into_iter().map(|at| &open[at]) {
                if self.shared.claims.take(&evaluation_of(input, candidate.name()))? {
                    if let Some(ahead) = ahead {
                        ahead.wait_for(candidate.choice);
                    }
                    return Ok(Some(candidate.clone()));
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Writes the row of an evaluation to the store, where all who work together look.
    fn put_evaluation(&self, input: &str, row: &Row<'_>) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        self.shared.store.lock().put_evaluation(function.name(), device.entry().id(), input, row)?;
        self.shared.claims.end(&evaluation_of(input, row.choice()));
        Ok(())
    }

    /// Measures one candidate, which is admissible, and writes its row to the store.
    fn evaluate<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        first: &Reference<C::Output, S>,
        candidate: &Candidate,
        calls: &mut C,
    ) -> Result<(), RecordError> {
        let input = &first.input;
        let trial = match self.try_out(first, candidate, calls) {
            Ok(trial) => trial,
            Err(stop) => return self.stop(input, stop),
        };
        let mut parts = self.parts(input, &trial, calls);
        if let Some(counters) = self.plan.counters {
            parts = parts.map(|parts| counters.added(candidate.choice, &input.name, parts));
        }
        let row = Row { parts: parts.as_deref().unwrap_or_default(), ..trial.row() };
        self.put_evaluation(&input.name, &row)?;
        if parts.is_none() {
            self.note_lost(input, candidate);
        }
        Ok(())
    }

    /// Runs one candidate until its time is known.
    fn try_out<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        first: &Reference<C::Output, S>,
        candidate: &Candidate,
        calls: &mut C,
    ) -> Result<Trial, Stop> {
        let begun = self.load.begin();
        let mut trial = self.warm_up(first, candidate, true, calls)?;
        if matches!(trial.state, State::Ended(Outcome::Wrong, _)) {
            // Before that is kept: the default has to be right still.
            self.confirm(first, calls)?;
        }
        self.time(first, std::slice::from_mut(&mut trial), begun, calls)?;
        Ok(trial)
    }
}
