//! A case of a check on the emulator.

use std::sync::OnceLock;

use super::case::RunResult;
use crate::workload::Inputs;

/// An input, with what the original leaves of it.
pub(super) struct CheckCase {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    pub(super) expected: RunResult,
    /// The largest error of the original itself, over the orders of threads, once that is asked for.
    pub(super) own_error: OnceLock<f64>,
    /// Set if the original does nothing wrong there, once that is asked for.
    pub(super) is_clean: OnceLock<bool>,
}

impl CheckCase {
    /// Creates a case of which the original leaves this.
    pub(super) fn new(name: String, inputs: Inputs, expected: RunResult) -> Self {
        Self { name, inputs, expected, own_error: OnceLock::new(), is_clean: OnceLock::new() }
    }
}
