//! The calibration of models that were learned elsewhere, by a few measurements on the machine of use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use nitro_core::model::{Model, file_name};
use nitro_learn::calibration::{Calibrator, MOST_MEASURED, Probe, with_calibrator};
use nitro_store::printable::printable;
use nitro_store::recordings::Recordings;
use serde::Serialize;

use super::builder::Trainer;
use super::doubtful::Doubtful;
use super::error::{TrainError, all_or_first};
use super::layered_store::LayeredStore;
use super::left_out::{by_reason, named};
use super::recorder::Recorder;
use super::request::{DataRequest, InputLists, at_least_one, read_model};
use crate::measure::{Candidate, FailedInputs, Plan, Repeats, Share, describe_device};
use crate::traffic::{self, CapturedCall, add_captured, calls_among};

/// The settings of a calibration: which models, for which device, with how many measurements.
#[derive(Args, Clone, Debug)]
pub struct CalibrateRequest {
    /// The functions, and the recordings, to which what is measured is added.
    #[command(flatten)]
    pub data: DataRequest,
    /// Device to calibrate for, by the name that record uses
    #[arg(long, value_name = "DEVICE", default_value = DEVICE)]
    pub device: String,
    /// Inputs of each function to measure [default: 10, or with --seconds as many as there is time for]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub measurements: Option<usize>,
    /// Seconds for each function, in which of each input only the variants are measured that could win
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// File that programs with NITRO_CAPTURE=FILE have written; the inputs are chosen that tell most of such calls
    #[arg(long, value_name = "FILE")]
    pub captured: Option<PathBuf>,
    /// Such a file whose times are taken for the measurements: of calls with the same features that ran different
    /// variants, as with NITRO_FORCE. Nothing is run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["captured", "measurements", "seconds"])]
    pub from_traffic: Option<PathBuf>,
    /// Folder of real inputs [default: the built-in inputs]
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// File with the names of the training inputs, one a line [default: as for fit]
    #[arg(long, value_name = "FILE")]
    pub train_inputs: Option<PathBuf>,
    /// The end of the repeats of one variant on one input.
    #[arg(skip)]
    pub repeats: Repeats,
    /// The recorders with whom the inputs are shared.
    #[arg(skip)]
    pub share: Share,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub models: PathBuf,
}

/// The device where the user says nothing.
const DEVICE: &str = "host";
/// The number of measurements where neither it nor a time is said.
const MEASUREMENTS: usize = 10;

impl Default for CalibrateRequest {
    fn default() -> Self {
        let (data, measurements, seconds, captured, from_traffic) = Default::default();
        let (train_inputs, inputs, repeats, share) = Default::default();
        let (device, models) = (DEVICE.to_owned(), PathBuf::from("models"));
        Self {
            data,
            device,
            measurements,
            seconds,
            captured,
            from_traffic,
            train_inputs,
            inputs,
            repeats,
            share,
            models,
        }
    }
}

/// Reads a number of seconds above 0, at most a year.
fn seconds(text: &str) -> Result<f64, String> {
    const MOST: f64 = 366.0 * 24.0 * 3600.0;
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(seconds),
        _ => Err("write a number of seconds above 0, as 10".to_owned()),
    }
}

/// The result of calibrating a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CalibratedModel {
    /// The function.
    pub function: String,
    /// The device's identity.
    pub device: String,
    /// The model's file.
    pub model: PathBuf,
    /// Number of training inputs that are measured on the device, now or before.
    pub measured_inputs: usize,
    /// Number of captured calls that had a say in which inputs those are, or whose times are the measurements.
    pub captured_calls: u64,
    /// True if the model chooses by them there; otherwise it does as well without.
    pub is_calibrated: bool,
}

/// The models of a calibration, and why some functions have none.
#[derive(Debug, Default)]
#[must_use = "functions that could not be calibrated are among `failed`; `all` makes an error of them"]
pub struct CalibratedModels {
    /// The models, one for each function, calibrated or better without. Their files are written.
    pub models: Vec<CalibratedModel>,
    /// The errors of the functions that have no model, no recordings of its sources, or could not be measured. A model
    /// that a function had before stays.
    pub failed: Vec<TrainError>,
}

impl CalibratedModels {
    /// Returns the models, if no function failed.
    ///
    /// # Errors
    /// The first of [`failed`](Self::failed).
    pub fn all(self) -> Result<Vec<CalibratedModel>, TrainError> {
        all_or_first(self.models, self.failed)
    }
}

impl Trainer {
    /// Corrects the model of each function for a device by measuring a few training inputs, those that tell most.
    ///
    /// What a model chooses elsewhere stays as it is, and so does what it chooses here if that is better. A function
    /// that cannot be calibrated costs itself: the others are written.
    ///
    /// The recordings of the devices that the models were learned from have to be at hand. What the store holds of
    /// the device is not measured again.
    ///
    /// Everything runs in this process, as [`record`](Self::record) does.
    ///
    /// ```no_run
    /// use nitro_train::{CalibrateRequest, Trainer};
    ///
    /// let request = CalibrateRequest { device: "host:4".into(), measurements: Some(30), ..CalibrateRequest::default() };
    /// for model in Trainer::new().calibrate(&request)?.all()? {
    ///     println!("{} chooses by {} inputs: {}", model.function, model.measured_inputs, model.is_calibrated);
    /// }
    /// # Ok::<(), nitro_train::TrainError>(())
    /// ```
    ///
    /// # Errors
    /// When the captured calls cannot be read, when a name is that of no function or device, and when this process can
    /// measure nothing more ([`TrainError::is_device_loss`]).
    pub fn calibrate(&self, request: &CalibrateRequest) -> Result<CalibratedModels, TrainError> {
        let captured = request.captured.as_ref().or(request.from_traffic.as_ref());
        let captured = captured.map(|file| read_calls(file)).transpose()?;
        let mut store = LayeredStore::open(self, &request.data)?;
        let device = self.open_device(&request.device)?;
        let tunables = self.wanted_on(&request.data.functions, &request.device)?;
        let mut calibrated = CalibratedModels::default();
        for tunable in tunables {
            let recorder = self.recorder(tunable, &request.device, &*device);
            match self.calibrate_one(request, captured.as_deref(), &mut store, &recorder) {
                Ok(model) => calibrated.models.push(model),
                Err(error) if error.ends_the_process() => return Err(error),
                Err(error) => calibrated.failed.push(error),
            }
        }
        Ok(calibrated)
    }

    /// Calibrates the model of one function, and writes it. A model that was learned from the device stays.
    fn calibrate_one(
        &self,
        request: &CalibrateRequest,
        captured: Option<&[CapturedCall]>,
        store: &mut LayeredStore<'_>,
        recorder: &Recorder<'_>,
    ) -> Result<CalibratedModel, TrainError> {
        let (function, id) = (recorder.tunable.name(), recorder.device.entry().id());
        let mut model = read_model(&request.models, function)?;
        let mut calibrated = CalibratedModel {
            function: function.to_owned(),
            device: id.to_owned(),
            model: request.models.join(file_name(function)),
            measured_inputs: 0,
            captured_calls: 0,
            is_calibrated: false,
        };
        if model.provenance.sources.iter().any(|source| source == id) {
            self.tell(format!("{function}: {id} is one of the devices that the model was learned from"));
            return Ok(calibrated);
        }
        // All that is measured there counts, also what was before; a calibration that is no better is none.
        let (recordings, traffic, captured_calls) = match &request.from_traffic {
            None => {
                let captured_calls = self.measure_telling(request, captured, store, recorder, &model)?;
                (with_device(store.load(function)?, recorder), Vec::new(), captured_calls)
            }
            Some(file) => {
                let mut recordings = with_device(store.load(function)?, recorder);
                let (inputs, calls) = add_captured(&mut recordings, id, captured.unwrap_or_default());
                if inputs.is_empty() {
                    let (function, device) = recorder.names();
                    return Err(TrainError::NothingCompared { file: file.clone(), function, device });
                }
                (recordings, inputs, calls)
            }
        };
        let doubtful = Doubtful::of(&recordings, id).sentence(function, &request.device);
        doubtful.iter().for_each(|said| recorder.say(said));
        let (measured_inputs, calibration) =
            calibrator_of(request, (&recordings, &traffic), &model, id, |calibrator| {
                let measured = calibrator.measured();
                (measured.len(), calibrator.fit(&measured, &model))
            })?;
        calibrated.is_calibrated = calibration.is_some();
        model.calibrations.retain(|own| own.device != id);
        model.calibrations.extend(calibration);
        model.write(&calibrated.model)?;
        Ok(CalibratedModel { measured_inputs, captured_calls, ..calibrated })
    }

    /// Measures what tells most; returns the number of captured calls that had a say in that.
    fn measure_telling(
        &self,
        request: &CalibrateRequest,
        captured: Option<&[CapturedCall]>,
        store: &mut LayeredStore<'_>,
        recorder: &Recorder<'_>,
        model: &Model,
    ) -> Result<u64, TrainError> {
        let function = recorder.tunable.name();
        let (telling, captured_calls) = choose(request, captured, store, recorder, model)?;
        if captured.is_some() && captured_calls == 0 {
            self.tell(format!(
                "{function}: none of its calls is captured; the inputs to measure are chosen without"
            ));
        }
        let candidates = store.candidates(recorder.tunable.function)?;
        let offered = recorder.tunable.inputs(request.inputs.as_deref());
        let plan = Plan { candidates, ..Plan::new(offered, request.repeats, request.share.clone()) };
        let failed = match request.seconds {
            None => {
                let only = Some(telling.into_iter().map(|(name, _)| name).collect());
                recorder.record(&Plan { only, ..plan }, store.writable()?)?.failed
            }
            Some(seconds) => measure_within(seconds, &telling, &plan, store, recorder)?,
        };
        for (why, inputs) in by_reason(&failed) {
            let (id, why) = (recorder.device.entry().id(), printable(why));
            self.tell(format!("{function} on {id}: left out: {}: {why}", named(&inputs)));
        }
        Ok(captured_calls)
    }
}

/// The name of an input, and the choices that are worth measuring there.
type Telling = (String, BTreeSet<String>);

/// Chooses the inputs that tell most, the most telling first, each with the choices that could win there. Returns them
/// with the number of captured calls that had a say.
fn choose(
    request: &CalibrateRequest,
    captured: Option<&[CapturedCall]>,
    store: &mut LayeredStore<'_>,
    recorder: &Recorder<'_>,
    model: &Model,
) -> Result<(Vec<Telling>, u64), TrainError> {
    let recordings = with_device(store.load(recorder.tunable.name())?, recorder);
    let least = if request.seconds.is_some() { MOST_MEASURED } else { MEASUREMENTS };
    let count = request.measurements.unwrap_or(least);
    calibrator_of(request, (&recordings, &[]), model, recorder.device.entry().id(), |calibrator| {
        let calls = calls_among(&recordings, calibrator.recorded_inputs(), captured.unwrap_or_default());
        let chosen = calibrator.inputs(count, calibrator.all_inputs(), &calls);
        let mut telling = Vec::with_capacity(chosen.len());
        for Probe { input, classes } in calibrator.probes(&chosen) {
            let choices = classes.into_iter().map(|class| model.choices[class].clone());
            telling.push((calibrator.name(input).to_owned(), choices.collect()));
        }
        (telling, calls.iter().sum::<f64>() as u64)
    })
}

/// Measures inputs in their order until a time has passed, each with these choices alone. Returns which could not be
/// measured.
fn measure_within(
    seconds: f64,
    telling: &[Telling],
    plan: &Plan<'_>,
    store: &mut LayeredStore<'_>,
    recorder: &Recorder<'_>,
) -> Result<FailedInputs, TrainError> {
    let until = plan.clock.now() + Duration::from_secs_f64(seconds);
    let all = plan.candidates.clone().unwrap_or_else(|| Candidate::all(recorder.tunable.function));
    let mut failed = FailedInputs::default();
    for (name, choices) in telling {
        if plan.clock.now() >= until {
            break;
        }
        let candidates = all.iter().filter(|candidate| choices.contains(&candidate.text())).cloned();
        let plan = Plan {
            only: Some([name.clone()].into()),
            candidates: Some(candidates.collect()),
            until: Some(until),
            ..plan.clone()
        };
        failed.extend(recorder.record(&plan, store.writable()?)?.failed);
    }
    Ok(failed)
}

/// Returns recordings that know the device.
fn with_device(mut recordings: Recordings, recorder: &Recorder<'_>) -> Recordings {
    if recordings.device_index(recorder.device.entry().id()).is_none() {
        recordings.devices.push(describe_device(&recorder.device));
    }
    recordings
}

/// Reads the captured calls in a file, and fails if there are none.
fn read_calls(file: &Path) -> Result<Vec<CapturedCall>, TrainError> {
    match traffic::read(file)? {
        calls if calls.is_empty() => Err(TrainError::NoCalls { file: file.to_owned() }),
        calls => Ok(calls),
    }
}

/// Lends the calibrator of a model for a device that has recordings. These inputs are training inputs, whatever they
/// are called.
fn calibrator_of<T>(
    request: &CalibrateRequest,
    (recordings, others): (&Recordings, &[usize]),
    model: &Model,
    device: &str,
    act: impl FnOnce(&Calibrator<'_>) -> T,
) -> Result<T, TrainError> {
    let lists = InputLists { train: request.train_inputs.clone(), test: None };
    let mut train = lists.split(recordings)?.train;
    train.extend(others);
    let device = recordings.device_index(device).expect("the recordings know the device");
    Ok(with_calibrator(recordings, model, (device, &train), act)?)
}
