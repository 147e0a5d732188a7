//! The file that `NITRO_CAPTURE` names.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nitro_core::{files, name};
use serde::Deserialize;
use serde::de::IgnoredAny;

use nitro_store::printable::excerpt;

/// The most bytes of a line, above what a program writes: at most 32 features and four names.
const LONGEST_LINE: usize = 64 << 10;
/// The most bytes of a file. A program stops at a sixteenth of it; somebody may have put several files together.
const MOST_BYTES: u64 = 256 << 20;

/// A captured call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct CapturedCall {
    /// The function that was called.
    pub function: String,
    /// The device.
    pub device: String,
    /// The variant that ran.
    pub variant: String,
    /// The values of its tuning parameters; empty for a variant without any.
    #[serde(default)]
    pub configuration: String,
    /// The reason of the choice.
    pub reason: String,
    /// Number of calls that this one stands for.
    pub calls: u64,
    /// The features; none for one that was not finite.
    #[serde(deserialize_with = "nitro_store::unique::map")]
    pub features: BTreeMap<String, Option<f64>>,
    /// The time of the call in nanoseconds, where it was known.
    #[serde(default)]
    pub time_ns: Option<f64>,
}

impl CapturedCall {
    /// Returns its values of these features; none of one that is not known, or was not finite.
    pub(super) fn values<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = Option<f64>> + 'a {
        names.iter().map(|name| self.features.get(name).copied().flatten())
    }
}

/// The reason for which a file of captured calls cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The file cannot be read.
    #[error("{} cannot be read: name a file that a program with NITRO_CAPTURE=FILE has written", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line is no captured call.
    #[error(
        "{}:{line}: this is no captured call ({reason}); remove the line, or name a file that NITRO_CAPTURE has \
         written",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault in it.
        reason: String,
    },
}

/// Reads the calls in a file, in the order of the lines.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("calls.jsonl");
/// # let line = r#"{"function":"sort","device":"host:4","variant":"radix","reason":"predicted by the model",
/// #     "calls":64,"features":{"length":1e6}}"#.replace('\n', "");
/// # std::fs::write(&file, format!("{line}\n"))?;
/// // `file` is what a program with `NITRO_CAPTURE=calls.jsonl` has written.
/// let calls = nitro_train::traffic::read(&file)?;
/// assert_eq!((calls[0].variant.as_str(), calls[0].features["length"]), ("radix", Some(1e6)));
/// assert_eq!(calls[0].calls, 64, "it stands for so many");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the file cannot be read, and when a line is no captured call. Lines that were cut off, as when a program
/// was killed while it wrote, are left out with one warning.
pub fn read(path: &Path) -> Result<Vec<CapturedCall>, CaptureError> {
    let bytes = match files::read(path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(CaptureError::Unreadable { path: path.to_owned(), source }),
    };
    let mut samples = Vec::new();
    let (mut torn, mut first_torn) = (0_usize, 0);
    for (line, text) in (1..).zip(lines(&bytes)) {
        match sample(text) {
            Ok(sample) => samples.push(sample),
            Err(_) if text == b"\n" => {} // of two writers that began a new line behind a torn one
            Err(_) if is_torn(text) => {
                first_torn = if torn == 0 { line } else { first_torn };
                torn += 1;
            }
            Err(reason) => return Err(CaptureError::Line { path: path.to_owned(), line, reason }),
        }
    }
    if torn > 0 {
        let file = path.display();
        let lines = if torn == 1 { "1 line is".to_owned() } else { format!("{torn} lines are") };
        tracing::warn!(
            "{file}:{first_torn}: the line is cut off, as when a program was killed while it wrote; {lines} left out"
        );
    }
    Ok(samples)
}

/// Returns the lines, each with its end. One that is too long is cut, as its rest is a line of its own.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.flat_map(|line| line.chunks(LONGEST_LINE))
}

/// Returns true for a line that a program began and did not end.
///
/// Another one may have gone on in it, and a file system that went down leaves zeros.
fn is_torn(line: &[u8]) -> bool {
    const BEGIN: &[u8] = br#"{"function":""#;
    // It begins as every line does, perhaps behind zeros, and ends anywhere or with another line's begin.
    let zeros = line.iter().take_while(|byte| **byte == 0).count();
    let written = &line[zeros..];
    let written = written.strip_suffix(b"\n").unwrap_or(written);
    let common = written.iter().zip(BEGIN).take_while(|(written, begin)| written == begin).count();
    let goes_on = common == written.len() || common == BEGIN.len() || written[common..].starts_with(b"{");
    let is_begun = zeros + common > 0 && goes_on;
    let json = serde_json::from_slice::<IgnoredAny>(line);
    is_begun && line.len() < LONGEST_LINE && json.is_err_and(|error| error.is_eof() || error.is_syntax())
}

fn sample(line: &[u8]) -> Result<CapturedCall, String> {
    if line.len() == LONGEST_LINE && !line.ends_with(b"\n") {
        return Err("it is too long".to_owned());
    }
    let sample: CapturedCall = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    check_names(&sample)?;
    match sample {
        CapturedCall { calls: 0, .. } => Err("it stands for no call".to_owned()),
        CapturedCall { calls, .. } if calls > 1 << 40 => Err("it stands for too many calls".to_owned()),
        CapturedCall { time_ns: Some(time), .. } if !(0.0..f64::INFINITY).contains(&time) => {
            Err("its time is negative".to_owned())
        }
        sample => Ok(sample),
    }
}

fn check_names(sample: &CapturedCall) -> Result<(), String> {
    checked(&sample.function, name::check_function(&sample.function))?;
    let names = [&sample.device, &sample.variant, &sample.reason].into_iter().chain(sample.features.keys());
    for one in names.chain(Some(&sample.configuration).filter(|own| !own.is_empty())) {
        checked(one, name::check(one))?;
    }
    Ok(())
}

/// Adds the name to the error of a check.
fn checked<E: fmt::Display>(name: &str, result: Result<(), E>) -> Result<(), String> {
    result.map_err(|error| format!("the name `{}` {error}", excerpt(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for endless in [&*pipe, Path::new("/dev/zero")] {
            let CaptureError::Unreadable { source, .. } = read(endless).unwrap_err() else { panic!() };
            assert_eq!(source.to_string(), "it is no regular file");
        }
    }

    const CALL: &str =
        r#"{"function":"f","device":"host:4","variant":"v","reason":"pinned","calls":2,"features":{"n":1}}"#;

    fn calls(text: &str) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("calls.jsonl");
        std::fs::write(&file, text).unwrap();
        let message =
            |error: CaptureError| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        read(&file).map(|calls| calls.len()).map_err(message)
    }

    #[test]
    fn a_file_that_was_cut_off_anywhere_is_read_up_to_there() {
        let whole = format!("{CALL}\n{CALL}\n");
        for end in 0..whole.len() {
            let lines = (end + 1) / (CALL.len() + 1); // a call is whole without the end of its line
            assert_eq!(calls(&whole[..end]), Ok(lines), "cut at {end}");
        }
    }

    /// Writers that go on begin a new line, but one may have looked before the other was killed.
    #[test]
    fn a_line_that_was_torn_anywhere_is_left_out_wherever_it_stands() {
        for end in 0..CALL.len() {
            let cut = &CALL[..end];
            assert_eq!(calls(&format!("{CALL}\n{cut}\n{CALL}\n")), Ok(2), "cut at {end}, and a new line");
            let glued = calls(&format!("{CALL}\n{cut}{CALL}\n{CALL}\n"));
            assert_eq!(glued, Ok(if end == 0 { 3 } else { 2 }), "cut at {end}, and gone on");
        }
        assert_eq!(calls(&format!("{CALL}\n\0\0\0\n\0\0{CALL}\n{CALL}\n")), Ok(2));
        let (letter, cut) = ("é".as_bytes(), &CALL.as_bytes()[..20]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("calls.jsonl");
        std::fs::write(&file, [cut, &letter[..1], b"\n", CALL.as_bytes()].concat()).unwrap();
        assert_eq!(read(&file).map(|calls| calls.len()).ok(), Some(1), "cut in a letter");
    }

    #[test]
    fn what_is_no_call_is_refused_with_its_line() {
        let error = calls(&format!("{CALL}\n{{}}\n{CALL}\n")).unwrap_err();
        assert!(error.starts_with("calls.jsonl:2: this is no captured call"), "{error}");
        let twice = CALL.replace("\"n\":1", "\"n\":1,\"n\":2");
        assert!(
            calls(&format!("{CALL}\n{twice}\n")).unwrap_err().contains("calls.jsonl:2: "),
            "of two values"
        );
        let negative = CALL.replace("}}", r#"},"time_ns":-1}"#);
        assert!(calls(&format!("{negative}\n")).unwrap_err().contains("its time is negative"));
        assert!(calls("no JSON").is_err(), "nor is that the beginning of a call");
        let long = "x".repeat(LONGEST_LINE + 1);
        assert!(calls(&long).unwrap_err().contains("it is too long"));
    }
}
