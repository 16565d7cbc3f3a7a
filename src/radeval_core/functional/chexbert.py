"""Compare the 14 CheXpert conditions of two reports, as labels and as vectors.

Conventions: Smit et al., CheXbert, EMNLP 2020. Averages are scikit-learn's, as the package f1chexbert reports them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.functional.label_f1 import f1, label_counts, single_labels

Array = NDArray[np.float64]
#: classes of a condition, in the order of the class ids of the published heads
CLASSES = ("blank", "positive", "negative", "uncertain")
BLANK, POSITIVE, NEGATIVE, UNCERTAIN = range(4)
#: indices of Cardiomegaly, Edema, Consolidation, Atelectasis and Pleural Effusion among the 14
FIVE = (1, 4, 5, 7, 9)
CONDITIONS = 14


@dataclass(frozen=True)
class ReportLabels:
    """The labels of one report.

    Attributes:
        classes: the class of each condition, as an index into `CLASSES`.
        vector: the report as a vector.
        truncated: True if the report was longer than the model's limit, so its end was not read.
    """

    classes: NDArray[np.int8]
    vector: NDArray[np.float32]
    truncated: bool = False


def is_positive(classes: NDArray[np.int8], uncertain_is_positive: bool = True) -> NDArray[np.bool_]:
    """Return which conditions count as present."""
    return (classes == POSITIVE) | (uncertain_is_positive & (classes == UNCERTAIN))


def pair_statistics(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> Array:
    """Return the statistics of each pair; `summarise` takes their sums.

    Args:
        prediction: which conditions are present in the predictions, [pairs, 14].
        reference: the same for the references.

    Returns:
        Per condition: whether it is in both, only in the prediction, only in the reference. Then, first over all 14
        conditions and then over the five: F1 of the pair's labels, and whether all labels are right.
    """
    columns = [*label_counts(prediction, reference)]
    for chosen in (list(range(CONDITIONS)), list(FIVE)):
        hits, extra, missed = (c[:, chosen].sum(axis=1) for c in columns[:3])
        columns.append(np.column_stack([f1(hits, extra, missed), (extra + missed) == 0]))
    return np.concatenate(columns, axis=1)


def summarise(sums: Array, n: int, names: tuple[str, ...]) -> dict[str, Array]:
    """Return the F1 scores of a corpus from summed `pair_statistics`; leading axes are resamples.

    If a condition is in no prediction and no reference, its scores are 0, as in scikit-learn.
    """
    hits, extra, missed = (sums[..., i * CONDITIONS : (i + 1) * CONDITIONS] for i in range(3))
    rest = sums[..., 3 * CONDITIONS :] / n
    out: dict[str, Array] = {}
    for suffix, chosen, i in (("", list(range(CONDITIONS)), 0), ("_5", list(FIVE), 2)):
        tp, fp, fn = hits[..., chosen], extra[..., chosen], missed[..., chosen]
        each, support = f1(tp, fp, fn), tp + fn
        out[f"micro_f1{suffix}"] = f1(tp.sum(-1), fp.sum(-1), fn.sum(-1))
        out[f"macro_f1{suffix}"] = each.mean(-1)
        out[f"weighted_f1{suffix}"] = (each * support).sum(-1) / np.maximum(support.sum(-1), 1)
        out[f"samples_f1{suffix}"] = rest[..., i]
        out[f"accuracy{suffix}"] = rest[..., i + 1]
    return out | single_labels(names, hits, extra, missed)


def label_vector(classes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return labels as a vector: positive, negative, uncertain; an uncertain condition also counts as half positive."""
    positive = (classes == POSITIVE) + 0.5 * (classes == UNCERTAIN)
    return np.concatenate([positive, classes == NEGATIVE, classes == UNCERTAIN]).astype(np.float32)


def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the cosine of two vectors: 1 for two zero vectors, 0 if only one is zero."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    if lengths == 0.0:
        return float(not a.any() and not b.any())
    return float(np.clip(a @ b / lengths, -1.0, 1.0))
