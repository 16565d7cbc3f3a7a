"""Intraclass correlation of raters who all judged the same pairs.

The two-way random-effects model of Shrout and Fleiss (1979), for absolute agreement: ICC(2,1) is the reliability of one
rater, ICC(2,k) that of the mean of the k raters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radeval_core.stats.agreement import Array, Estimate, percentiles95


@dataclass(frozen=True)
class IntraclassCorrelation:
    """The reliability of raters.

    Attributes:
        single: ICC(2,1), of one rater.
        average: ICC(2,k), of the mean of all raters.
        raters: the number of raters, k.
    """

    single: Estimate
    average: Estimate
    raters: int


def intraclass_correlation(raters: Array, resamples: Array) -> IntraclassCorrelation | None:
    """Return both coefficients over the pairs that every rater judged; None with fewer than two raters or pairs.

    Args:
        raters: one row per pair, one column per rater; NaN if a rater did not judge a pair.
        resamples: the result of `study_resamples`.
    """
    known = ~np.isnan(raters).any(axis=1)
    numbers, k = raters[known], raters.shape[1]
    if k < 2 or len(numbers) < 2:
        return None
    whole = _coefficients(numbers, np.ones((1, len(numbers))))
    resampled = _coefficients(numbers, resamples[:, known])
    single, average = (
        Estimate(float(value[0]), percentiles95(drawn), len(numbers), drawn)
        for value, drawn in zip(whole, resampled, strict=True)
    )
    return IntraclassCorrelation(single, average, k)


def _coefficients(numbers: Array, weights: Array) -> tuple[Array, Array]:
    """Return ICC(2,1) and ICC(2,k) in each resample, from the mean squares of the two-way analysis of variance."""
    k, n = numbers.shape[1], weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = weights @ numbers / n[:, None]
        grand = columns.mean(axis=1)
        rows = numbers.mean(axis=1)
        between_rows = k * (weights * (rows - grand[:, None]) ** 2).sum(axis=1)
        between_raters = n * ((columns - grand[:, None]) ** 2).sum(axis=1)
        total = weights @ (numbers**2).sum(axis=1) - n * k * grand**2
        of_rows = between_rows / (n - 1)
        of_raters = between_raters / (k - 1)
        residual = (total - between_rows - between_raters) / ((n - 1) * (k - 1))
        single = (of_rows - residual) / (of_rows + (k - 1) * residual + k * (of_raters - residual) / n)
        average = (of_rows - residual) / (of_rows + (of_raters - residual) / n)
    constant = total <= 1e-12 * np.maximum(1.0, n * k * grand**2)
    return np.where(constant, np.nan, single), np.where(constant, np.nan, average)
