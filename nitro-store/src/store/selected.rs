//! Recordings that are picked out by variant, input and device.

use std::fmt;

use globset::{GlobBuilder, GlobSet};
use serde::Serialize;

use super::StoreError;

/// Picks recordings of a function out: all of them, or those of a variant, of inputs by a pattern, and of a device.
///
/// ```
/// use nitro_store::store::Selected;
///
/// let bitmap = Selected::new(Some("bitmap"), Some("dense/*"), None)?;
/// assert!(bitmap.matches("host:4", "dense/a", "bitmap"));
/// assert!(!bitmap.matches("host:4", "sparse/a", "bitmap"));
/// assert!(!bitmap.is_everything() && Selected::default().is_everything());
/// # Ok::<(), nitro_store::store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selected {
    variant: Option<String>,
    input: Option<(String, GlobSet)>,
    device: Option<String>,
}

impl Selected {
    /// Creates a selection; absent is all. Of the pattern `*` stands for any text, and it is of an input's whole name.
    ///
    /// # Errors
    /// [`StoreError::Pattern`] when the pattern of inputs is none.
    pub fn new(variant: Option<&str>, input: Option<&str>, device: Option<&str>) -> Result<Self, StoreError> {
        let input = input.map(|pattern| Ok((pattern.to_owned(), glob(pattern)?))).transpose()?;
        Ok(Self { variant: variant.map(str::to_owned), input, device: device.map(str::to_owned) })
    }

    /// Returns whether nothing is left out.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.variant.is_none() && self.input.is_none() && self.device.is_none()
    }

    /// The variant, where only one is meant.
    #[must_use]
    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Returns whether a recording is among those that are meant.
    #[must_use]
    pub fn matches(&self, device: &str, input: &str, variant: &str) -> bool {
        self.matches_input(device, input) && self.variant.as_ref().is_none_or(|own| own == variant)
    }

    /// Returns whether recordings of an input on a device are meant, of whatever variant.
    #[must_use]
    pub fn matches_input(&self, device: &str, input: &str) -> bool {
        self.device.as_ref().is_none_or(|own| own == device)
            && self.input.as_ref().is_none_or(|(_, pattern)| pattern.is_match(input))
    }
}

fn glob(pattern: &str) -> Result<GlobSet, StoreError> {
    // A set of one, since a single matcher would panic where the pattern is too large to compile.
    GlobBuilder::new(pattern).empty_alternates(true).build().and_then(|glob| GlobSet::new([glob])).map_err(
        |error| StoreError::Pattern { pattern: pattern.to_owned(), problem: error.kind().to_string() },
    )
}

/// The numbers of rows that were taken out of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// Number of measurements.
    pub measurements: usize,
    /// Number of evaluations of searches.
    pub evaluations: usize,
    /// Number of inputs of which nothing is left.
    pub inputs: usize,
}

impl fmt::Display for Forgotten {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measurements, evaluations, inputs } = self;
        write!(
            formatter,
            "{measurements} measurements and {evaluations} evaluations of searches are forgotten, and {inputs} inputs \
             of which nothing is left"
        )
    }
}
