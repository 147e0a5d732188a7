//! Searches of configurations on one input.

use std::collections::BTreeMap;
use std::time::Duration;

use nitro_core::Choice;
use nitro_store::recordings::{Input, Outcome};
use nitro_store::store::{Row, StoreError};

use super::Recording;
use super::feature_samples::FeatureSamples;
use super::reference::Reference;
use super::tried::{State, Stop, Tried};
use crate::measure::ahead::{Ahead, Queue};
use crate::measure::calls::Calls;
use crate::measure::candidate::Candidate;
use crate::measure::claims::evaluation_of;
use crate::measure::error::RecordError;
use crate::measure::subject::Subject;
use crate::search::{
    GeneratedSearch, InputSearch, InputSpace, Searched, Searching, Sought, VariantSearch, first_sources,
};

/// How often to look what others have made of what they evaluate, where nothing else is left to do.
const LOOK: Duration = Duration::from_millis(50);

impl Recording<'_> {
    /// Searches every wanted variant on one input, together with whoever else does.
    pub(super) fn search<C: Calls>(
        &self,
        searching: &Searching<'_>,
        name: &str,
        calls: &mut C,
        same: Option<impl Fn(&C::Output, &C::Output) -> bool>,
    ) -> Result<(), RecordError> {
        let function = self.subject.function;
        let (all, generated) = (searching.candidates(function)?, searching.generated(function)?);
        let choices: Vec<_> = all.iter().map(|candidate| candidate.choice).collect();
        let (first, seen) = self.first(name, &choices, calls, same)?;
        if let Err(stop) = self.confirm(&first, calls) {
            return self.stop(&first.input, stop);
        }
        let admitted = all.into_iter().zip(&seen.admissible).filter(|(_, admissible)| **admissible);
        let admitted: Vec<Candidate> = admitted.map(|(candidate, _)| candidate).collect();
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let ahead = self.plan.prepare.map(|prepare| Ahead::start(scope, &queue, prepare));
            let mut searched = Vec::new();
            for search in self.searches(searching, &first.input, &admitted, &generated) {
                match self.finish(&first, ahead.as_ref(), search?, calls)? {
                    Some(found) => searched.push(found),
                    None => return Ok(()), // this process can do no more
                }
            }
            let mut times = FeatureSamples::of(seen.time_ns, seen.feature_times_ns);
            self.run_again(&first, &[self.default.choice], &mut times, calls)?;
            searching.finish(searched);
            Ok(())
        })
    }

    /// Keeps what there is to keep where no more runs of an input are made.
    fn stop(&self, input: &Input, stop: Stop) -> Result<(), RecordError> {
        match stop {
            Stop::Lost(candidate, reason) => self.note_lost(input, &candidate, &reason),
            Stop::Changes(error) => Err(error),
        }
    }

    /// The searches of one input, one a variant: among these configurations, which are admissible, and of generated
    /// code. Each begins once the one before it is over.
    fn searches<'s>(
        &'s self,
        searching: &'s Searching<'_>,
        input: &'s Input,
        admitted: &'s [Candidate],
        generated: &'s [Sought<'_>],
    ) -> impl Iterator<Item = Result<Box<dyn VariantSearch + 's>, RecordError>> {
        let Subject { function, device } = self.subject;
        let listed = admitted.chunk_by(|one, next| one.variant == next.variant).map(move |of_variant| {
            let of_input = InputSpace::new(function.name(), device.entry(), &input.name, of_variant)?;
            let sources = first_sources(searching, &of_input, &mut **self.shared.store.lock())?;
            let search: Box<dyn VariantSearch> = Box::new(InputSearch::new(searching, of_input, sources));
            Ok(search)
        });
        let generated = generated.iter().map(move |sought| {
            let search = GeneratedSearch::new(searching, sought, function, device.entry(), &input.name);
            let search: Box<dyn VariantSearch> = Box::new(search);
            Ok(search)
        });
        listed.chain(generated)
    }

    /// Brings a search to its end; none where this process can do no more.
    fn finish<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        first: &Reference<C::Output, S>,
        ahead: Option<&Ahead<'_>>,
        mut search: Box<dyn VariantSearch + '_>,
        calls: &mut C,
    ) -> Result<Option<Searched>, RecordError> {
        let input = &first.input;
        let mut admitted = BTreeMap::new();
        while let Some(candidate) = self.next_evaluation(&mut *search, &input.name, ahead)? {
            if !self.is_admitted(&candidate, &mut *search, &mut admitted, input, calls)? {
                let Candidate { variant, configuration, .. } = &candidate;
                let row = Row { configuration, ..Row::new(variant, Outcome::Inadmissible) };
                self.put_evaluation(&input.name, &row)?;
                continue;
            }
            match self.evaluate(first, &candidate, calls) {
                Ok(tried) => {
                    let parts = self.parts(input, &tried, calls);
                    let parts = parts.map(|parts| match self.plan.counters {
                        Some(counters) => counters.added(candidate.choice, &input.name, parts),
                        None => parts,
                    });
                    let row = Row { parts: parts.as_deref().unwrap_or_default(), ..tried.row() };
                    self.put_evaluation(&input.name, &row)?;
                    if parts.is_none() && self.subject.device.is_lost() {
                        self.lost.replace(Some((input.name.clone(), candidate.variant)));
                    }
                }
                Err(stop) => self.stop(input, stop)?,
            }
            if self.lost.borrow().is_some() || self.shared.panics.ended_by().is_some() {
                return Ok(None);
            }
        }
        Ok(Some(search.finish()))
    }

    /// Whether a candidate may run on the input. Of what was listed only the admissible is searched; of code that
    /// was just generated nobody has asked yet, and a run of the default asks for all that is open.
    fn is_admitted(
        &self,
        candidate: &Candidate,
        search: &mut dyn VariantSearch,
        admitted: &mut BTreeMap<Choice, bool>,
        input: &Input,
        calls: &mut impl Calls,
    ) -> Result<bool, RecordError> {
        if !self.subject.is_generated(candidate.choice) {
            return Ok(true);
        }
        if !admitted.contains_key(&candidate.choice) {
            let open: Vec<Choice> = search.open()?.iter().map(|own| own.choice).collect();
            let call = calls.next();
            let (_, observation) = self.attempt(&input.name, Some(&input.features), &self.default, || {
                self.subject.describe(&input.name, &open, call)
            })?;
            admitted.extend(open.into_iter().zip(observation.admissible));
        }
        Ok(admitted.get(&candidate.choice).copied().unwrap_or(false))
    }

    /// The next candidate that is this recorder's to measure; none once the search is over. What others are
    /// measuring is waited for where nothing else is left of a step.
    fn next_evaluation(
        &self,
        search: &mut dyn VariantSearch,
        input: &str,
        ahead: Option<&Ahead<'_>>,
    ) -> Result<Option<Candidate>, RecordError> {
        let Subject { function, device } = self.subject;
        loop {
            let open = search.open()?;
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
    fn evaluate<C: Calls, S: Fn(&C::Output, &C::Output) -> bool>(
        &self,
        first: &Reference<C::Output, S>,
        candidate: &Candidate,
        calls: &mut C,
    ) -> Result<Tried, Stop> {
        let begun = self.load.begin();
        let tried = self.warm_up(first, candidate, true, calls)?;
        if matches!(tried.state, State::Ended(Outcome::Wrong, _)) {
            // Before that is kept: the default has to be right still.
            self.confirm(first, calls)?;
        }
        let mut tried = [tried];
        self.time(first, &mut tried, begun, calls)?;
        let [tried] = tried;
        Ok(tried)
    }
}
