//! The progress of a worker's recordings: noted for its supervisor, and in a team told to it, which shows it. Bars of
//! several processes would write over each other.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::own_supervisor;
use crate::measure::{Attempt, Progress};
use crate::terminal::ProgressDisplay;

/// An event of a recording. A worker of a team writes one JSON line each to its standard output.
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
    /// Shows the event, except where a recording begins and ends.
    pub(super) fn show(&self, display: &ProgressDisplay) {
        match self {
            Self::Expect(inputs, recorded) => display.expect(*inputs, *recorded),
            Self::Begin(input) => display.begin(input),
            Self::End => display.end(),
            Self::Leave => display.leave(),
            Self::Find(recorded) => display.find(*recorded),
            Self::Wait(inputs) => display.wait(*inputs),
            Self::Start(_) | Self::Finish => {}
        }
    }

    /// Tells the event to the supervisor of a team.
    fn tell(&self) {
        if let Ok(line) = serde_json::to_string(self) {
            // Without the line the supervisor shows less; that is no reason to end the recording.
            let _ = io::stdout().write_all(format!("{line}\n").as_bytes());
        }
    }
}

/// The progress of one recording in this process, be it a worker or not.
pub(crate) struct WorkerProgress {
    audience: Audience,
    /// Inputs that nobody expected.
    found: RefCell<BTreeSet<String>>,
}

/// Whoever sees a progress.
enum Audience {
    Nobody,
    Terminal(ProgressDisplay),
    /// The supervisor of a team.
    Supervisor,
}

impl WorkerProgress {
    pub(crate) fn new(label: String) -> Self {
        let audience = match own_supervisor::own_device() {
            Some(_) => Audience::Supervisor,
            None => Audience::Terminal(ProgressDisplay::new(label.clone())),
        };
        let own = Self { audience, found: RefCell::default() };
        own.show(&Event::Start(label));
        own
    }

    /// Creates progress that is noted for the supervisor and shown to nobody.
    pub(crate) fn unshown() -> Self {
        Self { audience: Audience::Nobody, found: RefCell::default() }
    }

    fn show(&self, event: &Event) {
        match &self.audience {
            Audience::Nobody => {}
            Audience::Terminal(display) => event.show(display),
            Audience::Supervisor => event.tell(),
        }
    }
}

impl Drop for WorkerProgress {
    fn drop(&mut self) {
        self.show(&Event::Finish);
    }
}

impl Progress for WorkerProgress {
    fn expect(&self, inputs: usize, recorded: usize) {
        if inputs + recorded > 0 {
            self.show(&Event::Expect(inputs, recorded));
        }
    }

    fn find(&self, input: &str, recorded: bool) {
        if self.found.borrow_mut().insert(input.to_owned()) {
            self.show(&Event::Find(recorded));
        }
    }

    fn begin(&self, input: &str) {
        self.show(&Event::Begin(input.to_owned()));
    }

    fn end(&self, _input: &str) {
        own_supervisor::note_idle();
        self.show(&Event::End);
    }

    fn leave(&self, _input: &str) {
        self.show(&Event::Leave);
    }

    fn wait(&self, inputs: usize) {
        self.show(&Event::Wait(inputs));
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        own_supervisor::note_run(attempt);
    }
}
