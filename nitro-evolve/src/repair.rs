//! Repair: from a refused patch to what of it is right.
//!
//! A refusal says which edits it is for: delta debugging looks for the fewest that are refused in the same place.

use nitro_ptx::Edit;
use nitro_search::evolve::minimise;

use crate::finding::DroppedEdit;
use crate::minimise::Minimiser;
use crate::runner::RunnerError;
use crate::stages::{Aim, Candidate, Refusal, refusal};

/// The most parts of a patch that go through the checks: compute-sanitizer takes seconds for each.
const MOST_CHECKED: usize = 40;

/// A patch before the test: what passed all other stages, or what did not, with the refusal.
pub(crate) struct Rehearsal {
    pub candidate: Candidate,
    pub refusal: Option<Refusal>,
    /// The edits that were dropped until it passed.
    pub dropped: Vec<DroppedEdit>,
}

impl Minimiser<'_, '_> {
    /// Brings a patch through all stages but the test. Edits for which it is refused are dropped, and the rest goes on.
    ///
    /// Where nothing that is faster is left, or too much was tried, the whole patch is refused for its first reason.
    pub(crate) fn rehearse(&mut self, edits: &[Edit]) -> Result<Rehearsal, RunnerError> {
        let whole = self.rehearsed(edits)?;
        let (mut candidate, mut refused) = (whole.candidate.clone(), whole.refusal.clone());
        let (mut dropped, mut left) = (Vec::new(), MOST_CHECKED);
        while let Some(Refusal { why, .. }) = refused {
            let culprits = self.culprits(&candidate, &mut left)?;
            let Some(rest) = self.without(&candidate.edits, &culprits)? else { return Ok(whole) };
            self.observer.message(&format!("an edit is dropped, since with it {why}"));
            for edit in candidate.edits.iter().filter(|edit| !rest.contains(edit)) {
                let edit = edit.to_string().trim_end().to_owned();
                dropped.push(DroppedEdit { edit, why: why.clone() });
            }
            let (rest, _) = self.minimised(&rest)?;
            if rest.is_empty() || left == 0 {
                return Ok(whole);
            }
            let next = self.rehearsed(&rest)?;
            (candidate, refused) = (next.candidate, next.refusal);
            left -= 1;
        }
        Ok(Rehearsal { candidate, refusal: None, dropped })
    }

    /// Brings a patch as it is through all stages but the test.
    fn rehearsed(&mut self, edits: &[Edit]) -> Result<Rehearsal, RunnerError> {
        let mut candidate = Candidate::new(edits, Aim::Rehearse);
        candidate.fitness = self.fitness(edits)?;
        let refusal = refusal(self.evaluator.judge(&mut candidate))?;
        Ok(Rehearsal { candidate, refusal, dropped: Vec::new() })
    }

    /// Returns the fewest edits of a refused patch that are refused by the same stage; none where that is not known.
    fn culprits(&mut self, refused: &Candidate, left: &mut usize) -> Result<Vec<Edit>, RunnerError> {
        let mut lost = None;
        let culprits = minimise(&refused.edits, |some| {
            if *left == 0 || some.is_empty() {
                return false;
            }
            *left -= 1;
            // What cannot be measured says nothing about the stages behind that.
            match self.rehearsed(some) {
                Ok(other) => {
                    other.candidate.fitness.is_some()
                        && other.refusal.is_some()
                        && other.candidate.passed == refused.passed
                }
                Err(error) => {
                    lost.get_or_insert(error);
                    false
                }
            }
        });
        match lost {
            Some(error) => Err(error),
            None if *left == 0 => Ok(Vec::new()),
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
