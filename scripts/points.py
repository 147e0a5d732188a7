"""Reads what the example `learn_dump` of nitro-learn writes."""

import json
from pathlib import Path

import numpy as np


class Case:
    """One held-out device and strategy: training points, test points, and what Nitro predicts."""

    def __init__(self, about: Path):
        base = str(about)[: -len(".json")]
        self.about = json.loads(about.read_text())
        self.device, self.strategy = self.about["device"], self.about["strategy"]
        columns = 0
        self.train, self.test = read_points(base + ".train"), read_points(base + ".test")
        for points in (self.train, self.test):
            columns = max([columns] + [max(row, default=0) for row in points[1]])
        self.train, self.test = dense(self.train, columns), dense(self.test, columns)
        predicted = [line.split() for line in Path(base + ".predicted").read_text().splitlines()]
        self.predicted = np.array([int(variant) for variant, _ in predicted])
        self.predicted_shares = np.array([float(share) for _, share in predicted])
        rows = [line.split() for line in Path(base + ".shares").read_text().splitlines()]
        # Not a number: inadmissible.
        self.shares = np.array([[float("nan") if cell == "-" else float(cell) for cell in row] for row in rows])

    def share_of(self, rankings):
        """The share of the first admissible variant of each test point's ranking."""
        return np.array([first_admissible(row, ranking) for row, ranking in zip(self.shares, rankings)])


def first_admissible(shares, ranking):
    ranked = list(ranking) + [variant for variant in range(len(shares)) if variant not in ranking]
    return next((shares[variant] for variant in ranked if not np.isnan(shares[variant])), 0.0)


def read_cases(folder):
    cases = [Case(about) for about in sorted(Path(folder).glob("*.json"))]
    if not cases:
        raise SystemExit(f"{folder} has no dump; make one with the example learn_dump of nitro-learn")
    return cases


def read_points(path):
    labels, rows = [], []
    for line in Path(path).read_text().splitlines():
        label, *cells = line.split()
        labels.append(int(label))
        rows.append({int(column): float(value) for column, value in (cell.split(":") for cell in cells)})
    return labels, rows


def dense(points, columns):
    labels, rows = points
    matrix = np.zeros((len(rows), columns))
    for at, row in enumerate(rows):
        for column, value in row.items():
            matrix[at, column - 1] = value
    return np.array(labels), matrix


def figures(shares):
    """Mean, 5th percentile and worst, in percent of exhaustive search."""
    return tuple(100 * value for value in (shares.mean(), np.quantile(shares, 0.05), shares.min()))
