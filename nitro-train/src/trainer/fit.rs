//! Fitting: models from recordings.

use std::path::PathBuf;

use nitro_core::model::file_name;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::objective::ObjectiveRequest;
use super::request::{DataRequest, InputLists};
use crate::learn::study::StudyOptions;
use crate::learn::{FitOptions, Fitted, Strategy, WhenUnsure, fit};

/// What to fit, from what.
#[derive(Clone, Debug, PartialEq)]
pub struct FitRequest {
    /// Which functions, from which recordings.
    pub data: DataRequest,
    /// File with the names of the training inputs, one a line; without one as [`InputLists`] says.
    pub train_inputs: Option<PathBuf>,
    /// Devices to learn from; empty for all that were recorded.
    pub sources: Vec<String>,
    /// The kinds of selectors and sets of device features to choose from; empty for all.
    pub strategies: Vec<Strategy>,
    /// What the selection of device features tries.
    pub study: StudyOptions,
    /// What makes one selector better than another.
    pub objective: ObjectiveRequest,
    /// What runs where a selector is unsure.
    pub when_unsure: WhenUnsure,
    /// Folder that the models are written to.
    pub models: PathBuf,
    /// Seed of everything random.
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
    /// Its file.
    pub file: PathBuf,
    /// The model, and how it was arrived at.
    pub fitted: Fitted,
}

impl Trainer {
    /// Fits a selector for each function, and writes them when all are fitted: models of one folder belong together. No device is
    /// touched.
    ///
    /// ```
    #[doc = include_str!("../example_recordings.md")]
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, FitRequest, Trainer};
    ///
    /// let models = Trainer::new().fit(&FitRequest {
    ///     data: DataRequest { store: Some(store.clone()), ..DataRequest::default() },
    ///     models: folder.path().join("models"),
    ///     ..FitRequest::default()
    /// })?;
    /// assert_eq!(models[0].fitted.model.function, "sort");
    /// assert!(models[0].file.ends_with("models/sort.model"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings of a function, too few to learn from, or none of a named source, and when a model cannot be
    /// written.
    pub fn fit(&self, request: &FitRequest) -> Result<Vec<FittedModel>, TrainError> {
        if request.models.exists() && !request.models.is_dir() {
            return Err(TrainError::ModelsAreNoFolder { path: request.models.clone() });
        }
        let mut store = LayeredStore::open(self, &request.data)?;
        let lists = InputLists { train: request.train_inputs.clone(), test: None };
        let mut models = Vec::new();
        for function in store.functions(&request.data.functions)? {
            let recordings = store.load(&function)?;
            let options = FitOptions {
                sources: request.sources.clone(),
                inputs: Some(lists.split(&recordings)?.train),
                strategies: request.strategies.clone(),
                study: request.study.clone(),
                objective: request.objective.of(&recordings)?,
                when_unsure: request.when_unsure,
                seed: request.seed,
                ..FitOptions::default()
            };
            let file = request.models.join(file_name(&function));
            models.push(FittedModel { file, fitted: fit(&recordings, &options)? });
        }
        for FittedModel { file, fitted } in &models {
            fitted.model.write(file)?;
        }
        Ok(models)
    }
}
