//! Searches of configurations on one input.

use std::time::Duration;

use super::Recording;
use super::tried::{Lost, Tried};
use crate::measure::ahead::{Ahead, Queue};
use crate::measure::candidate::Candidate;
use crate::measure::claims::evaluation_of;
use crate::measure::error::RecordError;
use crate::measure::subject::Subject;
use crate::recordings::Input;
use crate::search::{InputSearch, InputSpace, Searching, first_sources};
use crate::store::{Row, StoreError};

/// How often to look what others have made of what they evaluate, where nothing else is left to do.
const LOOK: Duration = Duration::from_millis(50);

impl Recording<'_> {
    /// Searches every wanted variant on one input, together with whoever else does.
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
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let ahead = self.plan.prepare.map(|prepare| Ahead::start(scope, &queue, prepare));
            self.search_variants(searching, &input, &admitted, ahead.as_ref(), run, |found| {
                same(&expected, found)
            })
        })
    }

    /// Searches one variant after the other, of which these candidates are admissible.
    fn search_variants<R>(
        &self,
        searching: &Searching,
        input: &Input,
        admitted: &[Candidate],
        ahead: Option<&Ahead<'_>>,
        run: &mut impl FnMut() -> R,
        is_correct: impl Fn(&R) -> bool,
    ) -> Result<(), RecordError> {
        let Subject { function, device } = self.subject;
        let mut searched = Vec::new();
        for of_variant in admitted.chunk_by(|one, next| one.variant == next.variant) {
            let of_input = InputSpace::new(function.name(), device.entry(), &input.name, of_variant)?;
            let sources = first_sources(searching, &of_input, &mut **self.shared.store.lock())?;
            let mut search = InputSearch::new(searching, of_input, sources);
            while let Some(candidate) = self.next_evaluation(&mut search, &input.name, ahead)? {
                match self.evaluate(input, &candidate, run, &is_correct) {
                    Ok(tried) => self.put_evaluation(&input.name, &tried.row())?,
                    Err(lost) => return self.note_lost(input, &lost),
                }
            }
            searched.push(search.finish());
        }
        searching.finish(searched);
        Ok(())
    }

    /// The next candidate that is this recorder's to measure; none once the search is over. What others are measuring is waited for where
    /// nothing else is left of a step.
    fn next_evaluation(
        &self,
        search: &mut InputSearch,
        input: &str,
        ahead: Option<&Ahead<'_>>,
    ) -> Result<Option<Candidate>, RecordError> {
        let Subject { function, device } = self.subject;
        loop {
            let open = search.open();
            if open.is_empty() {
                return Ok(None);
            }
            let names: Vec<_> = open.iter().map(Candidate::name).collect();
            let (function, device) = (function.name(), device.entry().id());
            let known = self.shared.store.lock().evaluations(function, device, input, &names)?;
            if known.iter().any(Option::is_some) {
                search.tell(known);
                continue;
            }
            for (at, candidate) in open.iter().enumerate() {
                if self.shared.claims.take(&evaluation_of(input, candidate.name()))? {
                    ahead.iter().for_each(|ahead| ahead.want(open[at + 1..].iter().map(|own| own.choice)));
                    return Ok(Some(candidate.clone()));
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Keeps what came of an evaluation, where all who search together look.
    pub(super) fn put_evaluation(&self, input: &str, row: &Row<'_>) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        self.shared.store.lock().put_evaluation(function.name(), device.entry().id(), input, row)?;
        self.shared.claims.end(&evaluation_of(input, row.choice()));
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
