//! Data that nobody meant well: whatever an import, a store or a model says, the trainer works with it or says in
//! one sentence what is wrong, writes nowhere else, and shows neither passwords nor what a terminal would obey.

use std::fs;
use std::path::Path;

use crate::trainer::{success, text, train};
use tempfile::TempDir;

const FILES: [&str; 6] = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];

/// Tables of so many features and variants: 30 inputs on three devices.
fn tables(features: usize, variants: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let value = |input: usize, feature: usize| {
        ((input * 97 + feature) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44
    };
    let columns =
        |row: &dyn Fn(usize) -> String| (0..features).map(|at| format!(",{}", row(at))).collect::<String>();
    let inputs =
        (0..30).map(|input| format!("g{input}/x{}\n", columns(&|feature| value(input, feature).to_string())));
    write(
        "i.csv",
        format!("input{}\n{}", columns(&|feature| format!("f{feature}")), inputs.collect::<String>()),
    );
    write("d.csv", "device,gbps\nA,100\nB,200\nC,300\n".to_owned());
    let row = |(device, input, variant): (&str, usize, usize)| {
        let time = 10 + value(input, features - 1) * (variant as u64 + 1) % 97;
        format!("{device},g{input}/x,v{variant},{time}\n")
    };
    let keys = ["A", "B", "C"].into_iter().flat_map(|device| {
        (0..30).flat_map(move |input| (0..variants).map(move |variant| (device, input, variant)))
    });
    write("m.csv", format!("device,input,variant,time_ns\n{}", keys.map(row).collect::<String>()));
    folder
}

fn import(function: &str) -> Vec<&str> {
    [&["import", "--function", function], &FILES[..], &["--store", "s.db"]].concat()
}

/// What stdout and stderr of a run say that fails without a panic.
#[track_caller]
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = train(folder, arguments);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn more_features_than_a_model_has() {
    let folder = tables(40, 3);
    let folder = folder.path();
    success(folder, &import("f"));
    for selector in ["auto", "static", "svm", "svm-weighted", "forest"] {
        let output = train(folder, &["fit", "--store", "s.db", "--selector", selector]);
        assert!(output.status.success(), "{selector}: {}", text(&output.stderr));
        let notes = text(&output.stderr);
        assert!(notes.contains("f: features that are not used because a model has at most 32"), "{notes}");
        assert!(success(folder, &["inspect", "models/f.model"]).contains("function         f"));
    }
    success(folder, &["evaluate", "--store", "s.db"]);
    success(folder, &["report", "--store", "s.db"]);
    success(folder, &["devices", "--next", "--store", "s.db"]);
    success(folder, &["check", "--store", "s.db", "--max-regret", "100"]);
}

#[test]
fn more_variants_than_a_selection_tells_apart() {
    let folder = tables(2, 65);
    let said = refusal(folder.path(), &import("f"));
    assert!(said.contains("m.csv:66: variant `v64` is one too many: a function may have 64"), "{said}");
    assert!(!folder.path().join("s.db").exists());
}

#[test]
fn functions_that_are_called_like_paths() {
    let outside = tempfile::tempdir().unwrap();
    let absolute = outside.path().join("x");
    let folder = tables(2, 2);
    for function in ["../../x", "..", "/etc/x", absolute.to_str().unwrap(), "C:\\x", "a/b"] {
        let said = refusal(folder.path(), &import(function));
        assert!(said.starts_with(&format!("error: function `{}", function.replace('\\', "\\\\"))), "{said}");
    }
    assert!(!folder.path().join("s.db").exists());
    success(folder.path(), &import("app::f"));
    success(folder.path(), &["fit", "--store", "s.db"]);
    assert!(folder.path().join("models/app.f.model").exists());
    for command in [&["explain", "../../x", "f0=1"][..], &["fit", "--store", "s.db", "--function", "../../x"]]
    {
        refusal(folder.path(), command);
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_password_is_shown_nowhere() {
    let folder = tables(2, 2);
    success(folder.path(), &import("f"));
    for url in [
        "rediss://user:secret@127.0.0.1:1/0",
        "redis://user:secret@127.0.0.1:1/0",
        "redis://:sec?secret@127.0.0.1:1/0",
        "redis+unix:///tmp/none?pass=secret",
    ] {
        for command in [
            &["fit", "--store", url][..],
            &["record", "--store", url, "--function", "sort"],
            &["sync", "s.db", url],
            &["sync", url, url],
        ] {
            let said = refusal(folder.path(), command);
            assert!(!said.contains("secret"), "{command:?}: {said}");
        }
    }
    let mut help = std::process::Command::new(env!("CARGO_BIN_EXE_train"));
    let help = help.args(["fit", "--help"]).env("NITRO_STORE", "redis://user:secret@host").output().unwrap();
    assert!(text(&help.stdout).contains("NITRO_STORE") && !text(&help.stdout).contains("secret"));
}

/// Links in a circle, files that are none, and names that are none cost themselves alone.
#[cfg(unix)]
#[test]
fn folders_of_inputs_without_end() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 2.0\n";
    fs::create_dir_all(path("in/b")).unwrap();
    ["in/a.mtx", "in/b/c.mtx", "in/\x1b[31m.mtx"]
        .iter()
        .for_each(|name| fs::write(path(name), matrix).unwrap());
    symlink(".", path("in/loop")).unwrap();
    symlink("../b", path("in/b/up")).unwrap();
    symlink("b/c.mtx", path("in/same.mtx")).unwrap();
    symlink("/dev/zero", path("in/endless.mtx")).unwrap();
    let record = [
        "record",
        "--function",
        "spmv",
        "--device",
        "host:1",
        "--inputs",
        "in",
        "--store",
        "s.db",
        "--repeat-ms",
        "1",
    ];
    let output = train(folder.path(), &record);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    for left_out in ["in/loop ", "in/b/up ", "in/endless.mtx ", "in/\\u{1b}[31m.mtx "] {
        assert_eq!(
            said.matches(&format!("{left_out}is left out of the inputs: ")).count(),
            1,
            "{left_out}: {said}"
        );
    }
    assert!(said.contains("2 inputs to measure, 0 measured before") && !said.contains('\x1b'), "{said}");
}

/// The matrix is refused when it is read; no variant is blamed for it.
#[test]
fn a_matrix_that_overflows() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1e308\n1 2 1.7e308\n";
    fs::write(folder.path().join("in/a.mtx"), matrix).unwrap();
    let record = ["record", "--function", "spmv", "--device", "host:1", "--inputs", "in", "--store", "s.db"];
    let said = refusal(folder.path(), &record);
    assert!(said.contains("in/a.mtx:3: the value 1e308 is too large") && !said.contains("variant"), "{said}");
}

#[test]
fn nothing_is_shown_that_a_terminal_would_obey() {
    let folder = tables(2, 2);
    let path = folder.path();
    success(path, &import("f"));
    success(path, &["fit", "--store", "s.db"]);
    let escape = "\x1b]0;x\x07\u{9b}2J";
    let (model, capture) = (format!("{escape}.model"), format!("{escape}.jsonl"));
    fs::write(path.join(&model), "no model").unwrap();
    fs::write(
        path.join(&capture),
        format!(
            "{}\n",
            r#"{"function":"f","device":"\u001b[2J","variant":"v0","reason":"x","calls":1,"features":{}}"#
        ),
    )
    .unwrap();
    fs::write(path.join("names.txt"), format!("{escape}\n")).unwrap();
    for command in [
        &["inspect", &model][..],
        &["coverage", &capture],
        &["fit", "--store", escape],
        &["fit", "--store", "s.db", "--function", escape],
        &["evaluate", "--store", "s.db", "--train-inputs", "names.txt"],
        &["explain", "f", &format!("{escape}=1")],
        &import(escape),
    ] {
        let said = refusal(path, command);
        let obeyed = |letter: char| letter.is_control() && letter != '\n';
        assert!(!said.contains(obeyed) && said.contains("u{1b}"), "{command:?}: {said:?}");
    }
}
