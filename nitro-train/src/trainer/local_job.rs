//! The main job: selectors learned from other machines' recordings choose here, then measuring here shows how well.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use nitro_core::host;
use nitro_core::model::{Model, file_name};
use nitro_core::provide::OpenDevice;
use nitro_learn::evaluate::{EvaluateError, EvaluateOptions, Split, evaluate_on};
use nitro_learn::{FitOptions, Fitted, fit};
use nitro_stats::random::Random;
use nitro_store::recordings::{DeviceRecord, Recordings};

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::record::RecordSummary;
use super::request::{DataRequest, seconds};
use super::tunable::Tunable;
use crate::measure::{
    Candidate, Clock, Inputs, Plan, Repeats, Share, SystemClock, describe_device, whole_host,
};
use crate::report::assemble::{assemble, device_tables, measured_here};
use crate::report::{LocalResult, ReportData};

/// The text below the heading of the page.
const ABOUT: &str = "Selectors learned from other machines' recordings chose for this machine, which took no part in \
                     their training. Exhaustive measurement here shows what those choices achieve.";

/// The settings of the main job.
#[derive(Args, Clone, Debug)]
pub struct LocalJobRequest {
    /// Device to choose for and to measure on, for example host:4 [default: host with all threads]. A program with CUDA
    /// devices has cuda:0 and partitions such as cuda:0/16sm too
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// The functions, and the store of own measurements. What the program carries is learned from in any case.
    #[command(flatten)]
    pub data: DataRequest,
    /// Folder the models are written to [default: models beside the program, where dispatch looks first]
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS")]
    pub models: Option<PathBuf>,
    /// Time for measuring here, in seconds, making inputs included; if it is short, repeats and then inputs are left
    /// out
    #[arg(long = "budget", value_name = "SECONDS", default_value = "100", value_parser = seconds())]
    pub time: Duration,
    /// The recorders with whom the inputs are shared.
    #[arg(skip)]
    pub share: Share,
}

impl Default for LocalJobRequest {
    fn default() -> Self {
        let (data, device, models, share) = Default::default();
        Self { data, device, models, time: Duration::from_secs(100), share }
    }
}

/// The main job on a device of this machine: [`fit`](Self::fit), [`measure`](Self::measure),
/// [`judge`](Self::judge), in this order.
///
/// ```
/// # let recordings = nitro_store::example();
#[doc = include_str!("example_store.md")]
#[doc = include_str!("../measure/example_desk.md")]
/// # use nitro_train::provide::{DeviceProvider, OpenDevice};
/// # impl OpenDevice for Desk {
/// #     fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), BoxError> { Ok(work()) }
/// # }
/// # struct Desks;
/// # impl DeviceProvider for Desks {
/// #     fn kind(&self) -> &'static str { "desk" }
/// #     fn forms(&self) -> &'static str { "desk:N" }
/// #     fn check(&self, _: &str) -> Result<(), BoxError> { Ok(()) }
/// #     fn open(&self, _: &str) -> Result<Box<dyn OpenDevice>, BoxError> { Ok(Box::new(Desk)) }
/// # }
/// use nitro_train::{DataRequest, LocalJobRequest, Trainer, Tunable};
///
/// // `keys` sorts as many keys as the name of an input says, and the store has recordings of other machines.
/// let sorting = Tunable::new(sort::function(), keys).generated_inputs(["train/10", "train/20", "test/15"]);
/// let trainer = Trainer::new().devices(Desks).tunable(sorting);
/// let mut job = trainer.local_job(&LocalJobRequest {
///     data: DataRequest { store: Some(store), ..DataRequest::default() },
///     device: Some("desk:0".into()),
///     models: Some(folder.path().join("models")),
///     ..LocalJobRequest::default()
/// })?;
/// let fitted = job.fit().into_iter().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(fitted[0].model.provenance.sources, ["large", "small"]);
/// assert!(job.models().join("sort.model").exists());
/// assert_eq!(job.measure()?.recorded[0].inputs, 3);
/// let results = job.judge(&fitted)?;
/// assert_eq!((job.here().id.as_str(), results[0].inputs()), ("desk:0", 1)); // one of the inputs is a test
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LocalJob<'t> {
    trainer: &'t Trainer,
    tunables: Vec<&'t Tunable>,
    name: String,
    device: Box<dyn OpenDevice>,
    here: DeviceRecord,
    store: LayeredStore<'t>,
    models: PathBuf,
    time: Duration,
    share: Share,
}

impl Trainer {
    /// Begins the main job: describes the device, so that its features are known.
    ///
    /// ```no_run
    /// use nitro_train::{LocalJobRequest, Trainer};
    ///
    /// let trainer = Trainer::new(); // .function(..)
    /// let mut job = trainer.local_job(&LocalJobRequest::default())?;
    /// let fitted: Vec<_> = job.fit().into_iter().flatten().collect(); // of those that could be fitted
    /// job.measure()?;
    /// let results = job.judge(&fitted)?;
    /// job.report(&results)?.write("report.html".as_ref())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there is no function for the device, the device cannot be used, or the store cannot be opened.
    pub fn local_job(&self, request: &LocalJobRequest) -> Result<LocalJob<'_>, TrainError> {
        let name = request.device.clone().unwrap_or_else(whole_host);
        let tunables = self.wanted_on(&request.data.functions, &name)?;
        if tunables.is_empty() {
            return Err(TrainError::NoFunctions);
        }
        // The program's recordings are what this job learns from, wherever it keeps its own.
        let mut store = LayeredStore::over_shipped(self, &request.data)?;
        store.functions(&request.data.functions)?; // without any, there is no need to look at the device
        let device = self.open_device(&name)?;
        self.tell(format!(
            "Describing this machine ({name}); what has to be measured is measured once and kept"
        ));
        let here = describe_device(&*device);
        let models = request.models.clone().map_or_else(models_beside_program, Ok)?;
        let (time, share) = (request.time, request.share.clone());
        Ok(LocalJob { trainer: self, tunables, name, device, here, store, models, time, share })
    }
}

impl LocalJob<'_> {
    /// Returns the device as selectors see it.
    #[must_use]
    pub fn here(&self) -> &DeviceRecord {
        &self.here
    }

    /// Returns the folder that models are written to.
    #[must_use]
    pub fn models(&self) -> &Path {
        &self.models
    }

    /// Fits and writes the models that other machines' recordings give for this one.
    ///
    /// Returns one result a function, an error where it was recorded on no other machine, nothing can be learned
    /// from what was, or its model cannot be written.
    pub fn fit(&mut self) -> Vec<Result<Fitted, TrainError>> {
        let names: Vec<&str> = self.tunables.iter().map(|tunable| tunable.name()).collect();
        names.into_iter().map(|function| self.fit_one(function)).collect()
    }

    fn fit_one(&mut self, function: &str) -> Result<Fitted, TrainError> {
        let recordings = self.store.load(function)?;
        let options = FitOptions {
            sources: sources(&recordings, &self.here)?,
            inputs: Some(Split::by_name(&recordings).train),
            known_on_target: Some(self.here.known_features()),
            seed: crate::DEFAULT_SEED,
            ..FitOptions::default()
        };
        let fitted = fit(&recordings, &options)?;
        fitted.model.write(&self.models.join(file_name(function)))?;
        Ok(fitted)
    }

    /// Measures all built-in inputs here, within about the time.
    ///
    /// # Errors
    /// As [`Trainer::record`].
    pub fn measure(&mut self) -> Result<RecordSummary, TrainError> {
        let trainer = self.trainer;
        trainer.tell("Measuring here, to see what those choices achieve; a stopped run goes on where it was");
        let (mut summary, mut first_error) = (RecordSummary::default(), None);
        let end = SystemClock.now() + self.time;
        for (tunable, left) in self.tunables.iter().zip((1..=self.tunables.len() as u32).rev()) {
            // What a function leaves of its time goes to those after it.
            let now = SystemClock.now();
            let time = end.saturating_sub(now) / left;
            let names = fairly_ordered(&tunable.generated_inputs);
            let candidates = self.store.candidates(tunable.function)?;
            let candidates = candidates.unwrap_or_else(|| Candidate::all(tunable.function));
            let runs = names.len() * candidates.len();
            let plan = Plan::new(Inputs::Generated(&names), repeats(time, runs), self.share.clone());
            let plan = Plan { until: Some(now + time), candidates: Some(candidates), ..plan };
            let recorder = trainer.recorder(tunable, &self.name, &*self.device);
            let store = self.store.writable()?;
            let recorded = recorder.record(&plan, store).and_then(|inputs| recorder.summary(inputs, store));
            summary.take(&recorder, recorded, &mut first_error)?;
        }
        summary.or_first(first_error)
    }

    /// Evaluates on this machine's measurements what the written models choose, beside the other selectors.
    ///
    /// # Errors
    /// When what was measured cannot be read, or nothing can be learned from it.
    pub fn judge(&mut self, fitted: &[Fitted]) -> Result<Vec<LocalResult>, TrainError> {
        fitted.iter().map(|fitted| judge(&fitted.model, &mut self.store, &self.here)).collect()
    }

    /// Returns the results as a page.
    ///
    /// # Errors
    /// When the recordings are larger than can be compared.
    pub fn report(&self, results: &[LocalResult]) -> Result<ReportData, TrainError> {
        let functions = results.iter().map(|result| {
            let function = self.trainer.find(&result.recordings.function).map(|tunable| tunable.function);
            Ok(measured_here(result)?.with_approximate(function))
        });
        let functions = functions.collect::<Result<_, EvaluateError>>()?;
        let devices = device_tables(results.iter().map(|result| &result.recordings));
        Ok(assemble(ABOUT, &self.here, functions, devices))
    }
}

/// Number of inputs measured here that the model is calibrated with, to show what that would bring.
pub(crate) const CALIBRATED_WITH: usize = 10;

/// Recordings of this very machine, whatever the number of threads, are not recordings of another. Partitions of a
/// GPU are devices apart: only the one itself is left out.
fn sources(recordings: &Recordings, here: &DeviceRecord) -> Result<Vec<String>, TrainError> {
    let own = format!("@{}", host::machine().id());
    let ids = recordings.devices.iter().map(|device| &device.id);
    let sources: Vec<String> = ids.filter(|id| **id != here.id && !id.ends_with(&own)).cloned().collect();
    match sources.is_empty() {
        true => Err(TrainError::NoSources { function: recordings.function.clone() }),
        false => Ok(sources),
    }
}

/// Returns the first folder where dispatch looks for models.
fn models_beside_program() -> Result<PathBuf, TrainError> {
    let program = std::env::current_exe().map_err(TrainError::io("where this program is"))?;
    let folder = program.parent().ok_or_else(|| std::io::ErrorKind::NotFound.into());
    Ok(folder.map_err(TrainError::io("the folder of this program"))?.join("models"))
}

/// Returns the inputs in an order whose every beginning is a fair sample of test inputs and others.
///
/// Time may not suffice for all.
fn fairly_ordered(names: &[String]) -> Vec<String> {
    let mut random = Random::new(crate::DEFAULT_SEED);
    let mut placed = Vec::new();
    let (test, other): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.starts_with("test/"));
    // Each group is spread evenly over the order, so that every beginning has the same share of both.
    for mut names in [test, other] {
        random.shuffle(&mut names);
        let count = names.len() as f64;
        placed.extend((0..).zip(names).map(|(nth, name)| (f64::from(nth) / count, name)));
    }
    placed.sort_by(|(a, _), (b, _)| a.total_cmp(b)); // stable
    placed.into_iter().map(|(_, name)| name.clone()).collect()
}

/// Repeats that let `runs` variants be measured in about `time`. Part of it goes to making inputs and to warm-up.
/// How many inputs a closure makes itself nobody knows.
fn repeats(time: Duration, runs: usize) -> Repeats {
    let usual = Repeats { least: 3, ..Repeats::default() };
    match runs {
        0 => usual,
        runs => Repeats { budget_ns: 0.5 * time.as_nanos() as f64 / runs as f64, ..usual },
    }
}

fn judge(
    model: &Model,
    store: &mut LayeredStore<'_>,
    here: &DeviceRecord,
) -> Result<LocalResult, TrainError> {
    let recordings = store.load(&model.function)?;
    let split = Split::by_name(&recordings);
    let calibration = vec![CALIBRATED_WITH];
    let options = EvaluateOptions { calibration, seed: crate::DEFAULT_SEED, ..EvaluateOptions::default() };
    let sources = &model.provenance.sources;
    if recordings.device_index(&here.id).is_none() {
        return Ok(LocalResult { recordings, split, evaluation: None });
    }
    let evaluation = match evaluate_on(&recordings, &split, &here.id, sources, model, &options) {
        Err(EvaluateError::NoTests { .. }) => None,
        evaluation => Some(evaluation?),
    };
    Ok(LocalResult { recordings, split, evaluation })
}
