//! The promise of everything that reads from outside: it answers or refuses, and what it accepts can be used.
//!
//! Each function takes one hostile input and panics when the promise is broken. `scripts/fuzz.sh` looks for such
//! an input. What it found of interest is kept in `corpus/`, an archive a target, and `cargo test -p nitro-fuzz`
//! replays it without a fuzzer.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::LazyLock;

mod attribute;
mod import;
mod kernel_tuner;
mod launch_plan;
mod matrix_market;
mod model;
mod ptx;
mod recordings;
mod store;
mod workload;

// The macro's own modules, which name each other by `crate::`.
#[path = "../../nitro-macros/src/cloneable.rs"]
mod cloneable;
#[path = "../../nitro-macros/src/digest.rs"]
mod digest;
#[path = "../../nitro-macros/src/errors.rs"]
mod errors;
#[path = "../../nitro-macros/src/expand/mod.rs"]
mod expand;
#[path = "../../nitro-macros/src/expansion.rs"]
mod expansion;
#[path = "../../nitro-macros/src/groups.rs"]
mod groups;
#[path = "../../nitro-macros/src/ir/mod.rs"]
mod ir;
#[path = "../../nitro-macros/src/parse/mod.rs"]
mod parse;
#[path = "../../nitro-macros/src/places.rs"]
mod places;

pub use attribute::attribute;
pub use import::import;
pub use kernel_tuner::kernel_tuner;
pub use launch_plan::launch_plan;
pub use matrix_market::matrix_market;
pub use model::model;
pub use ptx::ptx;
pub use store::store;
pub use workload::workload;

/// Splits the data at bytes 0 into as many parts as are asked for; what is missing is empty.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |&byte| byte == 0);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Asserts that an error can be shown on a terminal.
fn assert_printable(error: &impl Display) {
    let sentence = error.to_string();
    assert!(!sentence.contains(char::is_control), "{sentence}");
}

/// Writes the data to a file that every input writes anew, for what reads files only.
fn scratch_file(name: &str, data: &[u8]) -> PathBuf {
    static FOLDER: LazyLock<tempfile::TempDir> =
        LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files"));
    let path = FOLDER.path().join(name);
    std::fs::write(&path, data).expect("temporary files can be written");
    path
}
