#!/usr/bin/env python3
"""What scikit-learn reaches on the same leave-one-device-out split, beside Nitro.

    pip install -r scripts/requirements.txt
    cargo run --release -p nitro-variants-learn --example learn_dump -- IMPORT-FOLDER DUMP-FOLDER
    python3 scripts/compare_sklearn.py DUMP-FOLDER

Training points, test points and scaled features are Nitro's; the models are scikit-learn's own: SVC (RBF, one against
one, C and gamma by its GridSearchCV with five folds over inputs, the criterion being accuracy) and a random forest of
300 trees. Figures are percent of exhaustive search: mean, 5th percentile, worst.
"""

import sys

import numpy as np
from points import figures, read_cases
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

GRID = {"C": [2.0**power for power in range(-1, 10, 2)], "gamma": [2.0**power for power in range(-7, 4, 2)]}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    rows = {}
    for case in read_cases(sys.argv[1]):
        columns = {
            "Nitro": case.predicted_shares,
            "SVC": case.share_of(rank(tuned_svc(case), case)),
            "random forest": case.share_of(rank(forest(*case.train), case)),
        }
        rows[case.device, case.strategy] = {name: figures(shares) for name, shares in columns.items()}
        print(line(case.device, case.strategy, rows[case.device, case.strategy]), flush=True)
    for strategy in sorted({strategy for _, strategy in rows}):
        of_strategy = [row for (_, name), row in rows.items() if name == strategy]
        means = {name: np.mean([row[name] for row in of_strategy], axis=0) for name in of_strategy[0]}
        print(line("mean", strategy, means))


def tuned_svc(case):
    # Rows with equal input features are one input on several devices: it stays in one fold.
    labels, points = case.train
    input_columns = points.shape[1] - len(case.about["device_features"])
    _, inputs = np.unique(points[:, :input_columns], axis=0, return_inverse=True)
    folds = GroupKFold(n_splits=5).split(points, labels, inputs.ravel())
    return GridSearchCV(SVC(kernel="rbf"), GRID, cv=list(folds), n_jobs=-1).fit(points, labels).best_estimator_


def forest(labels, points):
    return RandomForestClassifier(n_estimators=300, random_state=0, n_jobs=-1).fit(points, labels)


def rank(model, case):
    """Classes best first: the prediction, then by vote or probability, for test points where it is inadmissible."""
    _, points = case.test
    order = model.decision_function(points) if isinstance(model, SVC) else model.predict_proba(points)
    if order.ndim == 1:
        order = np.column_stack([-order, order])
    rankings = [list(model.classes_[np.argsort(-row, kind="stable")]) for row in order]
    predicted = model.predict(points)
    return [[first] + [other for other in ranking if other != first] for first, ranking in zip(predicted, rankings)]


def line(device, strategy, row):
    cells = "  ".join(f"{name} {mean:5.1f} {p05:5.1f} {worst:5.1f}" for name, (mean, p05, worst) in row.items())
    return f"{device:10} {strategy:22} {cells}"


if __name__ == "__main__":
    main()
