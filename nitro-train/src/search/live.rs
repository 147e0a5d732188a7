//! Searches that measure: one for each variant, device and input, with a log that it goes on from.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nitro_core::{DeviceEntry, Function};
use nitro_search::{Ask, Budget, Evaluation, Log, Plan, Search, Sources, Strategy};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::SearchError;
use super::measured::evaluation;
use super::sources::told;
use super::space::space_of;
use crate::measure::{Candidate, WALKED, all_of_variant};
use crate::recordings::{Outcome, Recordings, assignments};
use crate::store::Row;

/// What is searched on each input, how, and what came of it.
#[derive(Debug)]
pub struct Searching {
    /// The variant; without one, every variant with tuning parameters.
    pub variant: Option<String>,
    /// Who proposes.
    pub strategy: Strategy,
    /// At most so many evaluations an input.
    pub evaluations: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Folder of the logs, one file a search.
    pub log: PathBuf,
    /// What other devices measured; those of its devices that are named in `sources` are learned from.
    pub others: Recordings,
    /// Names of devices to learn from.
    pub sources: Vec<String>,
    pub(crate) found: Mutex<Vec<Searched>>,
}

/// What a search on one device and input has found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Searched {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
    /// The device.
    pub device: String,
    /// The input.
    pub input: String,
    /// Who proposed.
    pub strategy: String,
    /// The devices that the strategy was told of.
    pub sources: Vec<String>,
    /// Number of configurations that are admissible for the input.
    pub configurations: usize,
    /// How many were evaluated, failed ones counted.
    pub evaluations: usize,
    /// How many of those failed.
    pub failed: usize,
    /// The fastest configuration; none while all failed.
    pub best: Option<String>,
    /// Its time in nanoseconds.
    pub best_ns: Option<f64>,
    /// Configurations with their times.
    #[serde(skip)]
    pub times_ns: Vec<(String, f64)>,
}

impl Searching {
    /// What is searched of a function: every possible configuration of the wanted variants, variant by variant.
    pub(crate) fn candidates(&self, function: &'static Function) -> Result<Vec<Candidate>, SearchError> {
        let variants = function.variants().iter().enumerate();
        let parameterised = variants.filter(|(_, own)| !own.parameters().is_empty());
        let known: Vec<&str> = parameterised.clone().map(|(_, own)| own.name()).collect();
        let wanted =
            parameterised.filter(|(_, own)| self.variant.as_ref().is_none_or(|name| own.name() == name));
        let mut all = Vec::new();
        for (variant, own) in wanted {
            let too_many = || SearchError::TooMany {
                variant: own.name().to_owned(),
                count: own.parameters().configurations(),
                most: WALKED,
            };
            all.extend(all_of_variant(function, variant).ok_or_else(too_many)?);
        }
        match (&self.variant, all.is_empty()) {
            (_, false) => Ok(all),
            (Some(variant), _) if !known.is_empty() => Err(SearchError::NoSuchVariant {
                function: function.name().to_owned(),
                variant: variant.clone(),
                known: known.into_iter().map(str::to_owned).collect(),
            }),
            _ => Err(SearchError::NoSpace { function: function.name().to_owned() }),
        }
    }

    /// What was found so far, which is forgotten here.
    pub(crate) fn take_found(&self) -> Vec<Searched> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The search of one variant on one input.
pub(crate) struct InputSearch {
    search: Search,
    log: Log,
    /// In the order of the space.
    candidates: Vec<Candidate>,
    /// What was asked for and is not told yet.
    asked: Option<nitro_search::Candidate>,
    searched: Searched,
}

impl InputSearch {
    /// Goes on from the log, if there is one.
    pub(crate) fn begin(
        searching: &Searching,
        function: &str,
        device: &DeviceEntry,
        input: &str,
        candidates: &[Candidate],
    ) -> Result<Self, SearchError> {
        let variant = candidates[0].variant;
        let names: Vec<&str> = assignments(&candidates[0].configuration).map(|(name, _)| name).collect();
        let values = candidates.iter().map(|own| assignments(&own.configuration).map(|(_, value)| value));
        let rows: Vec<(usize, Vec<&str>)> = values.map(Iterator::collect).enumerate().collect();
        let (space, order) = space_of(&names, &rows)
            .map_err(|source| SearchError::Space { variant: variant.to_owned(), source })?;
        let candidates: Vec<Candidate> = order.into_iter().map(|at| candidates[at].clone()).collect();
        let sources = Arc::new(sources(searching, device, variant, input, &candidates));
        let Searching { strategy, seed, evaluations, .. } = *searching;
        let plan = Plan { strategy, seed, budget: Budget::evaluations(evaluations), sources };
        let searched = Searched {
            function: function.to_owned(),
            variant: variant.to_owned(),
            device: device.id().to_owned(),
            input: input.to_owned(),
            strategy: strategy.to_string(),
            sources: told(strategy, &plan.sources),
            configurations: space.len(),
            evaluations: 0,
            failed: 0,
            best: None,
            best_ns: None,
            times_ns: Vec::new(),
        };
        let folder = &searching.log;
        std::fs::create_dir_all(folder)
            .map_err(|source| SearchError::Folder { folder: folder.clone(), source })?;
        let digests = [space.digest(), plan.sources.digest(), seed.to_string()];
        let file = folder.join(file_name(&searched, &digests));
        let mut search = Search::new(Arc::new(space), plan);
        let log = Log::open(&file, &mut search)?;
        Ok(Self { search, log, candidates, asked: None, searched })
    }

    /// What to measure next.
    pub(crate) fn next(&mut self) -> Option<Candidate> {
        let Ask::Evaluate(asked) = self.search.ask(1) else { return None };
        self.asked = asked.first().copied();
        self.asked.map(|own| self.candidates[own.index()].clone())
    }

    /// What came of the candidate that [`next`](Self::next) gave.
    pub(crate) fn tell(&mut self, row: &Row<'_>) -> Result<(), SearchError> {
        let Some(candidate) = self.asked.take() else { return Ok(()) };
        let outcome = nitro_search::Outcome { candidate, evaluation: evaluation(row.outcome, row.reason) };
        self.log.append(&self.search, outcome)?;
        // It was asked for just now, and a time that was measured is one.
        let _ = self.search.tell(candidate, outcome.evaluation);
        Ok(())
    }

    /// What was found, also to `searching`; the best, if anything has a time.
    pub(crate) fn finish(self, searching: &Searching) -> Option<Best> {
        let Self { search, candidates, mut searched, .. } = self;
        let time = |own: &nitro_search::Outcome| {
            Some((candidates[own.candidate.index()].configuration.clone(), own.evaluation.time_ns()?))
        };
        searched.times_ns = search.outcomes().iter().filter_map(time).collect();
        searched.evaluations = search.evaluations();
        searched.failed = searched.evaluations - searched.times_ns.len();
        let best = search
            .best()
            .and_then(|best| Some((&candidates[best.candidate.index()], best.evaluation.time_ns()?)));
        let best = best.map(|(candidate, time_ns)| Best { candidate: candidate.clone(), time_ns });
        searched.best = best.as_ref().map(|best| best.candidate.configuration.clone());
        searched.best_ns = best.as_ref().map(|best| best.time_ns);
        searching.found.lock().unwrap_or_else(PoisonError::into_inner).push(searched);
        best
    }
}

/// The fastest that a search has found.
pub(crate) struct Best {
    candidate: Candidate,
    time_ns: f64,
}

impl Best {
    pub(crate) fn row(&self) -> Row<'_> {
        let configuration = self.candidate.configuration.as_str();
        Row { configuration, repeats: 1, ..Row::new(self.candidate.variant, Outcome::Time(self.time_ns)) }
    }
}

/// What other devices measured of these candidates on the same input.
fn sources(
    searching: &Searching,
    device: &DeviceEntry,
    variant: &str,
    input: &str,
    candidates: &[Candidate],
) -> Sources {
    let others = &searching.others;
    let (Some(variant), Some(input)) = (others.variant_index(variant), others.input_index(input)) else {
        return Sources::default();
    };
    let position: std::collections::HashMap<&str, usize> =
        candidates.iter().enumerate().map(|(at, own)| (own.configuration.as_str(), at)).collect();
    let mut found: Vec<(usize, Vec<Option<Evaluation>>)> = Vec::new();
    for (index, other) in others.devices.iter().enumerate() {
        if other.id != device.id() && searching.sources.contains(&other.id) {
            found.push((index, vec![None; candidates.len()]));
        }
    }
    for one in others.measurements.iter().filter(|one| (one.variant, one.input) == (variant, input)) {
        let of_device = found.iter_mut().find(|(index, _)| *index == one.device);
        if let (Some((_, evaluations)), Some(&at)) = (of_device, position.get(one.configuration.as_str())) {
            evaluations[at] = Some(evaluation(one.outcome, &one.reason));
        }
    }
    found.retain(|(_, evaluations)| evaluations.iter().any(Option::is_some));
    let here = device.features().map(|feature| (feature.name.clone(), feature.value)).collect();
    let found = found.into_iter().map(|(index, evaluations)| (&others.devices[index], evaluations));
    super::sources::sources(&here, found.collect())
}

/// A name for a person, and a digest of all that tells the search from others.
fn file_name(searched: &Searched, digests: &[String]) -> String {
    let Searched { function, variant, device, input, strategy, .. } = searched;
    let mut digest = Sha256::new();
    for part in [function, variant, device, input, strategy].into_iter().chain(digests) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let plain = |text: &str| {
        text.chars().filter(|letter| letter.is_ascii_alphanumeric()).take(24).collect::<String>()
    };
    let hex: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{hex}.jsonl", plain(function), plain(input), strategy)
}
