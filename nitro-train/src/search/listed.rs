//! The search of the listed configurations of one variant on one input.
//!
//! What was evaluated is in the store, so that whoever searches goes on from there, and several can search together.

use std::sync::Arc;

use nitro_core::DeviceEntry;
use nitro_learn::configurations::{ConfigurationsError, evaluation, space_of};
use nitro_search::{Ask, Budget, Engine, ListProposer, Sources, Space};
use nitro_store::recordings::assignments;
use nitro_store::store::Evaluated;

use super::error::SearchError;
use super::result::Reasons;
use super::{SearchPlan, SearchResult, VariantSearch, source_names};
use crate::measure::Candidate;

/// The configurations of one variant that are admissible for one input.
pub(crate) struct InputSpace<'a> {
    pub(super) function: &'a str,
    pub(super) device: &'a DeviceEntry,
    pub(super) input: String,
    pub(super) space: Space,
    /// In the order of the space.
    pub(super) candidates: Vec<Candidate>,
}

impl<'a> InputSpace<'a> {
    /// Makes a space of candidates of one variant.
    ///
    /// # Errors
    /// When they are no space.
    pub(crate) fn new(
        function: &'a str,
        device: &'a DeviceEntry,
        input: &str,
        candidates: &[Candidate],
    ) -> Result<Self, SearchError> {
        let names: Vec<&str> = assignments(&candidates[0].configuration).map(|(name, _)| name).collect();
        let values = candidates.iter().map(|own| assignments(&own.configuration).map(|(_, value)| value));
        let rows: Vec<(usize, Vec<&str>)> = values.map(Iterator::collect).enumerate().collect();
        let (space, order) = space_of(&names, &rows).map_err(|source| ConfigurationsError::Space {
            variant: candidates[0].variant.to_owned(),
            source,
        })?;
        let candidates = order.into_iter().map(|at| candidates[at].clone()).collect();
        Ok(Self { function, device, input: input.to_owned(), space, candidates })
    }

    /// Returns the name of the variant.
    pub(super) fn variant(&self) -> &'static str {
        self.candidates[0].variant
    }
}

/// A search of the listed configurations of one variant on one input.
pub(crate) struct ListedSearch {
    search: Engine<ListProposer>,
    /// In the order of the space.
    candidates: Vec<Candidate>,
    /// Proposals that were asked for and are not told yet.
    open: Vec<nitro_search::Candidate>,
    reasons: Reasons,
    result: SearchResult,
}

impl ListedSearch {
    /// Creates a search that has not begun, with its [`first_sources`](super::first_sources).
    pub(crate) fn new(plan: &SearchPlan<'_>, of_input: InputSpace<'_>, sources: Sources) -> Self {
        let SearchPlan { seed, evaluations, .. } = *plan;
        let strategy = plan.listed_strategy();
        let variant = of_input.variant();
        let InputSpace { function, device, input, space, candidates } = of_input;
        let result = SearchResult {
            sources: source_names(strategy, &sources),
            configurations: space.len(),
            ..SearchResult::of(function, variant, device, &input, strategy.into())
        };
        let strategy = strategy.over(&Arc::new(space), seed, &sources);
        let search = Engine::new(strategy, Budget::evaluations(evaluations));
        Self { search, candidates, open: Vec::new(), reasons: Reasons::default(), result }
    }
}

impl VariantSearch for ListedSearch {
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError> {
        if self.open.is_empty()
            && let Ok(Ask::Evaluate(asked)) = self.search.ask(usize::MAX)
        {
            self.open = asked;
        }
        Ok(self.open.iter().map(|own| self.candidates[own.index()].clone()).collect())
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        let mut open = Vec::new();
        for (candidate, evaluated) in std::mem::take(&mut self.open).into_iter().zip(known) {
            let Some(Evaluated { outcome, reason, .. }) = evaluated else {
                open.push(candidate);
                continue;
            };
            self.reasons.note(&reason);
            // It was asked for and not told, and the time is one that a store keeps.
            let _ = self.search.tell(&candidate, evaluation(outcome));
        }
        self.open = open;
    }

    fn finish(self: Box<Self>) -> SearchResult {
        let Self { search, candidates, reasons, mut result, .. } = *self;
        let mut observations: Vec<_> = search.observations().iter().collect();
        // Of equals the first of the space is the best, in whatever order they were told.
        observations.sort_by_key(|own| own.proposal);
        for own in &observations {
            let time_ns = own.report.time_ns();
            let configuration = &candidates[own.proposal.index()].configuration;
            result.times_ns.extend(time_ns.map(|time_ns| (configuration.clone(), time_ns)));
        }
        result.ended(observations.len(), reasons)
    }
}
