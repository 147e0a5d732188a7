//! The check of models before they are shipped, for the continuous integration of an application.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use nitro_core::model::{Model, file_name};
use nitro_learn::check::{Expected, check};
use nitro_learn::evaluate::WorstInput;
use nitro_learn::resolve_sources;
use nitro_store::printable::sentence;
use serde::Serialize;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::{DataRequest, InputLists};
use crate::search::{Certificate, CertificateCheck};

/// The settings of a check: what to check, against what.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct CheckRequest {
    /// The functions, and the recordings to check against.
    #[command(flatten)]
    pub data: DataRequest,
    /// The inputs that models should have been trained on, and those that they are judged by.
    #[command(flatten)]
    pub inputs: InputLists,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub models: PathBuf,
    /// Recorded device to judge on; repeat for several [default: all]
    #[arg(long = "device", value_name = "DEVICE")]
    pub devices: Vec<String>,
    /// The most regret that a model may have, mean over the test inputs and devices.
    ///
    /// 0.05 stands for choices that are 5 % off the best variant's speed.
    #[arg(skip = MAX_REGRET)]
    pub max_regret: f64,
    /// The bounds of single functions in the place of that.
    #[arg(skip)]
    pub max_regret_of: BTreeMap<String, f64>,
}

/// The most regret where the user says nothing.
const MAX_REGRET: f64 = 0.05;

impl Default for CheckRequest {
    fn default() -> Self {
        let (data, inputs, devices, max_regret_of) = Default::default();
        Self { data, inputs, models: PathBuf::from("models"), devices, max_regret: MAX_REGRET, max_regret_of }
    }
}

/// The findings about the model of one function, in the form of `check --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelCheck {
    /// The function.
    pub function: String,
    /// The model's file.
    pub model: PathBuf,
    /// The bound.
    pub max_regret: f64,
    /// The mean over the devices; none where the model cannot be judged.
    pub regret: Option<f64>,
    /// The regret on each device.
    pub devices: BTreeMap<String, f64>,
    /// True where the regret is that of the choices together with the time for choosing them. It is where the
    /// recordings know the time of features.
    pub counts_choosing: bool,
    /// The test inputs on which the choices lost most on these devices, at most five, worst first.
    pub worst_inputs: Vec<WorstInput>,
    /// Number of measured pairs of a test input and one of these devices that do not count. Others took the processors
    /// then.
    pub doubtful: usize,
    /// The reasons why the model should not be shipped, a sentence each; empty for one that may.
    pub problems: Vec<String>,
}

impl Trainer {
    /// Checks that the model of each function fits the code and the recordings, and has a regret within a bound.
    ///
    /// It has to have the code's variants and features, and to be fitted from these recordings. The regret is that on
    /// inputs held out from training, with the time for choosing counted where that of features is known.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{CheckRequest, DataRequest, FitRequest, Trainer};
    ///
    /// let (trainer, models) = (Trainer::new(), folder.path().join("models"));
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let request = CheckRequest { data: data.clone(), models: models.clone(), ..CheckRequest::default() };
    /// assert!(trainer.check(&request)?[0].problems[0].starts_with("no usable model of `sort`"));
    /// trainer.fit(&FitRequest { data, models, ..FitRequest::default() })?.all()?;
    /// assert!(trainer.check(&request)?[0].problems.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings, and when a bound is of nothing that is checked. What is wrong with a model is
    /// no error but one of its [`problems`](ModelCheck::problems); so is a function that cannot be judged.
    pub fn check(&self, request: &CheckRequest) -> Result<Vec<ModelCheck>, TrainError> {
        let mut store = LayeredStore::open(self, &request.data)?;
        let functions = store.functions(&request.data.functions)?;
        if let Some(unknown) = request.max_regret_of.keys().find(|name| !functions.contains(name)) {
            return Err(TrainError::UncheckedBound { function: unknown.clone(), checked: functions });
        }
        Ok(functions.iter().map(|function| self.check_one(request, function, &mut store)).collect())
    }

    /// Checks the certificates of a file of `search --certificate`, a line each: whether what they say follows from the
    /// times and rates in them, by the generators of this trainer.
    ///
    /// Nothing runs on a device. What is wrong with a certificate is one of its
    /// [`problems`](CertificateCheck::problems).
    ///
    /// # Errors
    /// When the file cannot be read, or has no certificate.
    pub fn check_certificates(&self, file: &Path) -> Result<Vec<CertificateCheck>, TrainError> {
        let text = std::fs::read_to_string(file).map_err(TrainError::io(file.display().to_string()))?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            let nothing = std::io::Error::other("there is no certificate in it");
            return Err(TrainError::io(file.display().to_string())(nothing));
        }
        Ok(lines.into_iter().map(|line| self.check_certificate(line)).collect())
    }

    fn check_certificate(&self, line: &str) -> CertificateCheck {
        let certificate = match Certificate::from_line(line) {
            Ok(certificate) => certificate,
            Err(problem) => {
                return CertificateCheck { problems: vec![problem], ..CertificateCheck::default() };
            }
        };
        let tunable = self.find(&certificate.function);
        match tunable.and_then(|tunable| tunable.generators().of(&certificate.variant)) {
            Some(generator) => certificate.check(generator),
            None => {
                let (function, variant) = (&certificate.function, &certificate.variant);
                let problem =
                    format!("this trainer has no generator for variant `{variant}` of `{function}`");
                CertificateCheck { problems: vec![problem], ..certificate.unchecked() }
            }
        }
    }

    /// Checks one model. A function that cannot be judged has that as its problem, and the others are judged.
    fn check_one(&self, request: &CheckRequest, function: &str, store: &mut LayeredStore<'_>) -> ModelCheck {
        let model = request.models.join(file_name(function));
        let max_regret = request.max_regret_of.get(function).copied().unwrap_or(request.max_regret);
        let unjudged = ModelCheck { function: function.into(), model, max_regret, ..ModelCheck::default() };
        let judged = self.judge(request, unjudged.clone(), store);
        judged.unwrap_or_else(|error| ModelCheck { problems: vec![sentence(&error)], ..unjudged })
    }

    fn judge(
        &self,
        request: &CheckRequest,
        unjudged: ModelCheck,
        store: &mut LayeredStore<'_>,
    ) -> Result<ModelCheck, TrainError> {
        let recordings = store.load(&unjudged.function)?;
        let devices = match request.devices.as_slice() {
            [] => Vec::new(),
            named => resolve_sources(&recordings, named)?,
        };
        let expected = Expected {
            function: self.find(&unjudged.function).map(|tunable| tunable.function),
            recordings: &recordings,
            split: &request.inputs.split(&recordings)?,
            devices: &devices,
            max_regret: unjudged.max_regret,
        };
        Ok(judge(unjudged, &expected))
    }
}

/// Checks a model that may not be readable, which is a problem like another.
fn judge(unjudged: ModelCheck, expected: &Expected<'_>) -> ModelCheck {
    match Model::read(&unjudged.model) {
        Ok(model) => {
            let checked = check(&model, expected);
            let problems = checked.problems.iter().map(ToString::to_string).collect();
            let regret = checked.mean_regret();
            ModelCheck {
                regret,
                devices: checked.regrets.into_iter().collect(),
                counts_choosing: checked.counts_choosing,
                worst_inputs: checked.worst,
                doubtful: checked.doubtful,
                problems,
                ..unjudged
            }
        }
        Err(source) => {
            let error = TrainError::NoModel { function: unjudged.function.clone(), source };
            ModelCheck { problems: vec![sentence(&error)], ..unjudged }
        }
    }
}
