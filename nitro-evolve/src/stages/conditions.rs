//! The conditions under which candidates are judged.

use nitro_ptx::{Edit, Operation};
use nitro_search::Failure;

use super::candidate::{Aim, Candidate};
use super::form::FirstRunForm;
use super::stop::Stop;
use crate::blame::Blame;
use crate::check::{Check, CheckOutcome, Depth};
use crate::deadline::Deadline;
use crate::effort::Efforts;
use crate::exactness::{Exactness, ORDINARY};
use crate::runner::Assemble;
use crate::subject::Subject;

/// All that stages know beside the candidate.
#[derive(Clone)]
pub(crate) struct Conditions<'a> {
    pub subject: &'a Subject,
    pub assemble: &'a Assemble<'a>,
    pub efforts: Efforts,
    /// The share of a time within which two times count as the same.
    pub margin: f64,
    /// The least share of the original's time that an accepted patch saves.
    pub least_gain: f64,
    /// The most error that a result may have.
    pub max_error: f64,
    /// The time below which a candidate looks faster than the original.
    pub to_beat_ns: f64,
    /// The form of first runs; none where candidates have no first run.
    pub first_run: Option<FirstRunForm>,
    /// The check with small inputs that nobody wrote.
    pub small_inputs: Option<&'a dyn Check>,
    /// Set if a patch may rely on what all inputs of the workload have in common.
    pub relies_on_inputs: bool,
    /// The final checks.
    pub checks: &'a [Box<dyn Check>],
    /// What is known to be wrong, and what is proved of single edits.
    pub blame: &'a Blame,
    /// The moment at which what is under way has to end.
    pub until: Deadline,
}

impl<'a> Conditions<'a> {
    /// Returns the check with small inputs, if every patch has to pass it.
    pub(crate) fn required_small_inputs(&self) -> Option<&'a dyn Check> {
        self.small_inputs.filter(|_| !self.relies_on_inputs)
    }

    /// Tells whether a new candidate looks faster than the original.
    pub(super) fn looks_faster(&self, candidate: &Candidate) -> bool {
        let time_ns = candidate.fitness.map_or(f64::INFINITY, |fitness| fitness.time_ns);
        candidate.aim == Aim::Join && time_ns < self.to_beat_ns
    }

    /// Proves that an exact patch is right with all data, or says why that is not proved.
    ///
    /// Quotients and roots of ordinary numbers are the same bits, and are left out. What compilers make as one step is
    /// another term, and may come to the same number: that it does so by chance is said of what else there is.
    pub(crate) fn prove(&self, edits: &[Edit], until: Deadline) -> Exactness {
        let is_quick = |edit: &&Edit| matches!(edit.operation, Operation::Quick(_));
        let others: Vec<Edit> = edits.iter().filter(|edit| !is_quick(edit)).cloned().collect();
        let mut proof = self.prove_like(&others, until, |edit| edit.operation.keeps_meaning());
        if let Exactness::ByChance { why } = &proof
            && others.iter().any(|edit| edit.operation.is_rewriting())
        {
            let is_step = |edit: &Edit| edit.operation.keeps_meaning() || edit.operation.is_rewriting();
            proof = match self.prove_like(&others, until, is_step) {
                by_chance @ Exactness::ByChance { .. } => by_chance,
                Exactness::Proved { .. } | Exactness::Tested { .. } => Exactness::Tested { why: why.clone() },
            };
        }
        if others.len() < edits.len() { proof.provided(ORDINARY) } else { proof }
    }

    /// Compares a patch with those of its edits that need not be seen at work.
    fn prove_like(&self, edits: &[Edit], until: Deadline, is_given: impl Fn(&Edit) -> bool) -> Exactness {
        let given: Vec<Edit> = edits.iter().filter(|edit| is_given(edit)).cloned().collect();
        let like = self.subject.patched(&given).or_else(|_| self.subject.patched(&[]));
        let (ptx, like) = match self.subject.patched(edits).and_then(|ptx| Ok((ptx, like?))) {
            Ok(texts) => texts,
            Err(why) => return Exactness::Tested { why: why.to_string() },
        };
        let checks = self.checks.iter().map(|check| &**check);
        // Sizes that no input of the workload has are the better proof.
        let mut all = self.required_small_inputs().into_iter().chain(checks);
        let none = || Exactness::Tested { why: "the emulator does not run the kernel".to_owned() };
        all.find_map(|check| check.prove(&ptx, &like, until)).unwrap_or_else(none)
    }

    /// Refuses a patch with which something is wrong on small inputs, and notes its error there.
    pub(super) fn require_small_inputs(
        &self,
        candidate: &mut Candidate,
        depth: Depth,
        threads: usize,
    ) -> Result<(), Stop> {
        let Some(check) = self.small_inputs else { return Ok(()) };
        let patched = self.subject.patched(&candidate.edits);
        match patched.map(|ptx| check.check_on(threads, &ptx, depth, self.until)) {
            Ok(CheckOutcome::Found(found)) => Err(Stop::refused(Failure::Wrong, found.what)),
            Ok(outcome) => {
                candidate.checked_error = candidate.checked_error.max(outcome.error());
                Ok(())
            }
            Err(error) => Err(Stop::refused(Failure::Invalid, error.to_string())),
        }
    }
}
