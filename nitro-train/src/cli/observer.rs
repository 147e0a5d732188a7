//! The observer of the command line: lines and progress on stderr.

use crate::measure::Progress;
use crate::terminal::say;
use crate::trainer::Observer;
use crate::worker::WorkerProgress;

/// An observer that writes to the terminal.
pub(super) struct Terminal;

impl Observer for Terminal {
    fn message(&self, line: &str) {
        say!("{line}");
    }

    fn recording(&self, function: &str, device: &str) -> Box<dyn Progress> {
        Box::new(WorkerProgress::new(format!("{function} on {device}")))
    }

    fn sampling(&self, _function: &str, _device: &str) -> Box<dyn Progress> {
        Box::new(WorkerProgress::unshown())
    }
}
