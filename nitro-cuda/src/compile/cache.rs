//! Compiled kernels on disk, one file each, so that a program compiles once a machine and not once a start.
//!
//! A file is the magic, a CRC-32 of all that follows, and three parts, each behind its length: the key in words,
//! the compiler's log, the code. Its name is a hash of all that the code depends on. Whatever is wrong with a file,
//! it is as if it were not there.

use std::path::{Path, PathBuf};

use nitro_core::files;
use nitro_core::provide::{cache_folder, tell_event};

use super::nvrtc::CompilerOutput;
use super::{Options, Source};

const MAGIC: &[u8; 12] = b"NITROIMAGE1\n";

/// Machine code of a program is kilobytes; anything above this is not a file of ours.
const MOST_BYTES: u64 = 256 << 20;

/// The key of machine code: all that it depends on.
#[derive(Clone, Copy)]
pub(super) struct Key<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) options: &'a Options,
    pub(super) nvrtc: (u32, u32),
}

impl Key<'_> {
    /// All but the source in words, which the file holds too: two keys of one hash are told apart.
    fn words(&self) -> String {
        let Self { source: Source { file, text }, options, nvrtc } = self;
        let (bytes, sum) = (text.len(), crc32fast::hash(text.as_bytes()));
        let arguments: Vec<String> = options.arguments().collect();
        format!("{file} {bytes} {sum:08x} nvrtc {}.{} {arguments:?}", nvrtc.0, nvrtc.1)
    }

    /// The FNV-1a hash of 128 bits: the same on every machine and in every version.
    fn hash(&self) -> u128 {
        let (words, text) = (self.words(), self.source.text);
        let bytes = [words.as_str(), text].into_iter().flat_map(|part| part.bytes().chain([0]));
        bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
    }

    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:032x}.image", self.hash()))
    }
}

/// The user's folder for compiled kernels.
pub(super) fn folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("cuda"))
}

/// Loads what is cached, if it is there and whole.
pub(super) fn load(folder: &Path, key: &Key<'_>) -> Option<CompilerOutput> {
    let bytes = files::read(&key.path(folder), MOST_BYTES).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (sum, mut rest) = rest.split_first_chunk::<4>()?;
    if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (words, log, code) = (part(&mut rest)?, part(&mut rest)?, part(&mut rest)?);
    let log = str::from_utf8(log).ok()?.to_owned();
    (words == key.words().as_bytes()).then(|| CompilerOutput { code: code.to_vec(), log })
}

/// Takes the next part off.
fn part<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    Some(part)
}

/// Caches what was compiled. A folder that cannot be written costs time at the next start, nothing else.
pub(super) fn save(folder: &Path, key: &Key<'_>, compiled: &CompilerOutput) {
    let mut body = Vec::new();
    for part in [key.words().as_bytes(), compiled.log.as_bytes(), &compiled.code] {
        body.extend_from_slice(&(part.len() as u32).to_le_bytes());
        body.extend_from_slice(part);
    }
    let sum = crc32fast::hash(&body).to_le_bytes();
    let path = key.path(folder);
    if let Err(error) = files::replace_with_folder(&path, &[&MAGIC[..], &sum, &body].concat()) {
        tell_event(
            move || tracing::info!(path = %path.display(), %error, "compiled kernels cannot be cached"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Output;

    const SOURCE: Source<'static> = Source::new("a.cu", "code");

    /// Runs a check with an empty folder and a key.
    fn with_key(check: impl FnOnce(&Path, Key<'_>)) {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(90).define("BLOCK", 256);
        check(folder.path(), Key { source: &SOURCE, options: &options, nvrtc: (13, 0) });
    }

    fn compiled() -> CompilerOutput {
        CompilerOutput { code: b"machine code".to_vec(), log: "a warning".into() }
    }

    #[test]
    fn what_was_cached_comes_back() {
        with_key(|folder, key| {
            assert_eq!(load(folder, &key), None);
            save(folder, &key, &compiled());
            assert_eq!(load(folder, &key), Some(compiled()));
            let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
            assert_eq!(files, [key.path(folder)], "no temporary file stays");
        });
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let definition = |value| Options::new(90).define("BLOCK", value);
        with_key(|folder, key| {
            save(folder, &key, &compiled());
            for other in [
                Key { source: &Source::new("b.cu", "code"), ..key },
                Key { source: &Source::new("a.cu", "Code"), ..key },
                Key { options: &Options::new(90), ..key },
                Key { options: &definition(128), ..key },
                Key { options: &definition(256).with_output(Output::Ptx), ..key },
                Key { options: &Options::new(100).define("BLOCK", 256), ..key },
                Key { nvrtc: (13, 1), ..key },
            ] {
                assert_ne!(other.hash(), key.hash(), "{}", other.words());
                assert_eq!(load(folder, &other), None, "{}", other.words());
            }
        });
    }

    #[test]
    fn a_file_damaged_anywhere_is_as_if_absent_and_can_be_replaced() {
        with_key(|folder, key| {
            save(folder, &key, &compiled());
            let path = key.path(folder);
            let whole = std::fs::read(&path).unwrap();
            for index in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[index] ^= 0x10;
                std::fs::write(&path, &damaged).unwrap();
                assert_eq!(load(folder, &key), None, "byte {index} flipped");
                std::fs::write(&path, &whole[..index]).unwrap();
                assert_eq!(load(folder, &key), None, "cut at {index}");
            }
            save(folder, &key, &compiled());
            assert!(load(folder, &key).is_some());
        });
    }

    #[test]
    fn another_key_under_the_same_hash_is_told_apart() {
        with_key(|folder, key| {
            save(folder, &key, &compiled());
            let other = Key { source: &Source::new("a.cu", "Code"), ..key };
            std::fs::rename(key.path(folder), other.path(folder)).unwrap();
            assert_eq!(load(folder, &other), None);
        });
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_failure() {
        with_key(|folder, key| {
            let file = folder.join("file");
            std::fs::write(&file, "").unwrap();
            save(&file.join("below"), &key, &compiled());
            assert_eq!(load(&file.join("below"), &key), None);
        });
    }
}
