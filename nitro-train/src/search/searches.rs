//! The proposer of `train search`: on each input one search after the other, each of one variant.

use std::collections::VecDeque;

use nitro_core::{DeviceEntry, Function};
use nitro_search::Sources;
use nitro_store::store::{Evaluated, Store};

use super::error::SearchError;
use super::first_sources::first_sources;
use super::limit::Limit;
use super::listed::InputSpace;
use super::proving::ProofSearch;
use super::{GeneratedSearch, GeneratedVariant, ListedSearch, SearchPlan, SearchResult, VariantSearch};
use crate::measure::{BoxError, Candidate, Proposer, Spent};

/// The searches of one function on one device.
pub(crate) struct Searches<'a> {
    plan: SearchPlan<'a>,
    function: &'static Function,
    device: &'static DeviceEntry,
    /// Every configuration of the wanted variants, variant by variant.
    listed: Vec<Candidate>,
    generated: Vec<GeneratedVariant<'a>>,
    input: String,
    /// Searches of the input that have not begun: first those of listed configurations.
    spaces: VecDeque<(InputSpace<'a>, Sources)>,
    /// Then those of generated code.
    unsought: VecDeque<usize>,
    /// The search that is under way.
    current: Option<Box<dyn VariantSearch + 'a>>,
    /// The floor of the input.
    limit: Limit,
    /// Searches of the input that are over.
    ended: Vec<SearchResult>,
    found: Vec<SearchResult>,
    spent: Spent,
}

impl<'a> Searches<'a> {
    /// Creates searches that have not begun.
    ///
    /// # Errors
    /// When a variant is not there, or cannot be searched so.
    pub(crate) fn new(
        plan: SearchPlan<'a>,
        function: &'static Function,
        device: &'static DeviceEntry,
    ) -> Result<Self, SearchError> {
        let (listed, generated) = (plan.candidates(function)?, plan.generated(function, device)?);
        let (input, spaces, unsought, current, limit, ended, found, spent) = Default::default();
        Ok(Self {
            plan,
            function,
            device,
            listed,
            generated,
            input,
            spaces,
            unsought,
            current,
            limit,
            ended,
            found,
            spent,
        })
    }

    /// Returns what the evaluations took so far in this process.
    pub(crate) fn spent(&self) -> Spent {
        self.spent
    }

    /// Returns what was found on the inputs that were finished, sorted by input.
    pub(crate) fn into_found(self) -> Vec<SearchResult> {
        let mut found = self.found;
        found.sort_by(|one, next| (&one.input, &one.variant).cmp(&(&next.input, &next.variant)));
        found
    }

    /// Creates the next search of the input, if there is one.
    fn next_search(&mut self) -> Option<Box<dyn VariantSearch + 'a>> {
        if let Some((space, sources)) = self.spaces.pop_front() {
            return Some(Box::new(ListedSearch::new(&self.plan, space, sources)));
        }
        let sought = &self.generated[self.unsought.pop_front()?];
        if self.plan.proves() {
            let search = ProofSearch::new(&self.plan, sought, self.function, self.device, &self.input)?;
            return Some(Box::new(search));
        }
        let search = GeneratedSearch::new(&self.plan, sought, self.function, self.device, &self.input);
        Some(Box::new(search))
    }
}

impl Proposer for Searches<'_> {
    fn listed(&self) -> &[Candidate] {
        &self.listed
    }

    fn begin(&mut self, input: &str, admitted: Vec<Candidate>) -> Result<(), BoxError> {
        input.clone_into(&mut self.input);
        let rule = (self.plan.floors, self.plan.until);
        self.limit = Limit::new(rule, self.function.name(), self.device, input)?;
        (self.current, self.unsought) = (None, (0..self.generated.len()).collect());
        self.ended.clear();
        self.spaces.clear();
        for of_variant in admitted.chunk_by(|one, next| one.variant == next.variant) {
            let space = InputSpace::new(self.function.name(), self.device, input, of_variant)?;
            self.spaces.push_back((space, Sources::default()));
        }
        Ok(())
    }

    fn consult(&mut self, store: &mut dyn Store) -> Result<(), BoxError> {
        for (space, sources) in &mut self.spaces {
            *sources = first_sources(&self.plan, space, store)?;
        }
        Ok(())
    }

    fn open(&mut self) -> Result<Vec<Candidate>, BoxError> {
        loop {
            if self.current.is_none() {
                self.current = self.next_search();
                self.limit.begin();
            }
            let Some(search) = &mut self.current else { return Ok(Vec::new()) };
            let open = if self.limit.is_reached() { Vec::new() } else { search.open()? };
            self.limit.ask(&open)?;
            if !open.is_empty() {
                return Ok(open);
            }
            let floor = self.limit.floor().cloned();
            let ended = self.current.take().map(VariantSearch::finish);
            self.ended.extend(ended.map(|ended| SearchResult { floor, ..ended }));
        }
    }

    fn ahead(&self) -> Vec<Candidate> {
        self.current.as_ref().map_or_else(Vec::new, |search| search.ahead())
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        self.limit.tell(&known, self.device.id(), &self.input);
        if let Some(search) = &mut self.current {
            search.tell(known);
        }
    }

    fn spend(&mut self, spent: Spent) {
        self.spent += spent;
    }

    fn finish(&mut self) {
        self.found.append(&mut self.ended);
    }
}
