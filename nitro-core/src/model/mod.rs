//! Models: what a trainer makes and the run time reads.
//!
//! The structs here are working types; the bytes of a file are defined in `format` alone.

mod caution;
mod choosing;
mod correction;
mod coverage;
mod distilled;
mod forest;
mod format;
mod gate;
mod joined;
mod on_device;
mod points;
mod scores;
mod second_choice;
mod step;
mod svm;
mod training_inputs;

use crate::device::Lookup;
use crate::{Artifact, DeviceEntry, DeviceId, Regime, name};

pub use caution::Caution;
pub use choosing::{COMPARISON_NS, Way, counted_ns, forest_ns, net_share, svm_ns, walk_ns};
pub use correction::MeasuredInput;
pub(crate) use coverage::coordinate;
pub use coverage::{Coverage, DeviceRegion, MAX_CENTERS, MAX_COLUMNS, Offset, Region};
pub use forest::{DeviceSplit, Forest, MAX_DEPTH, MAX_RATIOS, MAX_TREES, Node, Ratio};
pub use format::{FORMAT_VERSION, ModelError};
pub(crate) use gate::MAX_STEPS;
pub use gate::{Comparison, Gate, MAX_GATE_NODES};
pub use on_device::OnDevice;
pub(crate) use step::Step;
pub use svm::{Class, Scale, Svm, Transform};
pub use training_inputs::{MAX_TRAINING_INPUTS, TrainingInputs};

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
///     is_distilled: false,
///     training_inputs: Default::default(),
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
    /// The choices that it can make, as [`Function::choice`](crate::Function::choice) reads them, in the trainer's
    /// order. Variants with parameters have values for all of them.
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
    /// The selector, which maps the features to a choice.
    pub selector: Selector,
    /// The gate, which decides from cheap features where neither the other features nor the selector are worth their
    /// time.
    pub gate: Option<Gate>,
    /// The case in which the selector is too unsure to be followed, if there is one.
    pub caution: Option<Caution>,
    /// True where the selector is asked as a small tree, which is made of it on each device for the training inputs.
    pub is_distilled: bool,
    /// Some of the training inputs, where something decides before the selector is asked.
    pub training_inputs: TrainingInputs,
    /// The selectors that take its place on devices where a little was measured; at most [`MAX_CALIBRATIONS`].
    pub calibrations: Vec<Calibration>,
    /// The inputs and devices that it was trained on: what a selection calls near or far.
    pub coverage: Coverage,
    /// The origin of the model.
    pub provenance: Provenance,
}

/// The most pieces of generated code that a model carries: as many as it may have choices.
pub const MAX_ARTIFACTS: usize = crate::MAX_CHOICES;

/// The most devices that a model is calibrated for.
pub const MAX_CALIBRATIONS: usize = 64;

/// A selector that a few measurements on one device have made.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The device, e.g. `cuda:0@nvidia-h200-140gb`: all of one kind have the same identity.
    pub device: String,
    /// Number of training inputs that were measured there.
    pub measured_inputs: usize,
    /// The selector there, which asks for input features alone.
    pub selector: Selector,
}

/// The origin of a model; nothing here takes part in a selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The strategy that fitted it, e.g. `svm-cross-validation`.
    pub strategy: String,
    /// The devices whose measurements it was trained on.
    pub sources: Vec<String>,
    /// The measure by which one selector is better than another: `mean-ratio`, `total-time` or `traffic`; empty
    /// where that is not known.
    pub objective: String,
    /// Number of training inputs.
    pub training_inputs: usize,
    /// Seed of everything random in the training.
    pub seed: u64,
    /// SHA-256 of the recordings that it was fitted from, in hexadecimal; empty where that is not known.
    pub recordings_digest: String,
}

/// A selector: maps features to a choice.
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
    /// Returns true where no feature has a say: one choice, or trees that compare nothing, which order the choices.
    ///
    /// ```
    /// use nitro_core::model::{Forest, Node, Selector};
    ///
    /// // The second choice, then the first, whatever the input is.
    /// let order = Forest { inputs: 1, choices: 2, nodes: vec![Node::Leaf], values: vec![9, 0], origins: vec![], ratios: vec![] };
    /// assert!(Selector::Forest(order).is_constant() && Selector::Constant { choice: 1 }.is_constant());
    /// ```
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant { .. } => true,
            Self::Svm(_) => false,
            Self::Forest(forest) => forest.nodes.iter().all(|node| *node == Node::Leaf),
        }
    }

    /// Returns the time that it takes for an input that a call does not remember, in nanoseconds, without features;
    /// beyond what a call without a model takes, so that one choice for everything takes none.
    #[must_use]
    pub fn selection_ns(&self) -> f64 {
        match self {
            _ if self.is_constant() => 0.0,
            Self::Svm(svm) => svm_ns(svm.support()),
            Self::Forest(forest) => forest_ns(forest.trees()),
            Self::Constant { .. } => 0.0,
        }
    }

    /// The scaling of its columns, those of the input features first; none where it takes values as they are.
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
    /// The confidence, between 0 and 1. Of a support-vector machine it is the share of its comparisons with the
    /// others that the choice won, of a forest the share of the best choice's speed that is expected of it.
    pub confidence: f64,
    /// The expected time over that of the best choice, at least 1. It is the inverse of the expected share of the
    /// best choice's speed. Absent where the selector does not estimate time.
    pub expected_slowdown: Option<f64>,
}

impl Model {
    /// Returns true where the model can tell calls in a regime from eager ones: it was trained or calibrated on a
    /// device in it.
    #[must_use]
    pub fn knows(&self, regime: Regime) -> bool {
        let calibrated = self.calibrations.iter().map(|calibration| &calibration.device);
        let mut devices = self.provenance.sources.iter().chain(calibrated).map(|id| DeviceId::new(id));
        regime == Regime::Eager || devices.any(|device| device.regime() == regime)
    }

    /// The calibration for a device, if there is one.
    #[must_use]
    pub fn calibration(&self, device: &str) -> Option<&Calibration> {
        self.calibrations.iter().find(|calibration| calibration.device == device)
    }

    /// The names of the device features that choices on a device need, by its identity. None once it is calibrated
    /// there, unless its gate asks for one.
    #[must_use]
    pub fn needed_on(&self, device: &str) -> &[String] {
        let asks_device = self.gate.as_ref().is_some_and(|gate| gate.asks_device(self.features.len()));
        match self.calibration(device).is_some() && !asks_device {
            true => &[],
            false => &self.device_features,
        }
    }

    /// The distance of a device from those that the model was trained on, in units of the limit. Above 1 is far.
    ///
    /// It is over the device features that are known without measuring. Where the model needs a measured one anyway,
    /// it is over those too, as far as they are known by now. Absent where the model does not know what tells its
    /// source devices apart.
    pub fn device_distance(&self, device: &DeviceEntry) -> Option<f64> {
        let is_measured = self.device_features.iter().any(|name| device.described(name).is_none());
        self.coverage.devices.as_ref()?.distance(|name| match device.look_up(name) {
            Lookup::Value(value) if is_measured || device.described(name).is_some() => Some(value),
            _ => None,
        })
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
