//! The functions of a command, of which some may fail. A failure is told at the end and makes the exit code 1.

use anyhow::{Result, bail};
use nitro_store::printable::{printable, sentence};

use crate::terminal::say;
use crate::trainer::TrainError;

/// The functions that a command works on one after the other.
#[derive(Default)]
pub(super) struct Functions {
    /// Number of those that were worked on.
    all: usize,
    failed: Vec<TrainError>,
}

impl Functions {
    /// Counts functions of which some failed.
    pub(super) fn of(succeeded: usize, failed: Vec<TrainError>) -> Self {
        Self { all: succeeded + failed.len(), failed }
    }

    /// Returns what a function gave, or keeps its error.
    pub(super) fn take<T>(&mut self, result: Result<T, TrainError>) -> Option<T> {
        self.all += 1;
        result.map_err(|error| self.failed.push(error)).ok()
    }

    /// Says what failed: a single function's error is that of the command, of several each has a line.
    pub(super) fn end(mut self, done: &str) -> Result<()> {
        if self.all == 1
            && let Some(error) = self.failed.pop()
        {
            return Err(error.into());
        }
        for error in &self.failed {
            say!("error: {}", printable(&sentence(error)));
        }
        match self.failed.len() {
            0 => Ok(()),
            count => bail!("{count} of {} functions could not be {done}; the others were", self.all),
        }
    }
}
