"""Compare the 18 CT-RATE labels of two chest CT reports: F1 and CRG.

CRG: Hamamci et al., CRG Score, MIDL 2025 (arXiv 2505.17167), as its evaluation code computes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.functional.label_f1 import Array, f1, label_counts, single_labels

#: number of labels
LABELS = 18
#: a label and where in the report it is stated: start and end
Evidence = tuple[str, int, int]


@dataclass(frozen=True)
class CtLabels:
    """The labels of one report.

    Attributes:
        present: which of the 18 labels the report states, in the published order.
        evidence: where it states them; empty if a model read the report.
        truncated: True if the report was longer than the model's limit, so its end was not read.
    """

    present: NDArray[np.bool_]
    evidence: tuple[Evidence, ...] = ()
    truncated: bool = False


def pair_f1(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> Array:
    """Return the F1 of each pair's labels; 1 if neither report has one."""
    hits, extra, missed = (counts.sum(axis=1) for counts in label_counts(prediction, reference))
    return f1(hits, extra, missed, none=1.0)


def pair_statistics(
    prediction: NDArray[np.bool_], reference: NDArray[np.bool_], one_empty: NDArray[np.bool_] | None = None
) -> Array:
    """Return the statistics of each pair; `summarise` takes their sums.

    Args:
        prediction: which labels the predictions have, [pairs, 18].
        reference: the same for the references.
        one_empty: in which pairs exactly one report is empty; by default in none.

    Returns:
        Per label: whether it is in both, only in the prediction, only in the reference. Then whether all are right, and
        whether an empty report stands against one without labels.
    """
    hits, extra, missed = label_counts(prediction, reference)
    silent = np.zeros(len(hits), bool) if one_empty is None else one_empty & ~(prediction | reference).any(axis=1)
    right = ((extra + missed).sum(axis=1) == 0) & ~silent
    return np.column_stack([hits, extra, missed, right, silent])


def summarise(sums: Array, n: int, names: Sequence[str]) -> dict[str, Array]:
    """Return F1 and CRG of a corpus from summed `pair_statistics`; leading axes are resamples.

    If a label is in no prediction and no reference, its scores are 0, as in scikit-learn. If no report has a label, all
    agree: micro F1 is 1. An empty report against one without labels counts as one missed label there.
    """
    hits, extra, missed = (sums[..., i * LABELS : (i + 1) * LABELS] for i in range(3))
    tp, fp, fn = hits.sum(-1), extra.sum(-1), missed.sum(-1)
    return {
        "micro_f1": f1(tp, fp, fn + sums[..., -1], none=1.0),
        "macro_f1": f1(hits, extra, missed).mean(-1),
        "crg": crg(tp, fp, fn, LABELS * n),
        "accuracy": sums[..., -2] / n,
        "label_errors": (fp + fn) / n,
        **single_labels(names, hits, extra, missed),
    }


def crg(hits: Array, extra: Array, missed: Array, labels: int) -> Array:
    """Return the CRG score from counts over all labels of all reports.

    A hit weighs as much more than a false alarm as labels that the references lack outnumber twice those they have.
    Right negatives have no weight. 1 is perfect; no label at all, or every label, gives 1/3; everything inverted 1/5.

    Args:
        hits: labels in both reports.
        extra: labels only in the predictions.
        missed: labels only in the references.
        labels: number of labels of all reports together.

    Returns:
        The score: NaN if no reference has a label, and 0 if every reference has every label, as upstream.
    """
    positive = hits + missed
    half = (labels - positive) / 2  # U of the paper
    weight = half / np.where(positive > 0, positive, np.nan)  # r of the paper
    score = weight * hits - weight * missed - extra
    rest = 2 * half - score
    return np.where(rest != 0, half / np.where(rest != 0, rest, 1.0), np.where(positive > 0, 0.0, np.nan))
