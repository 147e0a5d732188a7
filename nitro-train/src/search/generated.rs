//! Searches of generated code: paths through the decisions of a generator become texts, and these configurations of its variant. First come its presets.

use std::collections::HashMap;

use nitro_core::recording::PartTime;
use nitro_core::{Artifact, Choice, DeviceEntry, Function, MAX_ARTIFACT_BYTES};
use nitro_search::{
    Ask, Budget, Crossing, Decisions, Failure, PartReport, PathId, PathPlan, PathSearch, PathStrategy, Report,
};

use super::error::SearchError;
use super::measured::evaluation;
use super::searching::Sought;
use super::{Searched, Searching, VariantSearch};
use crate::generate::Generator;
use crate::measure::Candidate;
use crate::store::Evaluated;

/// The search of the generated code of one variant on one input.
pub(crate) struct GeneratedSearch<'a> {
    function: &'static Function,
    variant: usize,
    generator: &'a dyn Generator,
    search: PathSearch<&'a dyn Decisions>,
    /// What is evaluated first; none once it was asked for.
    presets: Option<Vec<String>>,
    /// What was asked for and is not told yet, with the paths that gave it.
    open: Vec<(Candidate, Vec<PathId>)>,
    /// What each text gave: several paths may give one.
    told: HashMap<Choice, Report>,
    /// Paths of which nothing can be made.
    without_text: usize,
    searched: Searched,
}

impl<'a> GeneratedSearch<'a> {
    /// A search that has not begun.
    pub(crate) fn new(
        searching: &Searching<'_>,
        sought: &Sought<'a>,
        function: &'static Function,
        device: &DeviceEntry,
        input: &str,
    ) -> Self {
        let Sought { variant, generator, ref strategy } = *sought;
        let presets = generator.presets().into_iter().map(|(_, text)| text);
        let mut presets: Vec<String> = presets.filter(|text| text.len() <= MAX_ARTIFACT_BYTES).collect();
        presets.truncate(searching.evaluations);
        let budget = Budget::evaluations(searching.evaluations - presets.len());
        let plan = PathPlan { seed: searching.seed, budget, ..PathPlan::new(strategy.clone()) };
        let searched = Searched {
            function: function.name().to_owned(),
            variant: function.variants()[variant].name().to_owned(),
            device: device.id().to_owned(),
            input: input.to_owned(),
            strategy: name(strategy).to_owned(),
            ..Searched::default()
        };
        Self {
            function,
            variant,
            generator,
            search: PathSearch::new(generator.decisions(), plan),
            presets: Some(presets),
            open: Vec::new(),
            told: HashMap::new(),
            without_text: 0,
            searched,
        }
    }

    /// Asks for a path, which may be one that nothing can be made of, or gives a text that is known.
    fn propose(&mut self, id: PathId, path: &[Crossing]) {
        let tell = |search: &mut PathSearch<_>, report: Report| {
            // It was asked for and not told, and the figures are such as a store keeps.
            let _ = search.tell(id, report);
        };
        let text = match self.generator.artifact(path) {
            Ok(text) if text.len() <= MAX_ARTIFACT_BYTES => text,
            unusable => {
                let (variant, error) = (&self.searched.variant, unusable.err());
                tracing::debug!(variant, ?error, most_bytes = MAX_ARTIFACT_BYTES, "a path gives no code");
                self.without_text += 1;
                return tell(&mut self.search, Report::failed(Failure::Invalid));
            }
        };
        let candidate = self.candidate(&text);
        if let Some(known) = self.told.get(&candidate.choice) {
            return tell(&mut self.search, known.clone());
        }
        match self.open.iter_mut().find(|(own, _)| *own == candidate) {
            Some((_, ids)) => ids.push(id),
            None => self.open.push((candidate, vec![id])),
        }
    }

    /// From now on this process knows the text.
    fn candidate(&self, text: &str) -> Candidate {
        let choice = Choice { variant: self.variant, configuration: Artifact::keep(text).into() };
        Candidate::of(self.function, choice)
    }
}

impl VariantSearch for GeneratedSearch<'_> {
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError> {
        for text in self.presets.take().unwrap_or_default() {
            let candidate = self.candidate(&text);
            if !self.open.iter().any(|(own, _)| *own == candidate) {
                self.open.push((candidate, Vec::new()));
            }
        }
        while self.open.is_empty() {
            let walk = |source| SearchError::Walk { variant: self.searched.variant.clone(), source };
            let Ask::Evaluate(proposals) = self.search.ask(usize::MAX).map_err(walk)? else { break };
            proposals.iter().for_each(|proposal| self.propose(proposal.id, &proposal.path));
        }
        Ok(self.open.iter().map(|(candidate, _)| candidate.clone()).collect())
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        for ((candidate, ids), evaluated) in std::mem::take(&mut self.open).into_iter().zip(known) {
            let Some(evaluated) = evaluated else {
                self.open.push((candidate, ids));
                continue;
            };
            let report = report(evaluated);
            for id in ids {
                let _ = self.search.tell(id, report.clone()); // as in `propose`
            }
            let time_ns = report.evaluation.time_ns();
            self.told.insert(candidate.choice, report);
            let time_ns = time_ns.map(|time_ns| (candidate.configuration, time_ns));
            self.searched.times_ns.extend(time_ns);
        }
    }

    fn finish(self: Box<Self>) -> Searched {
        let evaluations = self.told.len() + self.without_text;
        let mut searched = self.searched;
        // Whatever the order in which they were told.
        searched.times_ns.sort_by(|(a, _), (b, _)| a.cmp(b));
        let best = searched.times_ns.iter().min_by(|(_, a), (_, b)| a.total_cmp(b)).cloned();
        let (best, best_ns) = best.unzip();
        Searched { evaluations, failed: evaluations - searched.times_ns.len(), best, best_ns, ..searched }
    }
}

/// What a colony learns from: also what each part took, which its decisions alone are to answer for.
fn report(evaluated: Evaluated) -> Report {
    let Evaluated { outcome, reason, parts, .. } = evaluated;
    let part = |PartTime { name, time_ns, metrics }| PartReport {
        part: name.into(),
        time_ns,
        metrics: metrics.into_iter().collect(),
    };
    let parts = parts.into_iter().map(part).collect();
    Report { parts, ..evaluation(outcome, &reason).into() }
}

/// As the user asks for it.
fn name(strategy: &PathStrategy) -> &'static str {
    match strategy {
        PathStrategy::Genetic => nitro_search::Strategy::Genetic.name(),
        PathStrategy::Random => nitro_search::Strategy::Random.name(),
        _ => nitro_search::Strategy::Ants.name(),
    }
}
