//! How a long work goes on: a bar on a terminal, plain lines elsewhere. All on stderr, results go to stdout.
//!
//! The workers of a team do not write themselves, for bars of several processes would write over each other. They tell their
//! supervisor line by line, which shows it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
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
    /// Inputs that nobody expected: then how many there are to come is not known.
    found: RefCell<BTreeSet<String>>,
    found_due: Cell<usize>,
    found_recorded: Cell<usize>,
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
        let (expected, done, found, found_due, found_recorded) = Default::default();
        Self { label, display, expected, done, found, found_due, found_recorded, notes }
    }

    fn count_found(&self, recorded: bool) {
        let count = if recorded { &self.found_recorded } else { &self.found_due };
        count.set(count.get() + 1);
        match &self.display {
            Display::Bar(bar) if !recorded && count.get() == 1 => bar.set_style(counting_style()),
            Display::Bar(_) | Display::Lines => {}
            Display::Elsewhere => tell(&self.display, || Event::Find(recorded)),
        }
    }

    /// What has been done in the end; nothing if there was nothing to do.
    fn summary(&self) -> Option<String> {
        let found_recorded = self.found_recorded.get();
        if self.expected.get() + self.found_due.get() + found_recorded == 0 {
            return None;
        }
        let before = match found_recorded {
            0 => String::new(),
            count => format!(", {count} measured before"),
        };
        Some(format!("{}: {} inputs measured{before}", self.label, self.done.get()))
    }

    /// Writes a note for the supervisor, in a worker.
    fn note(&self, write: impl FnOnce(&mut Notes) -> std::io::Result<()>) {
        if let Some(notes) = &self.notes {
            // Without the note a fault ends the recording; that is no reason to end it now.
            let _ = write(&mut notes.borrow_mut());
        }
    }

    /// What a worker tells, except where a recording begins and ends.
    pub(super) fn follow(&self, event: &Event) {
        match event {
            Event::Expect(inputs, recorded) => self.expect(*inputs, *recorded),
            Event::Begin(input) => self.begin(input),
            Event::End => self.end(""),
            Event::Leave => self.leave(""),
            Event::Find(recorded) => self.count_found(*recorded),
            Event::Wait(inputs) => self.wait(*inputs),
            Event::Start(_) | Event::Finish => {}
        }
    }
}

fn bar(label: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix:24} {bar:30} {pos}/{len} {elapsed} (left {eta})  {msg}");
    ProgressBar::new(0).with_style(style.expect("the template is fixed")).with_prefix(label.to_owned())
}

/// For a number of inputs that is not known beforehand.
fn counting_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{prefix:24} {pos} inputs measured {elapsed}  {msg}");
    style.expect("the template is fixed")
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
            Display::Lines => self.summary().iter().for_each(|summary| say!("{summary}")),
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

    fn find(&self, input: &str, recorded: bool) {
        if self.found.borrow_mut().insert(input.to_owned()) {
            self.count_found(recorded);
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
        self.note(Notes::clear);
        match &self.display {
            Display::Bar(bar) => bar.inc(1),
            Display::Lines if self.done.get().is_multiple_of(25) => match self.found_due.get() {
                0 => say!("{}: {} of {} inputs measured", self.label, self.done.get(), self.expected.get()),
                _ => say!("{}: {} inputs measured", self.label, self.done.get()),
            },
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

    fn wait(&self, inputs: usize) {
        let line = format!("{}: waiting for {inputs} inputs that other recorders have claimed", self.label);
        match &self.display {
            Display::Bar(bar) => bar.println(line),
            Display::Lines => say!("{line}"),
            Display::Elsewhere => tell(&self.display, || Event::Wait(inputs)),
        }
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        self.note(|notes| match attempt {
            Some(attempt) => notes.begin(attempt),
            None => notes.end(),
        });
    }
}
