//! From finalists to findings: minimised, checked, tested once, proved and explained.
//!
//! What decides comes first, for all patches: who is interrupted, or has no time left, has what was tested.

use nitro_ptx::Edit;
use nitro_search::evolve::Finalist;
use nitro_search::threads::on_threads;

use crate::deadline::Deadline;
use crate::difference::difference;
use crate::error::EvolveError;
use crate::evaluator::Evaluator;
use crate::exactness::Exactness;
use crate::explanation::{explained, kernels, machine_code, unexplained};
use crate::finding::{Contract, Finding, Undone, Verdict};
use crate::machine_code::{Disassembler, MachineCode};
use crate::minimise::{MinimalPatch, Minimiser, chosen};
use crate::observer::Observer;
use crate::repair::Rehearsal;
use crate::runner::RunnerError;
use crate::stages::{Aim, Candidate, Conditions, STAGES, go_through, refusal};
use crate::time_breakdown::TimeBreakdown;
use crate::words::NO_TIME;

/// The part of the time that is left which the proofs of edits of a finalist may take.
const SHARE_OF_PROOF: usize = 4;
/// The part of the time after the search that is kept for proofs, and for the runs that confirm the test.
const SHARE_OF_CONFIRMATION: usize = 4;

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
    for number in 0..work.finalists.len() {
        work.test_finalist(number)?;
    }
    work.until = until;
    work.confirm()?;
    work.explain()?;
    Ok(work.drafts.into_iter().map(|draft| draft.finding).collect())
}

/// The findings that are under way.
struct Findings<'a, 'b, 'c> {
    minimiser: Minimiser<'a, 'b>,
    until: Deadline,
    finalists: Vec<Finalist<Edit>>,
    disassembler: &'a Result<Disassembler, String>,
    observer: &'a dyn Observer,
    keep: &'a mut Keep<'c>,
    drafts: Vec<Draft>,
}

/// A finding with what later steps need of it.
struct Draft {
    finding: Finding,
    /// The number of its finalist.
    finalist: usize,
    rehearsal: Rehearsal,
    /// Set if it is to be repaired when other patches were tested.
    is_to_be_repaired: bool,
}

/// The moment at which what is refused before the test is repaired.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repair {
    Now,
    /// Repair takes long, and something else may be accepted meanwhile.
    Later,
}

impl Draft {
    /// Tells whether a stage before the test has refused it.
    fn is_refused_before_test(&self) -> bool {
        self.rehearsal.refusal.is_some() && self.rehearsal.candidate.aim == Aim::Rehearse
    }

    /// Says in the finding what the stages have found out.
    fn describe(&mut self, conditions: &Conditions<'_>) {
        let Self { finding, rehearsal: Rehearsal { candidate, refusal, dropped }, .. } = self;
        finding.verdict = match refusal {
            Some(refusal) => Verdict::Refused(refusal.why.clone()),
            None => Verdict::Accepted(contract(candidate, conditions)),
        };
        let is_exact = finding.verdict == Verdict::Accepted(Contract::Exact);
        finding.exactness = is_exact.then(|| Exactness::Tested { why: NO_TIME.to_owned() });
        finding.test.clone_from(&candidate.test);
        finding.checks.clone_from(&candidate.checks);
        finding.dropped.clone_from(dropped);
        finding.undone.retain(|undone| *undone != Undone::Tested);
        let is_short = !candidate.test.is_empty() && candidate.compared < conditions.efforts.test.checks;
        finding.undone.extend(is_short.then_some(Undone::Tested));
    }
}

impl Findings<'_, '_, '_> {
    /// Gives what follows one of so many equal shares of the time that is left.
    fn limit(&mut self, shares: usize) {
        self.minimiser.evaluator.conditions.until = self.until.share(shares);
    }

    /// Tells whether the share of the time is over.
    fn is_late(&self) -> bool {
        self.minimiser.evaluator.conditions.until.is_over()
    }

    /// Minimises and tests a finalist: of an exact one first what is proved edit by edit; all of it, unless that is no
    /// faster; what touches no barrier; and, where patches may rely on the inputs, what of each holds without that.
    fn test_finalist(&mut self, finalist: usize) -> Result<(), EvolveError> {
        self.minimiser.finalist = finalist;
        let edits = self.finalists[finalist].edits.clone();
        let is_exact = self.finalists[finalist].search.error == 0.0;
        let proved = if is_exact { self.test_proved_part(finalist, &edits)? } else { None };
        let all = match proved {
            Some(proved) => proved,
            None => {
                self.observer.message(&format!("minimising a patch of {} edits", edits.len()));
                self.test(finalist, &edits, Repair::Now)?
            }
        };
        let mut tested = vec![all.clone()];
        if let Some(others) = self.minimiser.without_barriers(&all) {
            tested.push(self.test(finalist, &others, Repair::Now)?);
        }
        for edits in tested {
            self.limit(2);
            if let Some(part) = self.minimiser.general_part(&edits)? {
                self.test(finalist, &part, Repair::Now)?;
            }
        }
        Ok(())
    }

    /// Minimises and tests what is proved edit by edit of a finalist, or else of that what compilers make as one step.
    /// Where both are refused, or all edits are faster, what was refused before the test is repaired. Returns what is
    /// left if something is accepted, and all edits together are no faster.
    fn test_proved_part(
        &mut self,
        finalist: usize,
        edits: &[Edit],
    ) -> Result<Option<Vec<Edit>>, EvolveError> {
        self.limit(SHARE_OF_PROOF);
        let proved = self.minimiser.proved_part(edits);
        let mut steps = edits.to_vec();
        // Proofs are for some sizes and data, on which such steps depend least, proved or not.
        steps.retain(|edit| edit.operation.is_rewriting());
        for part in [&proved, &steps] {
            self.observer.message(&format!(
                "minimising {} edits of {} that are proved",
                part.len(),
                edits.len()
            ));
            self.test(finalist, part, Repair::Later)?;
            if self.accepted(finalist).is_some() {
                break;
            }
        }
        if let Some(own) = self.accepted_and_as_fast(finalist, edits)? {
            return Ok(Some(own));
        }
        // One that was repaired to what is there already is taken away.
        while let Some(at) =
            self.drafts.iter().position(|draft| draft.finalist == finalist && draft.is_to_be_repaired)
        {
            self.drafts[at].is_to_be_repaired = false;
            self.repair(at)?;
        }
        self.accepted_and_as_fast(finalist, edits)
    }

    /// Returns the edits of the last accepted patch of a finalist.
    fn accepted(&self, finalist: usize) -> Option<&[Edit]> {
        let mut own = self.drafts.iter().rev().filter(|draft| draft.finalist == finalist);
        let accepted = own.find(|draft| matches!(draft.finding.verdict, Verdict::Accepted(_)))?;
        Some(&accepted.rehearsal.candidate.edits)
    }

    /// Returns those edits if they are as fast as all.
    fn accepted_and_as_fast(
        &mut self,
        finalist: usize,
        all: &[Edit],
    ) -> Result<Option<Vec<Edit>>, EvolveError> {
        let Some(own) = self.accepted(finalist).map(<[Edit]>::to_vec) else { return Ok(None) };
        let (part, whole) = (self.minimiser.fitness(&own)?, self.minimiser.fitness(all)?);
        let most = 1.0 + self.minimiser.evaluator.conditions.least_gain;
        let is_as_fast = part.zip(whole).is_some_and(|(part, whole)| part.time_ns <= whole.time_ns * most);
        Ok(is_as_fast.then_some(own))
    }

    /// Minimises edits, has the rest checked and tested. Returns the rest.
    fn test(&mut self, finalist: usize, edits: &[Edit], repair: Repair) -> Result<Vec<Edit>, EvolveError> {
        self.limit(2 * (self.finalists.len() - finalist));
        let (edits, origin): MinimalPatch = self.minimiser.minimised(edits)?;
        let is_minimal = !self.is_late();
        let patch = self.minimiser.evaluator.conditions.subject.base().patch(&edits).to_string();
        if edits.is_empty() || self.drafts.iter().any(|draft| draft.finding.patch == patch) {
            return Ok(edits);
        }
        let mut finding = self.finding(&self.finalists[finalist], &edits);
        finding.origin = origin;
        finding.undone.extend((!is_minimal).then_some(Undone::Minimised));
        let must_be_exact = self.finalists[finalist].search.error == 0.0;
        if self.rehearse(finding.clone(), (finalist, &edits), must_be_exact, repair)? {
            // Its exact part is there, and all of it may be worth its error.
            self.rehearse(finding, (finalist, &edits), false, Repair::Now)?;
        }
        Ok(edits)
    }

    /// Checks and tests a patch of a finalist, and repairs it where a stage before the test refuses it. Returns true if
    /// it has to be exact and has an error; then only an exact part of it is kept.
    fn rehearse(
        &mut self,
        finding: Finding,
        (finalist, edits): (usize, &[Edit]),
        must_be_exact: bool,
        repair: Repair,
    ) -> Result<bool, EvolveError> {
        self.observer.message(&format!("checking and testing a patch of {} edits", edits.len()));
        self.limit(1);
        let rehearsal = self.minimiser.rehearsed(edits, must_be_exact)?;
        let error = rehearsal.candidate.total_fitness().map_or(0.0, |fitness| fitness.error);
        let is_inexact = must_be_exact && rehearsal.refusal.is_some() && error > 0.0;
        let at = self.drafts.len();
        self.drafts.push(Draft { finding, finalist, rehearsal, is_to_be_repaired: false });
        self.judge(at)?;
        if self.drafts[at].is_refused_before_test() {
            match repair {
                Repair::Later if !is_inexact => self.drafts[at].is_to_be_repaired = true,
                _ => self.repair(at)?,
            }
        }
        if is_inexact && self.drafts.get(at).is_some_and(Draft::is_refused_before_test) {
            self.drafts.remove(at);
        }
        Ok(is_inexact)
    }

    /// Describes a patch before anything else is known of it.
    fn finding(&self, finalist: &Finalist<Edit>, edits: &[Edit]) -> Finding {
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

    /// Tests a draft that has come to the test, and keeps what is known.
    fn judge(&mut self, at: usize) -> Result<(), EvolveError> {
        let Draft { rehearsal, .. } = &mut self.drafts[at];
        if rehearsal.refusal.is_none() {
            rehearsal.candidate.aim = Aim::Accept;
            rehearsal.refusal = refusal(self.minimiser.evaluator.judge(&mut rehearsal.candidate))?;
        }
        self.drafts[at].describe(&self.minimiser.evaluator.conditions);
        self.keep_all()
    }

    /// Proves what is accepted as exact, on all threads, while the device compares the results of more runs of what is
    /// accepted, the fastest first.
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
            for draft in &mut accepted {
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
            if draft.finding.exactness.is_some() {
                draft.finding.exactness = Some(proof);
            }
        }
        self.keep_all()
    }

    /// Has all findings kept, once there is an accepted one.
    fn keep_all(&mut self) -> Result<(), EvolveError> {
        let findings: Vec<Finding> = self.drafts.iter().map(|draft| draft.finding.clone()).collect();
        match findings.iter().any(|finding| matches!(finding.verdict, Verdict::Accepted(_))) {
            true => (self.keep)(&findings, &self.minimiser.evaluator.time),
            false => Ok(()),
        }
    }

    /// Repairs a patch that was refused before the test, in half of the time that is left. What is left of it is tested
    /// in its place.
    fn repair(&mut self, at: usize) -> Result<(), EvolveError> {
        self.limit(2);
        let repaired = match self.is_late() {
            true => None,
            false => self.minimiser.repaired(&self.drafts[at].rehearsal)?,
        };
        match repaired {
            Some(repaired) => self.replace(at, repaired)?,
            None if self.is_late() => self.drafts[at].finding.undone.push(Undone::Repaired),
            None => {}
        }
        Ok(())
    }

    /// Returns the position of the draft of a patch.
    fn position(&self, patch: &str) -> Option<usize> {
        self.drafts.iter().position(|draft| draft.finding.patch == patch)
    }

    /// Puts what is left of a refused patch in its place, and has it tested unless that was done.
    fn replace(&mut self, at: usize, repaired: Rehearsal) -> Result<(), EvolveError> {
        let Draft { finalist, ref finding, .. } = self.drafts[at];
        let origin = finding.origin.clone();
        let finding =
            Finding { origin, ..self.finding(&self.finalists[finalist], &repaired.candidate.edits) };
        let twin = self.position(&finding.patch);
        if let Some(twin) = twin.filter(|&twin| !self.drafts[twin].is_refused_before_test()) {
            // The inputs of the test are run once.
            let Draft { finding, rehearsal, .. } = &mut self.drafts[twin];
            if rehearsal.dropped.is_empty() {
                finding.dropped.clone_from(&repaired.dropped);
                rehearsal.dropped = repaired.dropped;
            }
            self.drafts.swap(at.min(twin), twin);
            self.drafts.remove(at.max(twin));
            return self.keep_all();
        }
        self.drafts[at] = Draft { finding, finalist, rehearsal: repaired, is_to_be_repaired: false };
        self.limit(1);
        self.judge(at)
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

/// Returns the promise of an accepted patch: its largest error on all inputs that were looked at.
fn contract(candidate: &Candidate, conditions: &Conditions<'_>) -> Contract {
    let before = candidate.total_fitness().map_or(f64::INFINITY, |fitness| fitness.error);
    let max_error = candidate.test.iter().map(|case| case.error).fold(before, f64::max);
    match max_error == 0.0 {
        true => Contract::Exact,
        false => Contract::Approx { max_error, over: conditions.subject.workload().summary() },
    }
}
