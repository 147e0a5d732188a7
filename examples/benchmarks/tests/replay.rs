//! The shipped recordings alone, without the devices they were made on, give models and the figures that the README claims.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The trainer's standard output.
fn train(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    command.args(arguments).current_dir(folder);
    command.env_remove("NITRO_STORE").env_remove("NITRO_MODELS").env_remove("NITRO_FORCE");
    let output = command.output().expect("the trainer runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it writes text")
}

/// Mean of a selector over the devices left out.
fn mean(devices: &[Value], selector: &str) -> f64 {
    let of_device = |device: &Value| device["selectors"][selector]["mean"].as_f64().expect(selector);
    devices.iter().map(of_device).sum::<f64>() / devices.len() as f64
}

#[test]
fn gpu_functions_are_learned_and_judged_without_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["histogram", "spmv", "sort", "transpose", "bfs", "solver"].map(|name| format!("cuda_{name}"));
    let functions: Vec<&str> = names.iter().flat_map(|name| ["--function", name]).collect();

    train(folder.path(), &[&["fit", "--models", "."], functions.as_slice()].concat());
    let text = train(folder.path(), &[&["evaluate", "--json"], functions.as_slice()].concat());
    let evaluations: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    assert_eq!(evaluations.len(), names.len());
    for (name, evaluation) in names.iter().zip(&evaluations) {
        assert!(folder.path().join(format!("{name}.model")).is_file(), "{name}");
        let devices = evaluation["devices"].as_array().unwrap();
        assert!(devices.len() >= 6, "{name}: the GPU and five slices of it");
        let auto = mean(devices, "auto");
        assert!(auto >= 0.9, "{name}: {auto}");
        for selector in ["random", "static"] {
            assert!(auto > mean(devices, selector), "{name}: {selector} is as good");
        }
    }
}
