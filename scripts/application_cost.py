#!/usr/bin/env python3
"""What Nitro costs an application that only dispatches: crates, bytes of a stripped program, and processor time of a clean build.

Builds a program of one function with two variants, without a model, and the same program without Nitro, both anew in a temporary
folder. Bytes and seconds are the differences. The copies of this repository's Cargo.lock see to the same versions.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

from application_speed import ROOT, SUM, VARIANTS

MANIFEST = """[package]
name = "application"
version = "0.1.0"
edition = "2024"

[dependencies]
{nitro}
[profile.release]
strip = true

[workspace]
"""

MAIN = """
fn main() {
    let values: Vec<f64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    println!("{}", @SUM@(&values));
}
"""


def processor_s():
    """The processor time of the processes that this one has waited for, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cargo(folder, *words):
    """What cargo prints for a program in a folder of its own, which is its target folder too."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder / "target")}
    return subprocess.run(["cargo", *words], cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


def cost(folder, with_nitro):
    """Crates that are compiled, bytes of the program, and seconds of a processor."""
    (folder / "src").mkdir(parents=True)
    nitro = f'nitro = {{ package = "nitro-variants", path = "{ROOT}" }}\n' if with_nitro else ""
    (folder / "Cargo.toml").write_text(MANIFEST.format(nitro=nitro))
    main = MAIN.replace("@SUM@", "sum" if with_nitro else "whole")
    (folder / "src/main.rs").write_text(SUM + (VARIANTS if with_nitro else "") + main)
    shutil.copy(ROOT / "Cargo.lock", folder)
    tree = cargo(folder, "tree", "--prefix", "none", "--edges", "normal,build")
    begun_s = processor_s()
    cargo(folder, "build", "--release", "--quiet")
    seconds = processor_s() - begun_s
    crates = {line.split(" (")[0] for line in tree.splitlines() if line and not line.startswith("application ")}
    return len(crates), (folder / "target/release/application").stat().st_size, seconds


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _, bytes_without, without_s = cost(pathlib.Path(folder) / "without", False)
        crates, bytes_with, with_s = cost(pathlib.Path(folder) / "with", True)
    print(f"crates that are compiled        {crates}")
    print(f"bytes of the stripped program   {bytes_with - bytes_without:,} more than {bytes_without:,}")
    print(f"processor time of a clean build {with_s - without_s:.1f} s more than {without_s:.1f} s")


if __name__ == "__main__":
    main()
