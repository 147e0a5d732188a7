//! An application that only dispatches compiles neither the trainer, nor linear algebra, nor what makes code.

use std::collections::BTreeSet;
use std::process::Command;

/// The lines of `cargo tree` for these kinds of edges from `package`, with these of its Cargo features.
fn tree(edges: &str, package: &str, features: &str) -> String {
    let arguments = ["tree", "--edges", edges, "--prefix", "none", features, "--package", package];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("package names are text")
}

/// Names of the packages that `package` compiles with all its features, itself included.
fn compiled_by(package: &str) -> BTreeSet<String> {
    compiled_with("--all-features", package)
}

fn compiled_with(features: &str, package: &str) -> BTreeSet<String> {
    let text = tree("normal,build", package, features);
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_facade_compiles_the_run_time_and_the_macro_alone() {
    let compiled = compiled_by("nitro-variants");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants", "nitro-variants-core", "nitro-variants-macros"]);
    for heavy in
        ["ndarray", "linfa", "rayon", "rusqlite", "libsqlite3-sys", "redis", "clap", "cudarc", "isl-rs"]
    {
        assert!(!compiled.contains(heavy), "{heavy} is compiled by every application");
    }
    assert!(compiled.len() <= 18, "dependencies are few: {compiled:?}");
}

#[test]
fn the_trainer_is_where_the_heavy_parts_are() {
    let compiled = compiled_by("nitro-variants-train");
    assert!(compiled.contains("rusqlite"), "the list above names packages that exist: {compiled:?}");
    assert!(!compiled.contains("nitro-variants-macros"), "the trainer needs descriptors, not the macro");
}

#[test]
fn a_search_knows_neither_the_run_time_nor_the_trainer() {
    let compiled = compiled_by("nitro-variants-search");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants-search", "nitro-variants-stats"]);
    assert!(compiled.len() <= 17, "dependencies are few: {compiled:?}");
}

#[test]
fn statistics_and_random_numbers_know_nothing_else() {
    let compiled = compiled_by("nitro-variants-stats");
    assert_eq!(compiled.into_iter().collect::<Vec<_>>(), ["nitro-variants-stats"]);
}

#[test]
fn a_store_knows_neither_learning_nor_measuring_nor_commands() {
    let compiled = compiled_by("nitro-variants-store");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants-core", "nitro-variants-stats", "nitro-variants-store"]);
    assert!(compiled.contains("rusqlite") && !compiled.contains("clap"), "{compiled:?}");
}

#[test]
fn learning_knows_neither_measuring_nor_commands() {
    let compiled = compiled_by("nitro-variants-learn");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    let expected = [
        "nitro-variants-core",
        "nitro-variants-learn",
        "nitro-variants-search",
        "nitro-variants-stats",
        "nitro-variants-store",
    ];
    assert_eq!(ours, expected);
    for absent in ["clap", "maud", "indicatif"] {
        assert!(!compiled.contains(absent), "learning compiles {absent}");
    }
}

/// Each crate with all of ours that it compiles, itself included: `ARCHITECTURE.md` says the same in words.
const COMPILES: [(&str, &[&str]); 4] = [
    ("nitro-variants-core", &["nitro-variants-core"]),
    ("nitro-variants-macros", &["nitro-variants-macros"]),
    ("nitro-variants-launch", &["nitro-variants-launch"]),
    ("nitro-variants-cuda", &["nitro-variants-core", "nitro-variants-cuda", "nitro-variants-launch"]),
];

#[test]
fn what_applications_compile_knows_nothing_of_training_and_generation() {
    for (package, expected) in COMPILES {
        let compiled = compiled_by(package);
        let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
        assert_eq!(ours, expected, "{package}");
    }
}

#[test]
fn the_trainer_knows_neither_cuda_nor_generators() {
    let compiled = compiled_by("nitro-variants-train");
    for absent in ["cuda", "launch", "nest", "ptx", "decide", "evolve"] {
        let absent = format!("nitro-variants-{absent}");
        assert!(!compiled.contains(&absent), "the trainer compiles {absent}");
    }
    assert!(!compiled.contains("isl-rs"), "the trainer compiles isl");
}

#[test]
fn ptx_knows_neither_nests_nor_devices_nor_the_trainer() {
    let compiled = compiled_by("nitro-variants-ptx");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(
        ours,
        ["nitro-variants-core", "nitro-variants-ptx", "nitro-variants-search", "nitro-variants-stats"]
    );
    assert!(compiled.len() <= 25, "dependencies are few: {compiled:?}");
}

#[test]
fn pages_know_no_other_crate_of_ours() {
    let compiled = compiled_by("nitro-variants-page");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants-page"]);
    assert!(compiled.len() <= 16, "dependencies are few: {compiled:?}");
}

#[test]
fn processes_know_no_other_crate_of_ours() {
    let compiled = compiled_by("nitro-variants-process");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants-process"]);
    assert!(compiled.len() <= 25, "dependencies are few: {compiled:?}");
}

#[test]
fn whoever_calls_the_product_compiles_neither_trainer_nor_generator() {
    let compiled = compiled_with("--no-default-features", "nitro-gemm");
    let ours: Vec<_> = compiled.iter().filter(|name| name.starts_with("nitro")).collect();
    let expected = [
        "nitro-gemm",
        "nitro-variants",
        "nitro-variants-core",
        "nitro-variants-cuda",
        "nitro-variants-launch",
        "nitro-variants-macros",
    ];
    assert_eq!(ours, expected);
    assert!(!compiled.contains("isl-rs") && !compiled.contains("rusqlite"), "{compiled:?}");
}

#[test]
fn code_generation_knows_no_trainer_and_devices_and_searches_only_if_asked() {
    let plain = compiled_with("--no-default-features", "nitro-variants-nest");
    let ours: Vec<_> = plain.iter().filter(|name| name.starts_with("nitro")).collect();
    assert_eq!(ours, ["nitro-variants-launch", "nitro-variants-macros", "nitro-variants-nest"]);
    assert!(!plain.contains("isl-rs") && plain.len() <= 16, "dependencies are few: {plain:?}");
    let all = compiled_by("nitro-variants-nest");
    assert!(all.contains("isl-rs") && all.contains("nitro-variants-cuda"), "{all:?}");
    for absent in ["nitro-variants-ptx", "nitro-variants-train", "rusqlite"] {
        assert!(!all.contains(absent), "{all:?}");
    }
    let searched = compiled_with("--features=search", "nitro-variants-nest");
    assert!(
        searched.contains("nitro-variants-search") && !searched.contains("nitro-variants-core"),
        "{searched:?}"
    );
}

#[test]
fn spaces_of_decisions_know_no_device_no_trainer_and_no_dependences() {
    let plain = compiled_with("--no-default-features", "nitro-variants-decide");
    let ours: Vec<_> = plain.iter().filter(|name| name.starts_with("nitro")).collect();
    let expected = [
        "nitro-variants-decide",
        "nitro-variants-launch",
        "nitro-variants-macros",
        "nitro-variants-nest",
        "nitro-variants-search",
        "nitro-variants-stats",
    ];
    assert_eq!(ours, expected);
    assert!(!plain.contains("isl-rs") && plain.len() <= 20, "dependencies are few: {plain:?}");
    let all = compiled_by("nitro-variants-decide");
    assert!(all.contains("maud"), "the page is a feature: {all:?}");
    assert!(!all.contains("nitro-variants-train") && !all.contains("nitro-variants-evolve"), "{all:?}");
}

/// Neither are its macro and isl compiled by whoever does not ask for them, such as evolution and the suite's trainer.
#[test]
fn nests_are_compiled_by_nobody_else() {
    let others = ["", "-cuda", "-train", "-ptx", "-evolve"].map(|part| format!("nitro-variants{part}"));
    for package in others.iter().map(String::as_str).chain(["nitro-benchmarks"]) {
        let text = tree("normal,build,features", package, "--all-features");
        for absent in ["nitro-variants-nest", "isl-rs", "nitro-variants-macros feature \"nest\""] {
            assert!(!text.contains(absent), "{package} compiles {absent}");
        }
    }
}

/// Features by which one package changes what a dependency does for all others that are compiled with it.
const CHANGING: [(&str, &[&str]); 4] = [
    ("serde_json", &["float_roundtrip", "arbitrary_precision", "preserve_order", "unbounded_depth"]),
    ("tracing", &["max_level_", "release_max_level_", "log-always"]),
    ("log", &["max_level_", "release_max_level_"]),
    ("rayon", &["web_spin_lock"]),
];

/// Cargo compiles a dependency once, with the features that anybody asked for: what we ask for, an application gets.
#[test]
fn nothing_of_ours_changes_what_a_dependency_does_for_others() {
    let packages = [
        "nitro-variants",
        "nitro-variants-launch",
        "nitro-variants-cuda",
        "nitro-variants-stats",
        "nitro-variants-store",
        "nitro-variants-search",
        "nitro-variants-learn",
        "nitro-variants-nest",
        "nitro-variants-decide",
        "nitro-variants-page",
        "nitro-variants-process",
        "nitro-variants-ptx",
        "nitro-variants-train",
    ];
    let text: String =
        packages.map(|package| tree("normal,build,features", package, "--all-features")).concat();
    let asked: BTreeSet<(&str, &str)> = text
        .lines()
        .filter_map(|line| line.split_once(" feature \""))
        .map(|(package, feature)| (package, feature.split('"').next().unwrap_or(feature)))
        .collect();
    assert!(asked.contains(&("serde_json", "std")) && asked.contains(&("tracing", "std")), "{asked:?}");
    for (package, features) in CHANGING {
        let changes = |asked: &str| features.iter().any(|feature| asked.starts_with(feature));
        let found = asked.iter().find(|(of, feature)| *of == package && changes(feature));
        assert_eq!(found, None, "it changes what {package} does for everybody");
    }
}
