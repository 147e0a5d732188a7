//! How a long work goes on: a bar on a terminal, plain lines elsewhere. All on stderr, results go to stdout.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use super::worker::{self, Notes};
use crate::measure::{Attempt, Progress};

/// The progress of one recording.
pub(super) struct Reporter {
    label: String,
    bar: Option<ProgressBar>,
    expected: Cell<usize>,
    done: Cell<usize>,
    /// For the supervisor, in a worker.
    notes: Option<RefCell<Notes>>,
}

impl Reporter {
    pub(super) fn new(label: String) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(
                "{prefix:24} {bar:30} {pos}/{len} {elapsed} (left {eta})  {msg}",
            );
            ProgressBar::new(0).with_style(style.expect("the template is fixed")).with_prefix(label.clone())
        });
        let notes = worker::notes().map(RefCell::new);
        Self { label, bar, expected: Cell::new(0), done: Cell::new(0), notes }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_with_message("");
        } else if self.expected.get() > 0 {
            eprintln!("{}: {} inputs measured", self.label, self.done.get());
        }
    }
}

impl Progress for Reporter {
    fn expect(&self, inputs: usize, recorded: usize) {
        if inputs + recorded == 0 {
            return;
        }
        self.expected.set(self.expected.get() + inputs);
        match &self.bar {
            Some(bar) => bar.inc_length(inputs as u64),
            None => eprintln!("{}: {inputs} inputs to measure, {recorded} measured before", self.label),
        }
    }

    fn begin(&self, input: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(input.to_owned());
        }
    }

    fn end(&self, _input: &str) {
        self.done.set(self.done.get() + 1);
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if self.done.get().is_multiple_of(25) => {
                eprintln!("{}: {} of {} inputs measured", self.label, self.done.get(), self.expected.get());
            }
            None => {}
        }
    }

    fn leave(&self, _input: &str) {
        self.expected.set(self.expected.get().saturating_sub(1));
        if let Some(bar) = &self.bar {
            bar.dec_length(1);
        }
    }

    fn attempt(&self, attempt: Option<&Attempt<'_>>) {
        if let Some(notes) = &self.notes {
            // Without the note a fault ends the recording; that is no reason to end it now.
            let _ = notes.borrow_mut().write(attempt);
        }
    }
}
