//! Everything measured of one function: what a store holds and what learning reads.
//!
//! [`Recordings`] is plain data, every cross-reference an index into one of its own lists. Stores and importers
//! build it, learning and evaluation read it; neither knows where it came from.
//!
//! ```
//! use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};
//!
//! // Two variants, forty inputs, two devices: `a` is faster below 20.
//! let measurement = |device, input, variant: usize| Measurement {
//!     device,
//!     input,
//!     variant,
//!     configuration: String::new(),
//!     outcome: Outcome::Time(if (variant == 0) == (input < 20) { 1e3 } else { 2e3 }),
//!     spread_ns: 0.0,
//!     repeats: 1,
//!     load: None,
//!     reason: String::new(),
//! };
//! let part = |input| if input % 4 == 0 { "test" } else { "train" };
//! let recordings = Recordings {
//!     function: "work".into(),
//!     variants: vec!["a".into(), "b".into()],
//!     features: vec!["size".into()],
//!     inputs: (0..40).map(|i| Input { name: format!("{}/{i}", part(i)), features: vec![i as f64] }).collect(),
//!     devices: ["left", "right"].map(|id| DeviceRecord { id: id.into(), features: Default::default() }).into(),
//!     measurements: (0..160).map(|n| measurement(n / 80, n / 2 % 40, n % 2)).collect(),
//!     ..Recordings::default()
//! };
//! let slow = recordings.measurements.iter().filter(|one| one.outcome.time_ns() == Some(2e3));
//! assert_eq!(slow.count(), 80);
//! ```

mod artifacts;
pub mod counters;
mod digest;
mod feature_times;
mod keep;
mod load;
mod meanings;
mod outcome;
mod overlay;
mod parameters;
mod profiles;
mod sides;
mod space;

use std::collections::{BTreeMap, BTreeSet};

pub use artifacts::named as named_artifact;
pub use feature_times::FeatureTimes;
pub use keep::LeftOut;
pub use load::DOUBTFUL_LOAD;
pub use meanings::Meanings;
use nitro_core::{Artifact, DeviceId, Regime, unstated_feature};
pub use outcome::Outcome;
pub use parameters::assignments;
pub use profiles::{Metrics, Profiles, ProxyProfile, VariantProfile};
use serde::Serialize;
pub use sides::is_test;
pub(crate) use space::SpaceDifference;
pub use space::SpaceRecord;

/// The most input features that a function's recordings may have, and the most features of a device. A model takes
/// the most useful [`nitro_core::MAX_FEATURES`] of them.
pub const MAX_FEATURES: usize = 4096;

/// Everything measured of one function.
///
/// ```
/// # let recordings = nitro_store::example();
/// let mut recordings = recordings; // of a store, say
/// let input = recordings.input_index("test/30").expect("it was measured");
/// let measured = recordings.measurements.iter().filter(|one| one.input == input);
/// let times: Vec<_> = measured.map(|one| (&*recordings.variants[one.variant], one.outcome.time_ns())).collect();
/// assert_eq!(times[..2], [("stable", Some(300.0)), ("unstable", Some(150.0))]);
/// // As a program that was built without `stable` sees them:
/// assert_eq!(recordings.keep_variants(|name| name != "stable"), ["stable"]);
/// assert_eq!((recordings.variant_index("unstable"), recordings.measurements.len()), (Some(0), 60));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recordings {
    /// The function's name, its key in stores and models.
    pub function: String,
    /// Names of the variants; measurements refer to them by position.
    pub variants: Vec<String>,
    /// Position of the default variant, where the source of the recordings knows it (an import does not).
    pub default_variant: Option<usize>,
    /// The values of its parameters where nothing is known; empty for a variant without any.
    pub default_configuration: String,
    /// Names of the input features.
    pub features: Vec<String>,
    /// The inputs, with their features.
    pub inputs: Vec<Input>,
    /// The devices, with their features.
    pub devices: Vec<DeviceRecord>,
    /// One row a measured (device, input, variant, configuration).
    pub measurements: Vec<Measurement>,
    /// The times that features took, where that was measured; at most one entry a device and input.
    pub feature_times: Vec<FeatureTimes>,
    /// The configurations of variants, where they were listed; at most one entry a variant, in the order of the
    /// variants.
    pub spaces: Vec<SpaceRecord>,
    /// The texts of generated code among the configurations, as far as they are known.
    pub artifacts: BTreeMap<Artifact, String>,
    /// Hardware counters of the variants, where some were read.
    pub profiles: Profiles,
    /// The inputs that the store holds besides, and that cannot be learned from.
    pub incomplete: Incomplete,
    /// The digests of its features and variants, where they are known.
    pub meanings: Meanings,
    /// The measurements that are to be made again, those that failed among them.
    pub due: BTreeSet<MeasurementKey>,
}

/// A measurement, by names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MeasurementKey {
    /// Id of the device.
    pub device: String,
    /// Name of the input.
    pub input: String,
    /// Name of the variant.
    pub variant: String,
    /// Values of its tuning parameters, empty for a variant without any.
    pub configuration: String,
}

/// Inputs that are left out with their measurements, as they were recorded before the function got one of its features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incomplete {
    /// Number of inputs.
    pub inputs: usize,
    /// The features of which each lacks one at least.
    pub features: BTreeSet<String>,
}

/// One input of the function.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Unique name; the part before the last `/` is the group that a split never tears apart.
    pub name: String,
    /// Values in the order of [`Recordings::features`].
    pub features: Vec<f64>,
}

/// One device that variants were measured on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceRecord {
    /// Unique name, such as `host:4` or `K40m`.
    pub id: String,
    /// The device's features; devices need not know the same ones.
    pub features: BTreeMap<String, f64>,
}

impl DeviceRecord {
    /// Returns the machine or the model of the device; the device itself where it is named without.
    #[must_use]
    pub fn machine(&self) -> &str {
        DeviceId::new(&self.id).machine().unwrap_or(&self.id)
    }

    /// Returns the regime in which it was measured.
    #[must_use]
    pub fn regime(&self) -> Regime {
        DeviceId::new(&self.id).regime()
    }

    /// Returns a feature of the device, if it is known. That of a regime is 0 where nothing is said of it.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    /// let device = &recordings.devices[0]; // of eager calls
    /// assert!(!device.features.contains_key("regime_cold"));
    /// assert_eq!((device.feature("regime_cold"), device.feature("unknown")), (Some(0.0), None));
    /// ```
    #[must_use]
    pub fn feature(&self, name: &str) -> Option<f64> {
        self.features.get(name).copied().or_else(|| unstated_feature(name))
    }

    /// Returns the names of all features that are known of it.
    pub fn known_features(&self) -> BTreeSet<String> {
        self.features.keys().cloned().chain(Regime::features().map(str::to_owned)).collect()
    }
}

/// The outcome of one choice on one input and device.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Position in [`Recordings::devices`].
    pub device: usize,
    /// Position in [`Recordings::inputs`].
    pub input: usize,
    /// Position in [`Recordings::variants`].
    pub variant: usize,
    /// The tuning parameters, empty for a variant without any.
    pub configuration: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Interquartile range of the timed repeats, in nanoseconds; 0 where unknown.
    pub spread_ns: f64,
    /// Number of timed repeats that the median is of.
    pub repeats: u32,
    /// The share of the needed processors that others took, from 0 to 1; none where that is not known. Above
    /// [`DOUBTFUL_LOAD`] the time is doubtful.
    pub load: Option<f64>,
    /// The reason for a failure or a wrong result; empty where there is none.
    pub reason: String,
}

impl Recordings {
    /// Position of the device with this id.
    pub fn device_index(&self, id: &str) -> Option<usize> {
        self.devices.iter().position(|device| device.id == id)
    }

    /// Position of the input with this name.
    pub fn input_index(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|input| input.name == name)
    }

    /// Position of the input feature with this name.
    pub fn feature_index(&self, name: &str) -> Option<usize> {
        self.features.iter().position(|feature| feature == name)
    }

    /// Position of the variant with this name.
    pub fn variant_index(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|variant| variant == name)
    }
}
