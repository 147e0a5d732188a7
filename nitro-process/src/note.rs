//! Notes: what a worker says without anybody listening.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek};
use std::marker::PhantomData;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempPath;

use crate::frame::{FrameError, read_frame, write_frame};

/// One value in a file that two processes have open: a worker writes what it runs, and its parent looks at it.
///
/// The name of the file is gone once both have it open, so that nothing is left behind, whoever is killed. The value is
/// written over and the file never cut, which costs a worker a call of the system. A parent that looks meanwhile may
/// find a mixture or nothing, and a right value at its next look.
#[derive(Debug)]
pub struct NoteFile<T> {
    file: File,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> NoteFile<T> {
    /// Creates a note with a first value, under a name that no other program has.
    ///
    /// # Errors
    /// When there is no place for temporary files.
    pub fn create(value: &T) -> io::Result<(Self, TempPath)> {
        let (file, name) = tempfile::Builder::new().prefix("nitro-").suffix(".note").tempfile()?.into_parts();
        let mut note = Self { file, of: PhantomData };
        note.write(value)?;
        Ok((note, name))
    }

    /// Opens the note of this name, and removes the name.
    ///
    /// # Errors
    /// When it is not there, or was opened before.
    pub fn open(name: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(name)?;
        fs::remove_file(name)?;
        Ok(Self { file, of: PhantomData })
    }

    /// Writes a value in the place of the one before.
    ///
    /// # Errors
    /// When the file cannot be written, or the value is too long for a frame.
    pub fn write(&mut self, value: &T) -> io::Result<()> {
        self.file.rewind()?;
        write_frame(&mut self.file, value).map_err(io_error)
    }

    /// Reads the value.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(&mut self) -> io::Result<T> {
        self.file.rewind()?;
        read_frame(&mut self.file).map_err(io_error)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Returns what failed as an error of a file.
fn io_error(error: FrameError) -> io::Error {
    match error {
        FrameError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_last_value_and_leave_no_file() {
        let (mut parent, name) = NoteFile::create(&vec!["a".to_owned(), "long".repeat(100)]).unwrap();
        let mut worker = NoteFile::<Vec<String>>::open(&name).unwrap();
        assert!(!name.exists(), "both have it open");
        assert_eq!(worker.read().unwrap()[0], "a");
        for value in ["b", "", "another"] {
            worker.write(&vec![value.to_owned()]).unwrap();
            assert_eq!(parent.read().unwrap(), [value]);
        }
        assert!(NoteFile::<Vec<String>>::open(&name).is_err(), "one worker has it");
    }
}
