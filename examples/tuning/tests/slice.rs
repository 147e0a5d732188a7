//! Parameterised functions from measurement to call, as a user meets them: recorded, imported, learned, inspected,
//! evaluated, explained, dispatched, pinned, captured.

use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env_remove("NITRO_MODELS").envs(variables.iter().copied());
    command.output().expect("the program starts")
}

fn ended(output: Output) -> String {
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{shown}");
    String::from_utf8(output.stdout).expect("text")
}

fn train(folder: &Path, arguments: &[&str]) -> String {
    ended(run(env!("CARGO_BIN_EXE_train-tuning"), folder, arguments, &[]))
}

fn choose(folder: &Path, shapes: &[&str], variables: &[(&str, &str)]) -> Output {
    run(env!("CARGO_BIN_EXE_choose"), folder, shapes, variables)
}

/// On both machines small tiles are best for small matrices and large ones for large matrices; every configuration
/// is measured.
fn tables() -> [(&'static str, String); 3] {
    let mut measurements = "device,input,variant,time_ns,configuration\n".to_owned();
    let mut inputs = "input,height,width,bytes\n".to_owned();
    for size in [10, 20, 40, 50, 60, 100, 500, 700, 800, 900, 1500, 2000] {
        let input = if [50, 800].contains(&size) { format!("test/{size}") } else { format!("train/{size}") };
        inputs += &format!("{input},{size},{size},{}\n", 8 * size * size);
        for (device, factor) in [("left", 1.0), ("right", 2.0)] {
            let best: f64 = if size <= 100 { 8.0 } else { 64.0 };
            measurements += &format!("{device},{input},by_rows,{},\n", 900.0 * factor);
            for tile in [4, 8, 16, 32, 64] {
                for (order, loss) in [("Reading", 100.0), ("Writing", 0.0)] {
                    let admissible = size >= tile;
                    let time = factor * (100.0 + loss + 50.0 * (f64::from(tile).log2() - best.log2()).abs());
                    let time = if admissible { time.to_string() } else { String::new() };
                    measurements += &format!("{device},{input},tiled,{time},\"tile={tile},order={order}\"\n");
                }
            }
        }
    }
    let devices = "device,threads\nleft,1\nright,2\n".to_owned();
    [("measurements.csv", measurements), ("inputs.csv", inputs), ("devices.csv", devices)]
}

const SMALL: &str = "tiled{tile=8,order=Writing}";
const LARGE: &str = "tiled{tile=64,order=Writing}";

#[test]
fn configurations_are_learned_and_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, table) in tables() {
        std::fs::write(folder.join(name), table).unwrap();
    }
    let import = ["import", "--function", "tuning::transpose", "--store", "s.db"];
    let files = ["--measurements", "measurements.csv", "--inputs", "inputs.csv", "--devices", "devices.csv"];
    train(folder, &[import.as_slice(), &files].concat());
    let of = ["--function", "tuning::transpose", "--store", "s.db"];
    train(folder, &[&["fit", "--models", "m", "--device-features", "none"], of.as_slice()].concat());

    // Of eleven choices those that are worth telling apart.
    let inspected = train(folder, &["inspect", "m/tuning.transpose.model", "--json"]);
    let inspected: serde_json::Value = serde_json::from_str(&inspected).expect("one object");
    assert_eq!(inspected["choices"], serde_json::json!(["by_rows", LARGE, SMALL]));

    let explained = train(
        folder,
        &[
            &[
                "explain",
                "tuning::transpose",
                "height=2000",
                "width=2000",
                "bytes=32000000",
                "--models",
                "m",
                "--json",
            ][..],
            &["--store", "s.db", "--device", "left"],
        ]
        .concat(),
    );
    let explained: serde_json::Value = serde_json::from_str(&explained).expect("one object");
    assert_eq!(explained["ranking"][0]["variant"], LARGE, "{explained}");
    assert_eq!(explained["ranking"][0]["admitted"], true, "{explained}");

    let models = [("NITRO_MODELS", "m")];
    let shown = ended(choose(folder, &["40x40", "1000x1000", "5x5"], &models));
    let chosen: Vec<&str> = shown.lines().collect();
    assert!(chosen[0].starts_with(&format!("40x40: {SMALL}: predicted")), "{shown}");
    assert!(chosen[1].starts_with(&format!("1000x1000: {LARGE}: predicted")), "{shown}");
    // No tile that was learned fits.
    assert!(chosen[2].starts_with("5x5: by_rows: best admissible choice"), "{shown}");
    assert!(shown.lines().any(|line| line.contains(LARGE) && line.contains("predicted")), "{shown}");

    let pin = [
        ("NITRO_MODELS", "m"),
        ("NITRO_FORCE", "tuning::sum=in_order,transpose=tiled{tile=16,order=Reading}"),
    ];
    let shown = ended(choose(folder, &["40x40"], &pin));
    assert!(shown.starts_with("40x40: tiled{tile=16,order=Reading}: pinned"), "{shown}");
    let wrong = choose(folder, &["40x40"], &[("NITRO_FORCE", "transpose=tiled{tile=5,order=Reading}")]);
    let message = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.success() && message.contains("`tile` cannot be `5`"), "{message}");

    let capture = [("NITRO_MODELS", "m"), ("NITRO_CAPTURE", "calls.jsonl")];
    ended(choose(folder, &["1000x1000"], &capture));
    let line = std::fs::read_to_string(folder.join("calls.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).expect("one call");
    assert_eq!(
        (&line["variant"], &line["configuration"]),
        (&"tiled".into(), &"tile=64,order=Writing".into())
    );
    let traffic = train(folder, &["coverage", "calls.jsonl", "--models", "m"]);
    assert!(traffic.contains(LARGE), "{traffic}");

    train(
        folder,
        &[
            "check",
            "--models",
            "m",
            "--function",
            "tuning::transpose",
            "--store",
            "s.db",
            "--max-regret",
            "5",
        ],
    );
    train(
        folder,
        &[
            "export",
            "--function",
            "tuning::transpose",
            "--store",
            "s.db",
            "--measurements",
            "out.csv",
            "--inputs",
            "i.csv",
            "--devices",
            "d.csv",
        ],
    );
    let exported = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    assert_eq!(exported.matches("\"tile=64,order=Writing\"").count(), 24, "of twelve inputs on two devices");
}

#[test]
fn every_configuration_is_measured_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record =
        ["record", "--store", "s.db", "--device", "host:1", "--device", "host:2", "--repeat-ms", "1"];
    let functions = ["--function", "tuning::sum", "--function", "tuning::transpose"];
    train(folder, &[record.as_slice(), &functions].concat());
    let out = ["--measurements", "m.csv", "--inputs", "i.csv", "--devices", "d.csv", "--store", "s.db"];
    train(folder, &[&["export", "--function", "tuning::transpose"], out.as_slice()].concat());
    let exported = std::fs::read_to_string(folder.join("m.csv")).unwrap();
    let of = |input: &str| -> Vec<&str> { exported.lines().filter(|line| line.contains(input)).collect() };
    // A variant without parameters and five tiles in two orders, on two devices.
    assert_eq!(of("train/1024x1024").len(), 2 * 11, "{exported}");
    assert!(of("train/1024x1024").iter().all(|line| !line.contains("failed")), "{exported}");
    let inadmissible = of("train/8x8").iter().filter(|line| line.contains("inadmissible")).count();
    assert_eq!(inadmissible, 2 * 3 * 2, "tiles of 16, 32 and 64");

    let evaluated = train(folder, &["evaluate", "--function", "tuning::sum", "--store", "s.db", "--json"]);
    let evaluated: serde_json::Value = serde_json::from_str(&evaluated).expect("one object");
    assert_eq!(evaluated["variants"], serde_json::json!(["in_order", "blocked"]));
    let share = &evaluated["devices"][0]["selectors"]["auto"]["mean"];
    assert!(share.as_f64().is_some_and(|share| share > 0.0 && share <= 1.0), "{evaluated}");
}
