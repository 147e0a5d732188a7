//! The traits of whatever an engine drives: a strategy, and what evaluating its proposals gives.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::refusal::TellError;
use super::tree::Tree;
use crate::outcome::{Candidate, Evaluation};

/// A proposal and what evaluating it gave.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation<T, R> {
    /// The configuration, path, or set of edits that was evaluated.
    pub proposal: T,
    /// The result.
    pub report: R,
}

/// A configuration and what running it gave.
pub type Outcome = Observation<Candidate, Evaluation>;

/// A search strategy behind an [`Engine`](super::Engine): it proposes what to evaluate and learns from the reports.
///
/// It works in steps: a generation, a round, a batch between two fits. It sees the reports of a step at once, in the
/// order of its proposals. So proposals depend on seed and reports alone: not on how many are evaluated at once, nor
/// on which was done first.
pub trait Proposer {
    /// Something to evaluate: a configuration, a path, a set of edits. No two proposals of a search are equal.
    type Proposal: Clone + PartialEq + fmt::Debug;
    /// The result of evaluating one.
    type Report: Measurement;
    /// The reason for which nothing can be proposed.
    type Error: fmt::Display;

    /// Proposes the next step; nothing once the strategy is exhausted.
    ///
    /// `room` is how many the caller can evaluate now. A strategy whose steps have a size of their own takes no
    /// notice of it.
    ///
    /// # Errors
    /// When the space is none.
    fn propose(&mut self, room: usize) -> Result<Vec<Self::Proposal>, Self::Error>;

    /// Learns from the reports of a complete step, in the order of its proposals.
    fn learn(&mut self, step: &[Observation<Self::Proposal, Self::Report>]);

    /// Judges a report as it comes in, before its step is complete: returns what the budget counts.
    ///
    /// # Errors
    /// When the report cannot be right.
    fn judge(&mut self, proposal: &Self::Proposal, report: &Self::Report) -> Result<Evaluation, TellError> {
        let _ = proposal;
        Ok(report.evaluation())
    }

    /// Takes what an earlier search observed, before the first step, and returns true; false where the search is
    /// restored by proposing all of it again, as unless a strategy says otherwise.
    ///
    /// # Errors
    /// When the observation is none of this space, or cannot be right.
    fn recall(&mut self, known: &Observation<Self::Proposal, Self::Report>) -> Result<bool, TellError> {
        let _ = known;
        Ok(false)
    }

    /// Returns true where more can be proposed while earlier proposals are under way: then each report is learned
    /// as it comes.
    fn overlaps(&self) -> bool {
        false
    }

    /// Returns nanoseconds that nothing in the space takes less than; 0 where nothing is proved.
    fn proved_ns(&self) -> f64 {
        0.0
    }

    /// Returns the tree of a strategy that proves; none of others.
    fn tree(&self) -> Option<Tree> {
        None
    }

    /// Names a proposal in messages.
    fn name(&self, proposal: &Self::Proposal) -> String {
        format!("{proposal:?}")
    }
}

impl<P: Proposer + ?Sized> Proposer for Box<P> {
    type Proposal = P::Proposal;
    type Report = P::Report;
    type Error = P::Error;

    fn propose(&mut self, room: usize) -> Result<Vec<Self::Proposal>, Self::Error> {
        (**self).propose(room)
    }

    fn learn(&mut self, step: &[Observation<Self::Proposal, Self::Report>]) {
        (**self).learn(step);
    }

    fn judge(&mut self, proposal: &Self::Proposal, report: &Self::Report) -> Result<Evaluation, TellError> {
        (**self).judge(proposal, report)
    }

    fn recall(&mut self, known: &Observation<Self::Proposal, Self::Report>) -> Result<bool, TellError> {
        (**self).recall(known)
    }

    fn overlaps(&self) -> bool {
        (**self).overlaps()
    }

    fn proved_ns(&self) -> f64 {
        (**self).proved_ns()
    }

    fn tree(&self) -> Option<Tree> {
        (**self).tree()
    }

    fn name(&self, proposal: &Self::Proposal) -> String {
        (**self).name(proposal)
    }
}

/// The result of evaluating a proposal.
pub trait Measurement: Clone {
    /// Returns the time, or why there is none: what budgets count, and what the best is chosen by.
    fn evaluation(&self) -> Evaluation;

    /// Returns the first number beside the time that cannot be, and its name.
    fn fault(&self) -> Option<(String, f64)> {
        None
    }
}

impl Measurement for Evaluation {
    fn evaluation(&self) -> Evaluation {
        *self
    }
}
