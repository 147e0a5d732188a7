//! Minimising: from finalists to the edits that matter.

use std::collections::HashMap;

use nitro_ptx::Edit;
use nitro_search::evolve::{Finalist, Fitness, minimise};
use nitro_search::threads::on_threads;

use crate::evaluator::Evaluator;
use crate::observer::Observer;
use crate::runner::{NoDevice, RunnerError};
use crate::stages::{Aim, Candidate, Conditions, STAGES, go_through, refusal};

/// The most finalists that are minimised and tested.
const MOST_FINALISTS: usize = 4;

/// The most edits of which each is left out once: assembler and disassembler take about a second for each.
const MOST_LEFT_OUT: usize = 12;

/// A minimised patch: its edits in the simplest words, and those of the evolution that they come from.
pub(crate) type MinimalPatch = (Vec<Edit>, Vec<Edit>);

/// The minimiser, which measures parts of a patch.
pub(crate) struct Minimiser<'a, 'b> {
    pub evaluator: &'a mut Evaluator<'b>,
    pub observer: &'a dyn Observer,
    /// The fitness by machine code, of this finalist: most edits that are left out change none of it.
    known: HashMap<u64, Option<Fitness>>,
}

impl<'a, 'b> Minimiser<'a, 'b> {
    /// Creates a minimiser that has measured nothing yet.
    pub(crate) fn new(evaluator: &'a mut Evaluator<'b>, observer: &'a dyn Observer) -> Self {
        Self { evaluator, observer, known: HashMap::new() }
    }

    /// Minimises a finalist. Returns up to four patches.
    ///
    /// The second leaves out all edits that touch a barrier, where the first has some. Each of the two is followed by
    /// the part of it that holds with all small inputs, where it does not do so itself.
    pub(crate) fn patches(&mut self, finalist: &Finalist<Edit>) -> Result<Vec<MinimalPatch>, RunnerError> {
        self.observer.message(&format!("minimising a patch of {} edits", finalist.edits.len()));
        self.known.clear(); // clocks change in minutes
        let all = self.minimised(&finalist.edits)?;
        let base = self.evaluator.conditions.subject.base();
        let (barriers, others): (Vec<Edit>, Vec<Edit>) =
            all.0.iter().cloned().partition(|edit| base.touches_barrier(edit));
        let mut patches = vec![all];
        if !barriers.is_empty() && !others.is_empty() {
            patches.push(self.minimised(&others)?);
        }
        for at in 0..patches.len() {
            if let Some(edits) = self.general_part(&patches[at].0)? {
                patches.push(self.minimised(&edits)?);
            }
        }
        patches.retain(|(edits, _)| !edits.is_empty());
        Ok(patches)
    }

    /// Returns a part of the edits with which all small inputs are right, where they are not with all.
    ///
    /// That is all edits but one, the fastest such choice; or else those that can be added one after the other.
    fn general_part(&mut self, edits: &[Edit]) -> Result<Option<Vec<Edit>>, RunnerError> {
        let has_check = self.evaluator.conditions.small_inputs.is_some();
        if edits.is_empty() || !has_check || is_general(&self.evaluator.conditions, edits)? {
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

    /// Minimises edits; none are left where they are not faster than the original.
    pub(crate) fn minimised(&mut self, edits: &[Edit]) -> Result<MinimalPatch, RunnerError> {
        let (Some(original), Some(whole)) = (self.fitness(&[])?, self.fitness(edits)?) else {
            return Ok(MinimalPatch::default());
        };
        if whole.time_ns > original.time_ns * (1.0 - self.evaluator.conditions.margin) {
            return Ok(MinimalPatch::default());
        }
        let kept = self.least(edits, whole)?;
        // In simpler words it may be more edits, some of which do not matter.
        let simpler = self.evaluator.conditions.subject.base().simplified(&kept);
        Ok((self.least(&simpler, whole)?, kept))
    }

    /// Returns the fewest edits that are as fast and as exact as the whole, by delta debugging.
    fn least(&mut self, edits: &[Edit], whole: Fitness) -> Result<Vec<Edit>, RunnerError> {
        let most_ns = whole.time_ns * (1.0 + self.evaluator.conditions.margin);
        let mut lost = None;
        let kept = minimise(edits, |some| match self.fitness(some) {
            Ok(fitness) => fitness.is_some_and(|now| now.error <= whole.error && now.time_ns <= most_ns),
            Err(error) => {
                lost.get_or_insert(error);
                false
            }
        });
        lost.map_or(Ok(kept), Err)
    }

    /// Measures edits: the time with the inputs of the search, the largest error with those and the validation's.
    pub(crate) fn fitness(&mut self, edits: &[Edit]) -> Result<Option<Fitness>, RunnerError> {
        let mut candidate = Candidate::new(edits, Aim::Minimise);
        if refusal(self.evaluator.assemble(&mut candidate))?.is_some() {
            return Ok(None);
        }
        if let Some(known) = self.known.get(&candidate.digest) {
            return Ok(*known);
        }
        let refused = refusal(self.evaluator.judge(&mut candidate))?;
        let fitness = candidate.fitness.filter(|_| refused.is_none());
        self.known.insert(candidate.digest, fitness);
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
