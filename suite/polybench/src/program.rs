//! What the programs of this package have in common.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// What a program ends with: an error is told in a sentence.
pub fn ended(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A file of lines that goes on where it ended.
///
/// # Errors
/// When it cannot be written.
pub fn append(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file)?; // the last line of a run that was ended may be half of one
    Ok(file)
}
