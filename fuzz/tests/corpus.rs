//! Replays the inputs of `corpus/`: each is still answered or refused.

use std::fs::File;
use std::io::Read;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

/// The bytes that an unpacked archive may have; the largest has 0.5 MB.
const MAX_ARCHIVE_BYTES: u64 = 32 << 20;

/// One input of an archive.
struct Input {
    name: String,
    bytes: Vec<u8>,
}

/// Defines a test for each target, which replays its archive.
macro_rules! targets {
    ($($target:ident)*) => {
        const TARGETS: &[&str] = &[$(stringify!($target)),*];
        $(#[test]
        fn $target() {
            replay(stringify!($target), nitro_fuzz::$target);
        })*
    };
}

targets! { attribute import kernel_tuner launch_plan matrix_market model ptx store workload }

/// Checks every input of a target's archive, and names the one that breaks a promise.
fn replay(target: &str, check: fn(&[u8])) {
    for Input { name, bytes } in inputs(&archive(target)) {
        assert!(catch_unwind(|| check(&bytes)).is_ok(), "{target}: {name}");
    }
}

#[test]
fn every_archive_has_a_target() {
    let mut found: Vec<String> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".tar.gz")?.to_owned()))
        .collect();
    found.sort();
    assert_eq!(found, TARGETS);
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn archive(target: &str) -> PathBuf {
    corpus().join(format!("{target}.tar.gz"))
}

/// Returns the inputs of an archive. It is as `scripts/fuzz.sh pack` makes it, so the same inputs give the same bytes.
fn inputs(path: &Path) -> Vec<Input> {
    let at = path.display();
    let file = File::open(path).unwrap_or_else(|error| panic!("{at}: {error}"));
    let mut unpacked = Vec::new();
    let read = GzDecoder::new(file).take(MAX_ARCHIVE_BYTES + 1).read_to_end(&mut unpacked);
    let bytes = read.unwrap_or_else(|error| panic!("{at}: {error}"));
    assert!(bytes as u64 <= MAX_ARCHIVE_BYTES, "{at}: more than {MAX_ARCHIVE_BYTES} bytes");
    let mut inputs: Vec<Input> = Vec::new();
    for entry in Archive::new(&unpacked[..]).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let header = entry.header();
        let [owner, group] = [header.uid().unwrap(), header.gid().unwrap()];
        let plain = header.entry_type() == EntryType::Regular && header.mode().unwrap() == 0o644;
        let sorted = !name.contains('/') && inputs.last().is_none_or(|last| last.name < name);
        let same_bytes = plain && sorted && header.mtime().unwrap() == 0 && [owner, group] == [0, 0];
        assert!(same_bytes, "{at}: {name}: unpack and pack it by scripts/fuzz.sh");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        inputs.push(Input { name, bytes });
    }
    assert!(!inputs.is_empty(), "{at} is empty");
    inputs
}
