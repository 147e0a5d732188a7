//! The search for configurations that nobody has measured here yet, the fastest first.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use nitro_core::{Choice, DeviceId, Function, Regime, choice_text};
use nitro_store::printable::{list, sentence};
use nitro_store::recordings::{Recordings, named_artifact};
use serde::Serialize;
use tempfile::TempDir;

use super::builder::Trainer;
use super::devices::or_whole_host;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::profile::{Counting, ProfileRequest};
use super::recorder::{FailedRecording, Recorded, Recorder};
use super::request::{DataRequest, at_least_one, repeats};
use super::tunable::Tunable;
use crate::measure::{Candidate, Counters, Plan, Prepare, RecordedInputs, Repeats, Share, Spent, timed};
use crate::search::{
    SearchError, SearchPlan, SearchResult, SearchStrategy, Searches, Until, select_configurations,
};

/// The settings of a search: what to search, where and how.
#[derive(Args, Clone, Debug)]
pub struct SearchRequest {
    /// The functions, all with tuning parameters without names, and the store.
    #[command(flatten)]
    pub data: DataRequest,
    /// Variant to search [default: every one with tuning parameters]
    #[arg(long, value_name = "V")]
    pub variant: Option<String>,
    /// The strategy. Without one, `transfer` among configurations that are listed and an ant colony where code is
    /// generated, which only `ants`, `genetic`, `random` and [`SearchStrategy::Prove`] search.
    #[arg(skip)]
    pub strategy: Option<SearchStrategy>,
    /// With --strategy prove: stop once nothing can be faster than the best by more than so many percent
    #[arg(long = "within", value_name = "PERCENT", default_value_t = 0.0, conflicts_with = "replay")]
    #[arg(value_parser = percent)]
    pub within_percent: f64,
    /// With --strategy prove: let one point stand for all that differ only in what seldom matters, as the order of
    /// unrolled loops. Some are timed beside it, and the proof says how far they differ
    #[arg(long, conflicts_with = "replay")]
    pub classes: bool,
    /// Stop a search once its best has this share of the speed that memory and arithmetic allow at most, for functions
    /// of which that is known
    #[arg(long, value_name = "P%-of-floor")]
    pub until: Option<Until>,
    /// Most evaluations for each device and input, failed ones counted. With --strategy prove a search that they end
    /// says how much is left to prove, and goes on with more
    #[arg(long, value_name = "N", default_value_t = EVALUATIONS, value_parser = at_least_one())]
    pub evaluations: usize,
    /// Device to search on, for example host:4 or cuda:0 [default: host with all threads]. With --replay a recorded
    /// device [default: each in turn]. Repeat for several
    #[arg(long = "device", value_name = "D")]
    pub devices: Vec<String>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub inputs: Option<PathBuf>,
    /// Devices to learn from, separated by commas, or none [default: all others]
    #[arg(long, value_name = "D,..", value_delimiter = ',')]
    pub sources: Option<Vec<String>>,
    /// Seed of everything random
    #[arg(long, default_value_t = crate::DEFAULT_SEED)]
    pub seed: u64,
    /// Most configurations of a function to measure on every input after the search, those that bring most
    #[arg(long, value_name = "K", default_value_t = KEPT, conflicts_with = "replay")]
    pub keep: usize,
    /// Time for the repeats of one configuration on one input, in milliseconds
    #[arg(long = "repeat-ms", value_name = "MS", default_value = "60", conflicts_with = "replay")]
    #[arg(value_parser = repeats())]
    pub repeats: Repeats,
    /// Metrics that ants learn from besides times: those counted without a profiler, or hardware counters too. These
    /// are read by Nsight Compute, which takes seconds for each evaluation of generated code
    #[arg(long, value_enum, value_name = "M", default_value_t = MetricsSource::Counted, conflicts_with = "replay")]
    pub metrics: MetricsSource,
    /// The recorders with whom the inputs are shared.
    #[arg(skip)]
    pub share: Share,
}

/// Evaluations of a search where the user says nothing.
const EVALUATIONS: usize = 200;
/// Configurations that are kept then.
const KEPT: usize = 16;

/// Reads a share of a time, in percent.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..100.0).contains(percent));
    percent.ok_or_else(|| "write a number from 0 to less than 100".to_owned())
}

impl Default for SearchRequest {
    fn default() -> Self {
        let (data, variant, strategy, classes, until, devices, inputs, sources, repeats, metrics, share) =
            Default::default();
        let (evaluations, seed, keep, within_percent) = (EVALUATIONS, crate::DEFAULT_SEED, KEPT, 0.0);
        Self {
            data,
            variant,
            strategy,
            within_percent,
            classes,
            until,
            evaluations,
            devices,
            inputs,
            sources,
            seed,
            keep,
            repeats,
            metrics,
            share,
        }
    }
}

/// The metrics that ants learn from besides times ([`SearchRequest::metrics`]).
///
/// Where what is best so far has little of something, what promises much of it is tried.
///
/// ```
/// use nitro_train::{MetricsSource, SearchRequest};
///
/// let request = SearchRequest { metrics: MetricsSource::Ncu, ..SearchRequest::default() };
/// // Where there is no profiler, `Trainer::search` says what to install.
/// assert_ne!(request.metrics, MetricsSource::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MetricsSource {
    /// Metrics known without a profiler, as the occupancy of each kernel
    #[default]
    Counted,
    /// Hardware counters too, by Nsight Compute. It watches a further call of each evaluated code, in a process of its
    /// own
    Ncu,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SearchSummary {
    /// The results, one a variant, device and input.
    pub searched: Vec<SearchResult>,
    /// The choices that were measured on every input then, and are in the store.
    pub kept: Vec<Kept>,
    /// The recordings of the configurations that were kept.
    pub recorded: Vec<Recorded>,
    /// What the searches took, one of each function on each device.
    pub took: Vec<SearchTime>,
    /// The functions whose search ended early, each with its device; what was evaluated until then is kept.
    pub failed: Vec<FailedRecording>,
}

/// The time of the search of one function on one device, in this process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchTime {
    /// The function.
    pub function: String,
    /// The device as the request names it.
    pub device: String,
    /// The seconds of its evaluations.
    #[serde(flatten)]
    pub evaluations: Spent,
    /// The seconds in which the choices that are kept were measured on every input.
    pub keeping_s: f64,
}

/// The choices of one function that a search on a device has left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The function.
    pub function: String,
    /// The device as the request names it.
    pub device: String,
    /// Variants with their configurations, those that bring most first.
    pub choices: Vec<String>,
}

impl Trainer {
    /// Searches the configurations of variants with tuning parameters, input by input, and measures the best on all
    /// inputs.
    ///
    /// At most [`SearchRequest::keep`] configurations are measured so, beside the default of every variant.
    /// [`fit`](Self::fit) learns to pick among them.
    ///
    /// Everything that was evaluated is in the store: a search that was stopped goes on as if it had not been. Several
    /// programs search together if they share a store and ask for the same; each of them sees every search to its end.
    /// The measurements of other devices when a search began are in the store too, so the same request is the same
    /// search, whatever has been measured since. Another [`seed`](SearchRequest::seed) begins another, at no cost for
    /// what was evaluated before. Everything runs in this process, as with [`record`](Self::record).
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = values.len()),
    /// #         variants(plain, blocked { block in pow2(1..=64) = 8 }), default = plain, crate = nitro)]
    /// #     pub fn sum(values: &[u32]) -> u32;
    /// #     fn plain(values: &[u32]) -> u32 { values.iter().sum() }
    /// #     fn blocked(p: sum::Blocked, values: &[u32]) -> u32 { values.chunks(p.block).flatten().sum() }
    /// # }
    /// # use app::sum;
    /// use nitro_train::measure::Repeats;
    /// use nitro_train::search::Strategy;
    /// use nitro_train::{DataRequest, SearchRequest, Trainer};
    ///
    /// // A function of variants `plain` and `blocked { block in pow2(1..=64) }`.
    /// let trainer = Trainer::new().function(sum::function(), |session| {
    ///     let values: Vec<u32> = (0..1000).collect();
    ///     Ok(session.input("thousand", || sum(&values))?)
    /// });
    /// let folder = tempfile::tempdir()?;
    /// let store = folder.path().join("my.db").display().to_string();
    /// let summary = trainer.search(&SearchRequest {
    ///     data: DataRequest { store: Some(store), ..DataRequest::default() },
    ///     strategy: Some(Strategy::Random.into()),
    ///     evaluations: 4,
    ///     keep: 2,
    ///     devices: vec!["host:1".into()],
    ///     repeats: Repeats { budget_ns: 1e5, ..Repeats::default() },
    ///     ..SearchRequest::default()
    /// })?;
    /// assert_eq!((summary.searched[0].configurations, summary.searched[0].evaluations), (7, 4));
    /// assert!(summary.kept[0].choices[0].starts_with("blocked{block="));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`record`](Self::record), and when no function has tuning parameters. A function that fails is among
    /// [`SearchSummary::failed`], and the others are searched; where all do, the first failure is the error.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchSummary, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let (mut summary, mut first_error) = (SearchSummary::default(), None);
        for name in or_whole_host(&request.devices) {
            let device = self.open_device(&name)?;
            for tunable in self.searchable(request, &name)? {
                let recorder = self.recorder(tunable, &name, &*device);
                match self.search_on(&recorder, request, &mut store, &mut summary) {
                    Ok(()) => {}
                    Err(error) if error.ends_the_process() => return Err(error),
                    // Few functions have a variant of which something can be proved.
                    Err(error @ TrainError::Search(SearchError::NoProof { .. }))
                        if request.data.functions.is_empty() =>
                    {
                        self.tell(format!("passed over: {}", sentence(&error)));
                        first_error.get_or_insert(error);
                    }
                    Err(error) => {
                        summary.failed.push(recorder.failed(&error, "searched"));
                        first_error.get_or_insert(error);
                    }
                }
            }
        }
        match first_error {
            Some(error) if summary.recorded.is_empty() => Err(error),
            _ => Ok(summary),
        }
    }

    /// Returns the functions to search on this device.
    fn searchable(&self, request: &SearchRequest, device: &str) -> Result<Vec<&Tunable>, TrainError> {
        if self.tunables.is_empty() {
            return Err(TrainError::NoFunctions);
        }
        let names = &request.data.functions;
        let (searchable, lacking): (Vec<_>, Vec<_>) =
            self.wanted_on(names, device)?.into_iter().partition(|own| own.has_space());
        match lacking.first() {
            Some(lacks) if !names.is_empty() || searchable.is_empty() => Err(lacks.no_space().into()),
            _ => Ok(searchable),
        }
    }

    /// Searches one function on one device, and measures on every input what is worth it.
    fn search_on(
        &self,
        recorder: &Recorder<'_>,
        request: &SearchRequest,
        store: &mut LayeredStore<'_>,
        summary: &mut SearchSummary,
    ) -> Result<(), TrainError> {
        let function = recorder.tunable.function;
        let others = store
            .load_if_recorded(function.name())?
            .unwrap_or_else(|| Recordings { function: function.name().to_owned(), ..Recordings::default() });
        let search_plan = self.search_plan(request, recorder.tunable, others)?;
        let mut searches = Searches::new(search_plan, function, recorder.device.entry())?;
        let inputs = recorder.tunable.inputs(request.inputs.as_deref());
        let plan = Plan::new(inputs, request.repeats, request.share.clone());
        let searched_inputs = self.run_searches(recorder, request, &plan, &mut searches, store)?;
        let evaluations = searches.spent();
        let searched = searches.into_found();
        let chosen: Vec<String> = select_configurations(&searched, request.keep)
            .into_iter()
            .map(|(variant, configuration)| choice_text(&variant, &configuration))
            .collect();
        recorder.say(&format!("measuring {} on every input", chosen.join(", ")));
        let candidates = candidates(function, &chosen);
        // Before they are measured: whoever goes on from here, on whatever machine, knows what was kept.
        for text in candidates.iter().filter_map(artifact_text) {
            store.writable()?.put_artifact(function.name(), text)?;
        }
        let plan = Plan { candidates: Some(candidates), ..plan };
        let (keeping_s, inputs) = timed(|| recorder.record(&plan, store.writable()?));
        let mut inputs = inputs?;
        recorder.say(&format!("searched in {evaluations}; then {keeping_s:.1} to measure what is kept"));
        inputs.failed.extend(searched_inputs.failed);
        summary.searched.extend(searched);
        summary.recorded.push(recorder.summary(inputs, store.writable()?)?);
        let (function, device) = recorder.names();
        let (own_function, own_device) = (function.clone(), device.clone());
        summary.took.push(SearchTime { function: own_function, device: own_device, evaluations, keeping_s });
        summary.kept.push(Kept { function, device, choices: chosen });
        Ok(())
    }

    /// Brings the searches of one function on one device to their end.
    fn run_searches(
        &self,
        recorder: &Recorder<'_>,
        request: &SearchRequest,
        plan: &Plan<'_>,
        searches: &mut Searches<'_>,
        store: &mut LayeredStore<'_>,
    ) -> Result<RecordedInputs, TrainError> {
        let Recorder { tunable, device_name, .. } = *recorder;
        recorder.say(&format!("searching, at most {} evaluations an input", request.evaluations));
        for (variant, presets) in tunable.presets() {
            if request.variant.as_ref().is_none_or(|own| own == variant) && !presets.is_empty() {
                let (function, presets) = (tunable.name(), list(&presets));
                self.tell(format!("{function}: the search of `{variant}` begins with {presets}"));
            }
        }
        // The next candidates are compiled while one is timed, and for a device in all regimes.
        let device = DeviceId::new(device_name).in_regime(Regime::Eager);
        let prepare = tunable.prepare.as_ref().map(|prepare| |choice| prepare(choice, &device));
        let prepare = prepare.as_ref().map(|prepare| Prepare(prepare));
        let profile = match request.metrics {
            MetricsSource::Counted => None,
            MetricsSource::Ncu => Some(self.counters_of(recorder, request)?),
        };
        // Counting calls each candidate once more, in a process that a profiler watches.
        let counting = profile
            .as_ref()
            .map(|(profile, folder)| Counting::new((tunable, device_name), profile, &*self.observer, folder));
        let counting = counting.transpose()?;
        let count =
            counting.as_ref().map(|counting| |choice: Choice, input: &str| counting.of(choice, input));
        let counters = count.as_ref().map(|count| Counters(count));
        let plan = Plan { prepare, counters, ..plan.clone() };
        recorder.evaluate(&plan, searches, store.writable()?)
    }

    /// Returns the request to a profiler of a device that has counters, and the folder of its logs.
    fn counters_of(
        &self,
        recorder: &Recorder<'_>,
        request: &SearchRequest,
    ) -> Result<(ProfileRequest, TempDir), TrainError> {
        if recorder.device.profiled().is_none() {
            return Err(TrainError::NoCounters { device: recorder.device_name.to_owned() });
        }
        let folder = tempfile::tempdir().map_err(TrainError::io("a folder for logs"))?;
        Ok((Counting::request(request.inputs.as_deref(), &folder), folder))
    }

    fn search_plan<'t>(
        &self,
        request: &SearchRequest,
        tunable: &'t Tunable,
        others: Recordings,
    ) -> Result<SearchPlan<'t>, TrainError> {
        let unknown = request.sources.iter().flatten().find(|name| others.device_index(name).is_none());
        if let Some(device) = unknown {
            return Err(SearchError::no_such_device(&others, device).into());
        }
        let SearchRequest {
            variant,
            strategy,
            within_percent,
            classes,
            until,
            evaluations,
            seed,
            sources,
            ..
        } = request.clone();
        let generators = tunable.generators();
        Ok(SearchPlan {
            variant,
            strategy,
            within_percent,
            classes,
            generators,
            floors: tunable.floors(),
            until,
            evaluations,
            seed,
            others,
            sources,
            ..SearchPlan::default()
        })
    }
}

/// Returns every variant with its default configuration, which generated code does not have, and the chosen ones.
fn candidates(function: &'static Function, chosen: &[String]) -> Vec<Candidate> {
    let chosen = chosen.iter().filter_map(|text| function.choice(text).ok());
    let mut choices: Vec<Choice> = function.default_choices().collect();
    choices.retain(|own| function.variants()[own.variant].parameters().artifact().is_none());
    choices.extend(chosen);
    choices.sort();
    choices.dedup();
    choices.into_iter().map(|choice| Candidate::of(function, choice)).collect()
}

/// Returns the text of generated code, which this process knows since its search has asked for it.
fn artifact_text(candidate: &Candidate) -> Option<&'static str> {
    named_artifact(&candidate.configuration)?.text()
}
