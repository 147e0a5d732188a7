//! NVIDIA's tools: finding one, and running it to its end.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// The most bytes of its messages that are read.
const MOST_MESSAGES: u64 = 64 << 10;
/// The most bytes that it may print; the listing of the largest kernels has a few MiB.
const MOST_OUTPUT: u64 = 64 << 20;
/// The most time of a run: more than the largest kernels take.
pub(crate) const MOST_TIME: Duration = Duration::from_secs(120);

/// Finds a tool by its name: beside `$NVCC`, in `$CUDA_HOME/bin`, or on the path.
///
/// # Errors
/// When none of them runs; with a sentence.
pub(crate) fn find(name: &str) -> Result<PathBuf, String> {
    let beside = env::var_os("NVCC").map(PathBuf::from).and_then(|nvcc| Some(nvcc.parent()?.join(name)));
    let home = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin").join(name));
    let there = [beside, home].into_iter().flatten().filter(|tool| tool.is_file());
    let mut tools = there.chain([PathBuf::from(name)]);
    tools
        .find(|tool| run(Command::new(tool).arg("--version"), MOST_TIME).is_ok())
        .ok_or_else(|| format!("there is no {name} beside $NVCC, in $CUDA_HOME/bin or on the path"))
}

/// The end of a program, with the beginnings of what it said.
pub(crate) struct End {
    pub status: ExitStatus,
    pub output: String,
    pub errors: String,
}

/// Runs a program to its end, and returns what it prints.
///
/// # Errors
/// When it fails or takes too long; with the first line of its messages.
pub(crate) fn run(command: &mut Command, patience: Duration) -> Result<String, String> {
    let name = name(command);
    let End { status, output, errors } = end(command, patience)?;
    match status.success() {
        true if output.len() as u64 > MOST_OUTPUT => {
            Err(format!("{name} prints more than {} MiB", MOST_OUTPUT >> 20))
        }
        true => Ok(output),
        false => Err(first_message(&errors).unwrap_or_else(|| format!("{name} ended ({status})"))),
    }
}

/// Runs a program to its end, whatever that is.
///
/// # Errors
/// When it does not start, or takes too long: then it is ended. With a sentence.
pub(crate) fn end(command: &mut Command, patience: Duration) -> Result<End, String> {
    let name = name(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|error| format!("{name} does not start: {error}"))?;
    let said = process.stdout.take().zip(process.stderr.take()).map(|(output, errors)| both(output, errors));
    let said = said.map_or(Err(RecvTimeoutError::Disconnected), |said| said.recv_timeout(patience));
    if said.is_err() {
        // If it has just ended, there is nothing to end.
        let _ = process.kill();
    }
    let status = process.wait().map_err(|error| format!("{name} is lost: {error}"))?;
    match said {
        Ok((output, errors)) => Ok(End { status, output, errors }),
        Err(_) => Err(format!("{name} did not end within {} s", patience.as_secs())),
    }
}

/// Returns the name of a program.
fn name(command: &Command) -> String {
    Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("it")).display().to_string()
}

/// Makes a temporary folder with one file in it, for a tool.
pub(crate) fn folder_with(name: &str, bytes: &[u8], tool: &str) -> Result<TempDir, String> {
    let folder = tempfile::tempdir();
    let written = folder.and_then(|folder| std::fs::write(folder.path().join(name), bytes).map(|()| folder));
    written.map_err(|error| format!("a temporary folder for {tool}: {error}"))
}

/// Reads the beginnings of two streams, once all has come.
fn both(
    output: impl Read + Send + 'static,
    errors: impl Read + Send + 'static,
) -> Receiver<(String, String)> {
    let (sent, said) = channel();
    thread::spawn(move || {
        let errors = thread::spawn(|| beginning(errors, MOST_MESSAGES));
        // One more than it may be, which tells that it is too much.
        let output = beginning(output, MOST_OUTPUT + 1);
        let _ = sent.send((output, errors.join().unwrap_or_default()));
    });
    said
}

/// Reads the beginning of a stream, and lets the rest come.
fn beginning(mut from: impl Read, most_bytes: u64) -> String {
    let mut bytes = Vec::new();
    let _ = (&mut from).take(most_bytes).read_to_end(&mut bytes);
    // Whoever writes more than is read would wait for ever.
    let _ = io::copy(&mut from, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the first error without the name of the temporary file, or else the first line.
fn first_message(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut errors = lines.clone().filter(|line| line.contains("error") || line.contains("fatal"));
    let line = errors.next().or_else(|| lines.next())?;
    let is_file = line.starts_with("ptxas /");
    Some(line.split_once("a.ptx, ").filter(|_| is_file).map_or(line, |(_, message)| message).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_the_message() {
        let text = "ptxas info : x\nptxas /tmp/x/a.ptx, line 4; error   : Arguments mismatch\nptxas /tmp/x/a.ptx, line 9; error : y\nptxas fatal : z";
        assert_eq!(first_message(text).unwrap(), "line 4; error   : Arguments mismatch");
        assert_eq!(first_message("ptxas fatal   : Unresolved").unwrap(), "ptxas fatal   : Unresolved");
        assert_eq!(first_message(" \n"), None);
    }

    #[test]
    fn a_tool_that_is_nowhere_is_missed_in_a_sentence() {
        let error = find("no-such-tool-of-nvidia").unwrap_err();
        assert!(error.starts_with("there is no no-such-tool-of-nvidia beside $NVCC"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn a_program_that_does_not_end_is_ended() {
        let mut endless = Command::new("sh");
        endless.args(["-c", "while :; do :; done"]);
        assert_eq!(run(&mut endless, Duration::ZERO), Err("sh did not end within 0 s".to_owned()));
    }

    #[test]
    #[cfg(unix)]
    fn what_a_program_prints_is_read_unless_it_fails_or_is_too_much() {
        let said = |script: &str| run(Command::new("sh").args(["-c", script]), MOST_TIME);
        assert_eq!(said("echo one; echo two >&2; echo three"), Ok("one\nthree\n".to_owned()));
        assert_eq!(said("echo 'first' >&2; echo 'an error' >&2; exit 3"), Err("an error".to_owned()));
        let much = format!("head -c {} /dev/zero", MOST_OUTPUT + 1);
        assert_eq!(said(&much), Err("sh prints more than 64 MiB".to_owned()));
    }
}
