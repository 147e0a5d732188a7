//! Counts of a copy between stores.

use serde::Serialize;

/// The numbers of rows that one store got from another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CopyCounts {
    /// Functions.
    pub functions: usize,
    /// Devices.
    pub devices: usize,
    /// Inputs, each counted once a function.
    pub inputs: usize,
    /// Measurements.
    pub measurements: usize,
    /// Evaluations of searches.
    pub evaluations: usize,
    /// Pieces of generated code.
    pub artifacts: usize,
}
