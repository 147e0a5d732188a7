//! What is shown fits 80 columns where nobody asks for more, and is there for programs as well.

use std::fs;
use std::path::Path;

use crate::trainer::{success, text, train};
use serde_json::Value;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
const COLUMNS: usize = 80;
const COMMANDS: [&str; 15] = [
    "record",
    "profile",
    "fit",
    "evaluate",
    "report",
    "check",
    "devices",
    "inspect",
    "explain",
    "import",
    "export",
    "sync",
    "coverage",
    "calibrate",
    "nest",
];

#[test]
fn help_fits_a_terminal() {
    for help in ["--help", "-h"] {
        let of_commands = COMMANDS.map(|command| vec![command, help]);
        for arguments in of_commands.into_iter().chain([vec![help], vec!["nest", "show", help]]) {
            let shown = success(Path::new("."), &arguments);
            let too_long: Vec<&str> = shown.lines().filter(|line| line.chars().count() > COLUMNS).collect();
            assert!(too_long.is_empty(), "{arguments:?}: {too_long:#?}");
        }
    }
}

/// Lines that have columns.
fn widest_row(shown: &str) -> usize {
    let rows = shown.lines().filter(|line| line.trim().contains("  "));
    rows.map(|row| row.chars().count()).max().unwrap_or(0)
}

#[test]
fn tables_of_the_shipped_data_fit_a_terminal_unless_wide_ones_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let models: Vec<String> = fs::read_dir(MODELS)
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .filter(|path| path.ends_with(".model"))
        .collect();
    let mut commands = vec![
        vec!["evaluate", "--function", "transpose"],
        vec!["check", "--models", MODELS, "--function", "transpose"],
        vec!["devices", "--device", "host:1"],
        vec!["devices", "--next", "--function", "transpose"],
        vec!["explain", "transpose", "m=1000", "n=2000", "skinny=0", "coprime=0", "--models", MODELS],
    ];
    commands.extend(models.iter().map(|model| vec!["inspect", model]));
    for arguments in &commands {
        let shown = text(&train(folder.path(), arguments).stdout);
        assert!((1..=COLUMNS).contains(&widest_row(&shown)), "{arguments:?}:\n{shown}");
    }
    let wide = success(folder.path(), &["devices", "--device", "host:1", "--wide"]);
    assert!(widest_row(&wide) > COLUMNS, "{wide}");
}

/// One JSON value on standard output, and nothing else.
#[track_caller]
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let shown = success(folder, &[arguments, &["--json"]].concat());
    serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {shown}"))
}

#[test]
fn whatever_is_shown_is_there_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let times = [
        "train/x,slow,2",
        "train/x,fast,1",
        "train/y,slow,1",
        "train/y,fast,3",
        "test/z,slow,5",
        "test/z,fast,2",
    ];
    let rows: String =
        ["A", "B"].iter().flat_map(|device| times.map(|row| format!("{device},{row}\n"))).collect();
    let tables = [
        ("m.csv", format!("device,input,variant,time_ns\n{rows}")),
        ("i.csv", "input,size\ntrain/x,10\ntrain/y,1000\ntest/z,20\n".to_owned()),
        ("d.csv", "device,gbps\nA,100\nB,200\n".to_owned()),
    ];
    tables.iter().for_each(|(name, content)| fs::write(path.join(name), content).unwrap());
    let files = ["--function", "f", "--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    let store = ["--store", "s.db"];
    let with_store = |arguments: &[&str]| json(path, &[arguments, &store].concat());

    assert_eq!(with_store(&[&["import"][..], &files].concat())["measurements"], 12);
    assert_eq!(with_store(&[&["export"][..], &files].concat())["inputs"], 3);
    let fitted = with_store(&["fit", "--selector", "svm", "--device-features", "none"]);
    assert_eq!((&fitted[0]["function"], &fitted[0]["sources"][1]), (&"f".into(), &"B".into()), "{fitted}");
    assert_eq!(json(path, &["inspect", "models/f.model"])["features"][0], "size");
    assert_eq!(with_store(&["explain", "f", "size=10", "--device", "A"])["function"], "f");
    assert_eq!(with_store(&["evaluate"])["function"], "f");
    assert_eq!(with_store(&["check", "--max-regret", "100"])["function"], "f");
    assert_eq!(with_store(&["report"])["page"], "report.html");
    let devices = with_store(&["devices", "--device", "host:1"]);
    assert_eq!((&devices["recorded"][0]["id"], devices["here"].as_array().unwrap().len()), (&"A".into(), 1));
    assert_eq!(with_store(&["devices", "--next"])[0]["functions"][0], "f");
    assert_eq!(json(path, &["sync", "s.db", "t.db"])["into_second"]["measurements"], 12);

    fs::create_dir(path.join("in")).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2.0\n";
    fs::write(path.join("in/a.mtx"), matrix).unwrap();
    let spmv = ["--function", "spmv", "--device", "host:1", "--store", "spmv.db"];
    let recorded = json(path, &[&["record", "--inputs", "in", "--repeat-ms", "1"][..], &spmv].concat());
    assert_eq!(
        (&recorded["recorded"][0]["function"], &recorded["recorded"][0]["inputs"]),
        (&"spmv".into(), &1.into())
    );
    let job = json(path, &[&["--budget", "1", "--models", "m"][..], &spmv].concat());
    assert_eq!(
        (&job["models"][0]["function"], &job["page"]),
        (&"spmv".into(), &"report.html".into()),
        "{job}"
    );
    assert_eq!(job["results"].as_array().unwrap().len(), 1);
}
