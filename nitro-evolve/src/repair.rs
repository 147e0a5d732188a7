//! Repair: from a refused patch to what of it is right.
//!
//! A refusal says which edits it is for: delta debugging looks for the fewest that are refused for the same fault.

use nitro_ptx::Edit;
use nitro_search::evolve::minimise;
use nitro_search::threads::on_threads;

use crate::evaluator::Evaluator;
use crate::finding::DroppedEdit;
use crate::minimise::Minimiser;
use crate::runner::{NoDevice, RunnerError};
use crate::stages::{Aim, Candidate, Refusal, STAGES, go_through, refusal};

/// The most parts of a patch that go through the checks: compute-sanitizer takes seconds for each.
const MOST_CHECKED: usize = 40;
/// The threads that the checks of one patch keep busy, those of compute-sanitizer's tools together.
const THREADS_OF_CHECKS: usize = 3;

/// A patch before the test: what passed all other stages, or what did not, with the refusal.
#[derive(Clone)]
pub(crate) struct Rehearsal {
    pub candidate: Candidate,
    pub refusal: Option<Refusal>,
    /// The edits that were dropped until it passed.
    pub dropped: Vec<DroppedEdit>,
}

impl Minimiser<'_, '_> {
    /// Drops edits for which a patch is refused until the rest passes all stages but the test.
    ///
    /// None where nothing that is faster is left, too much was tried, or no time is left.
    pub(crate) fn repaired(&mut self, whole: &Rehearsal) -> Result<Option<Rehearsal>, RunnerError> {
        let (mut candidate, mut refused) = (whole.candidate.clone(), whole.refusal.clone());
        let (mut dropped, mut left) = (Vec::new(), MOST_CHECKED);
        while let Some(Refusal { why, .. }) = refused {
            let culprits = self.culprits(&candidate, &mut left)?;
            if let [culprit] = &culprits[..] {
                self.wrong.push(culprit.clone());
            }
            let Some(rest) = self.without(&candidate.edits, &culprits)? else { return Ok(None) };
            self.observer.message(&format!("an edit is dropped, since with it {why}"));
            for edit in candidate.edits.iter().filter(|edit| !rest.contains(edit)) {
                let edit = edit.to_string().trim_end().to_owned();
                dropped.push(DroppedEdit { edit, why: why.clone() });
            }
            let (rest, _) = self.minimised(&rest)?;
            if rest.is_empty() || left == 0 || self.evaluator.conditions.until.is_over() {
                return Ok(None);
            }
            let next = self.unrehearsed(&rest, candidate.must_be_exact)?;
            let Some(next) = self.rehearsed(vec![next.candidate])?.pop() else { return Ok(None) };
            (candidate, refused) = (next.candidate, next.refusal);
            left -= 1;
        }
        Ok(Some(Rehearsal { candidate, refusal: None, dropped }))
    }

    /// Measures a patch that is to go through all stages but the test. One that has to be exact is refused for any
    /// error.
    pub(crate) fn unrehearsed(
        &mut self,
        edits: &[Edit],
        must_be_exact: bool,
    ) -> Result<Rehearsal, RunnerError> {
        let mut candidate = Candidate { must_be_exact, ..Candidate::new(edits, Aim::Rehearse) };
        candidate.fitness = self.fitness(edits)?;
        Ok(Rehearsal { candidate, refusal: None, dropped: Vec::new() })
    }

    /// Brings patches through all stages but the test, which are work of cores, several side by side.
    pub(crate) fn rehearsed(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Rehearsal>, RunnerError> {
        let Evaluator { conditions, threads, time, .. } = &mut *self.evaluator;
        let conditions = &*conditions;
        let judged = on_threads(threads.div_ceil(THREADS_OF_CHECKS), &candidates, |candidate| {
            let mut candidate = candidate.clone();
            let judged = go_through(STAGES, &mut candidate, conditions, &mut NoDevice);
            (candidate, judged)
        });
        let mut rehearsals = Vec::with_capacity(judged.len());
        for (mut candidate, judged) in judged {
            time.add_visits(&std::mem::take(&mut candidate.visits));
            rehearsals.push(Rehearsal { candidate, refusal: refusal(judged)?, dropped: Vec::new() });
        }
        Ok(rehearsals)
    }

    /// Tells whether some edits of a refused patch are refused for the same fault. What did not object to the whole is
    /// not asked.
    fn is_refused_alike(&mut self, some: &[Edit], refused: &Candidate) -> Result<bool, RunnerError> {
        let must_be_exact = refused.must_be_exact;
        let mut candidate = Candidate { must_be_exact, ..Candidate::new(some, Aim::Rehearse) };
        // What cannot be measured says nothing about the stages behind that.
        let Some(fitness) = self.part_fitness(some)? else { return Ok(false) };
        candidate.fitness = Some(fitness);
        candidate.suspected.clone_from(&refused.checks);
        let own = refusal(self.evaluator.judge_until(&mut candidate, refused.passed))?;
        Ok(own.is_some() && candidate.passed == refused.passed)
    }

    /// Returns the fewest edits of a refused patch that are refused alike; none where that is not known.
    fn culprits(&mut self, refused: &Candidate, left: &mut usize) -> Result<Vec<Edit>, RunnerError> {
        let mut lost = None;
        let culprits = minimise(&refused.edits, |some| {
            if *left == 0 || some.is_empty() {
                return false;
            }
            *left -= 1;
            self.is_refused_alike(some, refused).unwrap_or_else(|error| {
                lost.get_or_insert(error);
                false
            })
        });
        match lost {
            Some(error) => Err(error),
            None if *left == 0 || self.evaluator.conditions.until.is_over() => Ok(Vec::new()),
            None => Ok(culprits),
        }
    }

    /// Returns the fastest of what is left without one of the culprits, or without all where no such part runs; none
    /// where that does not run either.
    fn without(&mut self, edits: &[Edit], culprits: &[Edit]) -> Result<Option<Vec<Edit>>, RunnerError> {
        if culprits.is_empty() {
            return Ok(None);
        }
        let mut fastest: Option<(f64, Vec<Edit>)> = None;
        for culprit in culprits {
            let rest: Vec<Edit> = edits.iter().filter(|edit| *edit != culprit).cloned().collect();
            let Some(fitness) = self.fitness(&rest)? else { continue };
            if fastest.as_ref().is_none_or(|(least_ns, _)| fitness.time_ns < *least_ns) {
                fastest = Some((fitness.time_ns, rest));
            }
        }
        if let Some((_, rest)) = fastest {
            return Ok(Some(rest));
        }
        let rest: Vec<Edit> = edits.iter().filter(|edit| !culprits.contains(edit)).cloned().collect();
        Ok(self.fitness(&rest)?.map(|_| rest))
    }
}
