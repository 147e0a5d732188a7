//! The calibration of models that were learned elsewhere, by a few measurements on the machine of use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use nitro_core::model::{Model, file_name};
use nitro_learn::calibration::{Calibrator, with_calibrator};
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
use crate::measure::{Plan, Repeats, Share, describe_device};
use crate::traffic::{self, CapturedCall, calls_among};

/// The settings of a calibration: which models, for which device, with how many measurements.
#[derive(Args, Clone, Debug)]
pub struct CalibrateRequest {
    /// The functions, and the recordings, to which what is measured is added.
    #[command(flatten)]
    pub data: DataRequest,
    /// Device to calibrate for, by the name that record uses
    #[arg(long, value_name = "DEVICE", default_value = DEVICE)]
    pub device: String,
    /// Inputs of each function to measure
    #[arg(long, value_name = "N", default_value_t = MEASUREMENTS, value_parser = at_least_one())]
    pub measurements: usize,
    /// File that programs with NITRO_CAPTURE=FILE have written; the inputs are chosen that tell most of such calls
    #[arg(long, value_name = "FILE")]
    pub captured: Option<PathBuf>,
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
/// The number of measurements then.
const MEASUREMENTS: usize = 10;

impl Default for CalibrateRequest {
    fn default() -> Self {
        let (data, captured, train_inputs, inputs, repeats, share) = Default::default();
        let (device, measurements, models) = (DEVICE.to_owned(), MEASUREMENTS, PathBuf::from("models"));
        Self { data, device, measurements, captured, train_inputs, inputs, repeats, share, models }
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
    /// Number of captured calls that had a say in which inputs those are.
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
    /// let request = CalibrateRequest { device: "host:4".into(), measurements: 30, ..CalibrateRequest::default() };
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
        let captured = request.captured.as_deref().map(captured).transpose()?;
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
        let (inputs, captured_calls) = choose_inputs(request, captured, store, recorder, &model)?;
        if captured.is_some() && captured_calls == 0 {
            self.tell(format!(
                "{function}: none of its calls is captured; the inputs to measure are chosen without"
            ));
        }
        measure(request, inputs, store, recorder)?;

        // All that is measured there counts, also what was before; a calibration that is no better is none.
        let recordings = store.load(function)?;
        let doubtful = Doubtful::of(&recordings, id).sentence(function, &request.device);
        doubtful.iter().for_each(|said| recorder.say(said));
        let (measured_inputs, calibration) = calibrator_of(request, &recordings, &model, id, |calibrator| {
            let measured = calibrator.measured();
            (measured.len(), calibrator.fit(&measured, &model))
        })?;
        calibrated.is_calibrated = calibration.is_some();
        model.calibrations.retain(|own| own.device != id);
        model.calibrations.extend(calibration);
        model.write(&calibrated.model)?;
        Ok(CalibratedModel { measured_inputs, captured_calls, ..calibrated })
    }
}

/// Chooses the inputs that tell most; returns them with the number of captured calls that had a say.
fn choose_inputs(
    request: &CalibrateRequest,
    captured: Option<&[CapturedCall]>,
    store: &mut LayeredStore<'_>,
    recorder: &Recorder<'_>,
    model: &Model,
) -> Result<(BTreeSet<String>, u64), TrainError> {
    let id = recorder.device.entry().id();
    let mut recordings = store.load(recorder.tunable.name())?;
    if recordings.device_index(id).is_none() {
        recordings.devices.push(describe_device(&recorder.device));
    }
    calibrator_of(request, &recordings, model, id, |calibrator| {
        let calls = calls_among(&recordings, calibrator.recorded_inputs(), captured.unwrap_or_default());
        let chosen = calibrator.inputs(request.measurements, calibrator.all_inputs(), &calls);
        let names = chosen.into_iter().map(|input| calibrator.name(input).to_owned()).collect();
        (names, calls.iter().sum::<f64>() as u64)
    })
}

/// Measures these inputs on the device, and says which could not be measured.
fn measure(
    request: &CalibrateRequest,
    inputs: BTreeSet<String>,
    store: &mut LayeredStore<'_>,
    recorder: &Recorder<'_>,
) -> Result<(), TrainError> {
    let Recorder { tunable, device, observer, .. } = recorder;
    let offered = tunable.inputs(request.inputs.as_deref());
    let plan = Plan {
        only: Some(inputs),
        candidates: store.candidates(tunable.function)?,
        ..Plan::new(offered, request.repeats, request.share.clone())
    };
    let recorded = recorder.record(&plan, store.writable()?)?;
    for (why, inputs) in by_reason(&recorded.failed) {
        let (function, id, why) = (tunable.name(), device.entry().id(), printable(why));
        observer.message(&format!("{function} on {id}: left out: {}: {why}", named(&inputs)));
    }
    Ok(())
}

/// Reads the captured calls in a file, and fails if there are none.
fn captured(file: &Path) -> Result<Vec<CapturedCall>, TrainError> {
    match traffic::read(file)? {
        calls if calls.is_empty() => Err(TrainError::NoCalls { file: file.to_owned() }),
        calls => Ok(calls),
    }
}

/// Lends the calibrator of a model for a device that has recordings.
fn calibrator_of<T>(
    request: &CalibrateRequest,
    recordings: &Recordings,
    model: &Model,
    device: &str,
    act: impl FnOnce(&Calibrator<'_>) -> T,
) -> Result<T, TrainError> {
    let lists = InputLists { train: request.train_inputs.clone(), test: None };
    let train = lists.split(recordings)?.train;
    let device = recordings.device_index(device).expect("the device was measured");
    Ok(with_calibrator(recordings, model, (device, &train), act)?)
}
