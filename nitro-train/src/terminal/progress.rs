//! The progress of a long work: a bar on a terminal, plain lines elsewhere. All on stderr, results go to stdout.

use std::cell::Cell;
use std::io::IsTerminal;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::output::say;

/// The progress of one recording.
pub(crate) struct ProgressDisplay {
    label: String,
    /// The bar on a terminal; none where lines are written instead.
    bar: Option<ProgressBar>,
    expected: Cell<usize>,
    /// Inputs that were expected and left: those of a later pass are not told of again.
    left: Cell<usize>,
    done: Cell<usize>,
    /// Inputs that nobody expected: then how many there are to come is not known.
    found_due: Cell<usize>,
    found_recorded: Cell<usize>,
}

impl ProgressDisplay {
    /// Creates the progress of what is called so.
    pub(crate) fn new(label: String) -> Self {
        Self::shown(label, |bar| bar)
    }

    /// Creates one of several.
    pub(crate) fn among(label: String, bars: &MultiProgress) -> Self {
        Self::shown(label, |bar| bars.add(bar))
    }

    fn shown(label: String, show: impl FnOnce(ProgressBar) -> ProgressBar) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| show(bar(&label)));
        let (expected, left, done, found_due, found_recorded) = Default::default();
        Self { label, bar, expected, left, done, found_due, found_recorded }
    }

    /// Counts an input that nobody expected, of whatever name.
    pub(crate) fn find(&self, recorded: bool) {
        let count = if recorded { &self.found_recorded } else { &self.found_due };
        count.set(count.get() + 1);
        if let Some(bar) = &self.bar
            && !recorded
            && count.get() == 1
        {
            bar.set_style(counting_style());
        }
    }

    /// Counts inputs that are to be measured, or were before.
    pub(crate) fn expect(&self, inputs: usize, recorded: usize) {
        self.expected.set(self.expected.get() + inputs);
        let is_told = inputs <= self.left.get() && self.left.get() > 0;
        self.left.set(self.left.get().saturating_sub(inputs));
        match &self.bar {
            Some(bar) => {
                bar.set_style(bar_style());
                bar.inc_length(inputs as u64);
            }
            None if is_told => {}
            None => say!("{}: {inputs} inputs to measure, {recorded} measured before", self.label),
        }
    }

    /// Shows the input that is being measured.
    pub(crate) fn begin(&self, input: &str) {
        self.bar.iter().for_each(|bar| bar.set_message(input.to_owned()));
    }

    /// Counts an input that has been measured.
    pub(crate) fn end(&self) {
        self.done.set(self.done.get() + 1);
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if self.done.get().is_multiple_of(25) && self.summary().is_some() => match self
                .found_due
                .get()
            {
                0 => say!("{}: {} of {} inputs measured", self.label, self.done.get(), self.expected.get()),
                _ => say!("{}: {} inputs measured", self.label, self.done.get()),
            },
            None => {}
        }
    }

    /// Counts an input that was expected and is left.
    pub(crate) fn leave(&self) {
        self.expected.set(self.expected.get().saturating_sub(1));
        self.left.set(self.left.get() + 1);
        self.bar.iter().for_each(|bar| bar.dec_length(1));
    }

    /// Says that inputs of other recorders are waited for.
    pub(crate) fn wait(&self, inputs: usize) {
        let line = format!("{}: waiting for {inputs} inputs that other recorders have claimed", self.label);
        match &self.bar {
            Some(bar) => bar.println(line),
            None => say!("{line}"),
        }
    }

    /// Returns the line of the work done; none if there was nothing to do.
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
}

fn bar(label: &str) -> ProgressBar {
    ProgressBar::new(0).with_style(counting_style()).with_prefix(label.to_owned())
}

/// Returns the style for a number of inputs that is known beforehand.
fn bar_style() -> ProgressStyle {
    let style =
        ProgressStyle::with_template("{prefix:24} {bar:30} {pos}/{len} {elapsed} (left {eta})  {msg}");
    style.expect("the template is fixed")
}

/// Returns the style for a number of inputs that is not known beforehand.
fn counting_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{prefix:24} {pos} inputs measured {elapsed}  {msg}");
    style.expect("the template is fixed")
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        match &self.bar {
            // What expected nothing is a part of something else, which has its own line in the end.
            Some(bar) if self.summary().is_none() => bar.finish_and_clear(),
            Some(bar) => bar.finish_with_message(""),
            None => self.summary().iter().for_each(|summary| say!("{summary}")),
        }
    }
}
