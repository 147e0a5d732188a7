//! A selection: the chosen variant and why it was chosen.

use std::fmt;

use crate::{CodeVariant, FeatureVector};

/// The variant that a call runs, and why. Nothing has been run yet.
#[derive(Clone, Copy)]
pub struct Selection<V> {
    pub(crate) variant: V,
    pub(crate) reason: Reason,
    pub(crate) features: FeatureVector,
    pub(crate) confidence: Option<f64>,
}

impl<V: CodeVariant> Selection<V> {
    /// The chosen variant; it is admissible for the input.
    #[must_use]
    pub fn variant(&self) -> V {
        self.variant
    }

    /// Why it was chosen.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// The features that the decision needed.
    #[must_use]
    pub fn features(&self) -> &FeatureVector {
        &self.features
    }

    /// What the model thinks of the chosen variant, 0 to 1 ([`Ranked::confidence`](crate::model::Ranked::confidence)); absent when no model
    /// decided.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        self.confidence
    }
}

impl<V: CodeVariant> fmt::Display for Selection<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.variant, self.reason)?;
        if let Some(confidence) = self.confidence {
            write!(formatter, ", confidence {confidence:.2}")?;
        }
        for (index, (name, value)) in self.features.iter().enumerate() {
            write!(formatter, "{} {name}={value}", if index == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

impl<V: CodeVariant> fmt::Debug for Selection<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Selection")
            .field("variant", &self.variant)
            .field("reason", &self.reason)
            .field("features", &self.features)
            .field("confidence", &self.confidence)
            .finish()
    }
}

/// Why a variant was chosen. Where the text says "default", the default variant runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The model's first choice.
    Predicted,
    /// The model's first choice among the variants it knows; this one, declared in the code, was not there when the
    /// model was trained.
    PredictedWithout {
        /// A variant that the model does not know.
        unknown: &'static str,
    },
    /// The best admissible choice of the model: a constraint forbids the variant it ranks first.
    FirstChoiceInadmissible {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best choice of the model that still exists: the variant it ranks first is no longer in the code.
    FirstChoiceMissing,
    /// `NITRO_FORCE` pins the variant.
    Forced,
    /// Default: no model of the function was found.
    NoModel,
    /// Default: the model's file cannot be read or is damaged.
    ModelUnreadable,
    /// Default: the model was made for another function.
    ModelForeign,
    /// Default: the model needs an input feature that the code does not have.
    FeatureMissing,
    /// Default: the model needs a device feature that is not known of this device.
    DeviceFeatureMissing,
    /// Default: a feature that the model needs is NaN or infinite for this input.
    FeatureNotFinite {
        /// The feature.
        feature: &'static str,
    },
    /// Default: none of the variants that the model knows may run on this input.
    NoneAdmissible,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Predicted => write!(formatter, "predicted by the model"),
            Self::PredictedWithout { unknown } => {
                write!(formatter, "predicted by a model that does not know `{unknown}`")
            }
            Self::FirstChoiceInadmissible { first } => {
                write!(formatter, "best admissible choice, a constraint forbids `{first}`")
            }
            Self::FirstChoiceMissing => {
                write!(formatter, "best choice left, the model's first is no longer in the code")
            }
            Self::Forced => write!(formatter, "pinned by NITRO_FORCE"),
            Self::NoModel => write!(formatter, "default, there is no model"),
            Self::ModelUnreadable => write!(formatter, "default, the model cannot be read"),
            Self::ModelForeign => write!(formatter, "default, the model is of another function"),
            Self::FeatureMissing => {
                write!(formatter, "default, the model needs a feature that the code lacks")
            }
            Self::DeviceFeatureMissing => {
                write!(formatter, "default, the model needs a device feature that is not known here")
            }
            Self::FeatureNotFinite { feature } => {
                write!(formatter, "default, feature `{feature}` is not finite")
            }
            Self::NoneAdmissible => {
                write!(formatter, "default, no variant that the model knows is admissible")
            }
        }
    }
}
