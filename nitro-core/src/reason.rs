//! Why a choice was made.

use std::fmt;

#[cfg(doc)]
use crate::Selection;

/// Why a variant was chosen. `Display` is a sentence for a person; [`ReasonKind`] is for counting. Where the text
/// says "default", the default variant runs.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::{Reason, ReasonKind};
///
/// let reason = sort::select(&[7; 4096]).reason();
/// assert_eq!((reason, reason.to_string()), (Reason::Predicted, "predicted by the model".to_owned()));
/// assert_eq!(Reason::FeatureNotFinite { feature: "density" }.kind(), ReasonKind::FeatureNotFinite);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The model's first choice.
    Predicted,
    /// The model's first choice, for an input or on a device that is far from all that it was trained on. Any other
    /// reason leaves that to [`Selection::input_distance`] and [`Selection::device_distance`].
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
    /// Another choice is hardly ahead in the eyes of the model, or the input is far from all that it was trained
    /// on, and it is one that then keeps to the default of its training ([`Caution`](crate::model::Caution)).
    Unsure,
    /// The best admissible choice of the model: a constraint forbids the variant it ranks first.
    FirstChoiceInadmissible {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best choice of the model among variants whose results are bit for bit the default's: it ranks another
    /// one first, and the program or `NITRO_EXACT` allows no others ([`set_exact`](crate::set_exact)).
    FirstChoiceInexact {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best admissible choice of the model: the variant it ranks first is approximate, and its error is above
    /// what the call's `tolerance` accepts.
    FirstChoiceNotTolerated {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best choice of the model that still exists: the variant it ranks first is no longer in the code.
    FirstChoiceMissing,
    /// `NITRO_FORCE` pins the variant.
    Forced,
    /// `NITRO_FORCE` pins another choice, which may not run in this call: its constraint forbids it, or it is not
    /// exact or not near enough. What runs is what would without the pin.
    ForcedInadmissible {
        /// The variant that is pinned.
        pinned: &'static str,
    },
    /// Default: no model of the function was found.
    NoModel,
    /// Default: the model's file cannot be read or is damaged.
    ModelUnreadable,
    /// Default: the model was made for another function.
    ModelForeign,
    /// Default: the model carries generated code, and lies in the working directory, where anybody's may lie.
    ModelUntrusted,
    /// Default: the model needs an input feature that the code does not have.
    FeatureMissing,
    /// Default: a feature that the model needs computes something else in the code than it did when the model was
    /// trained.
    FeatureChanged {
        /// The feature.
        feature: &'static str,
    },
    /// Default: the model needs a device feature that is not known of this device.
    DeviceFeatureMissing,
    /// Default for now: the model needs device features that are being measured in the background. Calls choose by
    /// the model when they are there.
    DeviceFeaturesPending,
    /// Default: the model needs a device feature that may differ between devices of one kind and does not know its
    /// source devices, and choices are to be deterministic ([`set_deterministic`](crate::set_deterministic)).
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
/// What kind of reason a [`Reason`] is, without its details; what [`stats`](crate::stats()) counts by. `Display` is
/// one or a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReasonKind {
    /// [`Reason::Predicted`]
    Predicted,
    /// [`Reason::PredictedFar`]: of selections alone, since a call does not ask how far its input is.
    PredictedFar,
    /// [`Reason::PredictedWithout`]
    PredictedWithout,
    /// [`Reason::Unsure`]
    Unsure,
    /// [`Reason::FirstChoiceInadmissible`]
    FirstChoiceInadmissible,
    /// [`Reason::FirstChoiceInexact`]
    FirstChoiceInexact,
    /// [`Reason::FirstChoiceNotTolerated`]
    FirstChoiceNotTolerated,
    /// [`Reason::FirstChoiceMissing`]
    FirstChoiceMissing,
    /// [`Reason::Forced`]
    Forced,
    /// [`Reason::ForcedInadmissible`]
    ForcedInadmissible,
    /// [`Reason::NoModel`]
    NoModel,
    /// [`Reason::ModelUnreadable`]
    ModelUnreadable,
    /// [`Reason::ModelForeign`]
    ModelForeign,
    /// [`Reason::ModelUntrusted`]
    ModelUntrusted,
    /// [`Reason::FeatureMissing`]
    FeatureMissing,
    /// [`Reason::FeatureChanged`]
    FeatureChanged,
    /// [`Reason::DeviceFeatureMissing`]
    DeviceFeatureMissing,
    /// [`Reason::DeviceFeaturesPending`]
    DeviceFeaturesPending,
    /// [`Reason::DeviceFeatureVaries`]
    DeviceFeatureVaries,
    /// [`Reason::FeatureNotFinite`]
    FeatureNotFinite,
    /// [`Reason::NoneAdmissible`]
    NoneAdmissible,
}

impl ReasonKind {
    /// All kinds, in order.
    pub const ALL: [Self; 21] = [
        Self::Predicted,
        Self::PredictedFar,
        Self::PredictedWithout,
        Self::Unsure,
        Self::FirstChoiceInadmissible,
        Self::FirstChoiceInexact,
        Self::FirstChoiceNotTolerated,
        Self::FirstChoiceMissing,
        Self::Forced,
        Self::ForcedInadmissible,
        Self::NoModel,
        Self::ModelUnreadable,
        Self::ModelForeign,
        Self::ModelUntrusted,
        Self::FeatureMissing,
        Self::FeatureChanged,
        Self::DeviceFeatureMissing,
        Self::DeviceFeaturesPending,
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
            Self::Unsure => "unsure",
            Self::FirstChoiceInadmissible => "first choice inadmissible",
            Self::FirstChoiceInexact => "first choice inexact",
            Self::FirstChoiceNotTolerated => "first choice not tolerated",
            Self::FirstChoiceMissing => "first choice no longer in the code",
            Self::Forced => "pinned",
            Self::ForcedInadmissible => "pinned choice inadmissible",
            Self::NoModel => "no model",
            Self::ModelUnreadable => "model unreadable",
            Self::ModelForeign => "model of another function",
            Self::ModelUntrusted => "model untrusted",
            Self::FeatureMissing => "feature missing",
            Self::FeatureChanged => "feature declared otherwise",
            Self::DeviceFeatureMissing => "device feature missing",
            Self::DeviceFeaturesPending => "device features pending",
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
            Self::Unsure => ReasonKind::Unsure,
            Self::FirstChoiceInadmissible { .. } => ReasonKind::FirstChoiceInadmissible,
            Self::FirstChoiceInexact { .. } => ReasonKind::FirstChoiceInexact,
            Self::FirstChoiceNotTolerated { .. } => ReasonKind::FirstChoiceNotTolerated,
            Self::FirstChoiceMissing => ReasonKind::FirstChoiceMissing,
            Self::Forced => ReasonKind::Forced,
            Self::ForcedInadmissible { .. } => ReasonKind::ForcedInadmissible,
            Self::NoModel => ReasonKind::NoModel,
            Self::ModelUnreadable => ReasonKind::ModelUnreadable,
            Self::ModelForeign => ReasonKind::ModelForeign,
            Self::ModelUntrusted => ReasonKind::ModelUntrusted,
            Self::FeatureMissing => ReasonKind::FeatureMissing,
            Self::FeatureChanged { .. } => ReasonKind::FeatureChanged,
            Self::DeviceFeatureMissing => ReasonKind::DeviceFeatureMissing,
            Self::DeviceFeaturesPending => ReasonKind::DeviceFeaturesPending,
            Self::DeviceFeatureVaries => ReasonKind::DeviceFeatureVaries,
            Self::FeatureNotFinite { .. } => ReasonKind::FeatureNotFinite,
            Self::NoneAdmissible => ReasonKind::NoneAdmissible,
        }
    }
}

/// What is far from all that a model was trained on: its distance is above 1.
///
/// ```
/// use nitro_core::Far;
///
/// // A model of twice the reach would know the input; the device is one like those of the training.
/// assert_eq!(Far::of(Some(2.0), Some(0.4)), Some(Far::Input));
/// assert_eq!(Far::of(Some(1.0), None), None);
/// ```
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
            Self::Unsure => write!(formatter, "default of the training, the model is not sure of another"),
            Self::FirstChoiceInadmissible { first } => {
                write!(formatter, "best admissible choice, a constraint forbids `{first}`")
            }
            Self::FirstChoiceInexact { first } => {
                write!(formatter, "best exact choice, the results of `{first}` may differ in their last bits")
            }
            Self::FirstChoiceNotTolerated { first } => {
                write!(formatter, "best admissible choice, the call does not tolerate the error of `{first}`")
            }
            Self::FirstChoiceMissing => {
                write!(formatter, "best choice left, the model's first is no longer in the code")
            }
            Self::Forced => write!(formatter, "pinned by NITRO_FORCE"),
            Self::ForcedInadmissible { pinned } => {
                write!(formatter, "not `{pinned}`, which NITRO_FORCE pins: it is not admissible in this call")
            }
            Self::NoModel => write!(formatter, "default, there is no model"),
            Self::ModelUnreadable => write!(formatter, "default, the model cannot be read"),
            Self::ModelForeign => write!(formatter, "default, the model is of another function"),
            Self::ModelUntrusted => {
                write!(formatter, "default, the model carries code and lies in the working directory")
            }
            Self::FeatureMissing => {
                write!(formatter, "default, the model needs a feature that the code lacks")
            }
            Self::FeatureChanged { feature } => {
                write!(formatter, "default, feature `{feature}` is another one than the model was trained on")
            }
            Self::DeviceFeatureMissing => {
                write!(formatter, "default, the model needs a device feature that is not known here")
            }
            Self::DeviceFeaturesPending => {
                write!(formatter, "default until the device features are measured that the model needs")
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
