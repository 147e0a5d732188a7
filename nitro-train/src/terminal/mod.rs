//! What stands on a terminal beside results: standard output and standard error with whatever becomes of them, and progress.

pub(crate) mod output;
mod progress;

pub(crate) use output::{Aside, Output, say};
pub(crate) use progress::ProgressDisplay;
