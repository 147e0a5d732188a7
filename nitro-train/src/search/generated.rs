//! Searches of generated code: paths through the decisions of a generator become texts, and these configurations of
//! its variant. First come its presets.

use std::collections::HashMap;

use nitro_core::recording::PartTime;
use nitro_core::{Choice, DeviceEntry, Function, MAX_ARTIFACT_BYTES};
use nitro_learn::configurations::evaluation;
use nitro_search::{
    Ask, Budget, Crossing, Decisions, Engine, Failure, PartReport, Path, Paths, Report, Step,
};
use nitro_store::store::Evaluated;

use super::error::SearchError;
use super::plan::candidate_of;
use super::result::Reasons;
use super::{GeneratedVariant, SearchPlan, SearchResult, VariantSearch};
use crate::generate::Generator;
use crate::measure::Candidate;

/// The search of the generated code of one variant on one input.
pub(crate) struct GeneratedSearch<'a> {
    function: &'static Function,
    variant: usize,
    generator: &'a dyn Generator,
    search: Engine<Paths<DecisionsOf<'a>>>,
    /// What is evaluated first; none once it was asked for.
    presets: Option<Vec<String>>,
    /// What was asked for and is not told yet, with the paths that gave it.
    open: Vec<Open>,
    /// What each text gave: several paths may give one.
    told: HashMap<Choice, Report>,
    /// Paths of which nothing can be made.
    without_text: usize,
    device: &'a DeviceEntry,
    /// Whether what cannot be faster than the best is left out: until something takes less than its bound.
    trusts_bounds: bool,
    reasons: Reasons,
    result: SearchResult,
}

/// The decisions of a generator, which may be shared by threads.
struct DecisionsOf<'a>(&'a dyn Generator);

impl Decisions for DecisionsOf<'_> {
    fn next(&self, path: &[Crossing]) -> Step {
        self.0.decisions().next(path)
    }
}

/// A text that was asked for.
struct Open {
    candidate: Candidate,
    paths: Vec<Path>,
    /// What it takes at least, where that is known.
    bound_ns: Option<f64>,
}

impl<'a> GeneratedSearch<'a> {
    /// A search that has not begun.
    pub(crate) fn new(
        plan: &SearchPlan<'_>,
        sought: &GeneratedVariant<'a>,
        function: &'static Function,
        device: &'a DeviceEntry,
        input: &str,
    ) -> Self {
        let GeneratedVariant { variant, generator } = *sought;
        let presets = sought.usable_presets(plan.evaluations);
        let strategy = plan.path_strategy();
        let budget = Budget::evaluations(plan.evaluations - presets.len());
        let walks = strategy.over_paths(plan.seed).expect("the plan has looked");
        let name = function.variants()[variant].name();
        let result = SearchResult::of(function.name(), name, device, input, strategy.into());
        Self {
            function,
            variant,
            generator,
            search: Engine::new(Paths::new(DecisionsOf(generator), walks), budget),
            presets: Some(presets),
            open: Vec::new(),
            told: HashMap::new(),
            without_text: 0,
            device,
            trusts_bounds: true,
            reasons: Reasons::default(),
            result,
        }
    }

    /// Asks for a path, which may be one that cannot be faster than the best, one that nothing can be made of, or
    /// give a text that is known.
    fn propose(&mut self, path: Path) {
        let tell = |search: &mut Engine<_>, report: Report| {
            // It was asked for and not told, and the figures are such as a store keeps.
            let _ = search.tell(&path, report);
        };
        let bound_ns = self.generator.bound_ns(&path, &|feature| self.device.feature(feature));
        let bound_ns = bound_ns.filter(|bound_ns| self.trusts_bounds && !bound_ns.is_nan());
        if let Some((bound_ns, best_ns)) = bound_ns.zip(self.best_ns()).filter(|(bound, best)| bound >= best)
        {
            let SearchResult { variant, input, .. } = &self.result;
            tracing::debug!(
                variant,
                input,
                bound_ns,
                best_ns,
                "a path is skipped: it is no faster than the best"
            );
            self.result.skipped += 1;
            return tell(&mut self.search, Report::failed(Failure::Skipped));
        }
        let text = match self.generator.artifact(&path) {
            Ok(text) if text.len() <= MAX_ARTIFACT_BYTES => text,
            unusable => {
                let (variant, error) = (&self.result.variant, unusable.err());
                tracing::debug!(variant, ?error, most_bytes = MAX_ARTIFACT_BYTES, "a path gives no code");
                self.without_text += 1;
                return tell(&mut self.search, Report::failed(Failure::Invalid));
            }
        };
        let candidate = candidate_of(self.function, self.variant, &text);
        if let Some(known) = self.told.get(&candidate.choice) {
            return tell(&mut self.search, known.clone());
        }
        match self.open.iter_mut().find(|own| own.candidate == candidate) {
            Some(own) => own.paths.push(path),
            None => self.open.push(Open { candidate, paths: vec![path], bound_ns }),
        }
    }

    /// The best time of all that was told: the same for whoever searches together, since a step is proposed once
    /// all before it is told.
    fn best_ns(&self) -> Option<f64> {
        self.told.values().filter_map(|report| report.evaluation.time_ns()).reduce(f64::min)
    }

    /// A bound that something is faster than says nothing of anything else either.
    fn check(&mut self, candidate: &Candidate, bound_ns: Option<f64>, time_ns: f64) {
        if let Some(bound_ns) = bound_ns.filter(|bound_ns| time_ns < *bound_ns) {
            let SearchResult { variant, input, .. } = &self.result;
            let configuration = &candidate.configuration;
            tracing::warn!(
                variant,
                input,
                configuration,
                time_ns,
                bound_ns,
                "took less than its lower bound: no path is skipped any more, and of those that were some may be faster"
            );
            self.trusts_bounds = false;
        }
    }
}

impl VariantSearch for GeneratedSearch<'_> {
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError> {
        for text in self.presets.take().unwrap_or_default() {
            let candidate = candidate_of(self.function, self.variant, &text);
            if !self.open.iter().any(|own| own.candidate == candidate) {
                self.open.push(Open { candidate, paths: Vec::new(), bound_ns: None });
            }
        }
        while self.open.is_empty() {
            let walk = |source| SearchError::Walk { variant: self.result.variant.clone(), source };
            let Ask::Evaluate(paths) = self.search.ask(usize::MAX).map_err(walk)? else { break };
            paths.into_iter().for_each(|path| self.propose(path));
        }
        Ok(self.open.iter().map(|own| own.candidate.clone()).collect())
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        for (open, evaluated) in std::mem::take(&mut self.open).into_iter().zip(known) {
            let Some(evaluated) = evaluated else {
                self.open.push(open);
                continue;
            };
            let Open { candidate, paths, bound_ns } = open;
            self.reasons.note(&evaluated.reason);
            let report = report(evaluated);
            for path in paths {
                let _ = self.search.tell(&path, report.clone()); // as in `propose`
            }
            let time_ns = report.evaluation.time_ns();
            time_ns.into_iter().for_each(|time_ns| self.check(&candidate, bound_ns, time_ns));
            self.told.insert(candidate.choice, report);
            let time_ns = time_ns.map(|time_ns| (candidate.configuration, time_ns));
            self.result.times_ns.extend(time_ns);
        }
    }

    fn finish(self: Box<Self>) -> SearchResult {
        self.result.ended(self.told.len() + self.without_text, self.reasons)
    }
}

/// What a colony learns from: also what each part took, which its decisions alone are to answer for.
fn report(evaluated: Evaluated) -> Report {
    let Evaluated { outcome, parts, .. } = evaluated;
    let part = |PartTime { name, time_ns, metrics }| PartReport {
        part: name.into(),
        time_ns,
        metrics: metrics.into_iter().collect(),
    };
    let parts = parts.into_iter().map(part).collect();
    Report { parts, ..evaluation(outcome).into() }
}
