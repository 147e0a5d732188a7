//! The progress of an evolution on stderr: a bar on a terminal, a line now and then elsewhere.

use std::cell::Cell;
use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

use crate::observer::{Observer, Progress};

/// The share of the time after which another line is written, where nobody looks at a terminal.
const SHARE_OF_A_LINE: f64 = 0.05;

/// The observer of a command.
pub(super) struct Terminal {
    bar: Option<ProgressBar>,
    said: Cell<f64>,
}

impl Terminal {
    /// Creates a bar, if stderr is a terminal.
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} % {elapsed} (left {eta})  {msg}");
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| ProgressBar::new(1000).with_style(style.expect("the template is fixed")));
        Self { bar, said: Cell::new(f64::NEG_INFINITY) }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Observer for Terminal {
    fn message(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // Nobody may read it; that ends nothing.
            None => drop(writeln!(std::io::stderr(), "{line}")),
        }
    }

    fn progress(&self, state: &Progress) {
        let line = format!(
            "generation {}, {} candidates, exact {}, with error {}",
            state.generation,
            state.trials,
            gain(state.original_ns, state.best_exact_ns),
            gain(state.original_ns, state.best_ns)
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((state.share.min(1.0) * 1000.0) as u64);
                bar.set_message(line);
            }
            None if state.share >= self.said.get() + SHARE_OF_A_LINE => {
                self.said.set(state.share);
                self.message(&line);
            }
            None => {}
        }
    }
}

/// Writes how many times as fast something is.
fn gain(original_ns: Option<f64>, time_ns: Option<f64>) -> String {
    original_ns.zip(time_ns).map_or("-".to_owned(), |(original, time)| format!("{:.2}x", original / time))
}
