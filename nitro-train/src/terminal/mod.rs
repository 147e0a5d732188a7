//! The outputs of a terminal: standard output and standard error with whatever becomes of them, and progress.

pub(crate) mod output;
mod progress;

use std::io::IsTerminal;

use terminal_size::Width;

pub(crate) use output::{Aside, Output, say};
pub(crate) use progress::ProgressDisplay;

/// The columns of whatever is no terminal.
const USUAL_COLUMNS: usize = 80;
/// The least columns of a table; on narrower terminals lines break.
const LEAST_COLUMNS: usize = 40;

/// Returns the longest line on standard output.
pub(crate) fn columns() -> usize {
    let terminal = if std::io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    terminal.map_or(USUAL_COLUMNS, |(width, _)| at_least(width))
}

/// Returns the longest line on standard error. Absent where that is no terminal: programs read lines whole.
fn columns_aside() -> Option<usize> {
    let error = std::io::stderr();
    let terminal = if error.is_terminal() { terminal_size::terminal_size_of(error) } else { None };
    terminal.map(|(width, _)| at_least(width))
}

fn at_least(Width(columns): Width) -> usize {
    usize::from(columns).max(LEAST_COLUMNS)
}
