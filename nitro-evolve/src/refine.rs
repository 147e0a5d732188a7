//! From finalists to findings: made smaller, explained, and tested once.

use std::collections::HashMap;

use nitro_ptx::{Edit, PatchError};
use nitro_search::evolve::{Finalist, Fitness, explain, minimise};

use crate::bench::{BenchError, Code, Effort, RunOutcome};
use crate::difference::difference;
use crate::evaluate::{Evaluator, is_clean};
use crate::evolve::Observer;
use crate::finding::{
    Check, CheckOutcome, Checked, Compared, Contract, Epistasis, ExplainedEdit, Finding, Verdict,
};
use crate::judge::fitness;
use crate::machine_code::{Disassembler, MachineCode};
use crate::workload::Set;
use nitro_search::threads::on_threads;

/// More are neither made smaller nor tested.
const MOST_FINALISTS: usize = 4;

/// More are not left out one by one to see what becomes of the machine code: each takes the assembler and the
/// disassembler about a second.
const MOST_LEFT_OUT: usize = 12;

/// Makes findings of finalists.
pub(crate) struct Refinery<'a, 'b> {
    pub evaluator: &'a mut Evaluator<'b>,
    pub margin: f64,
    pub max_error: f64,
    pub checks: &'a [Box<dyn Check>],
    pub probe: Option<&'a dyn Check>,
    /// Whether what the probe objects to may be accepted.
    pub relies_on_inputs: bool,
    pub disassembler: &'a Result<Disassembler, String>,
    pub observer: &'a dyn Observer,
    /// What machine code of this finalist gave: most of what is left out of a patch changes none of it.
    pub known: HashMap<u64, Option<Fitness>>,
}

/// Edits that matter in their simplest words, and in those of the evolution.
type Smaller = (Vec<Edit>, Vec<Edit>);

impl Refinery<'_, '_> {
    /// The findings, the most exact first. Nothing of what the test says comes back to what is tested.
    pub(crate) fn findings(&mut self, finalists: Vec<Finalist<Edit>>) -> Result<Vec<Finding>, BenchError> {
        let mut findings: Vec<Finding> = Vec::new();
        for finalist in chosen(finalists, self.margin) {
            for (edits, origin) in self.smaller(&finalist)? {
                let finding = Finding { origin, ..self.finding(&edits, &finalist)? };
                if !findings.iter().any(|other| other.patch == finding.patch) {
                    findings.push(finding);
                }
            }
        }
        Ok(findings)
    }

    /// The edits that matter, and those of the evolution that they come from; where a barrier is among them, also
    /// what matters without those that touch one; and where one of that relies on the sizes that it has seen, what
    /// of it does not.
    fn smaller(&mut self, finalist: &Finalist<Edit>) -> Result<Vec<Smaller>, BenchError> {
        self.observer.message(&format!("making a patch of {} edits smaller", finalist.edits.len()));
        self.known.clear(); // clocks change in minutes
        let all = self.minimised(&finalist.edits)?;
        let base = self.evaluator.subject.base();
        let (barriers, others): (Vec<Edit>, Vec<Edit>) =
            all.0.iter().cloned().partition(|edit| base.touches_barrier(edit));
        let mut smaller = vec![all];
        if !barriers.is_empty() && !others.is_empty() {
            smaller.push(self.minimised(&others)?);
        }
        for at in 0..smaller.len() {
            let robust = self.robust(&smaller[at].0)?;
            smaller.extend(robust.map(|edits| self.minimised(&edits)).transpose()?);
        }
        smaller.retain(|(edits, _)| !edits.is_empty());
        Ok(smaller)
    }

    /// Of edits that the probe objects to, most of those that it does not: but for one, by which it is fastest, or one after the other.
    fn robust(&mut self, edits: &[Edit]) -> Result<Option<Vec<Edit>>, BenchError> {
        let Some(probe) = self.probe.filter(|_| !edits.is_empty()) else { return Ok(None) };
        let subject = self.evaluator.subject;
        let passes = |edits: &[Edit]| is_clean(subject, edits, |ptx| probe.check_thoroughly(ptx));
        if passes(edits) {
            return Ok(None);
        }
        let others = each_left_out(edits);
        let passed = on_threads(self.evaluator.threads, &others, |others| passes(others));
        let mut fastest: Option<(f64, Vec<Edit>)> = None;
        for (others, _) in others.into_iter().zip(passed).filter(|(_, passed)| *passed) {
            let time_ns = self.measured(&others)?.map_or(f64::INFINITY, |fitness| fitness.time_ns);
            if fastest.as_ref().is_none_or(|(least_ns, _)| time_ns < *least_ns) {
                fastest = Some((time_ns, others));
            }
        }
        if let Some((_, others)) = fastest {
            return Ok(Some(others));
        }
        let mut kept = Vec::new();
        for edit in edits {
            kept.push(edit.clone());
            if !passes(&kept) {
                kept.pop();
            }
        }
        Ok(Some(kept))
    }

    fn minimised(&mut self, edits: &[Edit]) -> Result<Smaller, BenchError> {
        let (Some(original), Some(whole)) = (self.measured(&[])?, self.measured(edits)?) else {
            return Ok(Smaller::default());
        };
        if whole.time_ns > original.time_ns * (1.0 - self.margin) {
            return Ok(Smaller::default());
        }
        let kept = self.least(edits, whole)?;
        // In simpler words it may be more edits, some of which do not matter.
        let simpler = self.evaluator.subject.base().simplified(&kept);
        Ok((self.least(&simpler, whole)?, kept))
    }

    /// The fewest edits that are as fast and as exact.
    fn least(&mut self, edits: &[Edit], whole: Fitness) -> Result<Vec<Edit>, BenchError> {
        let mut failure = None;
        let margin = self.margin;
        let kept = minimise(edits, |some| match self.measured(some) {
            Ok(Some(now)) => now.error <= whole.error && now.time_ns <= whole.time_ns * (1.0 + margin),
            Ok(None) => false,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        });
        failure.map_or(Ok(kept), Err)
    }

    /// Time with the inputs of the search; the largest error with those and the validation's.
    fn measured(&mut self, edits: &[Edit]) -> Result<Option<Fitness>, BenchError> {
        let Ok(code) = self.evaluator.code(edits) else { return Ok(None) };
        let digest = code.digest();
        if let Some(known) = self.known.get(&digest) {
            return Ok(*known);
        }
        let measured = self.measure(&code)?;
        self.known.insert(digest, measured);
        Ok(measured)
    }

    fn measure(&mut self, code: &Code) -> Result<Option<Fitness>, BenchError> {
        let effort = self.evaluator.efforts.validation;
        let once = Effort { runs: 1, ..effort };
        let RunOutcome::Ran(search) = self.evaluator.run_code(code, Set::Search, effort)? else {
            return Ok(None);
        };
        let RunOutcome::Ran(validation) = self.evaluator.run_code(code, Set::Validation, once)? else {
            return Ok(None);
        };
        let both = fitness(&search).zip(fitness(&validation));
        let joined =
            both.map(|(search, validation)| Fitness { error: search.error.max(validation.error), ..search });
        Ok(joined.filter(|fitness| fitness.error <= self.max_error))
    }

    fn finding(&mut self, edits: &[Edit], finalist: &Finalist<Edit>) -> Result<Finding, BenchError> {
        self.observer.message(&format!("explaining and testing a patch of {} edits", edits.len()));
        let subject = self.evaluator.subject;
        let ptx = subject.patched(edits).unwrap_or_default();
        let kernels = subject.candidate(&[]).and_then(|before| Ok((before, subject.candidate(edits)?)));
        let (explained, pairs) = self.explained(edits)?;
        // Side by side: no times are taken meanwhile.
        let probe = self.probe.filter(|_| !self.relies_on_inputs);
        let all: Vec<&dyn Check> = self.checks.iter().map(|check| &**check).chain(probe).collect();
        let checks: Vec<Checked> = on_threads(all.len(), &all, |check| Checked {
            check: check.name(),
            outcome: check.check_thoroughly(&ptx),
        });
        let (test, verdict) = match self.objection(&checks) {
            Some(objection) => (Vec::new(), Verdict::Refused(objection)),
            None => self.test(edits)?,
        };
        Ok(Finding {
            patch: subject.base().patch(edits).to_string(),
            edits_before: finalist.edits.len(),
            verdict,
            search: finalist.search,
            edits: explained,
            pairs,
            test,
            checks,
            machine_code: self.machine_code(edits, &kernels),
            diff: kernels.map_or_else(|_| Vec::new(), |(before, after)| difference(&before, &after)),
            ptx,
            origin: Vec::new(),
        })
    }

    /// What the assembler makes of the kernels before and after these edits, and without each of them.
    fn machine_code(&self, edits: &[Edit], kernels: &Result<(String, String), PatchError>) -> MachineCode {
        let Evaluator { subject, threads, .. } = *self.evaluator;
        match (self.disassembler, kernels) {
            (Ok(tools), Ok((before, after))) => tools.compare(before, after, |tools| {
                on_threads(threads, &each_left_out(edits), |others| {
                    tools.listing(&subject.candidate(others).ok()?).ok().map(|listing| listing.counts)
                })
            }),
            (Err(why), _) => MachineCode::Unknown(why.clone()),
            (_, Err(why)) => MachineCode::Unknown(why.to_string()),
        }
    }

    fn explained(&mut self, edits: &[Edit]) -> Result<(Vec<ExplainedEdit>, Vec<Epistasis>), BenchError> {
        let base = self.evaluator.subject.base();
        let mut failure = None;
        let explained = explain(edits, self.margin, |some| match self.measured(some) {
            Ok(measured) => measured.map(|fitness| fitness.time_ns),
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        let plain = |edit: &Edit| ExplainedEdit {
            edit: edit.to_string().trim_end().to_owned(),
            instructions: base.instructions_of(edit),
            is_barrier: base.touches_barrier(edit),
            alone: None,
            loss: None,
            is_independent: false,
        };
        Ok(match explained {
            None => (edits.iter().map(plain).collect(), Vec::new()),
            Some(explained) => {
                let pair = |(first, second, more)| Epistasis { first, second, more };
                let pairs = explained.pairs.into_iter().map(pair).collect();
                let influence = |influence: nitro_search::evolve::Influence<Edit>| ExplainedEdit {
                    alone: influence.alone,
                    loss: influence.loss,
                    is_independent: influence.is_independent,
                    ..plain(&influence.edit)
                };
                (explained.edits.into_iter().map(influence).collect(), pairs)
            }
        })
    }

    /// Why it is not even tested.
    fn objection(&self, checks: &[Checked]) -> Option<String> {
        let found = checks.iter().find_map(|checked| match &checked.outcome {
            CheckOutcome::Found(what) => Some(format!("{}: {what}", checked.check)),
            _ => None,
        });
        let looked_for_races = self
            .checks
            .iter()
            .zip(checks)
            .any(|(check, checked)| check.finds_races() && checked.outcome == CheckOutcome::Clean);
        // Where threads wait for each other, results that are right by chance prove nothing.
        let unseen = (self.evaluator.subject.base().has_barriers() && !looked_for_races).then(|| {
            "the kernel has barriers, and nothing here could look for races (compute-sanitizer can)"
                .to_owned()
        });
        found.or(unseen)
    }

    fn test(&mut self, edits: &[Edit]) -> Result<(Vec<Compared>, Verdict), BenchError> {
        let effort = self.evaluator.efforts.test;
        // One after the other, so that clocks are alike.
        let original = self.evaluator.run(&[], Set::Test, Effort { checks: 1, ..effort })?;
        let (cases, original) = match (self.evaluator.run(edits, Set::Test, effort)?, original) {
            (RunOutcome::Ran(cases), RunOutcome::Ran(original)) => (cases, original),
            (RunOutcome::Failed(_, why), _) | (_, RunOutcome::Failed(_, why)) => {
                return Ok((Vec::new(), Verdict::Refused(format!("with the inputs of the test, {why}"))));
            }
        };
        let workload = self.evaluator.subject.workload();
        let compared: Vec<Compared> = cases
            .iter()
            .zip(&original)
            .enumerate()
            .map(|(number, (patched, original))| Compared {
                case: workload.case_name(Set::Test, number),
                original_ns: original.time_ns,
                patched_ns: patched.time_ns,
                error: patched.error,
            })
            .collect();
        let worst = compared.iter().max_by(|one, other| one.error.total_cmp(&other.error));
        let verdict = match worst {
            Some(worst) if worst.error.is_nan() || worst.error > self.max_error => Verdict::Refused(format!(
                "with {}, an input of the test, the results are wrong (error {})",
                worst.case, worst.error
            )),
            _ => self.judge(edits, &compared)?,
        };
        Ok((compared, verdict))
    }

    fn judge(&mut self, edits: &[Edit], test: &[Compared]) -> Result<Verdict, BenchError> {
        let seen = self.measured(edits)?.map_or(f64::INFINITY, |fitness| fitness.error);
        let max_error = test.iter().map(|case| case.error).fold(seen, f64::max);
        let logs: f64 = test.iter().map(|case| (case.original_ns / case.patched_ns).ln()).sum();
        if logs / test.len() as f64 <= self.margin.ln_1p() {
            return Ok(Verdict::Refused("with the inputs of the test it is not faster".to_owned()));
        }
        let workload = self.evaluator.subject.workload();
        Ok(Verdict::Accepted(match max_error == 0.0 {
            true => Contract::Exact,
            false => Contract::Approx { max_error, over: workload.summary() },
        }))
    }
}

/// The edits but for one, for each of them; nothing where they are many.
fn each_left_out(edits: &[Edit]) -> Vec<Vec<Edit>> {
    let others = |left_out: usize| {
        let others = edits.iter().enumerate().filter(|(at, _)| *at != left_out);
        others.map(|(_, edit)| edit.clone()).collect()
    };
    if edits.len() > MOST_LEFT_OUT { Vec::new() } else { (0..edits.len()).map(others).collect() }
}

/// What is worth the time: the most exact, the fastest, and what is between them.
fn chosen(mut finalists: Vec<Finalist<Edit>>, margin: f64) -> Vec<Finalist<Edit>> {
    // The first is the original, or faster than it.
    finalists.retain(|finalist| !finalist.edits.is_empty());
    let faster = |one: &Finalist<Edit>, other: &Finalist<Edit>| {
        one.search.time_ns < other.search.time_ns * (1.0 - margin)
    };
    while finalists.len() > MOST_FINALISTS {
        // Whichever brings least over the one before goes.
        let gain = |at: &usize| finalists[*at].search.time_ns / finalists[*at - 1].search.time_ns;
        let last = finalists.len() - 1;
        let least = (1..last).max_by(|one, other| gain(one).total_cmp(&gain(other))).unwrap_or(last);
        finalists.remove(least);
    }
    finalists.dedup_by(|later, earlier| !faster(later, earlier));
    finalists
}
