#!/usr/bin/env python3
"""Compares the time to train a C-SVC with LIBSVM's: 1000 points, 15 features, five classes.

    pip install -r scripts/requirements.txt
    python3 scripts/compare_libsvm_speed.py

Points and labels are seeded; each solver trains 31 times and the least time counts, because other work on the machine only adds to it. Ends with status 1 if Nitro's is slower for any C, or
if the two agree on less than 98 % of the points.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train

POINTS, FEATURES, CLASSES, REPEATS = 1000, 15, 5, 31
GAMMA = 1 / FEATURES
COSTS = [1, 10, 100]
REQUIRED = 0.98


def main():
    worse = False
    print(f"{'problem':10} {'C':>5} {'Nitro ms':>9} {'LIBSVM ms':>10} {'ratio':>6} {'same':>7}")
    for name, spread, wrong in [("separable", 0.5, 0.0), ("noisy", 1.2, 0.1)]:
        points, labels = problem(spread, wrong)
        for cost in COSTS:
            own_ms, own = nitro(points, labels, cost)
            their_ms, theirs = libsvm(points, labels, cost)
            same = (own == theirs).mean()
            worse |= own_ms > their_ms or same < REQUIRED
            print(f"{name:10} {cost:5} {own_ms:9.2f} {their_ms:10.2f} {own_ms / their_ms:6.2f} {100 * same:6.2f}%")
    return int(worse)


def problem(spread, wrong):
    """Points around a centre a class, so much spread, with such a share of labels drawn at random."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(CLASSES, FEATURES))
    labels = random.integers(CLASSES, size=POINTS)
    points = np.clip((centres[labels] + random.normal(scale=spread, size=(POINTS, FEATURES))) / 4, -1, 1)
    noisy = random.random(POINTS) < wrong
    labels[noisy] = random.integers(CLASSES, size=noisy.sum())
    return points, labels


def nitro(points, labels, cost):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.txt"
        rows = [
            f"{label} " + " ".join(f"{column + 1}:{value!r}" for column, value in enumerate(row))
            for label, row in zip(labels, points.tolist())
        ]
        path.write_text("\n".join(rows) + "\n")
        command = "cargo run -q --release -p nitro-variants-learn --example svm_speed --".split()
        output = subprocess.run([*command, path, str(cost), repr(GAMMA)], check=True, capture_output=True, text=True)
    time_ms, predicted = output.stdout.splitlines()
    return float(time_ms), np.array(predicted.split(), dtype=int)


def libsvm(points, labels, cost):
    parameters = svm_parameter(f"-s 0 -t 2 -c {cost} -g {GAMMA!r} -e 0.001 -m 500 -q")
    prepared = svm_problem(labels.astype(float), points)
    times_ms = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        model = svm_train(prepared, parameters)
        times_ms.append(1e3 * (time.perf_counter() - begin))
    predicted, _, _ = svm_predict(labels.astype(float), points, model, "-q")
    return min(times_ms), np.array(predicted, dtype=int)


if __name__ == "__main__":
    sys.exit(main())
