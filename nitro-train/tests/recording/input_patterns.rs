//! Which files of a folder are inputs of a pattern, and what becomes of a pattern that is none.

use std::cell::RefCell;
use std::fs;

use crate::scripted::Scripted;
use nitro::code_variant;
use nitro_train::Session;
use nitro_train::measure::{Inputs, Plan, RecordError, Repeats, Share, Silent, survey_inputs};

#[code_variant(name = "work", device = Scripted, features(size = n), variants(only), default = only)]
fn work(n: u32);

fn only(_: u32) {}

/// What a closure that asks for these patterns gets, by the order of names.
fn asked(inputs: Inputs<'_>, patterns: &[&str]) -> Result<Vec<String>, RecordError> {
    let found = RefCell::new(Vec::new());
    let plan = Plan::new(inputs, Repeats::default(), Share::default());
    survey_inputs(work::function(), &Scripted, &plan, &Silent, |session: &mut Session<'_>| {
        let all = patterns.iter().flat_map(|pattern| session.inputs(pattern));
        found.borrow_mut().extend(all.map(str::to_owned));
        Ok(session.input("own", || work(1))?)
    })?;
    Ok(found.into_inner())
}

/// Whether a file of the name is an input of the pattern.
fn is_input(pattern: &str, name: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), "").unwrap();
    !asked(Inputs::Folder(folder.path()), &[pattern]).unwrap().is_empty()
}

#[test]
fn a_pattern_is_of_whole_file_names() {
    for (pattern, name, expected) in [
        ("*.mtx", "bcsstk13.mtx", true),
        ("*.mtx", "bcsstk13.mtx.xz", false),
        ("*.mtx*", "bcsstk13.mtx.xz", true),
        ("*.mtx", "bcsstk13.mtx.gz", true),
        ("*.gz", "bcsstk13.mtx.gz", true),
        ("*.mtx", "bcsstk13.MTX", false),
        ("*.mtx", ".mtx", true),
        ("*.mtx", "caf\u{e9}.mtx", true),
        ("caf\u{e9}.*", "caf\u{e9}.mtx", true),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("*a*b", "xaxbxab", true),
        ("*a*b", "xaxbxa", false),
        ("*", "x", true),
        ("", "x", false),
        ("x", "xx", false),
        ("*.{png,jpg}", "a.jpg", true),
        ("*.{png,jpg}", "a.jpeg", false),
        ("a{,.mtx}", "a", true),
        ("{a,{b,c}}", "c", true),
        ("[a-c]1", "b1", true),
        ("[a-c]1", "d1", false),
        ("[!a-c]1", "d1", true),
        ("a[*]", "ab", false),
        ("a[*]", "a*", true),
        ("a(1)$+,.mtx", "a(1)$+,.mtx", true),
    ] {
        assert_eq!(is_input(pattern, name), expected, "{pattern} {name}");
    }
}

#[test]
fn files_of_folders_below_are_found_by_their_own_names_and_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("below.mtx")).unwrap();
    for name in ["b.mtx", "below.mtx/a.mtx", "below.mtx/c.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let found = asked(Inputs::Folder(folder.path()), &["*.mtx", "{a,b}*", "below*"]).unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(found, ["b.mtx", "below.mtx/a.mtx"].map(path));
}

/// Whatever the inputs are, so that it is found before somebody has a folder of them.
#[test]
fn a_pattern_that_is_none_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["x".to_owned()];
    let too_large = "?".repeat(1 << 19);
    for inputs in [Inputs::Folder(folder.path()), Inputs::Generated(&names), Inputs::Generated(&[])] {
        for pattern in ["*.{png,jpg", "a}", "[a", "[z-a]", &too_large] {
            let error = asked(inputs, &["*", pattern, "{"]).unwrap_err();
            let expected = format!("`work` asks for inputs of `{pattern}`, which is no pattern: ");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}
