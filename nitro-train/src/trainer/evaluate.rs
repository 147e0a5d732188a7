//! The evaluation on devices, or inputs, that are left out in turn.

use clap::Args;
use nitro_learn::evaluate::{
    DeviceEvaluation, EvaluateOptions, Evaluation, LeaveOut, LeftOutInputs, evaluate_with, leave_out_inputs,
};
use nitro_learn::study::StudyOptions;
use nitro_store::recordings::Recordings;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::objective::ObjectiveRequest;
use super::request::{DataRequest, InputLists, at_least_one};

/// The settings of an evaluation.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct EvaluateRequest {
    /// The functions, and the recordings.
    #[command(flatten)]
    pub data: DataRequest,
    /// The inputs to train on, and those to test on.
    #[command(flatten)]
    pub inputs: InputLists,
    /// The settings of the selection of device features.
    #[arg(skip)]
    pub study: StudyOptions,
    /// The objective by which `auto` chooses a selector.
    #[arg(skip)]
    pub objective: ObjectiveRequest,
    /// The devices that are left out together: each by itself, all of a machine, or all in a regime.
    #[arg(skip)]
    pub leave_out: LeaveOut,
    /// Show also what auto achieves after measuring so many training inputs on the device that is left out
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = at_least_one())]
    pub calibration: Vec<usize>,
    /// Show also what auto achieves after so many seconds of measuring there
    #[arg(long, value_name = "S,..", value_delimiter = ',', value_parser = at_least_one())]
    pub calibration_seconds: Vec<usize>,
    /// Number of times that everything is learned anew from other draws of the recorded times, to see which choices
    /// change.
    #[arg(skip)]
    pub draws: usize,
    /// Store with the same inputs, recorded another time: says how many choices change when that is learned from
    #[arg(long, value_name = "S")]
    pub recorded_again: Option<String>,
    /// Seed of everything random
    #[arg(long, default_value_t = crate::DEFAULT_SEED)]
    pub seed: u64,
}

impl Trainer {
    /// Evaluates the functions on each device that is left out in turn, against exhaustive search.
    ///
    /// Selectors learn from the other devices. The functions are evaluated one after the other, as the iterator is
    /// asked for them.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, EvaluateRequest, Trainer};
    ///
    /// let trainer = Trainer::new();
    /// let data = DataRequest { store: Some(store.clone()), ..DataRequest::default() };
    /// for evaluation in trainer.evaluate(&EvaluateRequest { data, ..EvaluateRequest::default() })? {
    ///     let evaluation = evaluation?;
    ///     assert_eq!((evaluation.function.as_str(), evaluation.test_inputs), ("sort", 10));
    ///     assert_eq!(evaluation.devices.len(), 2);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings; in the iterator when a function has too few devices or inputs.
    pub fn evaluate<'t>(
        &'t self,
        request: &'t EvaluateRequest,
    ) -> Result<impl Iterator<Item = Result<Evaluation, TrainError>> + 't, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let functions = store.functions(&request.data.functions)?;
        Ok(functions.into_iter().map(move |function| {
            let recordings = store.load(&function)?;
            let split = request.inputs.split(&recordings)?;
            let what = match request.leave_out {
                LeaveOut::Device => "in turn",
                LeaveOut::Machine => "in turn, with all others of its machine",
                LeaveOut::Regime => "in turn, with all others in its regime",
            };
            self.tell(format!("{function}: leaving out each of {} devices {what}", recordings.devices.len()));
            let EvaluateRequest {
                study,
                objective,
                leave_out,
                calibration,
                calibration_seconds,
                draws,
                recorded_again,
                seed,
                ..
            } = request.clone();
            let recorded_again =
                recorded_again.map(|store| self.recorded_in(store, &function)).transpose()?;
            let objective = objective.of(&recordings)?;
            let options = EvaluateOptions {
                study,
                objective,
                leave_out,
                calibration,
                calibration_seconds,
                draws,
                recorded_again: recorded_again.into_iter().collect(),
                seed,
            };
            Ok(evaluate_with(&recordings, &split, &options, |device| self.tell(judged(device)))?)
        }))
    }

    /// Loads the recordings of a function from another store.
    fn recorded_in(&self, store: String, function: &str) -> Result<Recordings, TrainError> {
        LayeredStore::open(self, &DataRequest { store: Some(store), ..DataRequest::default() })?
            .load(function)
    }

    /// Evaluates on each device how well the best variant of an input is predicted from the other inputs there.
    ///
    /// The functions are evaluated one after the other, as the iterator is asked for them.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, Trainer};
    ///
    /// let trainer = Trainer::new();
    /// let data = DataRequest { store: Some(store.clone()), ..DataRequest::default() };
    /// for devices in trainer.leave_out_inputs(&data, nitro_train::DEFAULT_SEED)? {
    ///     for device in devices? {
    ///         assert!(device.function == "sort" && device.selectors["tree-none"].mean > 0.9);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings; in the iterator when a function has too few inputs.
    pub fn leave_out_inputs<'t>(
        &'t self,
        data: &'t DataRequest,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<Vec<LeftOutInputs>, TrainError>> + 't, TrainError> {
        let mut store = LayeredStore::open(self, data)?;
        let functions = store.functions(&data.functions)?;
        Ok(functions.into_iter().map(move |function| {
            let recordings = store.load(&function)?;
            self.tell(format!("{function}: leaving out each of {} inputs in turn", recordings.inputs.len()));
            Ok(leave_out_inputs(&recordings, seed)?)
        }))
    }
}

/// Describes the evaluation on a device in one line.
pub(super) fn judged(device: &DeviceEvaluation) -> String {
    let figures =
        device.selectors.get("auto").map_or(String::new(), |auto| format!(" {:.1} %", 100.0 * auto.mean));
    format!("  {}: auto is {}{figures}", device.held_out, device.auto_is)
}
