//! Ask and tell: one engine for every strategy, with budget, log, and restoring of a search that was killed.

mod budget;
mod proposer;
mod refusal;
mod tree;

use std::collections::VecDeque;

use self::budget::Account;
pub use self::budget::{Budget, StopReason};
pub use self::proposer::{Measurement, Observation, Outcome, Proposer};
pub use self::refusal::TellError;
pub use self::tree::{ClassCounts, Tree, TreeLevel};
use crate::Evaluation;

/// An [`Observation`] of a strategy's search.
type ObservationOf<P> = Observation<<P as Proposer>::Proposal, <P as Proposer>::Report>;

/// The answer of [`Engine::ask`].
#[derive(Clone, Debug, PartialEq)]
pub enum Ask<T> {
    /// These are to be evaluated, at once or one after the other, and told in any order.
    Evaluate(Vec<T>),
    /// The next proposals depend on what was asked and not yet told.
    Wait,
    /// The search is over.
    Done(StopReason),
}

/// A search by any strategy: [`ask`](Self::ask) what to evaluate, [`tell`](Self::tell) what that gave.
///
/// The engine keeps the budget, the step that is under way, and the log of all that was told. A strategy is a
/// [`Proposer`], which gets its space and its seed when it is made.
///
/// ```
/// use std::sync::Arc;
/// use nitro_search::{Ask, Budget, Engine, Evaluation, Parameter, Sources, Space, Strategy};
///
/// let parameters = vec![Parameter::numbers("block", [32.0, 64.0, 128.0]), Parameter::bool("staged")];
/// let space = Arc::new(Space::constrained(parameters, vec![])?);
/// let strategy = Strategy::Model.over(&space, 7, &Sources::default());
/// let mut search = Engine::new(strategy, Budget::evaluations(4));
/// loop {
///     let Ok(asked) = search.ask(1);
///     match asked {
///         Ask::Evaluate(candidates) => for candidate in candidates {
///             let values = space.configuration(candidate);
///             let time_ns = 100.0 / f64::from(values[0] + 1) + f64::from(values[1]); // here a program would be run
///             search.tell(&candidate, Evaluation::TimeNs(time_ns))?;
///         },
///         Ask::Wait => unreachable!("every candidate was told"),
///         Ask::Done(_) => break,
///     }
/// }
/// assert_eq!(search.observations().len(), 4);
/// println!("{}", space.text(search.best().unwrap().proposal));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine<P: Proposer> {
    proposer: P,
    account: Account,
    /// The step that is under way.
    step: Vec<Slot<P>>,
    observations: Vec<ObservationOf<P>>,
    /// Position among the observations.
    best: Option<usize>,
}

/// Returns the share of a best time by which something else may still be faster, where nothing takes less than
/// `proved_ns`: 0 where the best is the fastest.
#[must_use]
pub fn gap(proved_ns: f64, best_ns: f64) -> f64 {
    (1.0 - proved_ns / best_ns).max(0.0)
}

struct Slot<P: Proposer> {
    proposal: P::Proposal,
    is_asked: bool,
    report: Option<P::Report>,
}

impl<P: Proposer> Slot<P> {
    fn waits_for(&self, proposal: &P::Proposal) -> bool {
        self.is_asked && self.report.is_none() && self.proposal == *proposal
    }
}

impl<P: Proposer> Engine<P> {
    /// Creates a search that has not begun.
    #[must_use]
    pub fn new(proposer: P, budget: Budget) -> Self {
        let account = Account::new(budget);
        Self { proposer, account, step: Vec::new(), observations: Vec::new(), best: None }
    }

    /// Returns the strategy.
    #[must_use]
    pub fn proposer(&self) -> &P {
        &self.proposer
    }

    /// Returns the strategy, to be changed.
    pub fn proposer_mut(&mut self) -> &mut P {
        &mut self.proposer
    }

    /// Returns up to `room` proposals to evaluate next, none of which was proposed before.
    ///
    /// # Errors
    /// When the strategy cannot propose: the space is none.
    pub fn ask(&mut self, room: usize) -> Result<Ask<P::Proposal>, P::Error> {
        self.advance(room)?;
        if let Some(reason) = self.account.stop_reason(self.step.is_empty()) {
            return Ok(Ask::Done(reason));
        }
        let mut asked = Vec::new();
        for slot in self.step.iter_mut().filter(|slot| !slot.is_asked).take(room) {
            slot.is_asked = true;
            asked.push(slot.proposal.clone());
        }
        Ok(if asked.is_empty() { Ask::Wait } else { Ask::Evaluate(asked) })
    }

    /// Takes the report of a proposal.
    ///
    /// # Errors
    /// When it was not asked for, was told before, or the report cannot be right.
    pub fn tell(&mut self, proposal: &P::Proposal, report: P::Report) -> Result<(), TellError> {
        let Some(at) = self.step.iter().position(|slot| slot.waits_for(proposal)) else {
            return Err(TellError::NotAsked(self.proposer.name(proposal)));
        };
        self.check(proposal, &report)?;
        let evaluation = self.proposer.judge(proposal, &report)?;
        self.log(Observation { proposal: proposal.clone(), report: report.clone() }, evaluation);
        if self.proposer.overlaps() {
            self.step.remove(at);
            self.proposer.learn(&[Observation { proposal: proposal.clone(), report }]);
        } else {
            self.step[at].report = Some(report);
        }
        Ok(())
    }

    /// Brings a search that has not begun to where another one of the same strategy was that observed this, in
    /// whatever order. Proposals that were under way then are asked for again.
    ///
    /// # Errors
    /// When an observation is none of this search's, or the space is none.
    pub fn restore(&mut self, observations: &[ObservationOf<P>]) -> Result<(), TellError> {
        let mut known = VecDeque::new();
        for observation in observations {
            self.check(&observation.proposal, &observation.report)?;
            if self.proposer.recall(observation)? {
                self.account.propose(1);
                self.log(observation.clone(), observation.report.evaluation());
            } else {
                known.push_back(observation);
            }
        }
        // Step after step is proposed anew, and told what is known of it.
        while !known.is_empty() {
            self.advance(usize::MAX).map_err(|error| TellError::Strategy(error.to_string()))?;
            let found = self.take_known(&mut known);
            if found.is_empty() {
                break;
            }
            self.tell_all(found)?;
        }
        known.front().map_or(Ok(()), |own| Err(TellError::Foreign(self.proposer.name(&own.proposal))))
    }

    /// Returns the fastest observation so far.
    #[must_use]
    pub fn best(&self) -> Option<&ObservationOf<P>> {
        self.best.map(|best| &self.observations[best])
    }

    /// Returns everything that was told, in that order: what [`restore`](Self::restore) takes.
    #[must_use]
    pub fn observations(&self) -> &[ObservationOf<P>] {
        &self.observations
    }

    /// Returns the share of the best time by which something else may still be faster: 0 where the best is proved to
    /// be the fastest, and none before anything ran.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let best_ns = self.best()?.report.evaluation().time_ns()?;
        Some(gap(self.proposer.proved_ns(), best_ns))
    }

    /// Goes on to the next step when this one is complete, or more can be proposed beside it.
    fn advance(&mut self, room: usize) -> Result<(), P::Error> {
        if !self.step.is_empty() && self.step.iter().all(|slot| slot.report.is_some()) {
            let step: Vec<ObservationOf<P>> = self
                .step
                .drain(..)
                .filter_map(|slot| Some(Observation { proposal: slot.proposal, report: slot.report? }))
                .collect();
            self.proposer.learn(&step);
        }
        let is_open =
            self.step.is_empty() || (self.proposer.overlaps() && self.step.iter().all(|slot| slot.is_asked));
        let left = self.account.left();
        if is_open && left > 0 {
            let mut proposals = self.proposer.propose(room.min(left))?;
            proposals.truncate(left);
            self.account.propose(proposals.len());
            for proposal in proposals {
                self.step.push(Slot { proposal, is_asked: false, report: None });
            }
        }
        Ok(())
    }

    /// Takes the observations of the step that is under way, as if they had been asked for.
    fn take_known<'a>(&mut self, known: &mut VecDeque<&'a ObservationOf<P>>) -> Vec<&'a ObservationOf<P>> {
        let mut found = Vec::new();
        for slot in self.step.iter_mut().filter(|slot| !slot.is_asked) {
            if let Some(at) = known.iter().position(|own| own.proposal == slot.proposal) {
                slot.is_asked = true;
                found.extend(known.remove(at)); // near the front: it was told in about this order
            }
        }
        found
    }

    /// Tells observations of one step. A report may stand on another one of the step, such as that it ran the same
    /// machine code: those that are refused come again after the others.
    fn tell_all(&mut self, mut open: Vec<&ObservationOf<P>>) -> Result<(), TellError> {
        while !open.is_empty() {
            let (count, mut refused, mut error) = (open.len(), Vec::new(), None);
            for own in open {
                if let Err(refusal) = self.tell(&own.proposal, own.report.clone()) {
                    refused.push(own);
                    error = Some(refusal);
                }
            }
            if refused.len() == count {
                return error.map_or(Ok(()), Err);
            }
            open = refused;
        }
        Ok(())
    }

    fn log(&mut self, observation: ObservationOf<P>, evaluation: Evaluation) {
        if self.account.count(evaluation) {
            self.best = Some(self.observations.len());
        }
        self.observations.push(observation);
    }

    /// Refuses numbers that cannot be.
    fn check(&self, proposal: &P::Proposal, report: &P::Report) -> Result<(), TellError> {
        if let Some((name, value)) = report.fault() {
            return Err(TellError::Number(self.proposer.name(proposal), name, value));
        }
        match report.evaluation().time_ns() {
            Some(time_ns) if !time_ns.is_finite() || time_ns < 0.0 => {
                Err(TellError::Time(self.proposer.name(proposal), time_ns))
            }
            _ => Ok(()),
        }
    }
}
