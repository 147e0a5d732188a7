//! `train devices` shows what was measured, how sure that is, and where it is kept.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::trainer::{command, text};

/// What is said of one thread of the host, with measured features kept in a folder.
fn devices(cache: &Path, arguments: &[&str]) -> String {
    let arguments = [&["devices", "--device", "host:1", "--store", "s.db"], arguments].concat();
    let output = command(cache, &arguments).env("XDG_CACHE_HOME", cache).output().expect("the trainer runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The words of a measured feature's row.
fn row<'a>(shown: &'a str, feature: &str) -> Vec<&'a str> {
    let measured = shown.split_once("Measured on host:1@").expect("there is a table").1;
    let row = measured.lines().find(|line| line.starts_with(feature)).expect("it has such a row");
    row.split_whitespace().collect()
}

#[test]
fn measured_features_have_spread_age_and_a_file_and_are_measured_again_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let first = devices(folder.path(), &[]);
    let path = first.lines().find_map(|line| line.strip_prefix("kept in ")).expect("the file is named");
    assert!(path.starts_with(folder.path().to_str().unwrap()) && path.ends_with(".features"), "{path}");

    let two_hours_ago = SystemTime::now() - Duration::from_secs(2 * 3600 + 60);
    let unix_s = two_hours_ago.duration_since(UNIX_EPOCH).unwrap().as_secs();
    fs::create_dir_all(Path::new(path).parent().unwrap()).unwrap();
    let heading = "nitro device features 2: name value spread load unix_s";
    let kept = format!("{heading}\ncopy_gbps 123456.5 0.0125 0 {unix_s}\n");
    fs::write(path, &kept).unwrap();
    assert_eq!(row(&devices(folder.path(), &[]), "copy_gbps"), ["copy_gbps", "123456.500", "1.2", "2", "h"]);

    let again = devices(folder.path(), &["--measure"]);
    let [_, value, _, age, unit, ..] = row(&again, "copy_gbps")[..] else { panic!("{again}") };
    assert_ne!(value, "123456.500");
    assert!(unit == "s" && age.parse::<u32>().is_ok(), "{again}");

    fs::write(path, kept.replace("features 2", "features 0")).unwrap();
    assert_ne!(row(&devices(folder.path(), &[]), "copy_gbps")[1], "123456.500", "a file of another form");
}
