//! Compiled kernels on disk, one file each, so that a program compiles once a machine and not once a start.
//!
//! A file is the magic, a CRC-32 of all that follows, the length of the key and the key in words, the machine code. Its name is
//! a hash of all that the code depends on. Whatever is wrong with a file, it is as if it were not there.

use std::path::{Path, PathBuf};

use nitro_core::files;
use nitro_core::provide::{cache_folder, tell_event};

const MAGIC: &[u8; 12] = b"NITROCUBIN1\n";

/// Machine code of a program is kilobytes; anything above this is not a file of ours.
const MOST_BYTES: u64 = 256 << 20;

/// What machine code depends on.
pub(crate) struct Key<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    pub(crate) options: &'a [&'a str],
    pub(crate) architecture: u32,
    pub(crate) nvrtc: (u32, u32),
}

impl Key<'_> {
    /// All but the source in words, which the file holds too: two keys of one hash are told apart.
    fn words(&self) -> String {
        let Self { file, source, options, architecture, nvrtc } = self;
        let (bytes, sum) = (source.len(), crc32fast::hash(source.as_bytes()));
        let options = options.join(" ");
        format!("{file} {bytes} {sum:08x} sm_{architecture} nvrtc {}.{} {options}", nvrtc.0, nvrtc.1)
    }

    /// The FNV-1a hash of 128 bits: the same on every machine and in every version.
    fn hash(&self) -> u128 {
        let parts = [self.words(), self.source.to_owned()];
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
    }

    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{:032x}.cubin", self.hash()))
    }
}

/// The user's folder for compiled kernels.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("cuda"))
}

/// The kept machine code, if it is there and whole.
pub(crate) fn load(folder: &Path, key: &Key<'_>) -> Option<Vec<u8>> {
    let bytes = files::read(&key.path(folder), MOST_BYTES).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (words, code) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (words == key.words().as_bytes()).then(|| code.to_vec())
}

/// Keeps machine code. A folder that cannot be written costs time at the next start, nothing else.
pub(crate) fn save(folder: &Path, key: &Key<'_>, code: &[u8]) {
    let words = key.words();
    let mut body = (words.len() as u32).to_le_bytes().to_vec();
    body.extend_from_slice(words.as_bytes());
    body.extend_from_slice(code);
    let sum = crc32fast::hash(&body).to_le_bytes();
    let path = key.path(folder);
    if let Err(error) = files::replace_with_folder(&path, &[&MAGIC[..], &sum, &body].concat()) {
        tell_event(move || tracing::info!(path = %path.display(), %error, "compiled kernels cannot be kept"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key<'static> =
        Key { file: "a.cu", source: "code", options: &["--std=c++17"], architecture: 90, nvrtc: (13, 0) };

    #[test]
    fn what_was_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(load(folder.path(), &KEY), None);
        save(folder.path(), &KEY, b"machine code");
        assert_eq!(load(folder.path(), &KEY).as_deref(), Some(&b"machine code"[..]));
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(files, [KEY.path(folder.path())], "no temporary file stays");
    }

    #[test]
    fn every_part_of_the_key_counts() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), &KEY, b"machine code");
        for other in [
            Key { file: "b.cu", ..KEY },
            Key { source: "Code", ..KEY },
            Key { options: &[], ..KEY },
            Key { architecture: 100, ..KEY },
            Key { nvrtc: (13, 1), ..KEY },
        ] {
            assert_ne!(other.hash(), KEY.hash(), "{}", other.words());
            assert_eq!(load(folder.path(), &other), None, "{}", other.words());
        }
    }

    #[test]
    fn a_file_damaged_anywhere_is_as_if_absent_and_can_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), &KEY, b"machine code");
        let path = KEY.path(folder.path());
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            assert_eq!(load(folder.path(), &KEY), None, "byte {place} flipped");
            std::fs::write(&path, &whole[..place]).unwrap();
            assert_eq!(load(folder.path(), &KEY), None, "cut at {place}");
        }
        save(folder.path(), &KEY, b"machine code");
        assert!(load(folder.path(), &KEY).is_some());
    }

    #[test]
    fn another_key_under_the_same_hash_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        save(folder.path(), &KEY, b"machine code");
        let other = Key { source: "Code", ..KEY };
        std::fs::rename(KEY.path(folder.path()), other.path(folder.path())).unwrap();
        assert_eq!(load(folder.path(), &other), None);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_failure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        save(&file.join("below"), &KEY, b"machine code");
        assert_eq!(load(&file.join("below"), &KEY), None);
    }
}
