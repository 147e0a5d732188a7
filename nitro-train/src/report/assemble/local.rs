//! The result of the selectors on one device of this machine.

use nitro_learn::evaluate::{DeviceEvaluation, Split};
use nitro_store::recordings::Recordings;

/// The selectors that are shown of a device of this machine, with their headings.
pub(crate) const LOCAL_SELECTORS: [(&str, &str); 6] = [
    ("auto", "learned elsewhere"),
    ("static", "static"),
    ("majority", "majority"),
    ("target-trained", "learned here"),
    ("nitro-2014", "Nitro 2014"),
    ("random", "random"),
];

/// The result of one function on a device of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalResult {
    /// The recordings of the function, from here and elsewhere.
    pub recordings: Recordings,
    /// The inputs for training, and those for tests.
    pub split: Split,
    /// The evaluation, if time sufficed to measure a test input.
    pub evaluation: Option<DeviceEvaluation>,
}

impl LocalResult {
    /// Returns the number of test inputs that were measured here.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.evaluation.as_ref().map_or(0, |evaluation| self.split.test.len() - evaluation.left_out)
    }
}
