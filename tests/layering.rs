//! An application that only dispatches compiles neither the trainer nor linear algebra.

use std::collections::BTreeSet;
use std::process::Command;

/// The lines of `cargo tree` for these kinds of edges from `package`, with all its Cargo features.
fn tree(edges: &str, package: &str) -> String {
    let arguments = ["tree", "--edges", edges, "--prefix", "none", "--all-features", "--package", package];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("package names are text")
}

/// Names of the packages that `package` compiles, itself included.
fn compiled_by(package: &str) -> BTreeSet<String> {
    let text = tree("normal,build", package);
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_facade_compiles_the_run_time_and_the_macro_alone() {
    let compiled = compiled_by("nitro-variants");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants", "nitro-variants-core", "nitro-variants-macros"]);
    for heavy in ["ndarray", "linfa", "rayon", "rusqlite", "libsqlite3-sys", "redis", "clap", "cudarc"] {
        assert!(!compiled.contains(heavy), "{heavy} is compiled by every application");
    }
    assert!(compiled.len() <= 25, "dependencies are few: {compiled:?}");
}

#[test]
fn the_trainer_is_where_the_heavy_parts_are() {
    let compiled = compiled_by("nitro-variants-train");
    assert!(compiled.contains("rusqlite"), "the list above names packages that exist: {compiled:?}");
    assert!(!compiled.contains("nitro-variants-macros"), "the trainer needs descriptors, not the macro");
}

/// Cargo compiles a dependency once, with the features that anybody asked for: what the trainer asks for, an application that has it beside it gets.
#[test]
fn the_trainer_changes_nothing_about_how_an_application_reads_json() {
    let text = tree("normal,features", "nitro-variants-train");
    let asked: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("serde_json feature \"")?.split('"').next())
        .collect();
    assert!(asked.contains("std"), "{text}");
    for changing in ["float_roundtrip", "arbitrary_precision", "preserve_order", "unbounded_depth"] {
        assert!(!asked.contains(changing), "{changing} changes how everybody's JSON is read");
    }
}
