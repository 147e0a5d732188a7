//! What stands on a terminal beside results: standard output and standard error with whatever becomes of them, and
//! progress.

pub(crate) mod output;
mod progress;

use std::io::IsTerminal;

use terminal_size::Width;

pub(crate) use output::{Aside, Output, say};
pub(crate) use progress::ProgressDisplay;

/// The columns of whatever is no terminal.
const USUAL_COLUMNS: usize = 80;
/// On a terminal that is narrower, lines break.
const LEAST_COLUMNS: usize = 40;

/// How long a line on standard output may be.
pub(crate) fn columns() -> usize {
    let terminal = if std::io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    terminal.map_or(USUAL_COLUMNS, |(width, _)| at_least(width))
}

/// How long a line on standard error may be. Absent where that is no terminal: programs read lines whole.
fn columns_aside() -> Option<usize> {
    let error = std::io::stderr();
    let terminal = if error.is_terminal() { terminal_size::terminal_size_of(error) } else { None };
    terminal.map(|(width, _)| at_least(width))
}

fn at_least(Width(columns): Width) -> usize {
    usize::from(columns).max(LEAST_COLUMNS)
}
