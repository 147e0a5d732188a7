//! The current run of a worker, in a file that its supervisor reads: the variant may end the process, or never end.
//!
//! The file has one line. Its first byte says whether the run is still under way, and the rest which one it is. The
//! name of the file is gone as soon as both have it open, so that nothing is left behind, whoever is killed.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use nitro_core::choice_text;
use nitro_store::exact::Exact;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::measure::Attempt;

/// First byte of the line while the run goes on.
const RUNNING: u8 = b'+';
/// First byte of the line between the runs on one input.
const ENDED: u8 = b'-';
/// First byte of the line of a worker that has ended so that a fresh one goes on, with what that is to leave out.
const HANDED_OVER: u8 = b'=';
/// Longer than any note, which has a number for each feature, or a line for each input that is left out.
const MOST_BYTES: u64 = 1 << 26;

/// An input that could not be worked on: every later worker leaves it out, and names it in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) function: String,
    pub(crate) device: String,
    pub(crate) input: String,
    /// The one variant that is left out of the sample of what is recorded, and of nothing else.
    #[serde(default)]
    pub(crate) variant: Option<String>,
    pub(crate) why: String,
}

/// The run that a worker began last, on the input that it measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Note {
    /// Counts the runs: a note that does not change is one run that takes long.
    run: u64,
    pub(super) function: String,
    pub(super) device: String,
    pub(super) input: String,
    /// Unknown while the default variant runs for the first time.
    pub(super) features: Option<Vec<Exact>>,
    pub(super) variant: String,
    #[serde(default)]
    pub(super) configuration: String,
    #[serde(default)]
    pub(super) is_evaluation: bool,
    #[serde(default)]
    pub(super) is_sample: bool,
    /// True while the run has not ended.
    #[serde(skip)]
    pub(super) is_running: bool,
}

/// A worker's side of the file.
pub(super) struct Notes {
    file: File,
    runs: u64,
}

impl Notes {
    /// Opens the file and removes its name; what the workers before have left out stands in it, and is taken.
    pub(super) fn open(path: &Path) -> io::Result<(File, Vec<LeftOut>)> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        fs::remove_file(path)?;
        let left_out = handed_over(&read(&mut file)?).unwrap_or_default();
        file.set_len(0)?;
        Ok((file, left_out))
    }

    pub(super) fn new(file: File) -> Self {
        Self { file, runs: 0 }
    }

    /// Notes a run that begins. The file is written over and never cut: a reader takes its first line.
    pub(super) fn begin(&mut self, attempt: &Attempt<'_>) -> io::Result<()> {
        self.runs += 1;
        let mut line = vec![RUNNING];
        serde_json::to_writer(&mut line, &Note::of(attempt, self.runs))?;
        line.push(b'\n');
        self.write(&line)
    }

    /// Notes that the run has ended, which costs the next one little time.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.write(&[ENDED])
    }

    /// Notes that no input is being measured.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.write(b"\n")
    }

    /// Says what a fresh worker is to leave out.
    pub(super) fn hand_over(&mut self, left_out: &[LeftOut]) -> io::Result<()> {
        self.write(&line_of(left_out)?)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(bytes)
    }
}

impl Note {
    fn of(attempt: &Attempt<'_>, run: u64) -> Self {
        Self {
            run,
            function: attempt.function.to_owned(),
            device: attempt.device.to_owned(),
            input: attempt.input.to_owned(),
            features: attempt.features.map(|features| features.iter().copied().map(Exact).collect()),
            variant: attempt.variant.to_owned(),
            configuration: attempt.configuration.to_owned(),
            is_evaluation: attempt.is_evaluation,
            is_sample: attempt.is_sample,
            is_running: true,
        }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (&state, line) = bytes.split(|&byte| byte == b'\n').next()?.split_first()?;
        let note: Self = serde_json::from_slice(line).ok()?;
        Some(Self { is_running: state == RUNNING, ..note })
    }

    /// Returns true for notes about the same variant and input.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        let key = |note: &Self| {
            [&note.function, &note.device, &note.input, &note.variant, &note.configuration].map(String::clone)
        };
        key(self) == key(other)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, input, variant, configuration, .. } = self;
        let choice = choice_text(variant, configuration);
        write!(formatter, "input `{input}`: variant `{choice}` of `{function}`")
    }
}

/// A supervisor's side of the file, one for each worker.
pub(super) struct NoteFile(NamedTempFile);

impl NoteFile {
    /// Creates a file of a name that no other program has, with the inputs that the worker is to leave out.
    pub(super) fn new(left_out: &[LeftOut]) -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("nitro-train-").suffix(".note").tempfile()?;
        file.write_all(&line_of(left_out)?)?;
        Ok(Self(file))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns the run that the worker began last; none when it measures no input.
    pub(super) fn read(&self) -> Option<Note> {
        Note::parse(&read(&mut self.0.as_file()).ok()?)
    }

    /// Returns the inputs that a worker that has ended wants a fresh one to leave out; none where it wants none.
    pub(super) fn handed_over(&self) -> Option<Vec<LeftOut>> {
        handed_over(&read(&mut self.0.as_file()).ok()?)
    }
}

fn read(mut file: impl Read + Seek) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn line_of(left_out: &[LeftOut]) -> io::Result<Vec<u8>> {
    let mut line = vec![HANDED_OVER];
    serde_json::to_writer(&mut line, left_out)?;
    line.push(b'\n');
    Ok(line)
}

fn handed_over(bytes: &[u8]) -> Option<Vec<LeftOut>> {
    let line = bytes.split(|&byte| byte == b'\n').next()?.strip_prefix(&[HANDED_OVER])?;
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Note {
        /// The note of a run under way of this number.
        pub(in crate::worker) fn of_run(run: u64) -> Self {
            let attempt = Attempt {
                function: "f",
                device: "host:1",
                input: "x",
                features: None,
                variant: "v",
                configuration: "",
                is_evaluation: false,
                is_sample: false,
            };
            Self::of(&attempt, run)
        }
    }

    #[test]
    fn a_note_tells_which_run_and_whether_it_is_under_way_and_leaves_no_file() {
        let left_out = ["a\nb", "c"].map(|input| LeftOut {
            function: "spmv".into(),
            device: "host:4".into(),
            input: input.into(),
            variant: None,
            why: "it panicked".into(),
        });
        let file = NoteFile::new(&left_out[..1]).unwrap();
        assert_eq!(file.read(), None);
        let (opened, taken) = Notes::open(file.path()).unwrap();
        assert_eq!((&taken[..], file.handed_over()), (&left_out[..1], None));
        let mut notes = Notes::new(opened);
        assert!(!file.path().exists(), "both have it open");
        let attempt = |variant| Attempt {
            function: "spmv",
            device: "host:4",
            input: "a\nb",
            features: Some(&[1.0, 0.1]),
            variant,
            configuration: "",
            is_evaluation: true,
            is_sample: true,
        };
        notes.begin(&attempt("a_long_name")).unwrap();
        let first = file.read().unwrap();
        assert!(first.is_running && first.variant == "a_long_name" && first.input == "a\nb");
        notes.end().unwrap();
        assert_eq!(file.read().unwrap(), Note { is_running: false, ..first.clone() });
        notes.begin(&attempt("short")).unwrap();
        let second = file.read().unwrap();
        assert!(second.is_running && second.variant == "short" && !second.is_about(&first));
        notes.begin(&attempt("short")).unwrap();
        let third = file.read().unwrap();
        assert!(third != second && third.is_about(&second), "another run of the same");
        notes.clear().unwrap();
        assert_eq!((file.read(), file.handed_over()), (None, None));
        notes.hand_over(&left_out).unwrap();
        assert_eq!((file.read(), file.handed_over()), (None, Some(left_out.to_vec())));
    }
}
