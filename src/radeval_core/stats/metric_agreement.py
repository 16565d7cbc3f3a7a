"""How far metrics agree with each other on the same pairs: a rank correlation for every two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.agreement import Array, coefficient


@dataclass(frozen=True)
class AgreementMatrix:
    """The agreement of every two metrics.

    Attributes:
        names: the metrics, in the order of rows and columns.
        values: the correlations, with 1 on the diagonal; NaN where one metric gives the same score to all pairs.
        counts: number of pairs that both metrics score.
    """

    names: tuple[str, ...]
    values: Array
    counts: NDArray[np.int64]

    def mean_with_others(self) -> Array:
        """Return for each metric its mean agreement with the others; NaN if there is none."""
        others = self.values.copy()
        np.fill_diagonal(others, np.nan)
        known = (~np.isnan(others)).sum(axis=1)
        return np.where(known > 0, np.nansum(others, axis=1) / np.maximum(known, 1), np.nan)


def agreement_matrix(
    scores: Mapping[str, Array], higher_is_better: Mapping[str, bool], kind: str = "kendall"
) -> AgreementMatrix:
    """Correlate every two metrics over the pairs that both score, turned so that higher is better in all of them.

    Args:
        scores: one number per pair for each metric, the pairs in the same order; NaN marks an unscored pair.
        higher_is_better: the direction of each metric.
        kind: `kendall` (tau-b), `spearman` or `pearson`.
    """
    names = tuple(scores)
    turned = [scores[name] if higher_is_better[name] else -scores[name] for name in names]
    values = np.eye(len(names))
    counts = np.diag([int((~np.isnan(column)).sum()) for column in turned]).astype(np.int64)
    for i, j in combinations(range(len(names)), 2):
        known = ~(np.isnan(turned[i]) | np.isnan(turned[j]))
        values[i, j] = values[j, i] = coefficient(kind, turned[i][known], turned[j][known])
        counts[i, j] = counts[j, i] = known.sum()
    return AgreementMatrix(names, values, counts)
