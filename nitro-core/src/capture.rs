//! `NITRO_CAPTURE=FILE`: real calls, sampled, as one JSON line each at the end of a file.
//!
//! ```json
//! {"function":"sum","device":"host:2@…","variant":"pairwise","reason":"predicted by the model","calls":4,
//!  "features":{"length":1000.0,"head":0.5},"time_ns":812}
//! ```
//!
//! (in one line). A variant with parameters has `"configuration":"block=256,unroll=4"` behind it. `calls` is the
//! number of calls of the thread that the sample stands for, itself and those passed over since the one before. A
//! feature that is not finite is `null`. `time_ns` is the time of the call by the wall clock, on the host alone:
//! elsewhere a call may return before its work has ended, and to wait for it is not free. The arguments themselves
//! are never written.
//!
//! What it costs. Off: a relaxed load and a branch. On: the first [`SAMPLES_PER_STEP`] samples of a process are of
//! every call, the next of every second on the mean, the next of every fourth, and so on. Gaps are drawn at random,
//! so that no rhythm of the calls meets that of the samples. A sampled call computes all features, and ends with one
//! write in append mode, with no lock of the process's: several processes may write one file. It is no longer
//! written once it has [`FULL_BYTES`].

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use once_cell::race::OnceBox;

use crate::choose::Question;
use crate::{Choice, DeviceId, Reason, environment, epoch, events, feature, files, random};

/// The size that no file exceeds.
const MOST_BYTES: u64 = 16 << 20;
/// The size at which a file is full: other processes may be about to write a line each.
const FULL_BYTES: u64 = MOST_BYTES - (256 << 10);
/// The number of samples after which the mean gap between two doubles.
const SAMPLES_PER_STEP: u64 = 256;
/// The mean gap doubles at most so often.
const MOST_STEPS: u64 = 20;

/// True while calls are captured, or may be: until the first call has looked for the file.
static ACTIVE: AtomicBool = AtomicBool::new(true);

/// Samples of this process.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// A call that is noted when it has ended.
pub(crate) struct Sample {
    /// The line so far.
    line: String,
    is_on_host: bool,
}

/// Makes a sample of the call, which stands for so many calls.
pub(crate) fn sample(question: &Question<'_>, choice: Choice, reason: Reason, calls: u64) -> Box<Sample> {
    let is_on_host = DeviceId::new(question.device.id()).kind() == "host";
    Box::new(Sample { line: describe(question, choice, reason, calls), is_on_host })
}

impl Sample {
    /// Runs the call and notes it.
    pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = body();
        self.end(begin.elapsed().as_nanos());
        result
    }

    pub(crate) fn end(mut self, time_ns: u128) {
        if self.is_on_host {
            let _ = write!(self.line, ",\"time_ns\":{time_ns}");
        }
        self.line.push_str("}\n");
        let Some(file) = file() else { return };
        if let Err(error) = append(file, self.line.as_bytes()) {
            stop();
            tracing::warn!(%error, "NITRO_CAPTURE: no more calls are captured");
        }
    }
}

/// Appends a line whole: the system writes at once what it is given. Begins a new line where the last one was not
/// ended, as when its program was killed.
fn append(mut file: &File, line: &[u8]) -> std::io::Result<()> {
    let file_bytes = file.metadata()?.len();
    if file_bytes + line.len() as u64 >= FULL_BYTES {
        return Err(std::io::Error::other("the file is as large as it may become"));
    }
    let new_line = [b"\n", line].concat();
    let line = if is_torn(file, file_bytes)? { &new_line } else { line };
    match file.write(line)? {
        written if written == line.len() => Ok(()),
        _ => Err(std::io::Error::other("the last line could not be written whole; remove it from the file")),
    }
}

/// Returns whether calls are captured, or may be, as nobody has looked yet.
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Relaxed)
}

/// Returns true where the file of this length ends in a line that nobody will end. While another process writes, the
/// file may grow by parts of a line, so it is looked at a few times. If it was another process all the same, an
/// empty line is the harm.
fn is_torn(file: &File, file_bytes: u64) -> std::io::Result<bool> {
    const LOOKS: usize = 10;
    if file_bytes == 0 || files::byte_at(file, file_bytes - 1).is_none_or(|last| last == b'\n') {
        return Ok(false);
    }
    for _ in 0..LOOKS {
        std::thread::yield_now();
        if file.metadata()?.len() != file_bytes {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Ends capturing.
fn stop() {
    if ACTIVE.swap(false, Relaxed) {
        epoch::unobserve();
    }
}

/// Opens the file, or ends capturing where there is none.
fn open_file() -> Option<File> {
    let file = environment::capture_file();
    if file.is_none() {
        stop();
    }
    file
}

/// The file, if there is one; looked for once.
fn file() -> Option<&'static File> {
    static FILE: OnceBox<Option<File>> = OnceBox::new();
    if let Some(file) = FILE.get() {
        return file.as_ref();
    }
    let (file, events) = events::hold(open_file);
    if FILE.set(Box::new(file)).is_ok() {
        events.tell(); // of several threads that look at once, one
    }
    FILE.get()?.as_ref()
}

/// A thread's place between two samples.
#[derive(Clone, Copy)]
struct Gap {
    /// Calls since the last sample.
    passed: u64,
    /// The call that is the next sample; 0 before the first.
    length: u64,
    /// State of the generator.
    random: u64,
}

/// Draws whether this call is a sample. Returns the number of calls that it stands for.
pub(crate) fn draw() -> Option<u64> {
    if !is_active() || file().is_none() {
        return None;
    }
    thread_local! {
        static GAP: Cell<Gap> = const { Cell::new(Gap { passed: 0, length: 0, random: 0 }) };
    }
    let mut gap = GAP.try_with(Cell::get).ok()?;
    if gap.length == 0 {
        // Each thread has a sequence of its own, the same whenever the program runs.
        static THREADS: AtomicU64 = AtomicU64::new(0);
        gap.random = THREADS.fetch_add(1, Relaxed) << 32;
        gap.length = gap.next_length();
    }
    let calls = gap.step();
    GAP.try_with(|own| own.set(gap)).ok()?;
    calls
}

impl Gap {
    fn step(&mut self) -> Option<u64> {
        self.passed += 1;
        if self.passed < self.length {
            return None;
        }
        TAKEN.fetch_add(1, Relaxed);
        self.length = self.next_length();
        Some(std::mem::take(&mut self.passed))
    }

    /// Evenly from 1 to twice the mean less 1.
    fn next_length(&mut self) -> u64 {
        let mean = 1 << (TAKEN.load(Relaxed) / SAMPLES_PER_STEP).min(MOST_STEPS);
        1 + random::next(&mut self.random) % (2 * mean - 1)
    }
}

/// The line, open for the time.
fn describe(question: &Question<'_>, choice: Choice, reason: Reason, calls: u64) -> String {
    let function = question.function;
    let mut line = String::with_capacity(256);
    let (variant, reason) = (&function.variants()[choice.variant], reason.to_string());
    let configuration = variant.parameters().text(choice.configuration);
    let texts = [
        ("function", function.name()),
        ("device", question.device.id()),
        ("variant", variant.name()),
        ("configuration", &configuration),
        ("reason", &reason),
    ];
    // A variant without parameters has no configuration.
    let told = texts.into_iter().filter(|(_, text)| !text.is_empty());
    for (index, (key, text)) in told.enumerate() {
        let _ = write!(line, "{}\"{key}\":{}", if index == 0 { '{' } else { ',' }, JsonString(text));
    }
    let _ = write!(line, ",\"calls\":{calls},\"features\":{{");
    let features = feature::all(function.features().len(), question.compute);
    for (index, (name, value)) in function.features().iter().zip(features).enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = if value.is_finite() {
            write!(line, "{comma}{}:{value:?}", JsonString(name))
        } else {
            write!(line, "{comma}{}:null", JsonString(name))
        };
    }
    line.push('}');
    line
}

/// A text as JSON (RFC 8259, section 7).
struct JsonString<'a>(&'a str);

impl std::fmt::Display for JsonString<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_char('"')?;
        for char in self.0.chars() {
            match char {
                '"' | '\\' => write!(formatter, "\\{char}")?,
                '\0'..' ' => write!(formatter, "\\u{:04x}", u32::from(char))?,
                _ => formatter.write_char(char)?,
            }
        }
        formatter.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(JsonString("a \"b\" \\ é\n").to_string(), r#""a \"b\" \\ é\u000a""#);
    }
}
