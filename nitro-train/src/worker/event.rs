//! The progress of a worker's recordings: noted for its supervisor, and in a team told to it, which shows it. Bars of
//! several processes would write over each other.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::note::Notes;
use super::protocol;
use crate::measure::{Attempt, Progress, Silent};
use crate::terminal::ProgressDisplay;

/// An event of a worker of a team, one JSON line on stdout each.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A recording with this label begins.
    Start(String),
    /// So many inputs are to be measured, and so many were before.
    Expect(usize, usize),
    /// An input that nobody expected, and whether it was measured before.
    Find(bool),
    Begin(String),
    End,
    Leave,
    /// So many inputs of other recorders are waited for.
    Wait(usize),
    /// The recording has ended.
    Finish,
}

impl Event {
    /// Shows what a worker tells, except where a recording begins and ends.
    pub(super) fn show(&self, display: &ProgressDisplay) {
        match self {
            Self::Expect(inputs, recorded) => display.expect(*inputs, *recorded),
            Self::Begin(input) => display.begin(input),
            Self::End => display.end(""),
            Self::Leave => display.leave(""),
            Self::Find(recorded) => display.count_found(*recorded),
            Self::Wait(inputs) => display.wait(*inputs),
            Self::Start(_) | Self::Finish => {}
        }
    }

    fn tell(&self) {
        if let Ok(line) = serde_json::to_string(self) {
            // Without the line the supervisor shows less; that is no reason to end the recording.
            let _ = io::stdout().write_all(format!("{line}\n").as_bytes());
        }
    }
}

/// The progress of one recording in this process, be it a worker or not.
pub(crate) struct WorkerProgress {
    shown: Box<dyn Progress>,
    /// None outside of workers.
    notes: Option<RefCell<Notes>>,
}

impl WorkerProgress {
    pub(crate) fn new(label: String) -> Self {
        let shown: Box<dyn Progress> = match protocol::own_device() {
            Some(_) => Box::new(TeamProgress::new(label)),
            None => Box::new(ProgressDisplay::new(label)),
        };
        Self { shown, notes: protocol::notes().map(RefCell::new) }
    }

    /// Creates progress that is noted for the supervisor and shown to nobody.
    pub(crate) fn unshown() -> Self {
        Self { shown: Box::new(Silent), notes: protocol::notes().map(RefCell::new) }
    }

    fn note(&self, write: impl FnOnce(&mut Notes) -> io::Result<()>) {
        if let Some(notes) = &self.notes {
            // Without the note a fault ends the recording; that is no reason to end it now.
            let _ = write(&mut notes.borrow_mut());
        }
    }
}

impl Progress for WorkerProgress {
    fn expect(&self, inputs: usize, recorded: usize) {
        self.shown.expect(inputs, recorded);
    }

    fn find(&self, input: &str, recorded: bool) {
        self.shown.find(input, recorded);
    }

    fn begin(&self, input: &str) {
        self.shown.begin(input);
    }

    fn end(&self, input: &str) {
        self.note(Notes::clear);
        self.shown.end(input);
    }

    fn leave(&self, input: &str) {
        self.shown.leave(input);
    }

    fn wait(&self, inputs: usize) {
        self.shown.wait(inputs);
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        self.note(|notes| match attempt {
            Some(attempt) => notes.begin(attempt),
            None => notes.end(),
        });
    }
}

/// The progress that is told to the supervisor of a team.
struct TeamProgress {
    /// Inputs that nobody expected.
    found: RefCell<BTreeSet<String>>,
}

impl TeamProgress {
    fn new(label: String) -> Self {
        Event::Start(label).tell();
        Self { found: RefCell::default() }
    }
}

impl Drop for TeamProgress {
    fn drop(&mut self) {
        Event::Finish.tell();
    }
}

impl Progress for TeamProgress {
    fn expect(&self, inputs: usize, recorded: usize) {
        if inputs + recorded > 0 {
            Event::Expect(inputs, recorded).tell();
        }
    }

    fn find(&self, input: &str, recorded: bool) {
        if self.found.borrow_mut().insert(input.to_owned()) {
            Event::Find(recorded).tell();
        }
    }

    fn begin(&self, input: &str) {
        Event::Begin(input.to_owned()).tell();
    }

    fn end(&self, _input: &str) {
        Event::End.tell();
    }

    fn leave(&self, _input: &str) {
        Event::Leave.tell();
    }

    fn wait(&self, inputs: usize) {
        Event::Wait(inputs).tell();
    }
}
