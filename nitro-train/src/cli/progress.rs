//! How a long work goes on: a bar on a terminal, plain lines elsewhere. All on stderr, results go to stdout.
//!
//! The workers of a team do not write themselves, for bars of several processes would write over each other. They tell their
//! supervisor line by line, which shows it.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::output;
use super::worker::{self, Notes};
use crate::measure::{Attempt, Progress};

/// The progress of one recording.
pub(super) struct Reporter {
    label: String,
    display: Display,
    expected: Cell<usize>,
    done: Cell<usize>,
    /// For the supervisor, in a worker.
    notes: Option<RefCell<Notes>>,
}

enum Display {
    Bar(ProgressBar),
    Lines,
    /// By the supervisor of a team.
    Elsewhere,
}

/// What a worker of a team tells of its progress, one JSON line on stdout each.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A recording with this label begins.
    Start(String),
    /// So many inputs are to be measured, and so many were before.
    Expect(usize, usize),
    Begin(String),
    End,
    Leave,
    /// The recording has ended.
    Finish,
}

impl Reporter {
    pub(super) fn new(label: String) -> Self {
        let display = match () {
            () if worker::is_in_team() => Display::Elsewhere,
            () if std::io::stderr().is_terminal() => Display::Bar(bar(&label)),
            () => Display::Lines,
        };
        tell(&display, || Event::Start(label.clone()));
        Self::shown(label, display, worker::notes())
    }

    /// One of several.
    pub(super) fn among(label: String, bars: &MultiProgress) -> Self {
        let display = match std::io::stderr().is_terminal() {
            true => Display::Bar(bars.add(bar(&label))),
            false => Display::Lines,
        };
        Self::shown(label, display, None)
    }

    fn shown(label: String, display: Display, notes: Option<Notes>) -> Self {
        let notes = notes.map(RefCell::new);
        Self { label, display, expected: Cell::new(0), done: Cell::new(0), notes }
    }

    /// What a worker tells, except where a recording begins and ends.
    pub(super) fn follow(&self, event: &Event) {
        match event {
            Event::Expect(inputs, recorded) => self.expect(*inputs, *recorded),
            Event::Begin(input) => self.begin(input),
            Event::End => self.end(""),
            Event::Leave => self.leave(""),
            Event::Start(_) | Event::Finish => {}
        }
    }
}

fn bar(label: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix:24} {bar:30} {pos}/{len} {elapsed} (left {eta})  {msg}");
    ProgressBar::new(0).with_style(style.expect("the template is fixed")).with_prefix(label.to_owned())
}

fn tell(display: &Display, event: impl FnOnce() -> Event) {
    if let Display::Elsewhere = display
        && let Ok(line) = serde_json::to_string(&event())
    {
        output::tell(&line);
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        match &self.display {
            Display::Bar(bar) => bar.finish_with_message(""),
            Display::Lines if self.expected.get() > 0 => {
                say!("{}: {} inputs measured", self.label, self.done.get());
            }
            Display::Lines => {}
            Display::Elsewhere => tell(&self.display, || Event::Finish),
        }
    }
}

impl Progress for Reporter {
    fn expect(&self, inputs: usize, recorded: usize) {
        if inputs + recorded == 0 {
            return;
        }
        self.expected.set(self.expected.get() + inputs);
        match &self.display {
            Display::Bar(bar) => bar.inc_length(inputs as u64),
            Display::Lines => {
                say!("{}: {inputs} inputs to measure, {recorded} measured before", self.label);
            }
            Display::Elsewhere => tell(&self.display, || Event::Expect(inputs, recorded)),
        }
    }

    fn begin(&self, input: &str) {
        if let Display::Bar(bar) = &self.display {
            bar.set_message(input.to_owned());
        }
        tell(&self.display, || Event::Begin(input.to_owned()));
    }

    fn end(&self, _input: &str) {
        self.done.set(self.done.get() + 1);
        match &self.display {
            Display::Bar(bar) => bar.inc(1),
            Display::Lines if self.done.get().is_multiple_of(25) => {
                say!("{}: {} of {} inputs measured", self.label, self.done.get(), self.expected.get());
            }
            Display::Lines => {}
            Display::Elsewhere => tell(&self.display, || Event::End),
        }
    }

    fn leave(&self, _input: &str) {
        self.expected.set(self.expected.get().saturating_sub(1));
        if let Display::Bar(bar) = &self.display {
            bar.dec_length(1);
        }
        tell(&self.display, || Event::Leave);
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        if let Some(notes) = &self.notes {
            // Without the note a fault ends the recording; that is no reason to end it now.
            let _ = notes.borrow_mut().write(attempt);
        }
    }
}
