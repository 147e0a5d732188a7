#!/usr/bin/env python3
"""Compares Nitro's SVMs with LIBSVM: same points, same scaled features, same C and gamma.

    pip install -r scripts/requirements.txt
    cargo run --release -p nitro-variants-learn --example learn_dump -- IMPORT-FOLDER DUMP-FOLDER
    python3 scripts/compare_libsvm.py DUMP-FOLDER

Prints, for every held-out device and strategy, on how many test points the two predict the same variant, and ends with
status 1 if that is below 98 % for any of them.
"""

import sys
import time

import numpy as np
from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train
from points import figures, read_cases

REQUIRED = 0.98


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    worst = 1.0
    print(f"{'held-out':12} {'strategy':22} {'C':>6} {'gamma':>9} {'points':>6} {'same':>7}"
          f" {'Nitro %':>8} {'LIBSVM %':>8} {'Nitro s':>8} {'LIBSVM s':>8}")
    for case in read_cases(sys.argv[1]):
        predicted, seconds = train_and_predict(case)
        agreement = (predicted == case.predicted).mean()
        worst = min(worst, agreement)
        own, theirs = figures(case.predicted_shares)[0], figures(case.share_of(predicted[:, None]))[0]
        about = case.about
        print(f"{case.device:12} {case.strategy:22} {about['cost']:6g} {about['gamma']:9.6f} {len(predicted):6}"
              f" {100 * agreement:6.2f}% {own:8.2f} {theirs:8.2f} {about['train_seconds']:8.2f} {seconds:8.2f}")
    print(f"least agreement {100 * worst:.2f} % of points, required {100 * REQUIRED:.0f} %")
    return 0 if worst >= REQUIRED else 1


def train_and_predict(case):
    """LIBSVM's votes settle ties by the order in which classes first appear, and the dump groups points in Nitro's."""
    labels, points = case.train
    parameters = svm_parameter(f"-s 0 -t 2 -c {case.about['cost']!r} -g {case.about['gamma']!r} -e 0.001 -m 500 -q")
    start = time.perf_counter()
    model = svm_train(svm_problem(labels.astype(float), points), parameters)
    seconds = time.perf_counter() - start
    test_labels, test_points = case.test
    predicted, _, _ = svm_predict(test_labels.astype(float), test_points, model, "-q")
    return np.array(predicted, dtype=int), seconds


if __name__ == "__main__":
    sys.exit(main())
