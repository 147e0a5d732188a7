//! The reasons for choices.

use std::fmt;

use crate::Regime;

/// The reason why a variant was chosen. `Display` is a sentence for a person; [`ReasonKind`] is for counting. Where
/// the text says "default", the default variant runs, or the first admissible one whose hint, `prefer if ..`, holds.
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
    /// The model's first choice, where the input or the device is far from all that it was trained on. Any other
    /// reason leaves that to [`Selection::input_distance`](crate::Selection::input_distance) and
    /// [`Selection::device_distance`](crate::Selection::device_distance).
    PredictedFar {
        /// The input, the device, or both.
        far: Far,
    },
    /// The model's first choice for an eager call. The call is in another regime, in which no device of the model's
    /// training was.
    PredictedForEager {
        /// The regime of the call.
        regime: Regime,
    },
    /// The model's first choice among the variants it knows. This one, declared in the code, was not there when the
    /// model was trained.
    PredictedWithout {
        /// A variant that the model does not know.
        unknown: &'static str,
    },
    /// The default of the model's training. Another choice is hardly ahead in the eyes of the model, or the input is
    /// far from all that it was trained on ([`Caution`](crate::model::Caution)).
    Unsure,
    /// The best admissible choice of the model: a constraint forbids the variant it ranks first.
    FirstChoiceInadmissible {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best choice of the model among variants whose results are bit for bit the default's. It ranks another one
    /// first, and the program or `NITRO_EXACT` allows no others ([`set_exact`](crate::set_exact)).
    FirstChoiceInexact {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best admissible choice of the model. The variant it ranks first is approximate, and its error is above
    /// what the call's `tolerance` accepts.
    FirstChoiceNotTolerated {
        /// The variant that the model ranks first.
        first: &'static str,
    },
    /// The best choice of the model that still exists: the variant it ranks first is no longer in the code.
    FirstChoiceMissing,
    /// Any admissible choice that the model knows: the call is compared with others
    /// ([`calibrate_in_background`](crate::calibrate_in_background)).
    Compared,
    /// `NITRO_FORCE` pins the variant.
    Forced,
    /// `NITRO_FORCE` pins another choice, which may not run in this call. Its constraint forbids it, or it is not
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
    /// Default. A feature that the model needs computes something else in the code than it did when the model was
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
    /// Default. Choices are to be deterministic ([`set_deterministic`](crate::set_deterministic)), and the model
    /// needs a device feature that may differ between devices of one kind. It does not know its source devices.
    DeviceFeatureVaries,
    /// Default: a feature that the model needs is NaN or infinite for this input.
    FeatureNotFinite {
        /// The feature.
        feature: &'static str,
    },
    /// Default: none of the variants that the model knows may run on this input.
    NoneAdmissible,
}

/// Declares [`ReasonKind`] by one table: each kind of [`Reason`], with its text.
macro_rules! reason_kinds {
    ($($kind:ident => $text:literal,)*) => {
        /// The kind of a [`Reason`], without its details; what [`stats`](crate::stats()) counts by. `Display` is one or
        /// a few words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ReasonKind {
            $(#[doc = concat!("[`Reason::", stringify!($kind), "`]")] $kind,)*
        }

        impl ReasonKind {
            /// All kinds, in order.
            pub const ALL: [Self; 23] = [$(Self::$kind,)*];
        }

        impl fmt::Display for ReasonKind {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(match self {
                    $(Self::$kind => $text,)*
                })
            }
        }

        impl Reason {
            /// The kind of reason.
            #[inline]
            #[must_use]
            pub fn kind(&self) -> ReasonKind {
                match self {
                    $(Self::$kind { .. } => ReasonKind::$kind,)*
                }
            }
        }
    };
}

// In the order of `Reason`, so that one becomes the other without a search: every call is counted by it.
reason_kinds! {
    Predicted => "predicted",
    PredictedFar => "predicted, far from the training",
    PredictedForEager => "predicted for eager calls",
    PredictedWithout => "predicted, the model does not know all variants",
    Unsure => "unsure",
    FirstChoiceInadmissible => "first choice inadmissible",
    FirstChoiceInexact => "first choice inexact",
    FirstChoiceNotTolerated => "first choice not tolerated",
    FirstChoiceMissing => "first choice no longer in the code",
    Compared => "compared in the background",
    Forced => "pinned",
    ForcedInadmissible => "pinned choice inadmissible",
    NoModel => "no model",
    ModelUnreadable => "model unreadable",
    ModelForeign => "model of another function",
    ModelUntrusted => "model untrusted",
    FeatureMissing => "feature missing",
    FeatureChanged => "feature declared otherwise",
    DeviceFeatureMissing => "device feature missing",
    DeviceFeaturesPending => "device features pending",
    DeviceFeatureVaries => "device feature varies",
    FeatureNotFinite => "feature not finite",
    NoneAdmissible => "none admissible",
}

/// The side that is far from all that a model was trained on: its distance is above 1.
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
    /// The input ([`Selection::input_distance`](crate::Selection::input_distance)).
    Input,
    /// The device ([`Selection::device_distance`](crate::Selection::device_distance)).
    Device,
    /// The input and the device.
    Both,
}

impl Far {
    /// Judges two distances, of an input and of a device.
    #[must_use]
    pub fn of(input_distance: Option<f64>, device_distance: Option<f64>) -> Option<Self> {
        match (input_distance > Some(1.0), device_distance > Some(1.0)) {
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
            Self::PredictedForEager { regime } => {
                write!(
                    formatter,
                    "predicted as for an eager call by a model that knows no device in regime {regime}"
                )
            }
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
            Self::Compared => write!(formatter, "to be compared with other choices in the background"),
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
