"""Made-up results of metrics, so that a test of a statistic needs no metric."""

from types import SimpleNamespace

import numpy as np


def result(name, scores, up=True, details=None, **parts):
    """What a metric says, without a metric."""
    scores = np.array(scores, dtype=np.float64)
    return SimpleNamespace(
        scores=scores,
        values={name: scores, **{part: np.array(values, dtype=np.float64) for part, values in parts.items()}},
        spec=SimpleNamespace(name=name, higher_is_better=up),
        n=int(np.sum(~np.isnan(scores))),
        unscored=int(np.sum(np.isnan(scores))),
        signature=f"{name}|x",
        details=details,
    )


def rows_of(*rows):
    """Rows with their places."""
    return [(f"d.jsonl: line {i}", row) for i, row in enumerate(rows, start=1)]


def rated(id, expert, study=None):
    """A row of rated pairs."""
    return {"id": id, "study": study, "prediction": "Clear lungs.", "reference": "Edema.", "expert": expert}
