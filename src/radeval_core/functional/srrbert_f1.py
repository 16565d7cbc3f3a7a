"""Compare the SRR-BERT labels of two reports; averages are scikit-learn's, as RadEval reports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.functional.chexbert import f1

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SrrLabels:
    """The labels of one report.

    Attributes:
        present: which labels of the set the report has.
        quotes: by label, what it was read from: sentences as the model saw them, or mentions.
        truncated: number of sentences longer than the model's limit, whose end was not read.
    """

    present: NDArray[np.bool_]
    quotes: Mapping[str, tuple[str, ...]]
    truncated: int = 0


def shared_labels(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> Array:
    """Return, per pair, labels in both reports divided by labels in either; 1 if no report has a label.

    This is RadEval's F1 per sample: it averages F1 per label, which is 1 or 0, over the labels of either report.
    """
    both, either = ((op(prediction, reference)).sum(axis=1) for op in (np.logical_and, np.logical_or))
    return np.where(either > 0, both / np.maximum(either, 1), 1.0)


def pair_statistics(prediction: NDArray[np.bool_], reference: NDArray[np.bool_]) -> Array:
    """Return the statistics of each pair; `summarise` takes their sums.

    Args:
        prediction: labels of the predictions, [pairs, labels].
        reference: the same for the references.

    Returns:
        Per label: whether it is in both, only in the prediction, only in the reference. Then F1 of the pair's labels.
    """
    both, extra, missed = prediction & reference, prediction & ~reference, ~prediction & reference
    samples = f1(*(side.sum(axis=1).astype(np.float64) for side in (both, extra, missed)))
    return np.column_stack([both, extra, missed, samples]).astype(np.float64)


def summarise(sums: Array, n: int, names: Sequence[str]) -> dict[str, Array]:
    """Return the scores of a corpus from summed `pair_statistics`; leading axes are resamples.

    A label that no report has scores 0 and has no weight, as in scikit-learn.
    """
    counts = sums[..., :-1].reshape(*sums.shape[:-1], 3, len(names))
    hits, extra, missed = counts[..., 0, :], counts[..., 1, :], counts[..., 2, :]
    support = hits + missed
    each = {
        "precision": hits / np.maximum(hits + extra, 1),
        "recall": hits / np.maximum(support, 1),
        "f1": f1(hits, extra, missed),
    }
    weights = support / np.maximum(support.sum(axis=-1, keepdims=True), 1)
    weighted = {kind: (values * weights).sum(axis=-1) for kind, values in each.items()}
    return {
        "weighted_f1": weighted["f1"],
        "weighted_precision": weighted["precision"],
        "weighted_recall": weighted["recall"],
        "micro_f1": f1(*(side.sum(axis=-1) for side in (hits, extra, missed))),
        "macro_f1": each["f1"].mean(axis=-1),
        "samples_f1": sums[..., -1] / n,
        **{f"{kind}_{name}": values[..., i] for kind, values in each.items() for i, name in enumerate(names)},
    }
