//! Files that are read within a limit and replaced whole: models, recordings, pages, caches.
//!
//! ```
//! use std::io::ErrorKind;
//! use nitro_core::files;
//!
//! # let folder = tempfile::tempdir()?;
//! let page = folder.path().join("pages/report.html");
//! let figures = folder.path().join("pages/figures.csv");
//! files::replace_with_folder(&page, b"<p>old")?; // makes `pages`
//! files::replace(&page, b"<p>new")?;
//! files::replace_all(&[(&page, b"<p>1".as_slice()), (&figures, b"1\n")]).map_err(|error| error.source)?;
//! assert_eq!(files::read(&page, 1 << 20)?, b"<p>1");
//! assert_eq!(files::read(&page, 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::error_text::error_text;

/// Reads a regular file of at most `most_bytes` bytes; links are followed.
///
/// # Errors
/// When the file cannot be read, is no regular file (a device or a pipe may never end), or is larger
/// ([`ErrorKind::FileTooLarge`]), also when it grows while it is read.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    // Asked before opening, since to open a pipe waits for whoever writes to it.
    is_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    is_regular(&metadata)?;
    if metadata.len() > most_bytes {
        return Err(too_large(most_bytes));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(too_large(most_bytes)) } else { Ok(bytes) }
}

fn too_large(most_bytes: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {most_bytes} bytes"))
}

/// Opens a regular file, which is made where it is missing, to write at its end.
///
/// # Errors
/// When it cannot be opened, or is no regular file: writing to a pipe would wait for whoever reads it.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    if let Ok(metadata) = fs::metadata(path) {
        is_regular(&metadata)?;
    }
    // What is there may be looked at, where that is allowed.
    let and_read = File::options().create(true).append(true).read(true).open(path);
    and_read.or_else(|_| File::options().create(true).append(true).open(path))
}

/// The byte at a place of a file, if it can be read.
pub(crate) fn byte_at(file: &File, place: u64) -> Option<u8> {
    let mut byte = [0];
    #[cfg(unix)]
    let read = std::os::unix::fs::FileExt::read_at(file, &mut byte, place);
    #[cfg(windows)]
    let read = std::os::windows::fs::FileExt::seek_read(file, &mut byte, place);
    #[cfg(not(any(unix, windows)))]
    let read = io::Result::<usize>::Ok(0);
    (read.ok()? == 1).then_some(byte[0])
}

fn is_regular(metadata: &fs::Metadata) -> io::Result<()> {
    let found = match () {
        () if metadata.is_file() => return Ok(()),
        () if metadata.is_dir() => "it is a folder",
        () => "it is no regular file",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, found))
}

/// Replaces a file in one step, or makes it. A reader sees the old bytes or the new ones, never half of them.
///
/// That holds whatever happens meanwhile and whoever else writes the same file. A link to a file is replaced, not
/// followed; what is no file, such as `/dev/stdout`, is written to.
///
/// # Errors
/// When the file cannot be written. The old one is still there then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_all(&[(path, bytes)]).map_err(|error| error.source)
}

/// Replaces a file as [`replace`], and makes the folder first where it is missing.
///
/// # Errors
/// When the folder cannot be made or the file not be written.
pub fn replace_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder(path))?;
    replace(path, bytes)
}

/// Replaces files that belong together: none takes its place before all of them are on the disk. So a disk that is
/// full leaves all the old ones.
///
/// # Errors
/// When a file cannot be written; the error names it.
pub fn replace_all(files: &[(&Path, &[u8])]) -> Result<(), ReplaceError> {
    let mut ready = Vec::new();
    for (path, bytes) in files {
        match fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            true => fs::write(path, bytes).map_err(ReplaceError::of(path))?,
            false => ready.push((*path, Temporary::write(path, bytes).map_err(ReplaceError::of(path))?)),
        }
    }
    for (path, temporary) in ready {
        temporary.publish(path).map_err(ReplaceError::of(path))?;
    }
    Ok(())
}

/// A file that was not replaced. `Display` is its path; what went wrong is the `source`.
#[derive(Debug)]
pub struct ReplaceError {
    /// The file.
    pub path: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}

error_text!(ReplaceError: Self { path, .. } => "{}" path.display());

impl std::error::Error for ReplaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl ReplaceError {
    fn of(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |source| Self { path, source }
    }
}

/// The age at which the next writer of a file removes what a killed one left behind.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
const ENDING: &str = ".tmp";

/// The new bytes, beside the file whose place they are to take; removed unless they do. Absent when they have.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn write(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        if path.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let folder = folder(path);
        let name =
            path.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
        let prefix = format!(".{}.", name.to_string_lossy());
        remove_abandoned(folder, &prefix);
        let (temporary, mut file) = Self::create(folder, &prefix)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        Ok(temporary)
    }

    /// A file that was not there: another writer's is not touched, and no link that somebody put there is followed.
    fn create(folder: &Path, prefix: &str) -> io::Result<(Self, File)> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        loop {
            let write = WRITES.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("{prefix}{}-{write}{ENDING}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                opened => return opened.map(|file| (Self(Some(path)), file)),
            }
        }
    }

    fn publish(mut self, path: &Path) -> io::Result<()> {
        self.0.as_ref().map_or(Ok(()), |temporary| fs::rename(temporary, path))?;
        self.0 = None;
        // The name is on the disk only when the folder is. Where a folder cannot be opened, that is left to the system.
        File::open(folder(path)).map_or(Ok(()), |folder| folder.sync_all())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = self.0.as_ref().map(fs::remove_file);
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes what writers of a file left behind that were killed long ago.
fn remove_abandoned(folder: &Path, prefix: &str) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_abandoned(&file, prefix) {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn is_abandoned(file: &fs::DirEntry, prefix: &str) -> bool {
    let name = file.file_name();
    let name = name.to_string_lossy();
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    name.starts_with(prefix)
        && name.ends_with(ENDING)
        && modified.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > ABANDONED))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miri takes a thousand times as long.
    const WRITES: usize = if cfg!(miri) { 1 } else { 50 };

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/a.csv");
        assert_eq!(replace(&path, b"new").unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn two_writers_of_one_file_leave_one_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        replace(&path, &[0; 5000]).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..2_u8 {
                let path = &path;
                scope.spawn(move || (0..WRITES).for_each(|_| replace(path, &[writer; 5000]).unwrap()));
            }
            for _ in 0..10 * WRITES {
                let bytes = read(&path, 5000).unwrap();
                assert!(bytes.len() == 5000 && bytes.iter().all(|byte| *byte == bytes[0]));
            }
        });
        assert_eq!(names(folder.path()), ["a.model"]);
    }

    #[test]
    fn of_files_that_belong_together_none_is_new_when_one_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
        replace(&first, b"old").unwrap();
        fs::create_dir(&second).unwrap();
        let error = replace_all(&[(&first, b"new"), (&second, b"new")]).unwrap_err();
        assert_eq!(error.path, second);
        assert_eq!(fs::read(&first).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.csv", "b.csv"]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "sets the age of a file")]
    fn what_a_killed_writer_left_is_removed_when_it_is_old_and_of_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, age: Duration| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        };
        make(".a.model.7-0.tmp", ABANDONED * 2);
        make(".a.model.8-0.tmp", Duration::ZERO);
        make(".b.model.7-0.tmp", ABANDONED * 2);
        replace(&folder.path().join("a.model"), b"new").unwrap();
        assert_eq!(names(folder.path()), [".a.model.8-0.tmp", ".b.model.7-0.tmp", "a.model"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_somebody_planted_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [victim, path] = ["victim", "a.model"].map(|name| folder.path().join(name));
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        for write in 0..100 {
            let planted = folder.path().join(format!(".a.model.{}-{write}.tmp", std::process::id()));
            std::os::unix::fs::symlink(&victim, planted).unwrap();
        }
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_stays_one() {
        replace(Path::new("/dev/null"), b"anything").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [7; 10]).unwrap();
        assert_eq!(read(&path, 10).unwrap(), [7; 10]);
        assert_eq!(read(&path, 9).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(folder.path(), 9).unwrap_err().to_string(), "it is a folder");
        #[cfg(unix)]
        for endless in ["/dev/zero", "/dev/tty"] {
            assert_eq!(read(Path::new(endless), 9).unwrap_err().to_string(), "it is no regular file");
        }
    }
}
