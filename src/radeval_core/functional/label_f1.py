"""F1 of labels from counts of hits, false alarms and misses; averages and single labels as in scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def f1(hits: Array, extra: Array, missed: Array, none: float = 0.0) -> Array:
    """Return F1 from label counts; `none` if neither side has a label."""
    labels = 2 * hits + extra + missed
    return np.where(labels > 0, 2 * hits / np.maximum(labels, 1), none)


def label_counts(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """Return, per pair and label, whether it is in both, only in the prediction, only in the reference."""
    counts = (prediction & reference, prediction & ~reference, ~prediction & reference)
    hits, extra, missed = (count.astype(np.float64) for count in counts)
    return hits, extra, missed


def single_labels(names: Sequence[str], hits: Array, extra: Array, missed: Array) -> dict[str, Array]:
    """Return `precision_<label>`, `recall_<label>` and `f1_<label>` from counts per label, the last axis."""
    out: dict[str, Array] = {}
    for i, name in enumerate(names):
        tp, fp, fn = hits[..., i], extra[..., i], missed[..., i]
        out[f"precision_{name}"] = tp / np.maximum(tp + fp, 1)
        out[f"recall_{name}"] = tp / np.maximum(tp + fn, 1)
        out[f"f1_{name}"] = f1(tp, fp, fn)
    return out
