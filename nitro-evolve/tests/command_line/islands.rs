//! Several processes that evolve the same over one store, as somebody types it.

use std::fs;
use std::path::Path;

use nitro_evolve::EvolveCommand;
use nitro_train::TrainerCommand;

use super::{PTX, evolve, folder};

const ISLAND: &str = "@/next.ptx --device emulator --population 16 --store @/islands.db --migrate-every 2";

fn island(folder: &Path, name: &str, more: &str) -> serde_json::Value {
    evolve(folder, &format!("{ISLAND} --island {name} --out @/{name} {more}")).unwrap();
    serde_json::from_str(&fs::read_to_string(folder.join(name).join("evolved.json")).unwrap()).unwrap()
}

fn log(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name).join("evolution.jsonl")).unwrap()
}

#[test]
fn islands_exchange_their_best_over_a_file() {
    let folder = folder();
    let path = folder.path();
    let first = island(path, "first", "--evaluations 40");
    assert_eq!(first["migrations"], serde_json::json!({ "island": "first", "taken_in": {} }));
    let second = island(path, "second", "--evaluations 150");
    assert!(second["migrations"]["taken_in"]["first"].as_u64() > Some(0), "{}", second["migrations"]);
    assert!(log(path, "second").contains("\"from\":\"first\""));
    assert_ne!(first["seed"], second["seed"], "each has chance of its own");
    // One that goes on takes in what came since, and nothing that it has done is done again.
    let before = log(path, "first");
    let third = island(path, "first", "--evaluations 120");
    assert!(log(path, "first").starts_with(&before));
    assert!(third["migrations"]["taken_in"]["second"].as_u64() > Some(0), "{}", third["migrations"]);
}

#[test]
fn islands_run_at_the_same_time() {
    let folder = folder();
    let path = folder.path();
    let found: Vec<serde_json::Value> = std::thread::scope(|scope| {
        let run = |name: &'static str| scope.spawn(move || island(path, name, "--evaluations 200"));
        ["a", "b", "c"].map(run).into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.iter().all(|one| one["findings"][0]["verdict"]["accepted"] == "exact"), "{found:?}");
}

#[test]
fn alone_an_island_does_what_its_seed_says() {
    let folder = folder();
    let path = folder.path();
    let island = island(path, "alone", "--evaluations 80");
    let seed = &island["seed"];
    evolve(
        path,
        &format!("@/next.ptx --device emulator --population 16 --evaluations 80 --seed {seed} --out @/plain"),
    )
    .unwrap();
    let trials = |name| {
        let log = log(path, name);
        log.lines().filter(|line| !line.starts_with("{\"exchange\":")).map(without_time).collect::<Vec<_>>()
    };
    assert_eq!(trials("alone"), trials("plain"));
}

/// When something was told differs from run to run.
fn without_time(line: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["at_ms"] = 0.into();
    value
}

#[test]
fn another_kernel_in_the_same_store_is_another_world() {
    let folder = folder();
    let path = folder.path();
    island(path, "first", "--evaluations 150");
    let other = PTX.replace("add.s32 %r4, %r3, 1", "add.s32 %r4, %r3, 2");
    fs::write(path.join("next.ptx"), other).unwrap();
    let second = island(path, "second", "--evaluations 60");
    assert_eq!(second["migrations"]["taken_in"], serde_json::json!({}));
    fs::write(path.join("next.toml"), super::WORKLOAD.replace("n = 63", "n = 62")).unwrap();
    let third = island(path, "third", "--evaluations 60");
    assert_eq!(third["migrations"]["taken_in"], serde_json::json!({}), "so is another workload");
}

#[test]
fn numbers_and_names_that_make_no_sense_end_with_2() {
    let cases = [
        ("--island a", "--store"),
        ("--migrants 2", "--store"),
        ("--store s.db --island \u{7}", "control character"),
        ("--store s.db --migrate-every 0", "0 is not in 1.."),
        ("--store s.db --migrants 0", "0 is not in 1.."),
        ("--store s.db --check", "cannot be used with"),
        ("--generations 0", "0 is not in 1.."),
        ("--evaluations 0", "0 is not in 1.."),
    ];
    for (words, expected) in cases {
        let words = ["evolve", "next.ptx"].into_iter().chain(words.split(' '));
        let error = EvolveCommand.command().try_get_matches_from(words).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn without_a_name_an_island_is_its_devices_and_machine_and_has_a_folder_of_its_own() {
    let help = EvolveCommand.command().render_long_help().to_string();
    for taught in
        ["Islands:", "--migrate-every", "[default: 5]", "[default: 4]", "cuda:0@node7", "KERNEL.NAME.evolved"]
    {
        assert!(help.contains(taught), "{taught}");
    }
    let folder = folder();
    let path = folder.path();
    evolve(path, "@/next.ptx --device emulator --population 16 --store @/s.db --evaluations 40 --out @/out")
        .unwrap();
    let evolved = fs::read_to_string(path.join("out/evolved.json")).unwrap();
    let evolved: serde_json::Value = serde_json::from_str(&evolved).unwrap();
    let island = evolved["migrations"]["island"].as_str().unwrap();
    assert!(island.starts_with("emulator@") && island.len() > "emulator@".len(), "{island}");
    let error = evolve(path, "@/next.ptx --device emulator --store ftp://x/y --out @/none").unwrap_err();
    assert!(error.contains("no kind of store is called `ftp://`"), "{error}");
    assert!(!path.join("none").exists());
}
