//! The trainer over recordings of a function with two parameters: what is judged input by input, fitted as a tree,
//! and dispatched.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train-g-adapt"));
    command.args(arguments).current_dir(folder).env_remove("NITRO_STORE").env_remove("NITRO_MODELS");
    command.output().expect("the trainer starts")
}

fn train(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

const FUNCTION: &str = "g_adapt::host_stencil";

/// Times of all configurations on two devices: tiles as wide as the grid are best, and the right device likes
/// another unrolling.
fn store(folder: &Path) {
    let mut measurements = "device,input,variant,time_ns,configuration\n".to_owned();
    let mut inputs = "input,height,width\n".to_owned();
    for size in [32, 64, 100, 128, 256, 400, 512, 1024, 1500, 2048] {
        inputs += &format!("train/{size},{size},{size}\n");
        let best: f64 = if size <= 128 { 128.0 } else { 512.0 };
        for (device, liked) in [("left", 4.0), ("right", 8.0)] {
            for (rows, columns, unroll) in [1, 8, 64]
                .into_iter()
                .flat_map(|rows| [32, 128, 512, 2048].map(|columns| (rows, columns)))
                .flat_map(|(rows, columns)| [1, 4, 8, 16].map(|unroll| (rows, columns, unroll)))
            {
                let off = (f64::from(columns) / best).log2().abs()
                    + (f64::from(unroll) / liked).log2().abs()
                    + (f64::from(rows) / 8.0).log2().abs();
                let configuration = format!("tile_rows={rows},tile_columns={columns},UNROLL={unroll}");
                let time_ns = f64::from(size * size) * (1.0 + 0.1 * off);
                measurements += &format!("{device},train/{size},tiled,{time_ns},\"{configuration}\"\n");
            }
        }
    }
    std::fs::write(folder.join("m.csv"), measurements).unwrap();
    std::fs::write(folder.join("i.csv"), inputs).unwrap();
    std::fs::write(folder.join("d.csv"), "device,threads\nleft,1\nright,2\n").unwrap();
    let files = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv"];
    train(folder, &[&["import", "--function", FUNCTION, "--store", "s.db"], &files[..]].concat());
}

#[test]
fn every_input_is_left_out_on_every_device_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    store(folder);
    let evaluate = ["evaluate", "--leave-out", "input", "--function", FUNCTION, "--store", "s.db"];
    let text = train(folder, &evaluate);
    assert!(text.contains(&format!("{FUNCTION} on left: each of 10 inputs left out in turn")), "{text}");
    let lines = train(folder, &[&evaluate[..], &["--json"]].concat());
    let devices: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!((&devices[0]["device"], &devices[1]["device"]), (&"left".into(), &"right".into()));
    for device in &devices {
        assert_eq!((&device["choices"], &device["distinct_best"]), (&48.into(), &2.into()));
        // 1 + 3 parameters times (2 + 3 + 3) steps.
        assert_eq!(device["climb"]["bound"], 25);
        let (tree, majority) = (&device["selectors"]["tree-none"], &device["selectors"]["majority"]);
        assert!(
            tree["exact"].as_f64() >= Some(0.8) && tree["mean"].as_f64() > majority["mean"].as_f64(),
            "{device}"
        );
    }
}

#[test]
fn a_tree_is_fitted_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    store(folder);
    let fit = ["fit", "--selector", "tree", "--device-features", "none", "--sources", "left"];
    let of = ["--function", FUNCTION, "--store", "s.db", "--models", "m"];
    assert!(train(folder, &[&fit[..], &of].concat()).contains("tree-none"));
    let explained = [
        "explain",
        FUNCTION,
        "height=100",
        "width=100",
        "--models",
        "m",
        "--store",
        "s.db",
        "--device",
        "left",
        "--json",
    ];
    let explained: serde_json::Value = serde_json::from_str(&train(folder, &explained)).expect("one object");
    assert_eq!(
        explained["ranking"][0]["variant"], "tiled{tile_rows=8,tile_columns=128,UNROLL=4}",
        "{explained}"
    );
}

#[test]
fn what_has_no_meaning_where_each_input_is_left_out_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    store(folder);
    std::fs::write(folder.join("inputs.txt"), "train/32\n").unwrap();
    for option in [["--test-inputs", "inputs.txt"], ["--calibration", "10"], ["--calibration-seconds", "1"]] {
        let command = [&["evaluate", "--leave-out", "input", "--store", "s.db"][..], &option].concat();
        let refused = run(folder, &command);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            !refused.status.success() && message.contains("leave out --train-inputs, --test-inputs"),
            "{message}"
        );
    }
}
