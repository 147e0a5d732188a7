//! The fit of models from recordings.

use std::path::PathBuf;

use clap::Args;
use nitro_core::model::file_name;
use nitro_learn::study::StudyOptions;
use nitro_learn::{FitOptions, Fitted, Strategy, WhenUnsure, fit};
use nitro_store::recordings::{Meanings, Recordings};

use super::builder::Trainer;
use super::error::{TrainError, all_or_first};
use super::layered_store::LayeredStore;
use super::objective::ObjectiveRequest;
use super::request::{DataRequest, InputLists};

/// The settings of a fit: what to fit, from what.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct FitRequest {
    /// The functions, and the recordings.
    #[command(flatten)]
    pub data: DataRequest,
    /// File with the names of the training inputs, one a line [default: as for evaluate]
    #[arg(long, value_name = "FILE")]
    pub train_inputs: Option<PathBuf>,
    /// Devices to learn from, separated by commas [default: all in the store]
    #[arg(long, value_name = "D,..", value_delimiter = ',')]
    pub sources: Vec<String>,
    /// The kinds of selectors and sets of device features to choose from; empty for all.
    #[arg(skip)]
    pub strategies: Vec<Strategy>,
    /// The settings of the selection of device features.
    #[arg(skip)]
    pub study: StudyOptions,
    /// The objective by which selectors are compared.
    #[arg(skip)]
    pub objective: ObjectiveRequest,
    /// The variant that runs where a selector is unsure.
    #[arg(skip)]
    pub when_unsure: WhenUnsure,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub models: PathBuf,
    /// Seed of everything random
    #[arg(long, default_value_t = crate::DEFAULT_SEED)]
    pub seed: u64,
}

impl Default for FitRequest {
    fn default() -> Self {
        let (data, train_inputs, sources, strategies, study, objective, when_unsure) = Default::default();
        let (models, seed) = (PathBuf::from("models"), crate::DEFAULT_SEED);
        Self { data, train_inputs, sources, strategies, study, objective, when_unsure, models, seed }
    }
}

/// A model that was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedModel {
    /// The file of the model.
    pub file: PathBuf,
    /// The model, and how it was arrived at.
    pub fitted: Fitted,
}

/// The models of a fit, and why some functions have none.
#[derive(Debug, Default)]
#[must_use = "functions that could not be fitted are among `failed`; `all` makes an error of them"]
pub struct FittedModels {
    /// The models of the functions that could be fitted, in the order of their names. Their files are written.
    pub models: Vec<FittedModel>,
    /// The errors of the functions that could not be fitted.
    ///
    /// There was too little to learn from, nothing of a named source, or the function is [declared
    /// otherwise](TrainError::OtherDeclaration) than when it was recorded. A model that it had before stays.
    pub failed: Vec<TrainError>,
}

impl FittedModels {
    /// Returns the models, if every function has one.
    ///
    /// # Errors
    /// The first of [`failed`](Self::failed).
    pub fn all(self) -> Result<Vec<FittedModel>, TrainError> {
        all_or_first(self.models, self.failed)
    }
}

impl Trainer {
    /// Fits a selector for each function, then writes the models: those of one folder belong together.
    ///
    /// No device is touched. A function that cannot be fitted costs itself: the others are written.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, FitRequest, Trainer};
    ///
    /// let models = Trainer::new().fit(&FitRequest {
    ///     data: DataRequest { store: Some(store.clone()), ..DataRequest::default() },
    ///     models: folder.path().join("models"),
    ///     ..FitRequest::default()
    /// })?.all()?;
    /// assert_eq!(models[0].fitted.model.function, "sort");
    /// assert!(models[0].file.ends_with("models/sort.model"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings, or none of a function that is asked for, and when a model cannot be written.
    pub fn fit(&self, request: &FitRequest) -> Result<FittedModels, TrainError> {
        if request.models.exists() && !request.models.is_dir() {
            return Err(TrainError::ModelsAreNoFolder { path: request.models.clone() });
        }
        let mut store = LayeredStore::open(self, &request.data)?;
        let mut fitted = FittedModels::default();
        for function in store.functions(&request.data.functions)? {
            let fitted_one = store.load(&function).and_then(|recordings| {
                self.check_declaration(&recordings)?;
                request.fit_one(&recordings)
            });
            match fitted_one {
                Ok(model) => fitted.models.push(model),
                Err(error) => fitted.failed.push(error),
            }
        }
        for FittedModel { file, fitted } in &fitted.models {
            fitted.model.write(file)?;
        }
        Ok(fitted)
    }

    /// Refuses recordings of a function that is declared otherwise by now.
    fn check_declaration(&self, recordings: &Recordings) -> Result<(), TrainError> {
        let Some(tunable) = self.find(&recordings.function) else { return Ok(()) };
        match Meanings::of(tunable.function).changes(&recordings.meanings) {
            changes if changes.is_empty() => Ok(()),
            changes => Err(TrainError::OtherDeclaration { function: recordings.function.clone(), changes }),
        }
    }
}

impl FitRequest {
    /// Fits the selector of one function.
    fn fit_one(&self, recordings: &Recordings) -> Result<FittedModel, TrainError> {
        let lists = InputLists { train: self.train_inputs.clone(), test: None };
        let options = FitOptions {
            sources: self.sources.clone(),
            inputs: Some(lists.split(recordings)?.train),
            strategies: self.strategies.clone(),
            study: self.study.clone(),
            objective: self.objective.of(recordings)?,
            when_unsure: self.when_unsure,
            seed: self.seed,
            ..FitOptions::default()
        };
        let file = self.models.join(file_name(&recordings.function));
        Ok(FittedModel { file, fitted: fit(recordings, &options)? })
    }
}
