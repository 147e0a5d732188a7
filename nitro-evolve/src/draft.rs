//! A finding that is under way, with what later steps need of it.

use nitro_search::Failure;

use crate::exactness::Exactness;
use crate::finding::{Contract, Finding, Undone, Verdict};
use crate::repair::Rehearsal;
use crate::stages::{Aim, Candidate, Conditions, Refusal};
use crate::words::NO_TIME;

/// A finding with what later steps need of it.
pub(crate) struct Draft {
    pub finding: Finding,
    /// The number of its finalist.
    pub finalist: usize,
    pub rehearsal: Rehearsal,
    /// Set once it came to the stages before the test.
    pub is_checked: bool,
    /// Set once it was repaired, or that was tried.
    pub is_repaired: bool,
}

impl Draft {
    /// Tells whether it is to be tested next.
    pub(crate) fn is_before_test(&self) -> bool {
        self.is_checked && self.rehearsal.refusal.is_none() && self.rehearsal.candidate.aim == Aim::Rehearse
    }

    /// Tells whether a stage before the test has refused it.
    pub(crate) fn is_refused_before_test(&self) -> bool {
        self.rehearsal.refusal.is_some() && self.rehearsal.candidate.aim == Aim::Rehearse
    }

    /// Tells whether it is refused for having an error, since it has to be exact.
    pub(crate) fn is_inexact(&self) -> bool {
        let Rehearsal { candidate, refusal, .. } = &self.rehearsal;
        let error = candidate.total_fitness().map_or(0.0, |fitness| fitness.error);
        candidate.must_be_exact && refusal.is_some() && error > 0.0
    }

    /// Returns the same patch for what it is worth with its error.
    pub(crate) fn permitting_error(&self) -> Self {
        let candidate = self.rehearsal.candidate.permitting_error();
        let rehearsal = Rehearsal { candidate, refusal: None, dropped: Vec::new() };
        Self { finding: self.finding.clone(), rehearsal, is_checked: false, is_repaired: false, ..*self }
    }

    /// Returns the time with the inputs of the search.
    pub(crate) fn time_ns(&self) -> f64 {
        self.rehearsal.candidate.fitness.map_or(f64::INFINITY, |fitness| fitness.time_ns)
    }

    /// Tells whether it is accepted, and as fast and as exact as another one.
    pub(crate) fn is_accepted_instead_of(&self, other: &Self) -> bool {
        let error = |draft: &Self| {
            let candidate = &draft.rehearsal.candidate;
            let error = candidate.total_fitness().map_or(f64::INFINITY, |fitness| fitness.error);
            if candidate.must_be_exact { 0.0 } else { error }
        };
        let is_accepted = matches!(self.finding.verdict, Verdict::Accepted(_));
        is_accepted && self.time_ns() <= other.time_ns() && error(self) <= error(other)
    }

    /// Tells whether it is accepted, and the results of fewer runs were compared than are asked for.
    pub(crate) fn is_short(&self, conditions: &Conditions<'_>) -> bool {
        let Rehearsal { candidate, refusal, .. } = &self.rehearsal;
        refusal.is_none() && candidate.compared < conditions.efforts.test.checks
    }

    /// Says in the finding what the stages have found out.
    pub(crate) fn describe(&mut self, conditions: &Conditions<'_>) {
        let is_short = self.is_short(conditions);
        let Self { finding, rehearsal: Rehearsal { candidate, refusal, dropped }, .. } = self;
        finding.verdict = match refusal {
            Some(refusal) => Verdict::Refused(refusal.why.clone()),
            None if candidate.test.is_empty() => Verdict::Refused(NO_TIME.to_owned()),
            None => Verdict::Accepted(contract(candidate, conditions)),
        };
        let is_exact = finding.verdict == Verdict::Accepted(Contract::Exact);
        finding.exactness = is_exact.then(|| Exactness::Tested { why: NO_TIME.to_owned() });
        finding.test.clone_from(&candidate.test);
        finding.checks.clone_from(&candidate.checks);
        finding.dropped.clone_from(dropped);
        finding.undone.retain(|undone| *undone != Undone::Tested);
        finding.undone.extend((is_short && !candidate.test.is_empty()).then_some(Undone::Tested));
    }

    /// Notes what is proved of a patch that is accepted as exact.
    ///
    /// What is the original's by chance alone is worth the error that the workload permits, or nothing.
    pub(crate) fn note_proof(&mut self, proof: Exactness, conditions: &Conditions<'_>) {
        if self.finding.exactness.is_none() {
            return;
        }
        if matches!(proof, Exactness::ByChance { .. }) {
            if conditions.max_error == 0.0 {
                let why = format!("results are the original's {proof}");
                self.rehearsal.refusal = Some(Refusal { failure: Failure::Wrong, why });
                return self.describe(conditions);
            }
            self.finding.verdict = Verdict::Accepted(promise(conditions.max_error, conditions));
        }
        self.finding.exactness = Some(proof);
    }
}

/// Returns the promise of an accepted patch: its largest error on all inputs that were looked at.
fn contract(candidate: &Candidate, conditions: &Conditions<'_>) -> Contract {
    let before = candidate.total_fitness().map_or(f64::INFINITY, |fitness| fitness.error);
    let max_error = candidate.test.iter().map(|case| case.error).fold(before, f64::max);
    promise(max_error, conditions)
}

/// Returns the promise of an error.
fn promise(max_error: f64, conditions: &Conditions<'_>) -> Contract {
    match max_error == 0.0 {
        true => Contract::Exact,
        false => Contract::Approx { max_error, over: conditions.subject.workload().summary() },
    }
}
