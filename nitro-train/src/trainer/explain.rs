//! The explanation of a choice: which variant is selected for given feature values, and why.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use nitro_core::choice_text;
use nitro_core::model::Model;
use nitro_learn::explain::{Explanation, Question};

use super::builder::Trainer;
use super::error::TrainError;
use super::explained_device::ExplainedDevice;
use super::layered_store::LayeredStore;
use super::near_floors::{NearFloor, near_floors};
use super::request::{DataRequest, InputLists, read_model};

/// A request to explain a choice.
///
/// ```
/// use nitro_train::ExplainRequest;
///
/// let request = ExplainRequest { device: Some("host:4".into()), ..ExplainRequest::new("sort", [("length", 1e6)]) };
/// assert_eq!(request.features, [("length".to_owned(), 1e6)]);
/// assert!(request.store.is_none(), "the default store");
/// ```
#[derive(Args, Clone, Debug, PartialEq)]
pub struct ExplainRequest {
    /// Function to explain a choice of
    #[arg(value_name = "F")]
    pub function: String,
    /// The values of input features: each of the model's once, and others of the function, for constraints.
    #[arg(skip)]
    pub features: Vec<(String, f64)>,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub models: PathBuf,
    /// Device to select for: one of this machine, as host:4, or one in the store. Without: the host with all threads,
    /// or, for a function of another kind of device, the first such device here, else a recorded one
    #[arg(long, value_name = "D")]
    pub device: Option<String>,
    /// Store with the training inputs, a file or redis://host:port/db. Without one, nitro.db in the working directory
    /// over the recordings that the program carries
    #[arg(long, value_name = "S", env = "NITRO_STORE", hide_env_values = true)]
    // an address may have a password
    pub store: Option<String>,
}

/// The explanation of a choice, with what it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The reasons of the model for its choice.
    pub explanation: Explanation,
    /// The kind of device that this machine lacks, where a recorded one was taken for that.
    pub stands_for: Option<String>,
    /// The floors of the nearest training inputs, where they are known.
    pub floors: Vec<NearFloor>,
    /// True if the function has recordings; otherwise there are no nearest training inputs.
    pub is_recorded: bool,
}

impl ExplainRequest {
    /// Returns a question about these feature values, for this machine, to the model in `models/`.
    #[must_use]
    pub fn new(
        function: impl Into<String>,
        features: impl IntoIterator<Item = (impl Into<String>, f64)>,
    ) -> Self {
        Self {
            function: function.into(),
            features: features.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            device: None,
            store: None,
            models: PathBuf::from("models"),
        }
    }
}

impl Trainer {
    /// Explains which variant the model of a function selects for an input of these features, and what would change
    /// that.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{DataRequest, ExplainRequest, FitRequest, Trainer};
    ///
    /// let (trainer, models) = (Trainer::new(), folder.path().join("models"));
    /// let data = DataRequest { store: Some(store.clone()), ..DataRequest::default() };
    /// trainer.fit(&FitRequest { data, models: models.clone(), ..FitRequest::default() })?.all()?;
    /// let answer = trainer.explain(&ExplainRequest {
    ///     device: Some("large".into()),
    ///     store: Some(store),
    ///     models,
    ///     ..ExplainRequest::new("sort", [("length", 2.0)])
    /// })?;
    /// assert_eq!(answer.explanation.choice.as_deref(), Some("stable"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there is no model, when a feature of it is missing or an unknown one is given, and when the device is
    /// nowhere or lacks a device feature of the model.
    pub fn explain(&self, request: &ExplainRequest) -> Result<Explained, TrainError> {
        let name = &request.function;
        let model = read_model(&request.models, name)?;
        let function = self.find(name).map(|tunable| tunable.function);
        let data = DataRequest { store: request.store.clone(), ..DataRequest::default() };
        let mut store = LayeredStore::open(self, &data)?;
        let mut recordings = store.load_if_recorded(name)?;
        // What the model left out, such as a feature that is the same for all inputs, may be given all the same.
        let mut known: Vec<&str> = function.map_or_else(Vec::new, |function| function.features().to_vec());
        known.extend(recordings.iter().flat_map(|recordings| &recordings.features).map(String::as_str));
        let given = values(&model, &known, &request.features)?;
        if let Some(recordings) = &mut recordings {
            recordings.keep_configurations(|variant, configuration| {
                model.choices.contains(&choice_text(variant, configuration))
            });
        }
        let split =
            recordings.as_ref().map(|recordings| InputLists::default().split(recordings)).transpose()?;
        let device = ExplainedDevice::find(
            self,
            (name, request.device.as_deref()),
            &model,
            &mut store,
            recordings.as_ref(),
        )?;
        device.check(&model)?;
        let explanation = Explanation::new(&Question {
            model: &model,
            function,
            given: &given,
            device: &device.record,
            device_distance: device.distance(&model),
            recorded: recordings.as_ref().zip(split.as_ref().map(|split| split.train.as_slice())),
        })?;
        let floors = self.find(name).map(|tunable| tunable.floors()).unwrap_or_default();
        let floors = recordings
            .as_ref()
            .map_or_else(Vec::new, |recordings| near_floors(recordings, &explanation.nearest, floors));
        Ok(Explained {
            explanation,
            floors,
            stands_for: device.stands_for,
            is_recorded: recordings.is_some(),
        })
    }
}

/// Returns the values by feature: each of the model's exactly once, and others that the code or the recordings know.
fn values(
    model: &Model,
    known: &[&str],
    given: &[(String, f64)],
) -> Result<BTreeMap<String, f64>, TrainError> {
    let mut values = BTreeMap::new();
    for (feature, value) in given {
        let (feature, value) = (feature.clone(), *value);
        if !model.features.contains(&feature) && !known.contains(&feature.as_str()) {
            return Err(TrainError::UnknownFeature { feature, known: model.features.clone() });
        }
        if !value.is_finite() {
            return Err(TrainError::FeatureNotFinite { feature, value });
        }
        if values.insert(feature.clone(), value).is_some() {
            return Err(TrainError::FeatureTwice { feature });
        }
    }
    let missing: Vec<String> =
        model.features.iter().filter(|name| !values.contains_key(*name)).cloned().collect();
    match missing.is_empty() {
        true => Ok(values),
        false => Err(TrainError::FeaturesMissing { missing, needed: model.features.clone() }),
    }
}
