//! How an evolution goes on: a bar on a terminal, a line now and then elsewhere. All on stderr.

use std::cell::Cell;
use std::io::{IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

use crate::evolve::{Observer, State};

/// Lines are written at these shares of the time, where nobody looks at a terminal.
const SHARE_OF_A_LINE: f64 = 0.05;

pub(super) struct Terminal {
    bar: Option<ProgressBar>,
    said: Cell<f64>,
}

impl Terminal {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} % {elapsed} (left {eta})  {msg}");
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| ProgressBar::new(1000).with_style(style.expect("the template is fixed")));
        Self { bar, said: Cell::new(f64::NEG_INFINITY) }
    }

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

    fn progress(&self, state: &State) {
        let gain = |time: Option<f64>| match (state.original_ns, time) {
            (Some(original), Some(time)) => format!("{:.2}x", original / time),
            _ => "-".to_owned(),
        };
        let line = format!(
            "generation {}, {} candidates, exact {}, with error {}",
            state.generation,
            state.trials,
            gain(state.best_exact_ns),
            gain(state.best_ns)
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
