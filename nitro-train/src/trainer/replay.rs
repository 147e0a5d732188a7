//! Replays: searches that take their answers from the store.

use std::sync::Arc;

use nitro_learn::configurations::{ConfigurationsError, Measured, answers};
use nitro_search::{Evaluation, Replay, Sources};
use nitro_store::recordings::Recordings;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use crate::search::{
    Floor, ReplayExtent, ReplayResult, SearchError, Strategy, Until, replay_figures, source_names,
};

/// The settings of replays.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayRequest {
    /// The functions, and the recordings.
    pub data: DataRequest,
    /// The variant; without one, every variant with configurations.
    pub variant: Option<String>,
    /// The strategies, one after the other.
    pub strategies: Vec<Strategy>,
    /// The rule by which a search stops before that, for functions of which a floor is known.
    pub until: Option<Until>,
    /// The most evaluations of a search.
    pub evaluations: usize,
    /// The recorded devices to search on; empty for each in turn.
    pub devices: Vec<String>,
    /// The devices that strategies may learn from; without, all others than the one that is searched on.
    pub sources: Option<Vec<String>>,
    /// The seed of the first search; the others follow it.
    pub seed: u64,
    /// Number of searches.
    pub seeds: usize,
}

impl Default for ReplayRequest {
    fn default() -> Self {
        let (data, variant, until, devices, sources) = Default::default();
        let strategies = vec![Strategy::Transfer];
        Self {
            data,
            variant,
            strategies,
            until,
            evaluations: 200,
            devices,
            sources,
            seed: crate::DEFAULT_SEED,
            seeds: 20,
        }
    }
}

impl Trainer {
    /// Searches the configurations that the store holds as if nothing were known of the device.
    ///
    /// Nothing is run: what a search evaluates is answered from the recordings, and it learns no other time of that
    /// device. The result says how good the best found was after so many evaluations. The searches are made as the
    /// iterator is asked for them.
    ///
    /// A configuration that was never measured on the device counts as failed. One that no device and input admits
    /// is not part of the space.
    ///
    /// ```
    /// use nitro_train::search::Strategy;
    /// use nitro_train::{DataRequest, ReplayRequest, Trainer};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let entry = |tile: u32, ms: u32| format!(r#""{tile}": {{"tile": {tile}, "time": {ms}}}"#);
    /// let cache = |device: &str, scale: u32| {
    ///     let entries: Vec<_> = (1..=8).map(|tile| entry(tile, scale * (3 + tile.abs_diff(5)))).collect();
    ///     let (head, entries) = (format!(r#""device_name": "{device}""#), entries.join(","));
    ///     let text = format!(r#"{{{head}, "tune_params_keys": ["tile"], "cache": {{{entries}}}}}"#);
    ///     let file = folder.path().join(device);
    ///     std::fs::write(&file, text).map(|()| file)
    /// };
    /// let (trainer, store) = (Trainer::new(), folder.path().join("my.db").display().to_string());
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// trainer.import_kernel_tuner("mm", &[cache("A100", 1)?, cache("A4000", 3)?], &data)?;
    ///
    /// let request = ReplayRequest { data, strategies: vec![Strategy::Random], ..ReplayRequest::default() };
    /// let replayed = trainer.replay(&request)?.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!((replayed.len(), &*replayed[0].device, replayed[0].configurations), (2, "A100", 8));
    /// assert!(replayed[0].best_after[&5] > replayed[0].best_after[&1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings, no variant has configurations, or a variant or device is not there.
    pub fn replay<'t>(
        &'t self,
        request: &'t ReplayRequest,
    ) -> Result<impl Iterator<Item = Result<ReplayResult, TrainError>> + 't, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let mut jobs = Vec::new();
        let functions = store.functions(&request.data.functions)?;
        for function in &functions {
            let recordings = store.load_all(function)?;
            match self.jobs(&recordings, request) {
                // Of many functions some have none.
                Err(SearchError::Configurations(ConfigurationsError::NoSpace { .. }))
                    if request.data.functions.is_empty() && functions.len() > 1 => {}
                found => jobs.extend(found?),
            }
        }
        if jobs.is_empty() {
            let none = ConfigurationsError::NoSpace { function: functions.join("`, `") };
            return Err(SearchError::from(none).into());
        }
        Ok(jobs.into_iter().map(move |job| Ok(self.replayed(job, request))))
    }

    /// Returns the searches, one a space, input, device and strategy.
    fn jobs(&self, recordings: &Recordings, request: &ReplayRequest) -> Result<Vec<Job>, SearchError> {
        let devices = Devices::of(recordings, request)?;
        let spaces = Measured::of(recordings, request.variant.as_deref())?;
        let mut jobs = Vec::new();
        for (measured, input) in
            spaces.iter().flat_map(|own| (0..recordings.inputs.len()).map(move |at| (own, at)))
        {
            let found = measured.answers(input);
            for &target in devices.targets.iter().filter(|target| found.contains_key(target)) {
                let (device, known) = (&recordings.devices[target].id, &found[&target]);
                if !known.iter().flatten().any(|answer| answer.time_ns().is_some()) {
                    self.tell(format!("{}: nothing has a time on {device}", recordings.function));
                    continue;
                }
                self.tell_of_gaps(recordings, device, known);
                let sources: Vec<usize> = devices
                    .sources
                    .iter()
                    .filter(|own| **own != target && found.contains_key(own))
                    .copied()
                    .collect();
                let sources_data = Arc::new(measured.sources(&found, target, &sources));
                let replay = Arc::new(Replay::new(Arc::clone(&measured.space), answers(known)));
                let rule = self.rule(recordings, (target, input), request.until, replay.best_ns())?;
                jobs.extend(request.strategies.iter().map(|&strategy| Job {
                    function: recordings.function.clone(),
                    variant: (spaces.len() > 1).then(|| measured.variant().to_owned()),
                    device: device.clone(),
                    input: recordings.inputs[input].name.clone(),
                    strategy,
                    sources: Arc::clone(&sources_data),
                    replay: Arc::clone(&replay),
                    rule: rule.clone(),
                }));
            }
        }
        Ok(jobs)
    }

    /// Returns the floor of an input on a recorded device with the time at which a search is over; none without a rule.
    ///
    /// # Errors
    /// When there is a rule and no floor, and when the best time is under the floor.
    fn rule(
        &self,
        recordings: &Recordings,
        (device, input): (usize, usize),
        until: Option<Until>,
        best_ns: f64,
    ) -> Result<Option<(Floor, f64)>, SearchError> {
        let (function, device) = (&recordings.function, &recordings.devices[device]);
        let input = &recordings.inputs[input].name;
        let floors = self.find(function).map(|tunable| tunable.floors()).unwrap_or_default();
        let feature = |name: &str| device.features.get(name).copied();
        let (floor, target_ns) = floors.target(until, (function, &device.id, input), &feature)?;
        let recorded = || format!("recorded of {function} on {}, input {input}", device.id);
        floor.as_ref().map_or(Ok(()), |floor| floor.check(best_ns, recorded))?;
        Ok(floor.zip(target_ns))
    }

    fn tell_of_gaps(&self, recordings: &Recordings, device: &str, known: &[Option<Evaluation>]) {
        let unknown = known.iter().filter(|answer| answer.is_none()).count();
        if unknown > 0 {
            let (function, all) = (&recordings.function, known.len());
            self.tell(format!(
                "{function}: {unknown} of {all} configurations were never measured on {device}; they count as \
                 failed there"
            ));
        }
    }

    fn replayed(&self, job: Job, request: &ReplayRequest) -> ReplayResult {
        let Job { function, variant, device, input, strategy, sources, replay, rule } = job;
        let extent =
            ReplayExtent { evaluations: request.evaluations, first_seed: request.seed, seeds: request.seeds };
        let (figures, stopped) = replay_figures(&replay, strategy, &sources, extent, rule);
        self.tell(format!("{function} on {device}: {strategy}"));
        ReplayResult {
            function,
            variant,
            device,
            input,
            strategy: figures.strategy,
            sources: source_names(strategy, &sources),
            configurations: figures.configurations,
            valid: figures.valid,
            seeds: figures.seeds,
            best_after: figures.best_after,
            evaluations_to_95: figures.evaluations_to_95,
            never_95: figures.never_95,
            stopped,
        }
    }
}

/// Searches of one space on one device and input by one strategy.
struct Job {
    function: String,
    variant: Option<String>,
    device: String,
    input: String,
    strategy: Strategy,
    sources: Arc<Sources>,
    replay: Arc<Replay>,
    /// The floor of the input, and the time at which a search is over.
    rule: Option<(Floor, f64)>,
}

/// Positions of devices in the recordings.
struct Devices {
    targets: Vec<usize>,
    sources: Vec<usize>,
}

impl Devices {
    fn of(recordings: &Recordings, request: &ReplayRequest) -> Result<Self, SearchError> {
        let targets = Some(request.devices.as_slice()).filter(|names| !names.is_empty());
        let sources = request.sources.as_deref();
        Ok(Self { targets: positions(recordings, targets)?, sources: positions(recordings, sources)? })
    }
}

/// Returns the positions of the named devices; those of all without names.
fn positions(recordings: &Recordings, names: Option<&[String]>) -> Result<Vec<usize>, SearchError> {
    let Some(names) = names else { return Ok((0..recordings.devices.len()).collect()) };
    let mut positions = Vec::new();
    for name in names {
        let position = recordings.device_index(name);
        positions.push(position.ok_or_else(|| SearchError::no_such_device(recordings, name))?);
    }
    Ok(positions)
}
