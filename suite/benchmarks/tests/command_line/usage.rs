//! The trainer as a user types it: exit codes, one sentence about what is wrong, nothing half-written.

use std::fs;
use std::path::Path;

use crate::trainer::{success, text, train};
use tempfile::TempDir;

/// The last line on stderr of a run that fails, which is one sentence.
fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = train(folder, arguments);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    let last = stderr.lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("error: "), "{stderr}");
    last
}

fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

const MEASUREMENTS: &str = "device,input,variant,time_ns\n\
    A,g/x,slow,200\nA,g/x,fast,100\nA,h/y,slow,100\nA,h/y,fast,300\nA,t/z,slow,500\nA,t/z,fast,250\n\
    B,g/x,slow,220\nB,g/x,fast,110\nB,h/y,slow,110\nB,h/y,fast,310\nB,t/z,slow,510\nB,t/z,fast,\n";
const INPUTS: &str = "input,size\ng/x,10\nh/y,1000\nt/z,20\n";
const DEVICES: &str = "device,gbps\nA,100\nB,200\n";

const IMPORT: [&str; 9] =
    ["import", "--function", "f", "--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];

fn imported() -> TempDir {
    let folder = folder_with(&[("m.csv", MEASUREMENTS), ("i.csv", INPUTS), ("d.csv", DEVICES)]);
    success(folder.path(), &[&IMPORT[..], &["--store", "s.db"]].concat());
    folder
}

#[test]
fn wrong_usage_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["record", "--device", "host:0"][..],
        &["record", "--device", "host:99999"],
        &["record", "--device", "gpu"],
        &["record", "--device", "all", "--device", "host"],
        &["devices", "--device", "all"],
        &["sync", "a.db"],
        &["profile", "--device", "gpu"],
        &["calibrate", "--device", "gpu"],
        &["calibrate", "--measurements", "0"],
        &["evaluate", "--leave-out", "town"],
        &["fit", "--objective", "speed"],
        &["fit", "--objective", "traffic"],
        &["evaluate", "--calibration", "10,0"],
        &["profile", "--sample", "0"],
        &["profile", "--launches", "0"],
        &["profile", "--seconds", "0"],
        &["record", "--repeat-ms", "0"],
        &["record", "--repeat-ms", "-1"],
        &["record", "--repeat-ms", "0.5"],
        &["record", "--deadline", "0"],
        &["record", "--budget", "0"],
        &["--budget", "0"],
        &["fit", "--subset-size", "0"],
        &["fit", "--keep", "0"],
        &["check", "--max-regret", "-1"],
        &["check", "--max-regret", "NaN"],
        &["fly"],
        &["fit", "--device-features", "some"],
        &["inspect"],
        &["import", "--function", "f"],
    ] {
        let output = train(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn units_are_imported_and_exported() {
    let folder = folder_with(&[("m.csv", MEASUREMENTS), ("i.csv", INPUTS), ("d.csv", DEVICES)]);
    let (folder, import) = (folder.path(), [&IMPORT[..], &["--store", "s.db", "--units", "u.csv"]].concat());
    for (units, said) in [
        ("feature,unit\nsize,Octets\n", "u.csv:2: `Octets` in column `size` is no unit: units are Bytes,"),
        (
            "feature,unit\ngbps,Bytes/s\nlength,Bytes\n",
            "u.csv:3: feature `length` is neither in the table of inputs",
        ),
    ] {
        fs::write(folder.join("u.csv"), units).unwrap();
        let refused = train(folder, &import);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains(said), "{}", text(&refused.stderr));
        assert!(!folder.join("s.db").exists(), "nothing is imported");
    }
    fs::write(folder.join("u.csv"), "feature,unit\ngbps,bytes/s\nsize,bytes\n").unwrap();
    success(folder, &import);
    let tables = ["--measurements", "m2.csv", "--inputs", "i2.csv", "--devices", "d2.csv"];
    success(folder, &[&["export", "--function", "f", "--store", "s.db"], &tables[..]].concat());
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(read("i2.csv").starts_with("input,size\nunit,Bytes\n"), "{}", read("i2.csv"));
    assert!(read("d2.csv").starts_with("device,gbps\nunit,Bytes/s\n"), "{}", read("d2.csv"));
    success(folder, &[&["import", "--function", "f", "--store", "t.db"], &tables[..]].concat());
    let with_kernel_tuner = ["import", "--function", "f", "--kernel-tuner", "a.json", "--units", "u.csv"];
    assert_eq!(train(folder, &with_kernel_tuner).status.code(), Some(2));
}

#[test]
fn help_ends_with_0_and_names_every_command() {
    let help = success(Path::new("."), &["--help"]);
    for command in [
        "record", "profile", "fit", "evaluate", "report", "check", "devices", "inspect", "explain", "import",
        "export", "sync", "coverage",
    ] {
        assert!(help.contains(command), "{command}: {help}");
    }
}

#[test]
fn what_was_imported_is_evaluated_in_the_promised_form() {
    let folder = imported();
    fs::write(folder.path().join("test.txt"), "t/z\n").unwrap();
    let json =
        success(folder.path(), &["evaluate", "--store", "s.db", "--test-inputs", "test.txt", "--json"]);
    assert_eq!(json.lines().count(), 1, "one object a function: {json}");
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["function"], "f");
    assert_eq!(value["variants"], serde_json::json!(["slow", "fast"]));
    assert_eq!((&value["train_inputs"], &value["test_inputs"]), (&2.into(), &1.into()));
    let b = value["devices"].as_array().unwrap().iter().find(|device| device["held_out"] == "B").unwrap();
    assert_eq!(b["sources"], serde_json::json!(["A"]));
    // z is as small as x, where `fast` is best on A; on B it failed.
    assert_eq!(b["selectors"]["svm-none"]["mean"], 0.0);
    assert_eq!(b["selectors"]["random"]["mean"], 0.5);
    assert!(b["selectors"].get("svm-profile").is_none(), "there are no profiles");
    for figure in ["mean", "p05", "worst"] {
        assert!(b["selectors"]["target-trained"][figure].is_number(), "{b}");
        assert!(b["selectors"]["nitro-2014"][figure].is_number(), "{b}");
    }
}

#[test]
fn a_profile_that_cannot_be_made_leaves_nothing_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    // Without ncu, without a GPU, and with both: no machine has so many.
    let message = failure(folder.path(), &["profile", "--device", "cuda:4096"]);
    assert!(["ncu", "driver", "GPU"].iter().any(|what| message.contains(what)), "{message}");
    let message = failure(folder.path(), &["profile", "--function", "sort", "--device", "cuda:0"]);
    assert!(message.contains("`sort` runs on host devices"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn profiles_of_the_user_are_read_and_a_damaged_one_is_named() {
    let folder = imported();
    fs::create_dir_all(folder.path().join("p/f")).unwrap();
    fs::write(folder.path().join("p/f/profiles.csv"), "device,variant\nA,slow\n").unwrap();
    let message = failure(folder.path(), &["evaluate", "--store", "s.db", "--profiles", "p"]);
    assert!(message.contains("profiles.csv:1") && message.contains("launches"), "{message}");
}

#[test]
fn a_fitted_model_can_be_inspected_and_explained() {
    let folder = imported();
    success(folder.path(), &["fit", "--store", "s.db", "--device-features", "none"]);
    let shown = success(folder.path(), &["inspect", "models/f.model"]);
    assert!(shown.contains("size") && shown.contains("forest-none"), "{shown}");
    let explain = ["explain", "f", "size=990", "--device", "A", "--store", "s.db"];
    let explained = success(folder.path(), &explain);
    assert!(explained.contains("is run: slow"), "{explained}");
    assert!(explained.contains("says nothing of distance"), "three inputs and two devices: {explained}");
    let assumed = success(folder.path(), &["explain", "f", "size=990", "--store", "s.db", "--wide"]);
    assert!(assumed.contains("device    A, assumed"), "a recorded one, not the host: {assumed}");
    let message = failure(folder.path(), &["explain", "f", "--store", "s.db"]);
    assert!(message.contains("`size` is missing"), "{message}");
    let message = failure(folder.path(), &["explain", "f", "weight=1", "--store", "s.db"]);
    assert!(message.contains("`weight` is not a feature") && message.contains("size"), "{message}");
}

#[test]
fn the_device_to_measure_next_is_named_with_a_reason() {
    let folder = imported();
    let shown = success(folder.path(), &["devices", "--next", "--store", "s.db"]);
    assert!(shown.contains("between A and B") && shown.contains("nearest recorded device"), "{shown}");
    let wrong = train(folder.path(), &["devices", "--next", "--device", "host:1"]);
    assert_eq!(wrong.status.code(), Some(2), "it is told which device, not which one to take");
}

#[test]
fn what_was_exported_is_what_was_imported() {
    let folder = imported();
    let export =
        ["export", "--function", "f", "--measurements", "M.csv", "--inputs", "I.csv", "--devices", "D.csv"];
    success(folder.path(), &[&export[..], &["--store", "s.db"]].concat());
    let again = export.map(|argument| if argument == "export" { "import" } else { argument });
    success(folder.path(), &[&again[..], &["--store", "t.db"]].concat());
    let evaluate =
        |store| success(folder.path(), &["evaluate", "--json", "--store", store, "--train-inputs", "l.txt"]);
    fs::write(folder.path().join("l.txt"), "g/x\nh/y\n").unwrap();
    assert_eq!(evaluate("s.db"), evaluate("t.db"));
}

#[test]
fn synchronised_stores_evaluate_alike() {
    let folder = imported();
    success(folder.path(), &["sync", "s.db", "t.db"]);
    let told = success(folder.path(), &["sync", "s.db", "t.db"]);
    assert!(told.contains("s.db → t.db: 0 measurements"), "{told}");
    fs::write(folder.path().join("l.txt"), "g/x\nh/y\n").unwrap();
    let evaluate =
        |store| success(folder.path(), &["evaluate", "--json", "--store", store, "--train-inputs", "l.txt"]);
    assert_eq!(evaluate("s.db"), evaluate("t.db"));

    let message = failure(folder.path(), &["sync", "s.db", "./s.db"]);
    assert!(message.contains("the same store"), "{message}");
    let message = failure(folder.path(), &["sync", "no.db", "none.db"]);
    assert!(message.contains("`no.db`") && message.contains("has to exist"), "{message}");
    let message = failure(folder.path(), &["sync", "new.db", "m.csv"]);
    assert!(message.contains("m.csv"), "{message}");
    assert!(["no.db", "none.db", "new.db"].iter().all(|name| !folder.path().join(name).exists()));
}

#[test]
fn a_bad_table_is_named_with_its_line_and_nothing_is_imported() {
    for (name, content, expected) in [
        ("m.csv", MEASUREMENTS.replace("A,h/y,slow,100", "A,h/y,slow,-1"), "m.csv:4"),
        ("m.csv", MEASUREMENTS.replace("A,h/y,slow,100", "A,h/y,slow,soon"), "m.csv:4"),
        ("m.csv", MEASUREMENTS.replace("A,h/y,slow,100", "C,h/y,slow,100"), "m.csv:4"),
        ("m.csv", MEASUREMENTS.replace("A,h/y,slow,100", "A,h/q,slow,100"), "m.csv:4"),
        ("m.csv", MEASUREMENTS.replace("A,h/y,slow,100", "A,g/x,slow,100"), "m.csv:4"),
        ("i.csv", INPUTS.replace("1000", "many"), "i.csv:3"),
        ("d.csv", DEVICES.replace("B,200", "A,200"), "d.csv:3"),
    ] {
        let folder = folder_with(&[("m.csv", MEASUREMENTS), ("i.csv", INPUTS), ("d.csv", DEVICES)]);
        fs::write(folder.path().join(name), content).unwrap();
        let message = failure(folder.path(), &[&IMPORT[..], &["--store", "s.db"]].concat());
        assert!(message.contains(expected), "{message}");
        assert!(!folder.path().join("s.db").exists(), "nothing is half-written");
    }
}

#[test]
fn a_damaged_store_or_model_is_refused_and_left_alone() {
    let folder = imported();
    let store = folder.path().join("s.db");
    let bytes = fs::read(&store).unwrap();
    for length in [1, 99, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&store, &bytes[..length]).unwrap();
        let message = failure(folder.path(), &["evaluate", "--store", "s.db"]);
        assert!(message.contains("s.db"), "{message}");
        assert_eq!(fs::read(&store).unwrap(), &bytes[..length]);
    }
    fs::write(&store, bytes).unwrap();
    success(folder.path(), &["fit", "--store", "s.db"]);
    let model = folder.path().join("models/f.model");
    let bytes = fs::read(&model).unwrap();
    fs::write(&model, &bytes[..bytes.len() - 3]).unwrap();
    for arguments in [&["inspect", "models/f.model"][..], &["explain", "f", "size=1"]] {
        let message = failure(folder.path(), arguments);
        assert!(message.contains("f.model") && message.contains("cut off"), "{message}");
    }
}

const MATRIX: &str = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2.0\n2 2 2.0\n3 3 2.0\n";

#[test]
fn a_recording_of_real_files_goes_on_where_it_stopped() {
    let folder = folder_with(&[("in/a.mtx", MATRIX), ("in/b/c.mtx", MATRIX), ("in/notes.txt", "none")]);
    let record = ["record", "--function", "spmv", "--inputs", "in", "--store", "s.db", "--repeat-ms", "1"];
    let run = || text(&train(folder.path(), &[&record[..], &["--device", "host:1"]].concat()).stderr);
    fs::write(
        folder.path().join("in/d.mtx"),
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2.0\n9 9 1\n",
    )
    .unwrap();
    let stopped = run();
    assert!(stopped.lines().last().unwrap().contains("d.mtx:4"), "{stopped}");
    fs::write(folder.path().join("in/d.mtx"), MATRIX).unwrap();
    let went_on = run();
    assert!(went_on.contains("1 inputs to measure, 2 measured before"), "{went_on}");
    let again = run();
    assert!(again.contains("0 inputs to measure, 3 measured before"), "{again}");
}

#[test]
fn a_store_that_is_not_there_is_not_made_by_reading() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["fit", "evaluate", "report", "check"] {
        let message = failure(folder.path(), &[command, "--store", "none.db"]);
        assert!(message.contains("none.db"), "{message}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_main_job_learns_elsewhere_and_measures_here() {
    let folder = tempfile::tempdir().unwrap();
    let job =
        ["--function", "spmv", "--device", "host:1", "--budget", "1", "--store", "s.db", "--models", "m"];
    let shown = success(folder.path(), &job);
    for heading in ["learned elsewhere", "static", "majority", "learned here", "random"] {
        assert!(shown.contains(heading), "{shown}");
    }
    let sources: Vec<_> = success(folder.path(), &["inspect", "m/spmv.model"])
        .lines()
        .find_map(|line| line.strip_prefix("learned from"))
        .expect("a model says what it learned from")
        .split(',')
        .map(|source| source.trim().to_owned())
        .collect();
    let own = shown.lines().next().unwrap().rsplit('@').next().unwrap().to_owned();
    assert!(!sources.is_empty() && sources.iter().all(|source| !source.ends_with(&own)), "{sources:?} {own}");
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("learned elsewhere") && page.contains("<svg"), "the page shows the choices");
}

#[test]
fn every_command_takes_a_store() {
    let help = |command: &str| success(Path::new("."), &[command, "--help"]);
    for command in [
        "record",
        "profile",
        "fit",
        "evaluate",
        "report",
        "devices",
        "inspect",
        "explain",
        "check",
        "coverage",
        "sync",
        "search",
        "calibrate",
        "import",
        "export",
    ] {
        assert!(help(command).contains("--store <S>"), "{command}");
    }
}

#[test]
fn a_folder_without_inputs_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("inputs/empty")).unwrap();
    let message =
        failure(folder.path(), &["record", "--function", "sort", "--inputs", "inputs", "--store", "s.db"]);
    assert!(message.contains("there is no file of an input for `sort` in inputs, nor below it"), "{message}");
}

#[test]
fn a_folder_of_other_files_is_told_with_what_is_read() {
    let folder = folder_with(&[("in/a.bin", "x"), ("in/b/c.mat", "x")]);
    let record = |more: &[&str]| {
        let record =
            ["record", "--inputs", "in", "--store", "s.db", "--device", "host:1", "--repeat-ms", "1"];
        train(folder.path(), &[&record[..], more].concat())
    };
    let said = |output: &std::process::Output| text(&output.stderr);
    for more in [&["--function", "spmv"][..], &["--function", "spmv", "--budget", "2"], &[]] {
        let output = record(more);
        assert_eq!(output.status.code(), Some(1), "{more:?}: {}", said(&output));
        assert!(said(&output).contains("none of the 2 files in in is an input of "), "{}", said(&output));
    }
    let reads = "`spmv`, which reads `*.{mtx,mtx.xz,tar,tar.xz,tgz,txz}`, also as .gz: name another folder";
    assert!(said(&record(&["--function", "spmv"])).contains(reads));
    fs::write(folder.path().join("in/d.mtx"), MATRIX).unwrap();
    let output = record(&[]);
    assert!(output.status.success(), "the others are passed over: {}", said(&output));
    assert!(said(&output).contains("passed over: ") && said(&output).contains("1 inputs to measure"));
    let again = record(&["--function", "spmv"]);
    assert!(again.status.success() && said(&again).contains("1 measured before"), "{}", said(&again));
}

#[test]
fn stores_of_special_names_are_refused_by_every_command_and_nothing_is_made() {
    let folder = imported();
    let before = fs::read_dir(folder.path()).unwrap().count();
    let names = ["file:u.db", ":memory:", "file::memory:", "", "file:u.db?mode=memory"];
    for name in names {
        for command in [
            &["record", "--function", "sort"][..],
            &["fit"],
            &["evaluate"],
            &["report"],
            &["check"],
            &["sync", "s.db", name],
            &["sync", name, "s.db"],
            &[
                "import",
                "--function",
                "f",
                "--measurements",
                "m.csv",
                "--inputs",
                "i.csv",
                "--devices",
                "d.csv",
            ],
            &[
                "export",
                "--function",
                "f",
                "--measurements",
                "M.csv",
                "--inputs",
                "I.csv",
                "--devices",
                "D.csv",
            ],
        ] {
            let store: &[&str] = if command[0] == "sync" { &[] } else { &["--store", name] };
            let message = failure(folder.path(), &[command, store].concat());
            let is_told =
                ["is no store's name", "a store needs a name"].iter().any(|words| message.contains(words));
            assert!(
                is_told || name.is_empty() && message.contains("--store"),
                "{command:?} {name}: {message}"
            );
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "something was made");
}

#[test]
fn models_go_to_a_folder() {
    let folder = imported();
    let message = failure(folder.path(), &["fit", "--store", "s.db", "--models", "m.csv"]);
    assert_eq!(message, "error: m.csv is no folder: name the folder that the models go to");
}
