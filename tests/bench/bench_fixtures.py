"""Invented metric results, so that tests of statistics need no metric."""

from types import SimpleNamespace

import numpy as np


def result(name, scores, up=True, details=None, **parts):
    """Return a metric's result with given scores."""
    scores = np.array(scores, dtype=np.float64)
    return SimpleNamespace(
        scores=scores,
        values={name: scores, **{part: np.array(values, dtype=np.float64) for part, values in parts.items()}},
        higher_is_better=up,
        quality=scores if up else -scores,
        spec=SimpleNamespace(name=name, higher_is_better=up),
        n=int(np.sum(~np.isnan(scores))),
        unscored=int(np.sum(np.isnan(scores))),
        signature=f"{name}|x",
        details=details,
    )


def rows_of(*rows):
    """Return the rows with their locations."""
    return [(f"d.jsonl: line {i}", row) for i, row in enumerate(rows, start=1)]


def rated(id, expert, study=None):
    """Return a rated row."""
    return {"id": id, "study": study, "prediction": "Clear lungs.", "reference": "Edema.", "expert": expert}
