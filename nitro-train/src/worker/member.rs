//! One device of a team, as its supervisor shows it.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::MultiProgress;

use super::event::Event;
use crate::terminal::{Output, ProgressDisplay, say};

/// A device of several, with what its workers tell.
pub(super) struct Member {
    pub(super) device: String,
    bars: MultiProgress,
    out: Output,
    measured: AtomicUsize,
}

impl Member {
    pub(super) fn new(device: &str, bars: &MultiProgress, out: &Output) -> Self {
        Self {
            device: device.to_owned(),
            bars: bars.clone(),
            out: out.clone(),
            measured: AtomicUsize::new(0),
        }
    }

    /// Returns the number of inputs measured.
    pub(super) fn measured(&self) -> usize {
        self.measured.load(Ordering::Relaxed)
    }

    /// Says a line about this device.
    pub(super) fn say(&self, line: &str) {
        self.bars.suspend(|| match line.contains(&self.device) {
            true => say!("{line}"),
            false => say!("{}: {line}", self.device),
        });
    }

    /// Shows what a worker writes to its standard error.
    pub(super) fn follow_errors(&self, stderr: impl Read) {
        lines(stderr).for_each(|line| self.say(&line));
    }

    /// Shows the events that a worker writes to its standard output until it ends.
    pub(super) fn follow(&self, stdout: impl Read) {
        let mut display: Option<ProgressDisplay> = None;
        for line in lines(stdout) {
            match serde_json::from_str(&line) {
                Ok(Event::Start(label)) => display = Some(ProgressDisplay::among(label, &self.bars)),
                Ok(Event::Finish) => display = None,
                Ok(event) => {
                    self.measured.fetch_add(usize::from(matches!(event, Event::End)), Ordering::Relaxed);
                    display.iter().for_each(|display| event.show(display));
                }
                // Of the application's own.
                Err(_) => self.bars.suspend(|| drop(writeln!(self.out.clone(), "{line}"))),
            }
        }
    }
}

/// Returns the lines until the worker ends, whatever their bytes.
fn lines(from: impl Read) -> impl Iterator<Item = String> {
    let lines = BufReader::new(from).split(b'\n').map_while(Result::ok);
    lines.map(|line| String::from_utf8_lossy(&line).into_owned())
}
