//! From finalists to findings: minimised, checked, tested once, proved and explained.
//!
//! What decides comes first, for all patches: who is interrupted, or has no time left, has what was tested.

use std::ops::Range;

use nitro_ptx::Edit;
use nitro_search::Failure;
use nitro_search::evolve::Finalist;
use nitro_search::threads::on_threads;

use crate::deadline::Deadline;
use crate::difference::difference;
use crate::draft::Draft;
use crate::error::EvolveError;
use crate::evaluator::Evaluator;
use crate::explanation::{explained, kernels, machine_code, unexplained};
use crate::finding::{DroppedEdit, Finding, Undone, Verdict};
use crate::machine_code::{Disassembler, MachineCode};
use crate::minimise::{MinimalPatch, Minimiser, chosen};
use crate::observer::Observer;
use crate::repair::Rehearsal;
use crate::runner::RunnerError;
use crate::stages::{Aim, Conditions, Refusal, STAGES, go_through, refusal};
use crate::time_breakdown::TimeBreakdown;
use crate::words::{NO_TIME, patches};

/// The part of the time after the search that is kept for proofs, and for the runs that confirm the test.
const SHARE_OF_CONFIRMATION: usize = 4;

/// The part of the time that is left in which a finalist is minimised, with the proofs of its edits.
const SHARE_OF_PARTS: usize = 4;

/// Takes the findings so far, with the time that was spent.
pub(crate) type Keep<'a> = dyn FnMut(&[Finding], &TimeBreakdown) -> Result<(), EvolveError> + 'a;

/// Makes findings of finalists: the most exact, the fastest, and those between. Nothing that the test says comes back
/// to what is tested.
///
/// `keep` is given the findings whenever more is known of them, once a patch is accepted. When the time is over, what
/// was not done is said in each finding.
pub(crate) fn findings(
    evaluator: &mut Evaluator<'_>,
    finalists: Vec<Finalist<Edit>>,
    until: Deadline,
    disassembler: &Result<Disassembler, String>,
    observer: &dyn Observer,
    keep: &mut Keep<'_>,
) -> Result<Vec<Finding>, EvolveError> {
    let mut finalists = chosen(finalists, evaluator.conditions.margin);
    if finalists.len() > 2 {
        finalists[1..].rotate_right(1);
    }
    let minimiser = Minimiser::new(evaluator, observer);
    let before = until.but_last(SHARE_OF_CONFIRMATION);
    let mut work =
        Findings { minimiser, until: before, finalists, disassembler, observer, keep, drafts: Vec::new() };
    // What is between the most exact and the fastest comes when what was refused of those is repaired.
    let (first, all) = (work.finalists.len().min(2), work.finalists.len());
    for finalists in [0..first, first..all] {
        work.round(finalists)?;
    }
    work.until = until;
    work.confirm()?;
    work.explain()?;
    Ok(work.drafts.into_iter().map(|draft| draft.finding).collect())
}

/// The findings that are under way.
pub(crate) struct Findings<'a, 'b, 'c> {
    pub minimiser: Minimiser<'a, 'b>,
    until: Deadline,
    pub finalists: Vec<Finalist<Edit>>,
    disassembler: &'a Result<Disassembler, String>,
    observer: &'a dyn Observer,
    keep: &'a mut Keep<'c>,
    pub drafts: Vec<Draft>,
}

impl Findings<'_, '_, '_> {
    /// Gives what follows one of so many equal shares of the time that is left.
    pub(crate) fn limit(&mut self, shares: usize) {
        self.minimiser.evaluator.conditions.until = self.until.share(shares);
    }

    /// Tells whether the share of the time is over.
    pub(crate) fn is_late(&self) -> bool {
        self.minimiser.evaluator.conditions.until.is_over()
    }

    /// Minimises, checks and tests finalists one after the other; then what else an exact one has where nothing of it
    /// is accepted, what of them touches no barrier, and what is left of those that were refused. Where the time is
    /// over, nothing is begun but the first.
    fn round(&mut self, finalists: Range<usize>) -> Result<(), EvolveError> {
        for finalist in finalists.clone() {
            if finalist > 0 && self.until.is_over() {
                self.observer.message(&format!("{NO_TIME} for what is not minimised yet"));
                break;
            }
            self.draft_parts(finalist)?;
            self.check_and_test()?;
            self.repair_all()?;
        }
        for draft in [Self::draft_others, Self::draft_restricted] {
            for finalist in finalists.clone() {
                self.limit(2);
                if !self.is_late() {
                    draft(self, finalist)?;
                    self.check_and_test()?;
                }
            }
        }
        self.repair_all()?;
        // Of what has to be exact only an exact part is kept: all of it is there for what its error is worth.
        self.drafts.retain(|draft| !(draft.is_inexact() && draft.is_refused_before_test()));
        Ok(())
    }

    /// Returns the edits of a finalist without those that are known to be wrong.
    fn edits(&self, finalist: usize) -> Vec<Edit> {
        let mut edits = self.finalists[finalist].edits.clone();
        edits.retain(|edit| !self.minimiser.wrong.contains(edit));
        edits
    }

    /// Minimises a finalist: of an exact one what is proved edit by edit, then what is not right by chance; and all of
    /// it, which may be worth its error. What is no faster than what comes before is left out.
    fn draft_parts(&mut self, finalist: usize) -> Result<(), EvolveError> {
        self.limit(SHARE_OF_PARTS);
        self.minimiser.finalist = finalist;
        let edits = self.edits(finalist);
        let (mut part, mut others) = (Vec::new(), edits.clone());
        if self.finalists[finalist].search.error == 0.0 {
            let proved = self.minimiser.proved_part(&edits);
            part = self.draft(finalist, &proved)?;
            others.retain(|edit| !self.minimiser.by_chance.contains_key(edit));
        }
        if !self.is_as_fast(&part, &others)? {
            part = self.draft(finalist, &others)?;
        }
        let is_all = others.len() == edits.len();
        let permits_error = self.minimiser.evaluator.conditions.max_error > 0.0;
        if !is_all && permits_error && !self.is_as_fast(&part, &edits)? {
            self.draft(finalist, &edits)?;
        }
        Ok(())
    }

    /// Returns the edits of a finalist that a part of it has not, since they are right by chance.
    fn dropped_by_chance(&self, finalist: usize, part: &[Edit]) -> Vec<DroppedEdit> {
        let mut dropped = Vec::new();
        for edit in self.finalists[finalist].edits.iter().filter(|edit| !part.contains(edit)) {
            if let Some(why) = self.minimiser.by_chance.get(edit) {
                let why = format!("results are the same by chance of the inputs that were tried: {why}");
                dropped.push(DroppedEdit { edit: edit.to_string().trim_end().to_owned(), why });
            }
        }
        dropped
    }

    /// Minimises what of a finalist touches no barrier; and, where patches may rely on the inputs, what of each part
    /// holds without that.
    fn draft_restricted(&mut self, finalist: usize) -> Result<(), EvolveError> {
        self.minimiser.finalist = finalist;
        let of_it = |draft: &&Draft| draft.finalist == finalist;
        let Some(all) = self.drafts.iter().rfind(of_it) else { return Ok(()) };
        let all = all.rehearsal.candidate.edits.clone();
        let mut drafted = vec![all.clone()];
        if let Some(others) = self.minimiser.without_barriers(&all) {
            drafted.push(self.draft(finalist, &others)?);
        }
        for edits in drafted {
            if let Some(part) = self.minimiser.general_part(&edits)? {
                self.draft(finalist, &part)?;
            }
        }
        Ok(())
    }

    /// Minimises what else an exact finalist has where nothing of it is accepted: what compilers make as one step, and
    /// all of it.
    fn draft_others(&mut self, finalist: usize) -> Result<(), EvolveError> {
        let (edits, search) = (self.edits(finalist), self.finalists[finalist].search);
        let mut own = self.drafts.iter().filter(|draft| draft.finalist == finalist);
        if search.error > 0.0 || own.any(|draft| draft.rehearsal.refusal.is_none()) {
            return Ok(());
        }
        self.minimiser.finalist = finalist;
        let mut steps = edits.clone();
        // Proofs are for some sizes and data, on which such steps depend least, proved or not.
        steps.retain(|edit| edit.operation.is_rewriting());
        self.draft(finalist, &steps)?;
        self.draft(finalist, &edits)?;
        Ok(())
    }

    /// Tells whether a part is as fast as all.
    fn is_as_fast(&mut self, part: &[Edit], all: &[Edit]) -> Result<bool, EvolveError> {
        if part.is_empty() {
            return Ok(false);
        }
        let (part, all) = (self.minimiser.fitness(part)?, self.minimiser.fitness(all)?);
        let most = 1.0 + self.minimiser.evaluator.conditions.least_gain;
        Ok(part.zip(all).is_some_and(|(part, all)| part.time_ns <= all.time_ns * most))
    }

    /// Minimises edits. Returns the rest, which is drafted unless it was.
    fn draft(&mut self, finalist: usize, edits: &[Edit]) -> Result<Vec<Edit>, EvolveError> {
        self.observer.message(&format!("minimising {} edits", edits.len()));
        let (edits, origin): MinimalPatch = self.minimiser.minimised(edits)?;
        let is_minimal = !self.is_late();
        let mut finding = self.finding(&self.finalists[finalist], &edits);
        if edits.is_empty() || self.drafts.iter().any(|draft| draft.finding.patch == finding.patch) {
            return Ok(edits);
        }
        finding.origin = origin;
        finding.undone.extend((!is_minimal).then_some(Undone::Minimised));
        let must_be_exact = self.finalists[finalist].search.error == 0.0;
        let mut rehearsal = self.minimiser.unrehearsed(&edits, must_be_exact)?;
        rehearsal.dropped = self.dropped_by_chance(finalist, &finding.origin);
        self.drafts.push(Draft { finding, finalist, rehearsal, is_checked: false, is_repaired: false });
        Ok(edits)
    }

    /// Has what was drafted checked, all side by side, then tested, the fastest first.
    fn check_and_test(&mut self) -> Result<(), EvolveError> {
        self.limit(1);
        self.check()?;
        let mut order: Vec<usize> = (0..self.drafts.len()).collect();
        order.retain(|&at| self.drafts[at].is_before_test());
        order.sort_by(|&one, &other| self.drafts[one].time_ns().total_cmp(&self.drafts[other].time_ns()));
        for at in order {
            self.judge(at)?;
        }
        Ok(())
    }

    /// Brings what was drafted through the stages before the test. What has to be exact and is not is drafted as what
    /// it is beside that.
    fn check(&mut self) -> Result<(), EvolveError> {
        loop {
            let new: Vec<usize> = (0..self.drafts.len()).filter(|&at| !self.drafts[at].is_checked).collect();
            if new.is_empty() {
                return Ok(());
            }
            self.observer.message(&format!("checking {}", patches(new.len())));
            let candidates = new.iter().map(|&at| self.drafts[at].rehearsal.candidate.clone()).collect();
            for (&at, rehearsal) in new.iter().zip(self.minimiser.rehearsed(candidates)?) {
                let dropped = std::mem::take(&mut self.drafts[at].rehearsal.dropped);
                self.drafts[at].rehearsal = Rehearsal { dropped, ..rehearsal };
                self.drafts[at].is_checked = true;
                self.drafts[at].describe(&self.minimiser.evaluator.conditions);
                if self.drafts[at].is_inexact() {
                    let inexact = self.drafts[at].permitting_error();
                    self.drafts.push(inexact);
                }
            }
        }
    }

    /// Describes a patch before anything else is known of it.
    pub(crate) fn finding(&self, finalist: &Finalist<Edit>, edits: &[Edit]) -> Finding {
        let subject = self.minimiser.evaluator.conditions.subject;
        let kernels = kernels(&self.minimiser.evaluator.conditions, edits);
        Finding {
            patch: subject.base().patch(edits).to_string(),
            edits_before: finalist.edits.len(),
            verdict: Verdict::Refused(NO_TIME.to_owned()),
            exactness: None,
            search: finalist.search,
            edits: unexplained(&self.minimiser.evaluator.conditions, edits),
            pairs: Vec::new(),
            test: Vec::new(),
            checks: Vec::new(),
            dropped: Vec::new(),
            undone: vec![Undone::Explained],
            machine_code: MachineCode::Unknown(NO_TIME.to_owned()),
            diff: kernels.map_or_else(|_| Vec::new(), |(before, after)| difference(&before, &after)),
            ptx: subject.patched(edits).unwrap_or_default(),
            origin: Vec::new(),
        }
    }

    /// Tests a draft that has come to the test, and keeps what is known. Where the time is over, the first one is.
    pub(crate) fn judge(&mut self, at: usize) -> Result<(), EvolveError> {
        let is_first = self.drafts.iter().all(|draft| draft.finding.test.is_empty());
        let Draft { rehearsal: Rehearsal { candidate, refusal: refused, .. }, .. } = &mut self.drafts[at];
        candidate.aim = Aim::Accept;
        *refused = match self.minimiser.evaluator.conditions.until.is_over() && !is_first {
            true => Some(Refusal { failure: Failure::Timeout, why: format!("{NO_TIME} for the test") }),
            false => refusal(self.minimiser.evaluator.judge(candidate))?,
        };
        self.drafts[at].describe(&self.minimiser.evaluator.conditions);
        self.keep_all()
    }

    /// Proves what is accepted as exact, on all threads, while the device compares the results of more runs of what is
    /// accepted, in turn.
    fn confirm(&mut self) -> Result<(), EvolveError> {
        self.limit(1);
        let mut accepted: Vec<&mut Draft> =
            self.drafts.iter_mut().filter(|draft| draft.rehearsal.refusal.is_none()).collect();
        accepted.sort_by(|one, other| one.finding.search.time_ns.total_cmp(&other.finding.search.time_ns));
        if accepted.is_empty() {
            return Ok(());
        }
        self.observer.message("proving what is accepted, and comparing more results");
        let Evaluator { conditions, threads, runners, time, .. } = &mut *self.minimiser.evaluator;
        let runner = runners.first_mut().ok_or_else(RunnerError::no_device)?;
        let edits: Vec<Vec<Edit>> =
            accepted.iter().map(|draft| draft.rehearsal.candidate.edits.clone()).collect();
        let proofs = std::thread::scope(|scope| {
            let proofs = scope
                .spawn(|| on_threads(*threads, &edits, |edits| conditions.prove(edits, conditions.until)));
            while let Some(draft) = least_confirmed(&mut accepted, conditions) {
                let candidate = &mut draft.rehearsal.candidate;
                candidate.confirm();
                draft.rehearsal.refusal =
                    refusal(go_through(STAGES, candidate, conditions, runner.as_mut()))?;
                time.add_visits(&std::mem::take(&mut candidate.visits));
            }
            Ok::<_, RunnerError>(proofs.join())
        })?;
        let proofs = proofs.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        for (draft, proof) in accepted.into_iter().zip(proofs) {
            draft.describe(conditions);
            draft.note_proof(proof, conditions);
        }
        self.keep_all()
    }

    /// Has all findings kept, once there is an accepted one.
    pub(crate) fn keep_all(&mut self) -> Result<(), EvolveError> {
        let findings: Vec<Finding> = self.drafts.iter().map(|draft| draft.finding.clone()).collect();
        match findings.iter().any(|finding| matches!(finding.verdict, Verdict::Accepted(_))) {
            true => (self.keep)(&findings, &self.minimiser.evaluator.time),
            false => Ok(()),
        }
    }

    /// Explains all findings edit by edit, the accepted ones first.
    fn explain(&mut self) -> Result<(), EvolveError> {
        let mut order: Vec<usize> = (0..self.drafts.len()).collect();
        order.sort_by_key(|&at| matches!(self.drafts[at].finding.verdict, Verdict::Refused(_)));
        for (number, &at) in order.iter().enumerate() {
            self.limit(order.len() - number);
            self.minimiser.finalist = self.drafts[at].finalist;
            let edits = self.drafts[at].rehearsal.candidate.edits.clone();
            if let Some((edits, pairs)) = explained(&mut self.minimiser, &edits)? {
                let finding = &mut self.drafts[at].finding;
                (finding.edits, finding.pairs) = (edits, pairs);
                finding.undone.retain(|undone| *undone != Undone::Explained);
            }
            if !self.is_late() {
                let evaluator = &*self.minimiser.evaluator;
                self.drafts[at].finding.machine_code = machine_code(evaluator, self.disassembler, &edits);
            }
            self.keep_all()?;
        }
        Ok(())
    }
}

/// Returns the accepted draft of which the fewest runs were compared; none where that is enough, or the time is over.
fn least_confirmed<'d>(accepted: &'d mut [&mut Draft], conditions: &Conditions<'_>) -> Option<&'d mut Draft> {
    let left = accepted.iter_mut().filter(|draft| draft.is_short(conditions));
    let least = left.min_by_key(|draft| draft.rehearsal.candidate.compared)?;
    (!conditions.until.is_over()).then_some(&mut **least)
}
