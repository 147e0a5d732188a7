//! What a worker is doing just now, in a file that its supervisor reads: the run of a variant that may end the process, or
//! never end.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::measure::Attempt;

/// The run that a worker has begun and not ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Note {
    /// Counts the runs: a note that does not change is one run that takes long.
    run: u64,
    pub(super) function: String,
    pub(super) device: String,
    pub(super) input: String,
    /// Unknown while the default variant runs for the first time.
    pub(super) features: Option<Vec<f64>>,
    pub(super) variant: String,
}

/// A worker's side of the file.
pub(in crate::cli) struct Notes {
    file: File,
    runs: u64,
}

impl Notes {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: OpenOptions::new().write(true).open(path)?, runs: 0 })
    }

    /// Notes a run, or that there is none. The file is written over and never cut: a reader takes its first line.
    pub(in crate::cli) fn write(&mut self, attempt: Option<&Attempt<'_>>) -> std::io::Result<()> {
        let mut line = match attempt {
            Some(attempt) => {
                self.runs += 1;
                serde_json::to_vec(&Note::of(attempt, self.runs))?
            }
            None => Vec::new(),
        };
        line.push(b'\n');
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&line)
    }
}

impl Note {
    fn of(attempt: &Attempt<'_>, run: u64) -> Self {
        Self {
            run,
            function: attempt.function.to_owned(),
            device: attempt.device.to_owned(),
            input: attempt.input.to_owned(),
            features: attempt.features.map(<[f64]>::to_vec),
            variant: attempt.variant.to_owned(),
        }
    }

    /// Whether both are about the same variant and input.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        let key = |note: &Self| {
            [&note.function, &note.device, &note.input, &note.variant].map(|name| name.to_owned())
        };
        key(self) == key(other)
    }
}

/// A supervisor's side of the file, which ends with the value.
pub(super) struct NoteFile {
    path: PathBuf,
}

impl NoteFile {
    /// Makes an empty one of a name that no other program has.
    pub(super) fn new() -> std::io::Result<Self> {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("nitro-train-{}-{}.note", std::process::id(), since_1970.as_nanos());
        let path = std::env::temp_dir().join(name);
        File::create_new(&path)?;
        Ok(Self { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Forgets what a worker before has noted.
    pub(super) fn clear(&self) -> std::io::Result<()> {
        std::fs::write(&self.path, "\n")
    }

    /// The run under way, if there is one.
    pub(super) fn read(&self) -> Option<Note> {
        let bytes = std::fs::read(&self.path).ok()?;
        serde_json::from_slice(bytes.split(|&byte| byte == b'\n').next()?).ok()
    }
}

impl Drop for NoteFile {
    fn drop(&mut self) {
        // In a folder for what is temporary a leftover harms nobody.
        let _ = std::fs::remove_file(&self.path);
    }
}
