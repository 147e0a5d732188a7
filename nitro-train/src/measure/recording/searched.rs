//! Searches of configurations on one input.

use super::Recording;
use super::tried::{Lost, Tried};
use crate::measure::candidate::Candidate;
use crate::measure::error::RecordError;
use crate::recordings::Input;
use crate::search::{InputSearch, Searching};

impl Recording<'_> {
    /// Searches every wanted variant on one input; the best of each is kept in the store.
    pub(super) fn search<R>(
        &self,
        searching: &Searching,
        name: &str,
        run: &mut impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        let function = self.subject.function;
        let default = Candidate::of(function, function.default_choice());
        let all = searching.candidates(function)?;
        let choices: Vec<_> = all.iter().map(|candidate| candidate.choice).collect();
        let described = self.attempt(name, None, &default, || self.subject.describe(name, &choices, run));
        let (expected, observation) = described?;
        let input = Input { name: name.to_owned(), features: observation.features };
        let admitted = all.into_iter().zip(&observation.admissible).filter(|(_, admissible)| **admissible);
        let admitted: Vec<Candidate> = admitted.map(|(candidate, _)| candidate).collect();
        for of_variant in admitted.chunk_by(|one, next| one.variant == next.variant) {
            let (function, device) = (function.name(), self.subject.device.entry());
            let mut search = InputSearch::begin(searching, function, device, name, of_variant)?;
            while let Some(candidate) = search.next() {
                match self.evaluate(&input, &candidate, run, |found| same(&expected, found)) {
                    Ok(tried) => search.tell(&tried.row())?,
                    Err(lost) => return self.note_lost(&input, &lost),
                }
            }
            let best = search.finish(searching);
            best.iter().try_for_each(|best| self.put(&input, &[best.row()]))?;
        }
        Ok(())
    }

    /// Measures one candidate, which is admissible.
    fn evaluate<R>(
        &self,
        input: &Input,
        candidate: &Candidate,
        run: &mut impl FnMut() -> R,
        is_correct: impl Fn(&R) -> bool,
    ) -> Result<Tried, Lost> {
        let mut tried = self.warm_up(input, std::iter::once((candidate, true)), run, is_correct)?;
        self.repeat(input, &mut tried, run)?;
        Ok(tried.remove(0))
    }
}
