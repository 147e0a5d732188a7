#!/usr/bin/env python3
"""What Kernel Tuner's search strategies reach on the recorded spaces, beside those of `train search --replay`.

Its greedy climbers stop at their first gain since version 1.4.0, so two versions are asked, each in an environment of
its own:

    python3 -m venv kt-1.5.0 && kt-1.5.0/bin/pip install -r scripts/kernel-tuner-1.5.0.txt
    python3 -m venv kt-1.3.1 && kt-1.3.1/bin/pip install -r scripts/kernel-tuner-1.3.1.txt
    kt-1.5.0/bin/python scripts/compare_kernel_tuner.py replay --out kt-1.5.0.jsonl
    kt-1.3.1/bin/python scripts/compare_kernel_tuner.py replay --out kt-1.3.1.jsonl
    cargo build --release --bin train
    python3 scripts/compare_kernel_tuner.py nitro --out nitro.jsonl
    python3 scripts/compare_kernel_tuner.py table kt-1.5.0.jsonl kt-1.3.1.jsonl nitro.jsonl

Both answer from the same tables, in Kernel Tuner's simulation mode and in Nitro's replay. The space is what is
listed. A configuration counts when it is evaluated the first time, also one that fails, and the figure after so many
evaluations is the time of the best of all over that of the best found, 0 while all failed. Kernel Tuner is told how
many evaluations it has, and each number of --evaluations is a search of its own, since some strategies plan by it; its
other options are the defaults. A line is written once a strategy is done with a pair of kernel and GPU; what --out has
already is not run again. `bayes_opt` takes most of the time, and draws numbers that no seed fixes.
"""

import argparse
import collections
import contextlib
import csv
import functools
import importlib.metadata
import io
import json
import lzma
import multiprocessing
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPACES = ROOT / "suite/figures/data/kernel-tuner-spaces"
COUNTS = [10, 20, 50, 200]
GOOD = 0.95
ARCHITECTURES = {
    "Ampere": ["A100", "A4000", "A6000", "RTX_3090"],
    "Turing": ["RTX_2080_Ti", "RTX_Titan"],
    "CDNA": ["MI250X"],
    "RDNA": ["W6600", "W7800"],
}
# Of 1.3.1 what later versions broke. `brute_force` knows no budget, the strategies of pymoo are for several objectives,
# `skopt` and `pyatf_strategies` ask for packages that Kernel Tuner does not install.
STRATEGIES = {
    "1.5.0": [
        "random_sample",
        "minimize",
        "genetic_algorithm",
        "simulated_annealing",
        "dual_annealing",
        "diff_evo",
        "pso",
        "firefly_algorithm",
        "basinhopping",
        "adaptive_tabu_greywolf",
        "hybrid_vndx",
        "bayes_opt",
    ],
    "1.3.1": ["mls", "greedy_mls", "ordered_greedy_mls", "greedy_ils"],
}


class Pair:
    """The space of a kernel and what one GPU measured of it."""

    def __init__(self, kernel, device, configurations, times):
        self.kernel, self.device = kernel, device
        self.names = [name for name in configurations[0] if name != "configuration"]
        self.rows = [tuple(int(row[name]) for name in self.names) for row in configurations]
        self.times = [times.get(row["configuration"]) for row in configurations]
        self.time_of = dict(zip(self.rows, self.times))
        self.best = min(time for time in self.times if time is not None)

    def tune_params(self):
        return {name: sorted({row[at] for row in self.rows}) for at, name in enumerate(self.names)}

    def cache(self):
        """As Kernel Tuner writes it."""
        entries = {}
        for row, time in zip(self.rows, self.times):
            outcome = "RuntimeFailedConfig" if time is None else time
            entries[",".join(map(str, row))] = {**dict(zip(self.names, row)), "time": outcome}
        about = {"device_name": self.device, "kernel_name": self.kernel, "problem_size": [1], "objective": "time"}
        return {**about, "tune_params_keys": self.names, "tune_params": self.tune_params(), "cache": entries}


def read_pairs():
    for folder in kernels():
        configurations = table(folder / "parameters.csv.xz")
        times = collections.defaultdict(dict)
        for row in table(folder / "measurements.csv.xz"):
            times[row["device"]][row["configuration"]] = float(row["time_ns"]) if row["time_ns"] else None
        for device in sorted(times):
            yield Pair(folder.name, device, configurations, times[device])


def table(path):
    with lzma.open(path, "rt", newline="") as lines:
        return list(csv.DictReader(lines))


class Tuner:
    """Kernel Tuner on one pair, in a process of its own."""

    def __init__(self, pair, folder):
        import kernel_tuner.interface
        import kernel_tuner.util

        self.pair, self.interface = pair, kernel_tuner.interface
        self.cache = pathlib.Path(folder) / f"{pair.kernel}-{pair.device}.json"
        self.cache.write_text(json.dumps(pair.cache()))
        # The space is built and the cache read once, and not for each search.
        kernel_tuner.interface.Searchspace = once(kernel_tuner.interface.Searchspace)
        kernel_tuner.util.read_cache = once(kernel_tuner.util.read_cache)
        self.admitted = admitted = set(pair.rows)

        # No lambda: Kernel Tuner takes its source apart. No method: it copies it, with all that belongs to it.
        def admits(values):
            return tuple(values[name] for name in pair.names) in admitted

        self.admits = admits

    def curve(self, strategy, evaluations, seed):
        """The best share of the speed after each evaluation."""
        import numpy

        random.seed(seed)
        numpy.random.seed(seed)
        options = {"restrictions": self.admits, "lang": "C", "quiet": True, "cache": str(self.cache)}
        asked = {"strategy": strategy, "strategy_options": {"max_fevals": evaluations}}
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results, _ = self.interface.tune_kernel(
                self.pair.kernel, "", [1], [], self.pair.tune_params(), simulation_mode=True, **options, **asked
            )
        return self.shares(results)[:evaluations]

    def shares(self, results):
        seen, shares, best = set(), [], 0.0
        for result in results:
            row = tuple(result[name] for name in self.pair.names)
            if row in self.admitted and row not in seen:
                seen.add(row)
                time = self.pair.time_of[row]
                best = max(best, self.pair.best / time if time is not None else 0.0)
                shares.append(best)
        return shares


def once(function):
    """The first answer, again and again."""
    answers = []

    @functools.wraps(function)
    def answer(*arguments, **options):
        if not answers:
            answers.append(function(*arguments, **options))
        return answers[0]

    return answer


def replay(arguments):
    version = importlib.metadata.version("kernel_tuner")
    strategies = arguments.strategies or STRATEGIES.get(version)
    if strategies is None:
        raise SystemExit(f"name the --strategies: which of Kernel Tuner {version} work is not known here")
    done = {key(line) for line in (lines([arguments.out]) if arguments.out.exists() else [])}
    tasks = [(version, pair, strategy, arguments) for pair in read_pairs() for strategy in strategies]
    tasks = [task for task in tasks if (task[1].kernel, task[1].device, task[2]) not in done]
    # A process for each task: Kernel Tuner is changed in it for one pair.
    with open(arguments.out, "a") as out, multiprocessing.Pool(arguments.processes, maxtasksperchild=1) as pool:
        for line in pool.imap_unordered(searches, tasks, chunksize=1):
            print(json.dumps(line), file=out, flush=True)
            print(*key(line), file=sys.stderr)


def key(line):
    return line["kernel"], line["device"], line["strategy"]


def searches(task):
    version, pair, strategy, arguments = task
    with tempfile.TemporaryDirectory() as folder:
        tuner = Tuner(pair, folder)
        seeds = range(arguments.seeds)
        curves = {count: [tuner.curve(strategy, count, seed) for seed in seeds] for count in arguments.evaluations}
    # What a search reached before its end counts where no search was told of fewer evaluations.
    of = {count: curves[min(told for told in curves if told >= count)] for count in COUNTS if count <= max(curves)}
    reached = statistics.median(to_good(curve) for curve in curves[max(curves)])
    about = {"kernel": pair.kernel, "device": pair.device, "strategy": strategy, "seeds": arguments.seeds}
    return {
        "tuner": f"Kernel Tuner {version}",
        **about,
        "best_after": {count: statistics.fmean(after(curve, count) for curve in of[count]) for count in of},
        "evaluations_to_95": None if reached == float("inf") else reached,
    }


def to_good(curve):
    return next((at + 1 for at, share in enumerate(curve) if share >= GOOD), float("inf"))


def after(curve, count):
    """A search that ended early stays at what it found."""
    return curve[min(count, len(curve)) - 1] if curve else 0.0


def nitro(arguments):
    """Nitro's strategies, and `transfer` also without the GPUs of the target's architecture."""
    with tempfile.TemporaryDirectory() as folder, open(arguments.out, "w") as out:
        store = f"--store={folder}/spaces.db"
        for kernel in kernels():
            files = ["measurements.csv.xz", "inputs.csv", "devices.csv", "parameters.csv.xz"]
            files = [f"--{name.partition('.')[0]}={kernel / name}" for name in files]
            run(arguments.train, "import", f"--function={kernel.name}", *files, store)
        search = [arguments.train, "search", "--replay", "--json", f"--seeds={arguments.seeds}", store]
        answers = [("", [f"--strategy={strategy}"]) for strategy in arguments.strategies or ["all"]]
        for kernel, device, others in others_architectures():
            pair = [f"--function={kernel}", f"--device={device}", f"--sources={','.join(others)}"]
            answers.append((", sources of other architectures", ["--strategy=transfer", *pair]))
        for note, options in answers:
            for line in map(json.loads, run(*search, *options).splitlines()):
                line["strategy"] += note
                print(json.dumps({"tuner": "Nitro", "kernel": line["function"], **line}), file=out)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def kernels():
    return sorted(path for path in SPACES.iterdir() if path.is_dir())


def others_architectures():
    """Of each pair the GPUs of other architectures."""
    architecture = {device: name for name, devices in ARCHITECTURES.items() for device in devices}
    for kernel in kernels():
        with open(kernel / "devices.csv", newline="") as rows:
            devices = [row["device"] for row in csv.DictReader(rows)]
        for device in devices:
            yield kernel.name, device, [one for one in devices if architecture[one] != architecture[device]]


def lines(files):
    return [json.loads(line) for file in files for line in open(file)]


def print_table(arguments):
    rows = collections.defaultdict(list)
    for line in lines(arguments.files):
        rows[line["tuner"], line["strategy"]].append(line)
    counts = " | ".join(map(str, COUNTS))
    print(f"| tuner | strategy | {counts} | to 95 %, median of the pairs' | pairs × seeds |")
    print("| --- | --- |" + " --- |" * (len(COUNTS) + 2))
    for (tuner, strategy), pairs in rows.items():
        means = [100 * statistics.fmean(pair["best_after"][str(count)] for pair in pairs) for count in COUNTS]
        shown = " | ".join(f"{mean:.1f}" for mean in means)
        reached = statistics.median(pair["evaluations_to_95"] or float("inf") for pair in pairs)
        seeds = "/".join(sorted({str(pair["seeds"]) for pair in pairs}))
        to_95 = "never" if reached == float("inf") else f"{reached:g}"
        print(f"| {tuner} | `{strategy}` | {shown} | {to_95} | {len(pairs)} × {seeds} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("replay", help="Kernel Tuner's strategies, of the version that is installed")
    one.add_argument("--evaluations", type=int, nargs="+", default=COUNTS)
    one.add_argument("--processes", type=int, default=1)
    one.set_defaults(run=replay)
    other = commands.add_parser("nitro", help="Nitro's strategies")
    other.add_argument("--train", default=str(ROOT / "target/release/train"))
    other.set_defaults(run=nitro)
    for command in [one, other]:
        command.add_argument("--strategies", nargs="+")
        command.add_argument("--seeds", type=int, default=20)
        command.add_argument("--out", type=pathlib.Path, required=True)
    last = commands.add_parser("table", help="what both wrote, as a table")
    last.add_argument("files", nargs="+")
    last.set_defaults(run=print_table)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
