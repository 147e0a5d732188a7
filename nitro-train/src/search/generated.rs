//! The search of generated code: paths through the decisions of a generator become texts, and these configurations.
//! First come the generator's presets.

use std::collections::HashMap;

use nitro_core::{Choice, DeviceEntry, Function, MAX_ARTIFACT_BYTES};
use nitro_learn::configurations::evaluation;
use nitro_search::{Ask, Budget, Decisions, Engine, Failure, PartReport, Path, PathBound, Paths, Report};
use nitro_store::store::Evaluated;

use super::error::SearchError;
use super::plan::candidate_of;
use super::result::Reasons;
use super::{GeneratedVariant, SearchPlan, SearchResult, VariantSearch};
use crate::generate::Generator;
use crate::measure::Candidate;

/// A search of the generated code of one variant on one input.
pub(crate) struct GeneratedSearch<'a> {
    function: &'static Function,
    variant: usize,
    generator: &'a dyn Generator,
    search: Engine<Paths<&'a dyn Decisions>>,
    /// The texts that are evaluated first; none once they were asked for.
    presets: Option<Vec<String>>,
    /// The paths of the first step, which are drawn when the presets are asked for, with what is made of them.
    drawn: Vec<(Path, Option<Candidate>)>,
    /// The texts that were asked for and are not told yet.
    open: Vec<OpenText>,
    /// The report of each text: several paths may give one.
    told: HashMap<Choice, Report>,
    /// Number of paths of which nothing can be made.
    without_text: usize,
    /// The lower bound of times, by which paths are skipped; none once something took less than its bound.
    bound: Option<PathBound<'a>>,
    reasons: Reasons,
    result: SearchResult,
}

/// A text that was asked for and is not told yet.
struct OpenText {
    candidate: Candidate,
    /// The paths that gave it.
    paths: Vec<Path>,
    /// The lower bound of its time, where that is known.
    bound_ns: Option<f64>,
}

impl<'a> GeneratedSearch<'a> {
    /// Creates a search that has not begun.
    pub(crate) fn new(
        plan: &SearchPlan<'_>,
        sought: &GeneratedVariant<'a>,
        function: &'static Function,
        device: &DeviceEntry,
        input: &str,
    ) -> Self {
        let GeneratedVariant { variant, generator } = *sought;
        let presets = sought.first_texts(plan.evaluations, input, device);
        let strategy = plan.path_strategy();
        let budget = Budget::evaluations(plan.evaluations - presets.len());
        let walks = strategy.over_paths(plan.seed).expect("the plan has looked");
        let name = function.variants()[variant].name();
        let result = SearchResult::of(function.name(), name, device, input, strategy.into());
        Self {
            function,
            variant,
            generator,
            search: Engine::new(Paths::new(generator.decisions(), walks), budget),
            presets: Some(presets),
            drawn: Vec::new(),
            open: Vec::new(),
            told: HashMap::new(),
            without_text: 0,
            bound: generator.path_bound(&|feature| device.feature(feature)),
            reasons: Reasons::default(),
            result,
        }
    }

    /// Draws the first paths, on which no preset has an influence, so that they can be compiled beside the presets.
    fn draw_ahead(&mut self) {
        if let Ok(Ask::Evaluate(paths)) = self.search.ask(usize::MAX) {
            self.drawn = paths.into_iter().map(|path| (path.clone(), self.made_of(&path))).collect();
        }
    }

    /// Returns what is made of a path; none where that is nothing, or too long.
    fn made_of(&self, path: &Path) -> Option<Candidate> {
        match self.generator.artifact(path) {
            Ok(text) if text.len() <= MAX_ARTIFACT_BYTES => {
                Some(candidate_of(self.function, self.variant, &text))
            }
            unusable => {
                let (variant, error) = (&self.result.variant, unusable.err());
                tracing::debug!(variant, ?error, most_bytes = MAX_ARTIFACT_BYTES, "a path gives no code");
                None
            }
        }
    }

    /// Opens the text of a path.
    ///
    /// Where the path cannot be faster than the best, nothing can be made of it, or its text is known, the search is
    /// told at once.
    fn propose(&mut self, path: Path, made_of: impl FnOnce(&Self, &Path) -> Option<Candidate>) {
        let bound_ns =
            self.bound.as_ref().and_then(|bound| bound(&path)).filter(|bound_ns| !bound_ns.is_nan());
        if self.is_no_faster(bound_ns) {
            self.result.skipped += 1;
            return self.tell_path(&path, Report::failed(Failure::Skipped));
        }
        let Some(candidate) = made_of(self, &path) else {
            self.without_text += 1;
            return self.tell_path(&path, Report::failed(Failure::Invalid));
        };
        if let Some(known) = self.told.get(&candidate.choice).cloned() {
            return self.tell_path(&path, known);
        }
        match self.open.iter_mut().find(|own| own.candidate == candidate) {
            Some(own) => own.paths.push(path),
            None => self.open.push(OpenText { candidate, paths: vec![path], bound_ns }),
        }
    }

    /// Tells the search what came of a path.
    fn tell_path(&mut self, path: &Path, report: Report) {
        // It was asked for and not told, and the figures are such as a store keeps.
        let _ = self.search.tell(path, report);
    }

    /// Returns true if this lower bound is no faster than the best of all that was told.
    ///
    /// The best is the same for whoever searches together, since a step is proposed once all before it is told.
    fn is_no_faster(&self, bound_ns: Option<f64>) -> bool {
        let best_ns = self.told.values().filter_map(|report| report.evaluation.time_ns()).reduce(f64::min);
        let (Some(bound_ns), Some(best_ns)) = (bound_ns, best_ns) else { return false };
        let SearchResult { variant, input, .. } = &self.result;
        let is_no_faster = bound_ns >= best_ns;
        if is_no_faster {
            tracing::debug!(
                variant,
                input,
                bound_ns,
                best_ns,
                "a path is skipped: it is no faster than the best"
            );
        }
        is_no_faster
    }

    /// Drops the bound if something took less: it says nothing of anything else either.
    fn check_bound(&mut self, candidate: &Candidate, bound_ns: Option<f64>, time_ns: f64) {
        if let Some(bound_ns) = bound_ns.filter(|bound_ns| time_ns < *bound_ns) {
            let SearchResult { variant, input, .. } = &self.result;
            let configuration = &candidate.configuration;
            tracing::warn!(
                variant,
                input,
                configuration,
                time_ns,
                bound_ns,
                "took less than its lower bound: no path is skipped any more, and of those that were some \
                 may be faster"
            );
            self.bound = None;
        }
    }
}

impl VariantSearch for GeneratedSearch<'_> {
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError> {
        let is_first = self.presets.is_some();
        for text in self.presets.take().unwrap_or_default() {
            let candidate = candidate_of(self.function, self.variant, &text);
            if !self.open.iter().any(|own| own.candidate == candidate) {
                self.open.push(OpenText { candidate, paths: Vec::new(), bound_ns: None });
            }
        }
        if is_first && !self.open.is_empty() {
            self.draw_ahead();
        }
        if self.open.is_empty() {
            for (path, made) in std::mem::take(&mut self.drawn) {
                self.propose(path, |_, _| made);
            }
        }
        while self.open.is_empty() {
            match self.search.ask(usize::MAX) {
                Ok(Ask::Evaluate(paths)) => {
                    paths.into_iter().for_each(|path| self.propose(path, Self::made_of));
                }
                Ok(_) => break,
                Err(source) => {
                    return Err(SearchError::Walk { variant: self.result.variant.clone(), source });
                }
            }
        }
        Ok(self.open.iter().map(|own| own.candidate.clone()).collect())
    }

    fn ahead(&self) -> Vec<Candidate> {
        self.drawn.iter().filter_map(|(_, made)| made.clone()).collect()
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        for (open, evaluated) in std::mem::take(&mut self.open).into_iter().zip(known) {
            let Some(evaluated) = evaluated else {
                self.open.push(open);
                continue;
            };
            let OpenText { candidate, paths, bound_ns } = open;
            self.reasons.note(&evaluated.reason);
            let report = report(evaluated);
            for path in paths {
                self.tell_path(&path, report.clone());
            }
            let time_ns = report.evaluation.time_ns();
            self.told.insert(candidate.choice, report);
            if let Some(time_ns) = time_ns {
                self.check_bound(&candidate, bound_ns, time_ns);
                self.result.times_ns.push((candidate.configuration, time_ns));
            }
        }
    }

    fn finish(self: Box<Self>) -> SearchResult {
        self.result.sorted().ended(self.told.len() + self.without_text, self.reasons)
    }
}

/// Makes a report for a colony: also of each part, for whose time its decisions alone are to answer.
fn report(evaluated: Evaluated) -> Report {
    let mut report = Report::from(evaluation(evaluated.outcome));
    for part in evaluated.parts {
        let metrics = part.metrics.into_iter().collect();
        report.parts.push(PartReport { part: part.name.into(), time_ns: part.time_ns, metrics });
    }
    report
}

#[cfg(test)]
mod tests {
    use nitro_core::{Artifact, Parameter, VariantInfo};
    use nitro_search::{BoxError, Crossing, Decision, NodeKey, Step};
    use nitro_store::recordings::Outcome;

    use super::*;

    const PARAMETERS: [Parameter; 1] = [Parameter::artifact("kernel")];
    static VARIANTS: [VariantInfo; 1] = [VariantInfo::new("found").with_parameters(&PARAMETERS)];
    static FUNCTION: Function = Function::new("f", &VARIANTS);

    /// A generator of 1000 numbers, of which it knows one to be sane.
    #[derive(Default)]
    struct Numbers {
        preset: Option<String>,
    }

    impl Decisions for Numbers {
        fn next(&self, path: &[Crossing]) -> Step {
            match path {
                [] => Step::Choose(Decision::new(NodeKey::new("number"), 1000)),
                _ => Step::Complete,
            }
        }

        fn initial_paths(&self) -> Vec<Path> {
            vec![vec![Crossing { node: NodeKey::new("number"), part: None, option: 414 }]]
        }
    }

    impl Generator for Numbers {
        fn decisions(&self) -> &dyn Decisions {
            self
        }

        fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
            Ok(path[0].option.to_string())
        }

        fn presets(&self) -> Vec<(String, String)> {
            self.preset.iter().map(|text| ("preset".to_owned(), text.clone())).collect()
        }
    }

    #[test]
    fn a_colony_begins_with_the_paths_that_its_generator_knows_to_be_sane() {
        let plan = SearchPlan { evaluations: 8, ..SearchPlan::default() };
        let sought = GeneratedVariant { variant: 0, generator: &Numbers::default() };
        let device = DeviceEntry::intern("numbers:0", Vec::new, |_| Vec::new());
        let mut search = GeneratedSearch::new(&plan, &sought, &FUNCTION, device, "x");
        let open = search.open().unwrap();
        assert_eq!(Artifact::from(open[0].choice.configuration).text(), Some("414"));
    }

    #[test]
    fn the_first_paths_can_be_compiled_beside_the_presets_and_are_those_without_any() {
        let device = DeviceEntry::intern("numbers:0", Vec::new, |_| Vec::new());
        let plan = SearchPlan { evaluations: 12, ..SearchPlan::default() };
        let alone = Numbers::default();
        let sought = GeneratedVariant { variant: 0, generator: &alone };
        let expected = GeneratedSearch::new(&plan, &sought, &FUNCTION, device, "x").open().unwrap();
        let plan = SearchPlan { evaluations: 13, ..plan };
        let preset = Numbers { preset: Some("a preset".to_owned()) };
        let sought = GeneratedVariant { variant: 0, generator: &preset };
        let mut search = GeneratedSearch::new(&plan, &sought, &FUNCTION, device, "x");
        assert_eq!(search.open().unwrap().len(), 1, "the preset");
        assert_eq!(search.ahead(), expected);
        let (outcome, load, reason, parts) = (Outcome::Time(1.0), None, String::new(), Vec::new());
        search.tell(vec![Some(Evaluated { outcome, spread_ns: 0.0, repeats: 5, load, reason, parts })]);
        assert_eq!((search.open().unwrap(), search.ahead().len()), (expected, 0));
    }
}
