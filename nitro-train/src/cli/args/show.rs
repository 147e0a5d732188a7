//! The form in which results are shown.

use clap::Args;

use crate::terminal;

/// The arguments of commands that show tables.
#[derive(Args, Debug)]
pub(in crate::cli) struct ShowArgs {
    #[command(flatten)]
    pub(in crate::cli) json: JsonArgs,
    /// Print tables at full width; without, they fit the terminal, or 80 columns where there is none
    #[arg(long)]
    wide: bool,
}

impl ShowArgs {
    /// Returns the most columns that a line of a table may have.
    pub(in crate::cli) fn columns(&self) -> usize {
        if self.wide { usize::from(u16::MAX) } else { terminal::columns() }
    }
}

#[derive(Args, Debug)]
pub(in crate::cli) struct JsonArgs {
    /// Print JSON instead of text: one object or list. evaluate, check and coverage print an object for each function,
    /// on a line each
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
