//! What selectors tell apart.

use crate::recordings::{Measurement, Recordings};

/// The classes of a function: what is learned, predicted and judged, each by its index. A class is a variant, in the order of the
/// recordings; of several configurations of a variant the fastest counts. Nothing else in learning or evaluation knows what a class is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    names: Vec<String>,
    default: Option<usize>,
}

impl Classes {
    /// Those that the recordings know.
    pub fn of(recordings: &Recordings) -> Self {
        Self { names: recordings.variants.clone(), default: recordings.default_variant }
    }

    /// The class that a measurement is of.
    pub fn of_measurement(&self, measurement: &Measurement) -> usize {
        measurement.variant
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// What a model calls them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Index of the class that a model calls this.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// What runs where nothing better may: the default, where that is known, then any.
    pub fn fallback(&self) -> impl Iterator<Item = usize> + use<> {
        self.default.into_iter().chain(0..self.names.len())
    }
}
