"""Made expected.txt of this folder with LIBSVM 3.37 (PyPI libsvm-official 3.37.0).

    python3 make.py

points.txt: 4 classes in 3 columns, from numpy's generator; the class is a noisy function of the place. Test points are
the last 150 lines. expected.txt: one line a setting of (C, gamma), then LIBSVM's predictions for the test points.
"""

import numpy as np
from libsvm.svmutil import svm_parameter, svm_predict, svm_problem, svm_train

SETTINGS = [(0.5, 0.5), (8.0, 0.125), (8.0, 2.0), (128.0, 0.5)]
TRAINING = 250

random = np.random.default_rng(20240607)
points = random.uniform(-1, 1, (400, 3)).round(4)
field = points[:, 0] + 0.8 * np.sin(3 * points[:, 1]) * points[:, 2] + 0.15 * random.standard_normal(400)
labels = np.digitize(field, [-0.55, 0.0, 0.45])
with open("points.txt", "w") as file:
    for label, row in zip(labels, points):
        print(label, *row, file=file)

# Nitro groups samples by class, the most frequent first, which is LIBSVM's order of the vote too.
counts = np.bincount(labels[:TRAINING])
order = sorted(range(TRAINING), key=lambda at: (-counts[labels[at]], labels[at]))
problem = svm_problem(labels[order].astype(float), points[order])
with open("expected.txt", "w") as file:
    for cost, gamma in SETTINGS:
        model = svm_train(problem, svm_parameter(f"-s 0 -t 2 -c {cost} -g {gamma} -e 0.001 -q"))
        predicted, _, _ = svm_predict([], points[TRAINING:], model, "-q")
        print(cost, gamma, *(int(label) for label in predicted), file=file)
