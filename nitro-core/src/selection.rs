//! A selection: the chosen variant and why it was chosen.

use std::fmt;

use crate::{CodeChoice, CodeVariant, FeatureVector};

/// What a call runs, and why. Nothing has been run yet.
#[derive(Clone, Copy)]
pub struct Selection<V: CodeVariant> {
    pub(crate) choice: V::Choice,
    pub(crate) reason: Reason,
    pub(crate) features: FeatureVector,
    /// Absent when no model decided.
    pub(crate) assessment: Option<Assessment>,
}

/// What the model thinks of its choice and of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Assessment {
    pub(crate) confidence: f64,
    pub(crate) margin: Option<f64>,
    pub(crate) input_distance: Option<f64>,
    pub(crate) device_distance: Option<f64>,
}

impl Assessment {
    /// What is beyond the reach of training, if anything is.
    pub(crate) fn far(&self) -> Option<Far> {
        Far::of(self.input_distance, self.device_distance)
    }
}

impl<V: CodeVariant> Selection<V> {
    /// The chosen variant; it is admissible for the input.
    #[must_use]
    pub fn variant(&self) -> V {
        self.choice.variant()
    }

    /// The chosen variant with the values of its parameters.
    #[must_use]
    pub fn choice(&self) -> V::Choice {
        self.choice
    }

    /// Why it was chosen.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
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
        self.assessment.map(|assessment| assessment.confidence)
    }

    /// How far the chosen variant is ahead of the next one whose constraint admits it, 0 to 1: the difference of their
    /// [`confidence`](crate::model::Ranked::confidence), which is a share of votes of a support-vector machine and an expected share of the best
    /// variant's speed of a forest. Absent when no model decided, or when the model knows no other admissible variant.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        self.assessment?.margin
    }

    /// How far this input is from the training inputs, in units of what is near: above 1 the choice is a guess about an unknown kind of
    /// input. Formula and calibration: [`Region::distance`](crate::model::Region::distance). Absent when no model decided, when the model
    /// does not know its training inputs, and when it asks for no feature.
    #[must_use]
    pub fn input_distance(&self) -> Option<f64> {
        self.assessment?.input_distance
    }

    /// How far this device is from the devices that the model was trained on, as [`input_distance`](Self::input_distance); over the device
    /// features that are known without measuring, and over the measured ones too where the model itself needs one of those. Absent when no
    /// model decided, and when the model does not know what tells its source devices apart.
    #[must_use]
    pub fn device_distance(&self) -> Option<f64> {
        self.assessment?.device_distance
    }
}

impl<V: CodeVariant> fmt::Display for Selection<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.choice, self.reason)?;
        if let Some(confidence) = self.confidence() {
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
            .field("choice", &self.choice)
            .field("reason", &self.reason)
            .field("features", &self.features)
            .field("assessment", &self.assessment)
            .finish()
    }
}

/// Why a variant was chosen. Where the text says "default", the default variant runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The model's first choice.
    Predicted,
    /// The model's first choice, for an input or on a device that is far from all that it was trained on. Any other reason leaves that to
    /// [`Selection::input_distance`] and [`Selection::device_distance`].
    PredictedFar {
        /// What is far.
        far: Far,
    },
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
    /// The best choice of the model among variants whose results are bit for bit the default's: it ranks another one first, and the program or
    /// `NITRO_EXACT` allows no others ([`set_exact`](crate::set_exact)).
    FirstChoiceInexact {
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
    /// Default: the model needs a device feature that may differ between devices of one kind and does not know its source devices, and
    /// choices are to be deterministic ([`set_deterministic`](crate::set_deterministic)).
    DeviceFeatureVaries,
    /// Default: a feature that the model needs is NaN or infinite for this input.
    FeatureNotFinite {
        /// The feature.
        feature: &'static str,
    },
    /// Default: none of the variants that the model knows may run on this input.
    NoneAdmissible,
}

// In the order of `Reason`, so that one becomes the other without a table: every call is counted by it.
/// What kind of reason a [`Reason`] is, without its details; what [`stats`](crate::stats()) counts by. `Display` is one or a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReasonKind {
    /// [`Reason::Predicted`]
    Predicted,
    /// [`Reason::PredictedFar`]: of selections alone, since a call does not ask how far its input is.
    PredictedFar,
    /// [`Reason::PredictedWithout`]
    PredictedWithout,
    /// [`Reason::FirstChoiceInadmissible`]
    FirstChoiceInadmissible,
    /// [`Reason::FirstChoiceInexact`]
    FirstChoiceInexact,
    /// [`Reason::FirstChoiceMissing`]
    FirstChoiceMissing,
    /// [`Reason::Forced`]
    Forced,
    /// [`Reason::NoModel`]
    NoModel,
    /// [`Reason::ModelUnreadable`]
    ModelUnreadable,
    /// [`Reason::ModelForeign`]
    ModelForeign,
    /// [`Reason::FeatureMissing`]
    FeatureMissing,
    /// [`Reason::DeviceFeatureMissing`]
    DeviceFeatureMissing,
    /// [`Reason::DeviceFeatureVaries`]
    DeviceFeatureVaries,
    /// [`Reason::FeatureNotFinite`]
    FeatureNotFinite,
    /// [`Reason::NoneAdmissible`]
    NoneAdmissible,
}

impl ReasonKind {
    /// All kinds, in order.
    pub const ALL: [Self; 15] = [
        Self::Predicted,
        Self::PredictedFar,
        Self::PredictedWithout,
        Self::FirstChoiceInadmissible,
        Self::FirstChoiceInexact,
        Self::FirstChoiceMissing,
        Self::Forced,
        Self::NoModel,
        Self::ModelUnreadable,
        Self::ModelForeign,
        Self::FeatureMissing,
        Self::DeviceFeatureMissing,
        Self::DeviceFeatureVaries,
        Self::FeatureNotFinite,
        Self::NoneAdmissible,
    ];
}

impl fmt::Display for ReasonKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Predicted => "predicted",
            Self::PredictedFar => "predicted, far from the training",
            Self::PredictedWithout => "predicted, the model does not know all variants",
            Self::FirstChoiceInadmissible => "first choice inadmissible",
            Self::FirstChoiceInexact => "first choice inexact",
            Self::FirstChoiceMissing => "first choice no longer in the code",
            Self::Forced => "pinned",
            Self::NoModel => "no model",
            Self::ModelUnreadable => "model unreadable",
            Self::ModelForeign => "model of another function",
            Self::FeatureMissing => "feature missing",
            Self::DeviceFeatureMissing => "device feature missing",
            Self::DeviceFeatureVaries => "device feature varies",
            Self::FeatureNotFinite => "feature not finite",
            Self::NoneAdmissible => "none admissible",
        })
    }
}

impl Reason {
    /// The kind of reason.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> ReasonKind {
        match self {
            Self::Predicted => ReasonKind::Predicted,
            Self::PredictedFar { .. } => ReasonKind::PredictedFar,
            Self::PredictedWithout { .. } => ReasonKind::PredictedWithout,
            Self::FirstChoiceInadmissible { .. } => ReasonKind::FirstChoiceInadmissible,
            Self::FirstChoiceInexact { .. } => ReasonKind::FirstChoiceInexact,
            Self::FirstChoiceMissing => ReasonKind::FirstChoiceMissing,
            Self::Forced => ReasonKind::Forced,
            Self::NoModel => ReasonKind::NoModel,
            Self::ModelUnreadable => ReasonKind::ModelUnreadable,
            Self::ModelForeign => ReasonKind::ModelForeign,
            Self::FeatureMissing => ReasonKind::FeatureMissing,
            Self::DeviceFeatureMissing => ReasonKind::DeviceFeatureMissing,
            Self::DeviceFeatureVaries => ReasonKind::DeviceFeatureVaries,
            Self::FeatureNotFinite { .. } => ReasonKind::FeatureNotFinite,
            Self::NoneAdmissible => ReasonKind::NoneAdmissible,
        }
    }
}

/// The one rule by which a ranking ends in a choice: the first, in its order, of what may run, as `may_run` has it. Where there is none, the
/// default choice runs.
pub fn first_admissible<C, T>(
    ranking: impl IntoIterator<Item = C>,
    may_run: impl FnMut(C) -> Option<T>,
) -> Option<T> {
    ranking.into_iter().find_map(may_run)
}

/// What is far from all that a model was trained on: its distance is above 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Far {
    /// The input ([`Selection::input_distance`]).
    Input,
    /// The device ([`Selection::device_distance`]).
    Device,
    /// The input and the device.
    Both,
}

impl Far {
    /// What two distances say, of an input and of a device.
    #[must_use]
    pub fn of(input_distance: Option<f64>, device_distance: Option<f64>) -> Option<Self> {
        let is_far = |distance: Option<f64>| distance.is_some_and(|distance| distance > 1.0);
        match (is_far(input_distance), is_far(device_distance)) {
            (false, false) => None,
            (true, false) => Some(Self::Input),
            (false, true) => Some(Self::Device),
            (true, true) => Some(Self::Both),
        }
    }
}

impl fmt::Display for Far {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Input => "far from the inputs it was trained on",
            Self::Device => "on a device far from those it was trained on",
            Self::Both => "far from the inputs and on a device far from those it was trained on",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Predicted => write!(formatter, "predicted by the model"),
            Self::PredictedFar { far } => write!(formatter, "predicted by the model, {far}"),
            Self::PredictedWithout { unknown } => {
                write!(formatter, "predicted by a model that does not know `{unknown}`")
            }
            Self::FirstChoiceInadmissible { first } => {
                write!(formatter, "best admissible choice, a constraint forbids `{first}`")
            }
            Self::FirstChoiceInexact { first } => {
                write!(formatter, "best exact choice, the results of `{first}` may differ in their last bits")
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
            Self::DeviceFeatureVaries => {
                write!(
                    formatter,
                    "default, the model needs a device feature that differs between devices of one kind"
                )
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
