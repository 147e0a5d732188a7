//! Rows of a store: one choice each.

use nitro_core::recording::PartTime;
use serde::Serialize;

use crate::recordings::{Measurement, Outcome, Recordings};

/// A variant with values for its tuning parameters, by name.
///
/// ```
/// use nitro_store::store::ChoiceName;
///
/// let tiled = |configuration| ChoiceName { configuration, ..ChoiceName::variant("tiled") };
/// assert_ne!(tiled("block=128"), tiled("block=256"), "a store keeps both");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct ChoiceName<'a> {
    /// Name of the variant.
    pub variant: &'a str,
    /// The values of its parameters, such as `block=256,unroll=4`; empty for a variant without any.
    pub configuration: &'a str,
}

impl<'a> ChoiceName<'a> {
    /// A variant without tuning parameters.
    #[must_use]
    pub fn variant(variant: &'a str) -> Self {
        Self { variant, configuration: "" }
    }
}

/// A function as a store knows it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSchema<'a> {
    /// The function's name.
    pub function: &'a str,
    /// Names of its variants.
    pub variants: &'a [&'a str],
    /// Name of its default variant; `None` leaves what the store knows.
    pub default_variant: Option<&'a str>,
    /// The values of its parameters where nothing is known; empty for a variant without any.
    pub default_configuration: &'a str,
    /// Names of its input features.
    pub features: &'a [&'a str],
}

/// The outcome of one choice, as [`Store::put`](super::Store::put) takes it.
///
/// ```
/// use nitro_store::recordings::Outcome;
/// use nitro_store::store::Row;
///
/// let rows = [
///     Row { configuration: "bits=8", spread_ns: 40.0, repeats: 9, ..Row::new("radix", Outcome::Time(1200.0)) },
///     Row { configuration: "bits=16", reason: "it returned an error", ..Row::new("radix", Outcome::Failed) },
/// ];
/// assert_eq!(rows.map(|row| row.outcome.time_ns()), [Some(1200.0), None]); // for `Store::put`
/// assert!(rows.iter().all(|row| row.parts.is_empty())); // evaluations of generated code have some
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Name of the variant.
    pub variant: &'a str,
    /// Its tuning parameters, empty for a variant without any.
    pub configuration: &'a str,
    /// The outcome.
    pub outcome: Outcome,
    /// Interquartile range of the timed repeats in nanoseconds, 0 where unknown.
    pub spread_ns: f64,
    /// Number of timed repeats that the median is of.
    pub repeats: u32,
    /// The share of the needed processors that others took, from 0 to 1; none where that is not known.
    pub load: Option<f64>,
    /// The reason for a failure or a wrong result; empty where there is none.
    pub reason: &'a str,
    /// The times of its parts, where generated code tells. Kept of evaluations
    /// ([`Store::put_evaluation`](super::Store::put_evaluation)) alone.
    pub parts: &'a [PartTime],
}

impl<'a> Row<'a> {
    /// A row of a variant without tuning parameters and parts, of unknown spread, repeats, load and reason.
    pub fn new(variant: &'a str, outcome: Outcome) -> Self {
        let (configuration, spread_ns, repeats, load, reason) = ("", 0.0, 0, None, "");
        Self { variant, configuration, outcome, spread_ns, repeats, load, reason, parts: &[] }
    }

    /// Returns the names of its choice.
    pub fn choice(&self) -> ChoiceName<'a> {
        ChoiceName { variant: self.variant, configuration: self.configuration }
    }
}

/// The measurement as `put` takes it.
pub(super) fn as_row<'a>(recordings: &'a Recordings, measurement: &'a Measurement) -> Row<'a> {
    Row {
        variant: &recordings.variants[measurement.variant],
        configuration: &measurement.configuration,
        outcome: measurement.outcome,
        spread_ns: measurement.spread_ns,
        repeats: measurement.repeats,
        load: measurement.load,
        reason: &measurement.reason,
        parts: &[],
    }
}

/// The evaluation of a choice on one input of one device, as [`Store::evaluations`](super::Store::evaluations) hands it
/// out.
///
/// ```
/// use nitro_store::recordings::Outcome;
/// use nitro_store::store::{self, ChoiceName, Row};
///
/// let mut store = store::memory()?;
/// let tiled = |configuration| ChoiceName { variant: "tiled", configuration };
/// let row = Row { configuration: "block=64", repeats: 9, ..Row::new("tiled", Outcome::Time(1200.0)) };
/// store.put_evaluation("mm", "cuda:0", "train/256", &row)?;
/// let found = store.evaluations("mm", "cuda:0", "train/256", &[tiled("block=32"), tiled("block=64")])?;
/// assert_eq!(found[0], None);
/// assert_eq!(found[1].as_ref().unwrap().row(tiled("block=64")), row);
/// # Ok::<(), store::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// The outcome.
    pub outcome: Outcome,
    /// Interquartile range of the timed repeats in nanoseconds, 0 where unknown.
    pub spread_ns: f64,
    /// Number of timed repeats that the median is of.
    pub repeats: u32,
    /// The share of the needed processors that others took, from 0 to 1; none where that is not known.
    pub load: Option<f64>,
    /// The reason for a failure or a wrong result; empty where there is none.
    pub reason: String,
    /// The times of its parts, where generated code told; how a search of it knows which of its decisions was good.
    pub parts: Vec<PartTime>,
}

impl Evaluated {
    /// Returns it as a row that can be put.
    #[must_use]
    pub fn row<'a>(&'a self, choice: ChoiceName<'a>) -> Row<'a> {
        let ChoiceName { variant, configuration } = choice;
        let Self { outcome, spread_ns, repeats, load, reason, parts } = self;
        let (outcome, spread_ns, repeats, load) = (*outcome, *spread_ns, *repeats, *load);
        Row { variant, configuration, outcome, spread_ns, repeats, load, reason, parts }
    }
}
