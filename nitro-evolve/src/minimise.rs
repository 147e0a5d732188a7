//! Minimising: from finalists to the edits that matter.

use std::collections::HashMap;
use std::time::Duration;

use nitro_ptx::Edit;
use nitro_search::evolve::{Finalist, Fitness, minimise};
use nitro_search::threads::on_threads;

use crate::evaluator::Evaluator;
use crate::exactness::Exactness;
use crate::observer::Observer;
use crate::runner::{NoDevice, RunnerError};
use crate::stages::{Aim, Candidate, Conditions, STAGES, assemble, go_through, refusal};
use crate::words::NO_TIME;

/// The most finalists that are minimised and tested.
const MOST_FINALISTS: usize = 4;

/// The most findings: of each finalist what is proved, steps of that, the exact part, all, what touches no barrier, and
/// what of them holds for any input.
pub(crate) const MOST_FINDINGS: usize = 8 * MOST_FINALISTS;

/// The most edits of which each is left out once: assembler and disassembler take about a second for each.
const MOST_LEFT_OUT: usize = 12;

/// The longest that the proofs of single edits may take together.
const MOST_TIME_OF_PROOFS: Duration = Duration::from_secs(5);

/// A minimised patch: its edits in the simplest words, and those of the evolution that they come from.
pub(crate) type MinimalPatch = (Vec<Edit>, Vec<Edit>);

/// The minimiser, which measures parts of a patch.
pub(crate) struct Minimiser<'a, 'b> {
    pub evaluator: &'a mut Evaluator<'b>,
    pub observer: &'a dyn Observer,
    /// The finalist whose parts are measured, by its number.
    pub finalist: usize,
    /// The edits with which alone a patch was refused before its test.
    pub wrong: Vec<Edit>,
    /// The edits of exact finalists that make other functions of the data, though results were the same; each with what
    /// shows it.
    pub by_chance: HashMap<Edit, String>,
    /// The fitness by finalist and machine code: most edits that are left out change none of it. What was measured for
    /// one finalist does not hold for another, since clocks change in minutes.
    known: HashMap<(usize, u64), Option<Fitness>>,
}

impl<'a, 'b> Minimiser<'a, 'b> {
    /// Creates a minimiser that has measured nothing yet.
    pub(crate) fn new(evaluator: &'a mut Evaluator<'b>, observer: &'a dyn Observer) -> Self {
        let blamed = evaluator.conditions.blame.all().into_iter();
        let wrong = blamed.filter(|([one, other], _)| one == other).map(|([one, _], _)| one).collect();
        Self { evaluator, observer, finalist: 0, wrong, by_chance: HashMap::new(), known: HashMap::new() }
    }

    /// Returns the edits that keep the meaning of the text, or are proved each by itself. Notes those that are right by
    /// chance.
    ///
    /// What is right with all inputs of the search may be wrong with other data, where branches depend on data: the
    /// nearest of some points may be so with distances that are wrong. So many of the edits that a search has put
    /// together make all of them wrong.
    pub(crate) fn proved_part(&mut self, edits: &[Edit]) -> Vec<Edit> {
        let Evaluator { conditions, threads, .. } = &*self.evaluator;
        let until = conditions.until.within(MOST_TIME_OF_PROOFS);
        let proofs = on_threads(*threads, edits, |edit| {
            let prove = || conditions.prove(std::slice::from_ref(edit), until);
            let is_known = |proof: &Exactness| !matches!(proof, Exactness::Tested { why } if why == NO_TIME);
            let known = conditions.blame.proof(edit).filter(is_known);
            (!edit.operation.keeps_meaning()).then(|| known.unwrap_or_else(prove))
        });
        let mut proved = Vec::new();
        for (edit, proof) in edits.iter().zip(proofs) {
            match proof {
                None | Some(Exactness::Proved { .. }) => proved.push(edit.clone()),
                Some(Exactness::ByChance { why }) => _ = self.by_chance.insert(edit.clone(), why),
                Some(Exactness::Tested { .. }) => {}
            }
        }
        proved
    }

    /// Returns the edits that touch no barrier, where others do.
    pub(crate) fn without_barriers(&self, edits: &[Edit]) -> Option<Vec<Edit>> {
        let base = self.evaluator.conditions.subject.base();
        let mut others = edits.to_vec();
        others.retain(|edit| !base.touches_barrier(edit));
        (!others.is_empty() && others.len() < edits.len()).then_some(others)
    }

    /// Returns a part of the edits with which all small inputs are right, where patches may rely on others and this one
    /// does.
    ///
    /// That is all edits but one, the fastest such choice; or else those that can be added one after the other.
    pub(crate) fn general_part(&mut self, edits: &[Edit]) -> Result<Option<Vec<Edit>>, RunnerError> {
        let Conditions { small_inputs, relies_on_inputs, .. } = self.evaluator.conditions;
        let is_asked_for = small_inputs.is_some() && relies_on_inputs && !edits.is_empty();
        if !is_asked_for || is_general(&self.evaluator.conditions, edits)? {
            return Ok(None);
        }
        let choices = each_left_out(edits);
        let Evaluator { conditions, threads, .. } = &*self.evaluator;
        let are_general = on_threads(*threads, &choices, |others| is_general(conditions, others));
        let mut fastest: Option<(f64, Vec<Edit>)> = None;
        for (others, is_general) in choices.into_iter().zip(are_general) {
            if !is_general? {
                continue;
            }
            let time_ns = self.fitness(&others)?.map_or(f64::INFINITY, |fitness| fitness.time_ns);
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
            if !is_general(&self.evaluator.conditions, &kept)? {
                kept.pop();
            }
        }
        Ok(Some(kept))
    }

    /// Minimises edits; none are left where they are not faster than the original. Where the time is over, as many are
    /// left as are known to be enough.
    pub(crate) fn minimised(&mut self, edits: &[Edit]) -> Result<MinimalPatch, RunnerError> {
        let (Some(original), Some(whole)) = (self.fitness(&[])?, self.fitness(edits)?) else {
            return Ok(MinimalPatch::default());
        };
        if whole.time_ns > original.time_ns * (1.0 - self.evaluator.conditions.margin) {
            return Ok(MinimalPatch::default());
        }
        let kept = self.least(&self.without_idle(edits), whole)?;
        // In simpler words it may be more edits, some of which do not matter.
        let simpler = self.evaluator.conditions.subject.base().simplified(&kept);
        Ok((self.least(&simpler, whole)?, kept))
    }

    /// Returns the edits without those that alone change nothing of the machine code, if that leaves it as it is.
    ///
    /// Most edits of a finalist are such, and to assemble without each is work for all cores.
    fn without_idle(&self, edits: &[Edit]) -> Vec<Edit> {
        let Evaluator { conditions, threads, .. } = &*self.evaluator;
        let digest = |some: &[Edit]| {
            let mut candidate = Candidate::new(some, Aim::Minimise);
            assemble(STAGES, &mut candidate, conditions).ok().map(|()| candidate.digest)
        };
        let whole = digest(edits);
        let positions: Vec<usize> = (0..edits.len()).collect();
        let are_idle = on_threads(*threads, &positions, |&at| {
            digest(&[&edits[..at], &edits[at + 1..]].concat()) == whole
        });
        let kept = edits.iter().zip(are_idle).filter(|(_, is_idle)| !is_idle);
        let kept: Vec<Edit> = kept.map(|(edit, _)| edit.clone()).collect();
        // Of two that do the same each alone is idle.
        if digest(&kept) == whole { kept } else { edits.to_vec() }
    }

    /// Returns the fewest edits that are as fast and as exact as the whole, by delta debugging.
    fn least(&mut self, edits: &[Edit], whole: Fitness) -> Result<Vec<Edit>, RunnerError> {
        let most_ns = whole.time_ns * (1.0 + self.evaluator.conditions.margin);
        let mut lost = None;
        let kept = minimise(edits, |some| match self.part_fitness(some) {
            Ok(fitness) => fitness.is_some_and(|now| now.error <= whole.error && now.time_ns <= most_ns),
            Err(error) => {
                lost.get_or_insert(error);
                false
            }
        });
        lost.map_or(Ok(kept), Err)
    }

    /// Measures edits as long as there is time.
    pub(crate) fn part_fitness(&mut self, edits: &[Edit]) -> Result<Option<Fitness>, RunnerError> {
        if self.evaluator.conditions.until.is_over() { Ok(None) } else { self.fitness(edits) }
    }

    /// Measures edits: the time with the inputs of the search, the largest error with those and the validation's.
    pub(crate) fn fitness(&mut self, edits: &[Edit]) -> Result<Option<Fitness>, RunnerError> {
        let mut candidate = Candidate::new(edits, Aim::Minimise);
        if refusal(self.evaluator.assemble(&mut candidate))?.is_some() {
            return Ok(None);
        }
        let key = (self.finalist, candidate.digest);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let refused = refusal(self.evaluator.judge(&mut candidate))?;
        let fitness = candidate.fitness.filter(|_| refused.is_none());
        self.known.insert(key, fitness);
        Ok(fitness)
    }
}

/// Tells whether a patch passes the stages of those that hold with sizes beyond the workload's.
fn is_general(conditions: &Conditions<'_>, edits: &[Edit]) -> Result<bool, RunnerError> {
    let mut candidate = Candidate::new(edits, Aim::Generalise);
    Ok(refusal(go_through(STAGES, &mut candidate, conditions, &mut NoDevice))?.is_none())
}

/// Returns the edits but for one, for each of them; nothing where they are many.
pub(crate) fn each_left_out(edits: &[Edit]) -> Vec<Vec<Edit>> {
    if edits.len() > MOST_LEFT_OUT {
        return Vec::new();
    }
    (0..edits.len()).map(|at| [&edits[..at], &edits[at + 1..]].concat()).collect()
}

/// Chooses the finalists that are worth the time: the most exact, the fastest, and the best between them.
pub(crate) fn chosen(mut finalists: Vec<Finalist<Edit>>, margin: f64) -> Vec<Finalist<Edit>> {
    // The first is the original, or faster than it.
    finalists.retain(|finalist| !finalist.edits.is_empty());
    while finalists.len() > MOST_FINALISTS {
        let last = finalists.len() - 1;
        let (mut least, mut most_share) = (last, f64::NEG_INFINITY);
        for at in 1..last {
            // The one that saves least over the one before goes, the last of several.
            let share = finalists[at].search.time_ns / finalists[at - 1].search.time_ns;
            if share.total_cmp(&most_share).is_ge() {
                (least, most_share) = (at, share);
            }
        }
        finalists.remove(least);
    }
    finalists.dedup_by(|later, earlier| later.search.time_ns >= earlier.search.time_ns * (1.0 - margin));
    finalists
}
