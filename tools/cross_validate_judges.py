"""Check that the embedded judges agree with radiologists on cases that nothing was chosen on.

python tools/cross_validate_judges.py RADPREF.json

For every judge: Kendall's tau with the mean rating and with the mean number of errors in each of five folds of cases,
as mean and standard deviation over the folds of several shuffles. For the constants of green.weighted (weights of the
levels, the starting credit, the number of errors that halves the score): tau on the held-out fold with the constants we
ship, and with those that are best on the other folds.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from radeval_core import load
from radeval_core.data.radpref import DATASET
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.differences import WEIGHT
from radeval_core.findings.parser import parse
from radeval_core.fit.folds import plan
from radeval_core.functional.green import HALVING, ON_TOPIC
from radeval_core.stats.agreement import coefficient

Array = NDArray[np.float64]
#: judge -> module, key of its scores, direction
JUDGES = {
    "green": ("green", "scores", 1),
    "green.weighted": ("green", "weighted_scores", 1),
    "green.error_count": ("green", "error_count_scores", -1),
    "fineradscore": ("fineradscore", "scores", -1),
    "crimson": ("crimson", "scores", 1),
}
GRID = {
    "urgent": (1.25, 1.5, 2.0, 3.0),
    "minor": (0.2, 0.3, 0.5),
    "benign": (0.05, 0.1, 0.3),
    "on_topic": (0.25, 0.5, 1.0),
    "halving": (4, 8, 16),
}


class Weighed:
    """The comparisons of all pairs, as sums by level, so that other constants need no other comparison."""

    def __init__(self, comparisons: Sequence[Comparison]) -> None:
        self.levels = tuple(WEIGHT)
        self.right, self.wrong = (np.zeros((len(comparisons), len(WEIGHT))) for _ in range(2))
        self.errors = np.array([len(c.differences) for c in comparisons], dtype=np.float64)
        for i, comparison in enumerate(comparisons):
            for theirs, _ in comparison.matched:
                self.right[i, self.levels.index(theirs.significance)] += 1
            for lost in (*comparison.differences, *comparison.shortfalls):
                at = self.levels.index(lost.significance)
                self.wrong[i, at] += lost.weight / WEIGHT[lost.significance]
                if not lost.error:
                    self.right[i, at] -= lost.weight / WEIGHT[lost.significance]

    def scores(self, constants: dict[str, float]) -> Array:
        """Return green.weighted of all pairs with other constants."""
        weights = np.array([constants.get(level, WEIGHT[level]) for level in self.levels])
        right = self.right @ weights + constants["on_topic"]
        return right / (right + self.wrong @ weights) / (1 + self.errors / constants["halving"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="RadPref's JSON file")
    parser.add_argument("--folds", type=int, default=5, help="number of folds (default: 5)")
    parser.add_argument("--shuffles", type=int, default=10, help="number of shuffles of the cases (default: 10)")
    parser.add_argument("--json", action="store_true", help="print one object instead of a table")
    options = parser.parse_args()
    rated = DATASET.configs["cases"].bench
    assert rated is not None
    rows = [row for case in DATASET.read(options.data)["cases"]["test"] for row in rated(case)]
    result = cross_validate(rows, options.folds, options.shuffles)
    if options.json:
        print(json.dumps(result))
        return
    print("judge                                      rating            errors")
    for name, values in result.items():
        cells = "   ".join(f"{values[key][0]:.3f} ± {values[key][1]:.3f}" for key in ("rating", "errors"))
        print(f"{name:<40} {cells}")


def cross_validate(rows: Sequence[dict], folds: int, shuffles: int) -> dict[str, dict[str, tuple[float, float]]]:
    """Return mean and standard deviation over the folds of tau with ratings and with error counts, by judge."""
    predictions, references = [r["prediction"] for r in rows], [r["reference"] for r in rows]
    targets = {
        "rating": np.array([np.mean(r["expert"]["rating"]) for r in rows]),
        "errors": -np.array([np.mean(r["expert"]["errors"]) for r in rows]),
    }
    found = {
        module: load(module).compute(predictions, references) for module in {module for module, _, _ in JUDGES.values()}
    }
    scores = {name: sign * np.array(found[module][key]) for name, (module, key, sign) in JUDGES.items()}
    weighed = Weighed([compare(parse(r), parse(p)) for p, r in zip(predictions, references, strict=True)])
    grid = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    candidates = np.array([weighed.scores(constants) for constants in grid])
    shipped = weighed.scores({"on_topic": ON_TOPIC, "halving": HALVING})
    taus: dict[str, dict[str, list[float]]] = {}
    for seed in range(shuffles):
        for training, held_out in plan([r["study"] for r in rows], folds, 0.0, seed).folds:
            best = max(candidates, key=lambda s: sum(tau(s[training], t[training]) for t in targets.values()))
            every = {**scores, "green.weighted, constants as shipped": shipped, "… chosen on the other folds": best}
            for name, values in every.items():
                for key, target in targets.items():
                    taus.setdefault(name, {}).setdefault(key, []).append(tau(values[held_out], target[held_out]))
    return {
        name: {key: (float(np.nanmean(v)), float(np.nanstd(v))) for key, v in by.items()} for name, by in taus.items()
    }


def tau(scores: Array, target: Array) -> float:
    """Return Kendall's tau-b."""
    return coefficient("kendall", scores, target)


if __name__ == "__main__":
    main()
