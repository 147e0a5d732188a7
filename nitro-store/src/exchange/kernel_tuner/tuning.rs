//! Results of a tuner as they are in its file.

use crate::recordings::Outcome;

/// The results of one file.
pub(super) struct Tuning {
    pub(super) file: String,
    pub(super) device: String,
    pub(super) kernel: String,
    /// The size of the problem; empty where the file does not say.
    pub(super) size: Vec<String>,
    pub(super) parameters: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// The result of one configuration.
pub(super) struct Row {
    /// The line that it begins on.
    pub(super) line: usize,
    /// In the order of the file's parameters.
    pub(super) values: Vec<String>,
    pub(super) outcome: Outcome,
    pub(super) spread_ns: f64,
    pub(super) repeats: u32,
    pub(super) reason: String,
}
