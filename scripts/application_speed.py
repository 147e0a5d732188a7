#!/usr/bin/env python3
"""How fast an application's own code is with Nitro and its trainer in the workspace, beside the same code without: parsing floats by serde_json.

Builds both in a temporary folder (--target keeps what was built) and runs them in turn; the ratio of the medians is printed, above 1 where
Nitro slows the application. The copies of this repository's Cargo.lock see to the same versions.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

MANIFEST = """[package]
name = "application"
version = "0.1.0"
edition = "2024"

[dependencies]
serde_json = "1"
{nitro}
[workspace]
members = [{members}]
"""

TRAINER = f"""[package]
name = "train"
version = "0.1.0"
edition = "2024"

[dependencies]
nitro-train = {{ package = "nitro-variants-train", path = "{ROOT}/nitro-train" }}
"""

PARSE = """
/// Nanoseconds that it takes to parse an array of random floats, each as long as it has to be.
fn main() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let random = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let text = format!("{:?}", (0..10_000).map(random).collect::<Vec<f64>>());
    for _ in 0..@REPEATS@ {
        let begin = std::time::Instant::now();
        let floats: Vec<f64> = serde_json::from_str(&text).unwrap();
        let time = begin.elapsed();
        assert_eq!(@SUM@(&floats) as usize, floats.iter().sum::<f64>() as usize);
        println!("{}", time.as_nanos());
    }
}
"""

SUM = """
fn whole(values: &[f64]) -> f64 {
    values.iter().sum()
}
"""

VARIANTS = """
#[nitro::code_variant(features(length = values.len()), variants(whole, halves), default = whole)]
fn sum(values: &[f64]) -> f64;

fn halves(values: &[f64]) -> f64 {
    let (first, second) = values.split_at(values.len() / 2);
    whole(first) + whole(second)
}
"""


def build(folder, repeats, with_nitro, target):
    """Writes and builds the application; the path of its program."""
    (folder / "src").mkdir(parents=True)
    nitro = f'nitro = {{ package = "nitro-variants", path = "{ROOT}" }}\n' if with_nitro else ""
    members = '"train"' if with_nitro else ""
    (folder / "Cargo.toml").write_text(MANIFEST.format(nitro=nitro, members=members))
    main = PARSE.replace("@REPEATS@", str(repeats)).replace("@SUM@", "sum" if with_nitro else "whole")
    (folder / "src/main.rs").write_text(SUM + (VARIANTS if with_nitro else "") + main)
    if with_nitro:
        (folder / "train/src").mkdir(parents=True)
        (folder / "train/Cargo.toml").write_text(TRAINER)
        (folder / "train/src/main.rs").write_text("fn main() -> std::process::ExitCode { nitro_train::Trainer::new().main() }\n")
    shutil.copy(ROOT / "Cargo.lock", folder)
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)}
    subprocess.run(["cargo", "build", "--release", "--workspace"], cwd=folder, env=environment, check=True)
    return target / "release/application"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="runs of each program")
    parser.add_argument("--repeats", type=int, default=200, help="times that a run parses")
    parser.add_argument("--target", type=pathlib.Path, help="folder for what is built")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        target = (arguments.target or folder / "target").resolve()
        programs = {
            name: build(folder / name, arguments.repeats, name == "with", target / name) for name in ["without", "with"]
        }
        times = {name: [] for name in programs}
        for _ in range(arguments.runs):
            for name, program in programs.items():
                output = subprocess.run([program], capture_output=True, check=True, text=True).stdout
                times[name].append(statistics.median(map(int, output.split())))
    medians = {name: statistics.median(of_runs) for name, of_runs in times.items()}
    for name, median in medians.items():
        spread = (max(times[name]) - min(times[name])) / median
        print(f"{name + ' Nitro':14} {median / 1e3:8.1f} us for 10,000 floats, runs {100 * spread:.0f} % apart")
    print(f"ratio          {medians['with'] / medians['without']:8.3f}")


if __name__ == "__main__":
    main()
