//! Models: what a trainer makes and the run time reads.
//!
//! The structs here are working types; the bytes of a file are defined in `format` alone.

mod format;
mod svm;

use std::path::Path;

pub use format::{FORMAT_VERSION, ModelError};
pub(crate) use svm::DeviceSvm;
pub use svm::{Class, Scale, Svm, Transform};

/// A trained selector of one function, with the names that give its numbers their meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Name of the function, e.g. `spmv`.
    pub function: String,
    /// Names of the variants that were measured, in the trainer's order.
    pub variants: Vec<String>,
    /// Names of the input features, in the order of the columns.
    pub features: Vec<String>,
    /// Names of the device features, whose columns follow those of the input features.
    pub device_features: Vec<String>,
    /// What maps the features to a variant.
    pub selector: Selector,
    /// How the model came to be.
    pub provenance: Provenance,
}

/// How a model came to be; nothing here takes part in a selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The strategy that fitted it, e.g. `svm-cross-validation`.
    pub strategy: String,
    /// The devices whose measurements it was trained on.
    pub sources: Vec<String>,
    /// Number of training inputs.
    pub training_inputs: usize,
    /// Seed of everything random in the training.
    pub seed: u64,
    /// SHA-256 of the recordings that it was fitted from, in hexadecimal; empty where that is not known.
    pub recordings_digest: String,
}

/// What maps features to a variant.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// One variant for every input: an index into [`Model::variants`].
    Constant {
        /// Index into [`Model::variants`].
        variant: usize,
    },
    /// A support-vector machine over input features joined with device features.
    Svm(Svm),
}

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// When the file cannot be read, is no model file, is damaged, or is of another format version.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        format::read(path)
    }

    /// Writes the model as a file in one step: a reader sees the old file or the new one, never half of one.
    ///
    /// # Errors
    /// When the file or its temporary neighbour cannot be written.
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

    /// All variants that the selector learned to choose, best first, as indices into [`Model::variants`].
    ///
    /// `features` and `device_features` are raw values in the order of the names.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn rank(&self, features: &[f64], device_features: &[f64]) -> Vec<usize> {
        self.explain(features, device_features).into_iter().map(|(variant, _)| variant).collect()
    }

    /// As [`Model::rank`], each variant with the share, 0 to 1, of its comparisons with the others that it won.
    ///
    /// # Panics
    /// When a slice is not as long as its list of names.
    #[must_use]
    pub fn explain(&self, features: &[f64], device_features: &[f64]) -> Vec<(usize, f64)> {
        assert_eq!(features.len(), self.features.len(), "one value for each input feature");
        assert_eq!(device_features.len(), self.device_features.len(), "one value for each device feature");
        self.on_device(device_features).explain(features)
    }

    /// The selector as it is on one device, the form that dispatch keeps: for whoever ranks many inputs there.
    ///
    /// # Panics
    /// When the slice is not as long as the list of device features.
    #[must_use]
    pub fn on_device(&self, device_features: &[f64]) -> OnDevice {
        assert_eq!(device_features.len(), self.device_features.len(), "one value for each device feature");
        OnDevice(Rule::on_device(&self.selector, device_features))
    }
}

/// A [`Model`] resolved for one device. Input features are raw values in the order of [`Model::features`].
pub struct OnDevice(Rule);

impl OnDevice {
    /// The first of the ranking, as dispatch finds it where every variant is admissible; allocates nothing.
    #[must_use]
    pub fn first(&self, features: &[f64]) -> Option<usize> {
        match &self.0 {
            Rule::Constant(variant) => Some(*variant),
            Rule::Svm(svm) => svm.votes(features).best(|_| true).map(|class| svm.variant(class)),
        }
    }

    /// As [`Model::explain`].
    #[must_use]
    pub fn explain(&self, features: &[f64]) -> Vec<(usize, f64)> {
        match &self.0 {
            Rule::Constant(variant) => vec![(*variant, 1.0)],
            Rule::Svm(svm) => svm.rank(features),
        }
    }
}

/// What maps input features to a variant of the model, on one device.
pub(crate) enum Rule {
    Constant(usize),
    Svm(DeviceSvm),
}

impl Rule {
    pub(crate) fn on_device(selector: &Selector, device_features: &[f64]) -> Self {
        match selector {
            Selector::Constant { variant } => Self::Constant(*variant),
            Selector::Svm(svm) => Self::Svm(svm.on_device(device_features)),
        }
    }
}

/// The name of the file, in a folder of models, that holds the model of a function: `::` is not portable in file names.
#[must_use]
pub fn file_name(function: &str) -> String {
    format!("{}.model", function.replace("::", "."))
}
