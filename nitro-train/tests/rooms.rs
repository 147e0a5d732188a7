//! Folders of `src` are rooms with one task each: what a room must not know, no file of it names.

use std::fs;
use std::path::Path;

/// Each room with those that it must not know: `ARCHITECTURE.md` says the same in words.
const MUST_NOT_KNOW: [(&str, &[&str]); 8] = [
    ("measure", &["search", "worker", "report", "traffic", "terminal", "trainer", "cli"]),
    ("generate", &["measure", "search", "worker", "report", "terminal", "trainer", "cli"]),
    ("search", &["worker", "report", "traffic", "terminal", "trainer", "cli"]),
    ("worker", &["search", "report", "traffic", "trainer", "cli"]),
    ("profile", &["measure", "search", "report", "traffic", "terminal", "trainer", "cli"]),
    ("report", &["worker", "terminal", "trainer", "cli"]),
    ("traffic", &["measure", "search", "worker", "terminal", "trainer", "cli"]),
    ("trainer", &["terminal", "cli"]),
];

#[test]
fn no_room_names_one_that_it_must_not_know() {
    for (room, unknown) in MUST_NOT_KNOW {
        let mut files = 0;
        for (path, code) in code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room)) {
            files += 1;
            for other in unknown {
                assert!(!names(&code, other), "{} names `{other}`", path.display());
            }
        }
        assert!(files > 0, "there is no room `{room}`");
    }
}

/// Returns the files below a folder with what they hold outside of their tests.
fn code(folder: &Path) -> Vec<(std::path::PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the room is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(code(&path));
        } else if !path.to_string_lossy().ends_with("tests.rs")
            && path.extension().is_some_and(|own| own == "rs")
        {
            let text = fs::read_to_string(&path).expect("it is text");
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            found.push((path, code.to_owned()));
        }
    }
    found
}

/// Returns true for a text that names a room as a path from the root of the crate.
fn names(code: &str, room: &str) -> bool {
    let mut paths = code.split("crate::").skip(1);
    paths.any(|path| {
        // Either one path, or several in braces.
        let end = if path.starts_with('{') { path.find('}') } else { path.find([';', ' ', '(', ',']) };
        let path = &path[..end.unwrap_or(path.len())];
        let first = path.trim_start_matches('{').split(',').map(|own| own.trim().split("::").next());
        first.flatten().any(|own| own == room)
    })
}

#[test]
fn a_path_names_its_first_room_alone() {
    assert!(
        names("use crate::search::Searched;", "search")
            && names("use crate::{measure, search::X};", "search")
    );
    assert!(
        !names("use crate::measure::search;", "search") && !names("use nitro_search::Strategy;", "search")
    );
}
