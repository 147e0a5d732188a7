//! From minimised patches to findings: explained edit by edit, checked, and tested once.

use nitro_ptx::{Edit, PatchError};
use nitro_search::evolve::{Finalist, explain};
use nitro_search::threads::on_threads;

use crate::difference::difference;
use crate::evaluator::Evaluator;
use crate::exactness::Exactness;
use crate::finding::{Contract, Epistasis, ExplainedEdit, Finding, Verdict};
use crate::machine_code::{Disassembler, MachineCode};
use crate::minimise::{Minimiser, chosen, each_left_out};
use crate::observer::Observer;
use crate::repair::Rehearsal;
use crate::runner::RunnerError;
use crate::stages::{Aim, Candidate, Conditions, refusal};

/// Makes findings of finalists, the most exact first. Nothing that the test says comes back to what is tested.
pub(crate) fn findings(
    evaluator: &mut Evaluator<'_>,
    finalists: Vec<Finalist<Edit>>,
    disassembler: &Result<Disassembler, String>,
    observer: &dyn Observer,
) -> Result<Vec<Finding>, RunnerError> {
    let chosen = chosen(finalists, evaluator.conditions.margin);
    let mut findings: Vec<Finding> = Vec::new();
    let mut minimiser = Minimiser::new(evaluator, observer);
    for finalist in chosen {
        for (edits, origin) in minimiser.patches(&finalist)? {
            observer.message(&format!("explaining and testing a patch of {} edits", edits.len()));
            let rehearsal = minimiser.rehearse(&edits)?;
            let finding = finding(&mut minimiser, rehearsal, &finalist, disassembler)?;
            if !findings.iter().any(|other| other.patch == finding.patch) {
                findings.push(Finding { origin, ..finding });
            }
        }
    }
    Ok(findings)
}

/// Explains a patch that has come to the test or was refused before it, and tests it.
fn finding(
    minimiser: &mut Minimiser<'_, '_>,
    rehearsal: Rehearsal,
    finalist: &Finalist<Edit>,
    disassembler: &Result<Disassembler, String>,
) -> Result<Finding, RunnerError> {
    let Rehearsal { mut candidate, refusal: refused, dropped } = rehearsal;
    let edits = &candidate.edits.clone();
    let subject = minimiser.evaluator.conditions.subject;
    let kernels = subject.candidate(&[]).and_then(|before| Ok((before, subject.candidate(edits)?)));
    let (explained, pairs) = explained(minimiser, edits)?;
    let refused = match refused {
        Some(refused) => Some(refused),
        None => {
            candidate.aim = Aim::Accept;
            refusal(minimiser.evaluator.judge(&mut candidate))?
        }
    };
    let verdict = match refused {
        Some(refusal) => Verdict::Refused(refusal.why),
        None => Verdict::Accepted(contract(&candidate, &minimiser.evaluator.conditions)),
    };
    let is_exact = verdict == Verdict::Accepted(Contract::Exact);
    let exactness = is_exact.then(|| exactness(&candidate, &minimiser.evaluator.conditions));
    Ok(Finding {
        patch: subject.base().patch(edits).to_string(),
        edits_before: finalist.edits.len(),
        verdict,
        exactness,
        search: finalist.search,
        edits: explained,
        pairs,
        test: candidate.test,
        checks: candidate.checks,
        dropped,
        machine_code: machine_code(minimiser.evaluator, disassembler, edits, &kernels),
        diff: kernels.map_or_else(|_| Vec::new(), |(before, after)| difference(&before, &after)),
        ptx: subject.patched(edits).unwrap_or_default(),
        origin: Vec::new(),
    })
}

/// Returns the promise of an accepted patch: its largest error on all inputs of the workload.
fn contract(candidate: &Candidate, conditions: &Conditions<'_>) -> Contract {
    let before = candidate.fitness.map_or(f64::INFINITY, |fitness| fitness.error);
    let max_error = candidate.test.iter().map(|case| case.error).fold(before, f64::max);
    match max_error == 0.0 {
        true => Contract::Exact,
        false => Contract::Approx { max_error, over: conditions.subject.workload().summary() },
    }
}

/// Proves that an exact patch is right with all data, or says why that is not proved.
fn exactness(candidate: &Candidate, conditions: &Conditions<'_>) -> Exactness {
    let ptx = conditions.subject.patched(&candidate.edits).unwrap_or_default();
    let checks = conditions.checks.iter().map(|check| &**check);
    // Sizes that no input of the workload has are the better proof.
    let mut all = conditions.required_small_inputs().into_iter().chain(checks);
    let none = || Exactness::Tested { why: "the emulator does not run the kernel".to_owned() };
    all.find_map(|check| check.prove(&ptx)).unwrap_or_else(none)
}

/// Shows the machine code of the kernels before and after these edits, and without each of them.
fn machine_code(
    evaluator: &Evaluator<'_>,
    disassembler: &Result<Disassembler, String>,
    edits: &[Edit],
    kernels: &Result<(String, String), PatchError>,
) -> MachineCode {
    let (subject, threads) = (evaluator.conditions.subject, evaluator.threads);
    match (disassembler, kernels) {
        (Ok(tools), Ok((before, after))) => tools.compare(before, after, |tools| {
            on_threads(threads, &each_left_out(edits), |others| {
                tools.listing(&subject.candidate(others).ok()?).ok().map(|listing| listing.counts)
            })
        }),
        (Err(why), _) => MachineCode::Unknown(why.clone()),
        (_, Err(why)) => MachineCode::Unknown(why.to_string()),
    }
}

/// Measures the gain of each edit alone and among the others, and of pairs.
fn explained(
    minimiser: &mut Minimiser<'_, '_>,
    edits: &[Edit],
) -> Result<(Vec<ExplainedEdit>, Vec<Epistasis>), RunnerError> {
    let Conditions { subject, margin, .. } = minimiser.evaluator.conditions;
    let mut lost = None;
    let explained = explain(edits, margin, |some| match minimiser.fitness(some) {
        Ok(fitness) => fitness.map(|fitness| fitness.time_ns),
        Err(error) => {
            lost.get_or_insert(error);
            None
        }
    });
    if let Some(error) = lost {
        return Err(error);
    }
    let mut own: Vec<ExplainedEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        own.push(ExplainedEdit {
            edit: edit.to_string().trim_end().to_owned(),
            instructions: subject.base().instructions_of(edit),
            is_barrier: subject.base().touches_barrier(edit),
            alone: None,
            loss: None,
            is_independent: false,
        });
    }
    let Some(explained) = explained else { return Ok((own, Vec::new())) };
    for (own, influence) in own.iter_mut().zip(&explained.edits) {
        (own.alone, own.loss) = (influence.alone, influence.loss);
        own.is_independent = influence.is_independent;
    }
    let pairs = explained.pairs.into_iter();
    Ok((own, pairs.map(|(first, second, more)| Epistasis { first, second, more }).collect()))
}
