//! The files that a command line names.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use nitro_ptx::{Patch, PatchError};
use nitro_train::UsageError;

use crate::begin_with::{self, BeginWithError, MOST_FILE_BYTES, MOST_PATCHES};
use crate::memory;
use crate::subject::Subject;

/// The most bytes of a PTX or a workload.
const MOST_BYTES: u64 = 64 << 20;

/// Files that are not read here, by their first bytes, with advice.
const BINARIES: [(&[u8], &str); 5] = [
    (
        b"\x7fELF",
        "machine code (a cubin, or a program), and no PTX; `cuobjdump -ptx` prints the PTX that is in a program",
    ),
    (b"\x50\xed\x55\xba", "a fat binary, and no PTX; `cuobjdump -ptx` prints the PTX in it"),
    (b"BC\xc0\xde", "LLVM bitcode, and no PTX; `llc -march=nvptx64` compiles it"),
    (b"\xff\xfe", "a text in UTF-16; save it as UTF-8"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
];

/// Returns the error of a file.
pub(super) fn wrong(path: &Path, why: impl Display) -> UsageError {
    UsageError(format!("{}: {why}", path.display()))
}

/// Reads a text, without a byte order mark.
pub(super) fn text(path: &Path) -> Result<String, UsageError> {
    text_within(path, MOST_BYTES)
}

/// Reads a text of at most so many bytes.
fn text_within(path: &Path, most_bytes: u64) -> Result<String, UsageError> {
    let bytes = nitro_core::files::read(path, most_bytes)
        .map_err(|error| UsageError(format!("cannot read {}: {error}", path.display())))?;
    if let Some((_, what)) = BINARIES.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(wrong(path, format!("this is {what}")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(path, format!("this is no text: byte {at} is no UTF-8"))
    })?;
    if text.contains('\0') {
        return Err(wrong(path, "this is no text: it has bytes that are 0"));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads patches with which an evolution begins, and checks that each fits its subject.
pub(super) fn patches(paths: &[PathBuf], subject: &Subject) -> Result<Vec<Patch>, UsageError> {
    let base = subject.base();
    if paths.len() > MOST_PATCHES {
        return Err(UsageError(format!("--begin-with: {}", BeginWithError::Patches(paths.len()))));
    }
    let mut patches = Vec::with_capacity(paths.len());
    for path in paths {
        let text = text_within(path, MOST_FILE_BYTES)?;
        let patch: Patch = text.parse().map_err(|error| wrong_patch(path, &text, &error))?;
        begin_with::edits(base, &patch).map_err(|error| match error {
            BeginWithError::Patch(error) => wrong_patch(path, &text, &error),
            error => wrong(path, error),
        })?;
        patches.push(patch);
    }
    begin_with::all(base, &patches).map_err(|error| UsageError(format!("--begin-with: {error}")))?;
    Ok(patches)
}

/// Returns the error of a patch that does not fit, with the line of the edit that does not.
pub(super) fn wrong_patch(path: &Path, text: &str, error: &PatchError) -> UsageError {
    let (PatchError::Missing { edit, .. } | PatchError::Refused { edit, .. }) = error else {
        return wrong(path, error);
    };
    for (number, line) in (1..).zip(text.lines()) {
        let without_comment = line.split('#').next().unwrap_or_default();
        if without_comment.split_whitespace().eq(edit.split_whitespace()) {
            return wrong(path, format!("line {number}: {error}"));
        }
    }
    wrong(path, error)
}

/// Checks that a text begins as PTX has to.
pub(super) fn check_header(path: &Path, ptx: &str) -> Result<(), UsageError> {
    if ptx.trim().is_empty() {
        return Err(wrong(path, "the file is empty"));
    }
    let words = first_words(ptx);
    let Some((line, version)) = after(&words, ".version") else {
        let why = "this is no PTX: it has no `.version`; `nvcc -ptx -arch=sm_90` makes PTX of CUDA C++";
        return Err(wrong(path, why));
    };
    if !is_version(version) {
        let why = format!("line {line}: `.version {}` is no version of PTX, such as 8.0", short(version));
        return Err(wrong(path, why));
    }
    let Some((line, target)) = after(&words, ".target") else {
        return Err(wrong(path, "it has no `.target`, such as sm_90"));
    };
    if !is_target(target) {
        let why = format!("line {line}: `.target {}` is no architecture, such as sm_90", short(target));
        return Err(wrong(path, why));
    }
    Ok(())
}

/// Returns the first words of a text without comments, each with its line.
fn first_words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let without_comment = line.split("//").next().unwrap_or_default();
        words.extend(without_comment.split_whitespace().map(|word| (number, word)));
        if words.len() >= MOST_WORDS {
            break;
        }
    }
    words
}

/// Returns the word after a directive, or the directive itself where it is the last word.
fn after<'a>(words: &[(usize, &'a str)], directive: &str) -> Option<(usize, &'a str)> {
    let at = words.iter().position(|(_, word)| *word == directive)?;
    Some(words.get(at + 1).copied().unwrap_or(words[at]))
}

/// The bytes of an instruction as data, measured with 600,000 instructions.
const BYTES_AS_DATA: u64 = 700;
/// The bytes of an instruction with what evolution makes of it, measured in the same way.
const BYTES_TO_EVOLVE: u64 = 5_500;

/// Refuses a text that memory has no room for.
pub(super) fn check_memory(path: &Path, ptx: &str, is_only_read: bool) -> Result<(), UsageError> {
    let statements = ptx.bytes().filter(|byte| *byte == b';').count() as u64;
    let each = if is_only_read { BYTES_AS_DATA } else { BYTES_TO_EVOLVE };
    let what = format!("its {statements} statements");
    memory::check(&what, statements * each, memory::free_bytes).map_err(|why| wrong(path, why))
}

/// The most words that are looked at: more than stand before `.target` in any text.
const MOST_WORDS: usize = 100_000;

/// Tells whether a text is a version of PTX.
fn is_version(text: &str) -> bool {
    text.split_once('.').is_some_and(|(major, minor)| is_number(major, 1..=3) && is_number(minor, 1..=3))
}

/// Tells whether a text is a number of so many digits.
fn is_number(text: &str, digits: RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Tells whether a text is an architecture, as in `sm_90`, `sm_90a` and `sm_100f`, with what may follow a comma.
fn is_target(text: &str) -> bool {
    let first = text.split(',').next().unwrap_or_default();
    let number = first.strip_prefix("sm_").map(|number| number.strip_suffix(['a', 'f']).unwrap_or(number));
    number.is_some_and(|number| is_number(number, 2..=3))
}

/// Returns as much of a word as a message shows.
fn short(word: &str) -> String {
    word.chars().filter(|letter| !letter.is_control()).take(40).collect()
}
