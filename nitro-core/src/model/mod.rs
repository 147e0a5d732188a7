//! Models: what a trainer makes and the run time reads.
//!
//! The structs here are working types; the bytes of a file are defined in `format` alone.

mod caution;
mod coverage;
mod forest;
mod format;
mod gate;
mod limited;
mod on_device;
mod scores;
mod svm;

use std::path::Path;

use crate::device::Lookup;
use crate::{Artifact, DeviceEntry, name};

pub use caution::Caution;
pub(crate) use coverage::coordinate;
pub use coverage::{Coverage, DeviceRegion, MAX_CENTERS, MAX_COLUMNS, Offset, Region};
pub use forest::{Forest, MAX_DEPTH, MAX_TREES, Node};
pub use format::{FORMAT_VERSION, ModelError};
pub(crate) use gate::Step;
pub use gate::{Gate, MAX_GATE_NODES};
pub use on_device::OnDevice;
pub use svm::{Class, Scale, Svm, Transform};

/// A trained selector of one function, with the names that give its numbers their meaning.
///
/// ```
/// use nitro_core::model::{Coverage, Model, Provenance, Selector};
///
/// let model = Model {
///     function: "sort".into(),
///     choices: vec!["merge".into(), "radix{bits=8}".into()],
///     artifacts: vec![],
///     features: vec!["length".into()],
///     device_features: vec![],
///     selector: Selector::Constant { choice: 1 },
///     gate: None,
///     caution: None,
///     calibrations: vec![],
///     feature_digests: vec![],
///     coverage: Coverage::default(),
///     provenance: Provenance::default(),
/// };
/// let read = Model::from_bytes(&model.to_bytes())?;
/// assert_eq!(read.choices[read.rank(&[1e6], &[])[0]], "radix{bits=8}");
/// # Ok::<(), nitro_core::model::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name of the function, e.g. `spmv`.
    pub function: String,
    /// What it can pick, as [`Function::choice`](crate::Function::choice) reads it: variants, those with parameters
    /// with values for all of them, in the trainer's order.
    pub choices: Vec<String>,
    /// The generated code among the choices; at most [`MAX_ARTIFACTS`], each of at most
    /// [`MAX_ARTIFACT_BYTES`](crate::MAX_ARTIFACT_BYTES). Their texts go into the file, and whoever reads it knows
    /// them from then on.
    pub artifacts: Vec<Artifact>,
    /// Names of the input features, in the order of the columns.
    pub features: Vec<String>,
    /// Digests of what the input features compute, one for each, 0 where it is not known; empty where nothing is.
    pub feature_digests: Vec<u64>,
    /// Names of the device features, whose columns follow those of the input features.
    pub device_features: Vec<String>,
    /// What maps the features to a choice.
    pub selector: Selector,
    /// What decides, from features that cost little, where neither the other features nor the selector are worth
    /// their time.
    pub gate: Option<Gate>,
    /// When the selector is too unsure to be followed, if it ever is.
    pub caution: Option<Caution>,
    /// What takes the selector's place on devices where a little was measured; at most [`MAX_CALIBRATIONS`].
    pub calibrations: Vec<Calibration>,
    /// Which inputs and devices it was trained on: what a selection calls near or far.
    pub coverage: Coverage,
    /// How the model came to be.
    pub provenance: Provenance,
}

/// The most pieces of generated code that a model carries: as many as it may have choices.
pub const MAX_ARTIFACTS: usize = crate::MAX_CHOICES;

/// The most devices that a model is calibrated for.
pub const MAX_CALIBRATIONS: usize = 64;

/// What a few measurements on one device have made of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The device, e.g. `cuda:0@nvidia-h200-140gb`: all of one kind have the same identity.
    pub device: String,
    /// Number of training inputs that were measured there.
    pub measured_inputs: usize,
    /// What chooses there, by input features alone.
    pub selector: Selector,
}

/// How a model came to be; nothing here takes part in a selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The strategy that fitted it, e.g. `svm-cross-validation`.
    pub strategy: String,
    /// The devices whose measurements it was trained on.
    pub sources: Vec<String>,
    /// What makes one selector better than another in its eyes: `mean-ratio`, `total-time` or `traffic`; empty
    /// where that is not known.
    pub objective: String,
    /// Number of training inputs.
    pub training_inputs: usize,
    /// Seed of everything random in the training.
    pub seed: u64,
    /// SHA-256 of the recordings that it was fitted from, in hexadecimal; empty where that is not known.
    pub recordings_digest: String,
}

/// What maps features to a choice.
///
/// ```
/// use nitro_core::model::{Class, Scale, Selector, Svm, Transform};
///
/// let constant = Selector::Constant { choice: 2 };
/// assert_eq!(constant.on_device(&[]).first(&[1e6]), Some(2));
/// assert!(constant.scaling().is_none());
/// // A support-vector machine of one class chooses that, and shows the range of its training inputs.
/// let length = Scale { transform: Transform::Log, min: 0.0, max: 12.0 };
/// let classes = vec![Class { choice: 1, support: 0 }];
/// let svm = Svm { gamma: 0.5, scaling: vec![length], classes, vectors: vec![], coefficients: vec![], rho: vec![] };
/// assert_eq!(Selector::Svm(svm).scaling(), Some(&[length][..]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// One choice for every input.
    Constant {
        /// Index into [`Model::choices`].
        choice: usize,
    },
    /// A support-vector machine over input features joined with device features.
    Svm(Svm),
    /// A forest of regression trees over input features joined with device features.
    Forest(Forest),
}

impl Selector {
    /// How it scales its columns, those of the input features first; none where it takes values as they are.
    #[must_use]
    pub fn scaling(&self) -> Option<&[Scale]> {
        match self {
            Self::Svm(svm) => Some(&svm.scaling),
            Self::Constant { .. } | Self::Forest(_) => None,
        }
    }
}

/// One choice in a ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Index into [`Model::choices`].
    pub choice: usize,
    /// Between 0 and 1: of a support-vector machine the share of its comparisons with the others that the choice
    /// won, of a forest the share of the best choice's speed that is expected of it.
    pub confidence: f64,
    /// How many times longer than the best choice it is expected to take, at least 1: the inverse of the expected
    /// share of the best choice's speed. Absent where the selector does not estimate time.
    pub expected_slowdown: Option<f64>,
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// When the file cannot be read, is no model file, is damaged, or is of another format version.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        format::read(path)
    }

    /// The bytes of a file that may be one.
    pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
        format::read_bytes(path)
    }

    /// As [`Model::from_bytes`]; none where the model carries generated code, of which nothing is kept then.
    pub(crate) fn from_bytes_without_code(bytes: &[u8]) -> Result<Option<Self>, ModelError> {
        format::from_bytes_without_code(bytes)
    }

    /// Writes the model as a file in one step: a reader sees the old file or the new one, never half of one.
    ///
    /// # Errors
    /// When the file or its temporary neighbour cannot be written, and when [`Model::read`] would refuse it; the
    /// old file is still there then.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        format::write(self, path)
    }

    /// The bytes of a model file, e.g. for `#[code_variant(model = include_bytes!(..))]`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        format::to_bytes(self)
    }

    /// The model in the bytes of a model file.
    ///
    /// # Errors
    /// When the bytes are no model, are damaged, or are of another format version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        format::from_bytes(bytes)
    }

    /// What the model was calibrated to on a device, if it was.
    #[must_use]
    pub fn calibration(&self, device: &str) -> Option<&Calibration> {
        self.calibrations.iter().find(|calibration| calibration.device == device)
    }

    /// What chooses on a device, by its identity and its device features (raw values in the order of the names).
    ///
    /// # Panics
    /// As [`Selector::on_device`].
    #[must_use]
    pub fn on_device(&self, device: &str, device_features: &[f64]) -> OnDevice {
        let needed = self.needed_on(device);
        self.resolved_on(Some(device), if needed.is_empty() { &[] } else { device_features })
    }

    /// The names of the device features that choices on a device need, by its identity: none once it is calibrated
    /// there, unless its gate asks for one.
    #[must_use]
    pub fn needed_on(&self, device: &str) -> &[String] {
        let asks = |gate: &Gate| gate.asks_device(self.features.len());
        match self.calibration(device).is_some() && !self.gate.as_ref().is_some_and(asks) {
            true => &[],
            false => &self.device_features,
        }
    }

    /// What chooses where the needed device features have these values; none for a device stands for any that is
    /// not calibrated.
    pub(crate) fn resolved_on(&self, device: Option<&str>, device_features: &[f64]) -> OnDevice {
        let selector = match device.and_then(|device| self.calibration(device)) {
            Some(calibration) => calibration.selector.on_device(&[]),
            None => self.selector.on_device(device_features),
        };
        let gate = self.gate.as_ref().map(|gate| gate.on_device(self.features.len(), device_features));
        let far = self.caution.filter(|caution| caution.far).and(self.coverage.inputs.clone());
        selector.behind(gate).with_caution(self.caution, far)
    }

    /// All that the selector learned to choose, best first, as indices into [`Model::choices`].
    ///
    /// `features` and `device_features` are raw values in the order of the names.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn rank(&self, features: &[f64], device_features: &[f64]) -> Vec<usize> {
        self.explain(features, device_features).into_iter().map(|ranked| ranked.choice).collect()
    }

    /// As [`Model::rank`], each choice with what the selector thinks of it.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn explain(&self, features: &[f64], device_features: &[f64]) -> Vec<Ranked> {
        assert_eq!(features.len(), self.features.len(), "one value for each input feature");
        assert_eq!(device_features.len(), self.device_features.len(), "one value for each device feature");
        self.resolved_on(None, device_features).rank(features)
    }
}

impl Model {
    /// How far a device is from those that the model was trained on, in units of the limit: above 1 is far. Over
    /// the device features that are known without measuring, and over the measured ones too where the model needs
    /// one of those anyway, as far as they are known by now. Absent where the model does not know what tells its
    /// source devices apart.
    #[must_use]
    pub fn device_distance(&self, device: &DeviceEntry) -> Option<f64> {
        let is_measured = self.device_features.iter().any(|name| device.described(name).is_none());
        let value = |name: &str| match device.look_up(name) {
            Lookup::Value(value) if is_measured || device.described(name).is_some() => Some(value),
            _ => None,
        };
        self.coverage.devices.as_ref()?.distance(value)
    }
}

/// The name of the file, in a folder of models, that holds the model of a function; see [`name::file_stem`].
///
/// ```
/// assert_eq!(nitro_core::model::file_name("app::sort"), "app.sort.model");
/// ```
#[must_use]
pub fn file_name(function: &str) -> String {
    format!("{}.model", name::file_stem(function))
}
