//! The files in a folder of inputs and the folders below it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nitro_core::name;
use walkdir::WalkDir;

use nitro_store::printable::printable;

/// Lists the regular files of a folder by the names of the inputs that they are.
///
/// The name is the path below the folder, with `/` on every system. Links are followed, and each file is taken once,
/// under its own path where that is below the folder. What cannot be taken costs itself alone and is told once: a
/// link that leads back or nowhere, what cannot be read, what is no file, or has no proper name.
///
/// # Errors
/// When the folder itself cannot be read.
pub(super) fn files(folder: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    fs::read_dir(folder)?;
    let mut found = InputFiles::default();
    let mut links_to_files = Vec::new();
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(root) = folders.pop_front() {
        for link in found.walk(&root) {
            match fs::metadata(&link) {
                Ok(target) if target.is_dir() && leads_back(&link) => {
                    tell(&link, "it leads back to a folder that it lies in");
                }
                Ok(target) if target.is_dir() => folders.push_back(link),
                Ok(target) if target.is_file() => links_to_files.push(link),
                Ok(_) => tell(&link, "it is no regular file"),
                Err(error) => tell(&link, &error.to_string()),
            }
        }
    }
    // After the folders, so that a file below the folder goes under its own path and not that of a link.
    links_to_files.into_iter().for_each(|link| found.take(link));
    let mut named = BTreeMap::new();
    for path in found.files.into_values() {
        let below = path.strip_prefix(folder).ok();
        if let Some(name) = below.and_then(|below| name_of(below, &path)) {
            named.insert(name, path);
        }
    }
    Ok(named)
}

/// Returns a path as the name of an input.
pub(super) fn portable(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns the name of an input from its path below the folder; none where that is no name.
fn name_of(below: &Path, path: &Path) -> Option<String> {
    if path.to_str().is_none() {
        tell(path, "its name is not UTF-8");
        return None;
    }
    let name = portable(below);
    name::check(&name).map_err(|error| tell(path, &format!("its name {error}"))).ok().map(|()| name)
}

/// The files and folders that were met, by their real paths: only one path leads there without links.
#[derive(Default)]
struct InputFiles {
    files: BTreeMap<PathBuf, PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl InputFiles {
    /// Takes the files below a folder, or a link to one, unless it was met; returns the links among them.
    fn walk(&mut self, root: &Path) -> Vec<PathBuf> {
        let Ok(real) = fs::canonicalize(root) else { return Vec::new() };
        let mut links = Vec::new();
        let mut entries = WalkDir::new(root).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            match entry {
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    tell(&path, &error.io_error().map_or_else(|| error.to_string(), ToString::to_string));
                }
                Ok(entry) if entry.depth() == 0 || entry.file_type().is_dir() => {
                    let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
                    if !self.folders.insert(real.join(below)) {
                        entries.skip_current_dir();
                    }
                }
                Ok(entry) if entry.file_type().is_symlink() => links.push(entry.into_path()),
                Ok(entry) if entry.file_type().is_file() => self.take(entry.into_path()),
                Ok(entry) => tell(entry.path(), "it is no regular file"),
            }
        }
        links
    }

    fn take(&mut self, path: PathBuf) {
        match fs::canonicalize(&path) {
            Ok(real) => drop(self.files.entry(real).or_insert(path)),
            Err(error) => tell(&path, &error.to_string()),
        }
    }
}

/// Returns true for a link that leads to a folder above itself.
fn leads_back(link: &Path) -> bool {
    let above = link.parent().and_then(|parent| fs::canonicalize(parent).ok());
    fs::canonicalize(link).is_ok_and(|real| above.is_some_and(|above| above.starts_with(real)))
}

/// Warns once in this process of what is left out: a recording looks at its folder several times.
fn tell(path: &Path, why: &str) {
    static TOLD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().is_ok_and(|mut told| told.insert(path.to_owned())) {
        tracing::warn!("{} is left out of the inputs: {why}", printable(&path.display().to_string()));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with files `a`, `z/b` and `z/y/c`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("z/y")).unwrap();
        ["a", "z/b", "z/y/c"].iter().for_each(|name| fs::write(folder.path().join(name), "").unwrap());
        folder
    }

    #[track_caller]
    fn check(folder: &Path, expected: &[&str]) {
        let files = files(folder).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), expected);
        assert!(files.iter().all(|(name, path)| folder.join(name) == *path && path.is_file()));
    }

    #[test]
    fn links_that_lead_back_are_passed_over() {
        let folder = folder();
        let link = |to: &Path, name: &str| symlink(to, folder.path().join(name)).unwrap();
        link(Path::new("."), "loop");
        link(folder.path(), "z/y/up");
        link(folder.path().parent().unwrap(), "z/above");
        link(Path::new("gone"), "broken");
        link(Path::new("circle"), "circle");
        check(folder.path(), &["a", "z/b", "z/y/c"]);
    }

    #[test]
    fn every_file_is_taken_once_under_its_own_path() {
        let (folder, outside) = (folder(), folder());
        let link = |to: &Path, name: &str| symlink(to, folder.path().join(name)).unwrap();
        link(&folder.path().join("z"), "0");
        link(&folder.path().join("z/b"), "00");
        link(&outside.path().join("z/y"), "2");
        link(&outside.path().join("z"), "3");
        link(&outside.path().join("a"), "4");
        link(&outside.path().join("a"), "5");
        check(folder.path(), &["2/c", "3/b", "4", "a", "z/b", "z/y/c"]);
    }

    /// Each folder has two links to the next: 2^30 paths to one file.
    #[test]
    fn folders_are_walked_once() {
        let folder = tempfile::tempdir().unwrap();
        for depth in 0..30 {
            let own = folder.path().join(depth.to_string());
            fs::create_dir(&own).unwrap();
            ["x", "y"].iter().for_each(|link| symlink(format!("../{}", depth + 1), own.join(link)).unwrap());
        }
        fs::create_dir(folder.path().join("30")).unwrap();
        fs::write(folder.path().join("30/file"), "").unwrap();
        check(folder.path(), &["30/file"]);
        assert_eq!(files(&folder.path().join("0")).unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_input_costs_itself_alone() {
        use std::os::unix::ffi::OsStrExt;
        let folder = folder();
        let path = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
        fs::write(path(b"\x1b[31m"), "").unwrap();
        fs::write(path(b"two\nlines"), "").unwrap();
        fs::write(path(b"\xff"), "").unwrap();
        drop(std::os::unix::net::UnixListener::bind(path(b"socket")).unwrap());
        symlink("/dev/zero", path(b"endless")).unwrap();
        check(folder.path(), &["a", "z/b", "z/y/c"]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = folder();
        assert_eq!(files(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(files(&folder.path().join("a")).unwrap_err().kind(), io::ErrorKind::NotADirectory);
    }
}
