//! Explanations of findings: what each edit changes, and what it brings.

use nitro_ptx::{Edit, PatchError};
use nitro_search::evolve::explain;
use nitro_search::threads::on_threads;

use crate::evaluator::Evaluator;
use crate::finding::{Epistasis, ExplainedEdit};
use crate::machine_code::{Disassembler, MachineCode};
use crate::minimise::{Minimiser, each_left_out};
use crate::runner::RunnerError;
use crate::stages::Conditions;

/// Returns the text of the kernels before and after these edits.
pub(crate) fn kernels(conditions: &Conditions<'_>, edits: &[Edit]) -> Result<(String, String), PatchError> {
    let subject = conditions.subject;
    subject.candidate(&[]).and_then(|before| Ok((before, subject.candidate(edits)?)))
}

/// Shows the machine code of the kernels before and after these edits, and without each of them.
pub(crate) fn machine_code(
    evaluator: &Evaluator<'_>,
    disassembler: &Result<Disassembler, String>,
    edits: &[Edit],
) -> MachineCode {
    let (subject, threads) = (evaluator.conditions.subject, evaluator.threads);
    match (disassembler, kernels(&evaluator.conditions, edits)) {
        (Ok(tools), Ok((before, after))) => tools.compare(&before, &after, |tools| {
            on_threads(threads, &each_left_out(edits), |others| {
                tools.listing(&subject.candidate(others).ok()?).ok().map(|listing| listing.counts)
            })
        }),
        (Err(why), _) => MachineCode::Unknown(why.clone()),
        (_, Err(why)) => MachineCode::Unknown(why.to_string()),
    }
}

/// Describes edits of which no gain is known.
pub(crate) fn unexplained(conditions: &Conditions<'_>, edits: &[Edit]) -> Vec<ExplainedEdit> {
    let base = conditions.subject.base();
    let mut own: Vec<ExplainedEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        own.push(ExplainedEdit {
            edit: edit.to_string().trim_end().to_owned(),
            instructions: base.instructions_of(edit),
            is_barrier: base.touches_barrier(edit),
            alone: None,
            loss: None,
            is_independent: false,
        });
    }
    own
}

/// The gains of edits, and of pairs of them.
pub(crate) type Gains = (Vec<ExplainedEdit>, Vec<Epistasis>);

/// Measures the gain of each edit alone and among the others, and of pairs; none where no time is left for that.
pub(crate) fn explained(
    minimiser: &mut Minimiser<'_, '_>,
    edits: &[Edit],
) -> Result<Option<Gains>, RunnerError> {
    let mut lost = None;
    let explained = explain(edits, minimiser.evaluator.conditions.margin, |some| {
        let fitness = minimiser.part_fitness(some).unwrap_or_else(|error| {
            lost.get_or_insert(error);
            None
        });
        fitness.map(|fitness| fitness.time_ns)
    });
    if let Some(error) = lost {
        return Err(error);
    }
    if minimiser.evaluator.conditions.until.is_over() {
        return Ok(None);
    }
    let mut own = unexplained(&minimiser.evaluator.conditions, edits);
    let Some(explained) = explained else { return Ok(Some((own, Vec::new()))) };
    for (own, influence) in own.iter_mut().zip(&explained.edits) {
        (own.alone, own.loss) = (influence.alone, influence.loss);
        own.is_independent = influence.is_independent;
    }
    let pairs = explained.pairs.into_iter();
    Ok(Some((own, pairs.map(|(first, second, more)| Epistasis { first, second, more }).collect())))
}
