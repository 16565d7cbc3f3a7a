"""Agreement of scores with expert ratings: rank and linear correlation, with bootstrap intervals over studies.

Inputs have one number per pair. NaN marks a pair that the metric could not score or the expert did not read; such pairs
are skipped. Candidates of one study are not independent, so whole studies are resampled.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.bootstrap import RESAMPLES, SEED

Array = NDArray[np.float64]
COEFFICIENTS = ("kendall", "spearman", "pearson")
#: numbers in memory at once when comparing pairs with pairs
_GATHER = 5_000_000


@dataclass(frozen=True)
class Estimate:
    """A statistic with its uncertainty.

    Attributes:
        value: the statistic; NaN if it is undefined, like the correlation with a constant.
        ci95: 95 % percentile interval, or None if there is nothing to resample.
        n: number of pairs (for preferences: studies) it is based on.
        resampled: the statistic in each resample; NaN where it is undefined.
    """

    value: float
    ci95: tuple[float, float] | None
    n: int
    resampled: Array = field(repr=False, compare=False)


@dataclass(frozen=True)
class EstimateDifference:
    """The first estimate minus the second, over the same resamples.

    Attributes:
        value: the difference.
        ci95: 95 % percentile interval.
        p_first_higher: share of resamples with a difference of zero or less; small if the first is higher.
        p_second_higher: share of resamples with a difference of zero or more; small if the second is higher.
        p: two-sided, 2 (k + 1) / (n + 1) with k resamples on the rarer side of zero, at most 1.
    """

    value: float
    ci95: tuple[float, float] | None
    p_first_higher: float
    p_second_higher: float
    p: float


def coefficient(kind: str, scores: Array, expert: Array) -> float:
    """Return Kendall's tau-b, Spearman's or Pearson's correlation of columns without NaN; NaN if one is constant."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(expert) == 0:
        return float("nan")
    from scipy import stats  # slow to import

    functions = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
    return float(functions[kind](scores, expert).statistic)


def resampled_coefficients(kind: str, scores: Array, expert: Array, weights: Array) -> Array:
    """Return the coefficient in each resample.

    Each row of `weights` has the number of times each pair is in the resample. All resamples are computed at once,
    which is many times faster than one scipy call per resample.
    """
    totals, score_ties, expert_ties = weights.sum(axis=1), _tie_weights(scores, weights), _tie_weights(expert, weights)
    constant = (score_ties.max(axis=1) == totals) | (expert_ties.max(axis=1) == totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        if kind == "kendall":
            untied = [totals**2 - (ties**2).sum(axis=1) for ties in (score_ties, expert_ties)]
            values = _concordance(scores, expert, weights) / np.sqrt(untied[0] * untied[1])
        elif kind == "spearman":
            values = _weighted_pearson(_ranks(scores, score_ties), _ranks(expert, expert_ties), weights)
        else:
            values = _weighted_pearson(scores[None, :], expert[None, :], weights)
    return np.where(constant, np.nan, values)


def study_resamples(studies: Sequence[Hashable], n_resamples: int = RESAMPLES, seed: int = SEED) -> Array:
    """Resample whole studies with replacement, and return how often each pair is in each resample.

    Args:
        studies: the study of each pair.
        n_resamples: number of resamples.
        seed: seed of the draws.

    Returns:
        One row per resample and one column per pair; no rows if there are fewer than two studies.
    """
    numbers: dict[Hashable, int] = {}
    study = np.array([numbers.setdefault(s, len(numbers)) for s in studies], dtype=np.int64)
    if len(numbers) < 2:
        return np.empty((0, len(study)))
    draws = np.random.default_rng(seed).integers(len(numbers), size=(n_resamples, len(numbers)))
    counts = np.stack([np.bincount(draw, minlength=len(numbers)) for draw in draws])
    return counts[:, study].astype(np.float64)


def agreement(kind: str, scores: Array, expert: Array, resamples: Array, same_direction: bool = True) -> Estimate:
    """Return the correlation of a metric with experts, positive if they agree.

    Args:
        kind: `kendall`, `spearman` or `pearson`.
        scores: the metric, one number per pair.
        expert: the experts, one number per pair.
        resamples: the result of `study_resamples`.
        same_direction: True if higher is better in both, or lower is better in both.
    """
    if kind not in COEFFICIENTS:
        raise ValueError(f"kind must be one of {', '.join(COEFFICIENTS)}, got {kind!r}")
    sign = 1.0 if same_direction else -1.0
    known = ~(np.isnan(scores) | np.isnan(expert))
    scores, expert = scores[known], expert[known]
    if len(scores) < 2:
        return Estimate(float("nan"), None, len(scores), np.full(len(resamples), np.nan))
    resampled = sign * resampled_coefficients(kind, scores, expert, resamples[:, known])
    return Estimate(sign * coefficient(kind, scores, expert), percentiles95(resampled), len(scores), resampled)


def difference(first: Estimate, second: Estimate) -> EstimateDifference:
    """Compare two estimates made with the same resamples of the same pairs."""
    if len(first.resampled) != len(second.resampled):
        raise ValueError(
            f"both must have the same number of resamples: got {len(first.resampled)} and {len(second.resampled)}"
        )
    gaps = first.resampled - second.resampled
    defined = gaps[~np.isnan(gaps)]
    lower, upper = ((defined <= 0).mean(), (defined >= 0).mean()) if len(defined) else (np.nan, np.nan)
    rarer = min((defined <= 0).sum(), (defined >= 0).sum())
    p = min(1.0, 2 * (float(rarer) + 1) / (len(defined) + 1)) if len(defined) else float("nan")
    return EstimateDifference(first.value - second.value, percentiles95(gaps), float(lower), float(upper), p)


def expert_agreement(kind: str, raters: Array, resamples: Array) -> list[Estimate]:
    """Compare each rater with the mean of the others. This is the most a metric can hope to reach.

    Args:
        kind: `kendall`, `spearman` or `pearson`.
        raters: one row per pair, one column per rater.
        resamples: the result of `study_resamples`.

    Returns:
        One estimate per rater; an empty list if there are fewer than two raters.
    """
    if raters.shape[1] < 2:
        return []
    return [
        agreement(kind, raters[:, i], rater_mean(np.delete(raters, i, axis=1)), resamples)
        for i in range(raters.shape[1])
    ]


def mean_estimate(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of estimates made with the same resamples, with the interval of that mean."""
    resampled = np.mean([e.resampled for e in estimates], axis=0)
    value = float(np.mean([e.value for e in estimates]))
    return Estimate(value, percentiles95(resampled), min(e.n for e in estimates), resampled)


def weighted_mean(values: Array, resamples: Array) -> Estimate:
    """Return the mean of the values without NaN, with its interval.

    Args:
        values: one number per pair, such as an error, or 1 for right and 0 for wrong.
        resamples: the result of `study_resamples`.
    """
    known = ~np.isnan(values)
    values, drawn = values[known], resamples[:, known]
    with np.errstate(invalid="ignore"):
        resampled = drawn @ values / drawn.sum(axis=1)
    value = float(values.mean()) if len(values) else float("nan")
    return Estimate(value, percentiles95(resampled), len(values), resampled)


def rater_mean(raters: Array) -> Array:
    """Return the mean over the raters (columns) who read each pair; NaN if none did.

    Means are rounded to 12 decimals, so that the same numbers in another order stay ties.
    """
    read = (~np.isnan(raters)).sum(axis=1)
    return np.where(read > 0, np.round(np.nansum(raters, axis=1) / np.maximum(read, 1), 12), np.nan)


def percentiles95(resampled: Array) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of the numbers without NaN, or None if there are none."""
    defined = resampled[~np.isnan(resampled)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def _tie_weights(values: Array, weights: Array) -> Array:
    """Return the weight of each distinct value (columns, ascending) in each resample."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=np.nan) != 0)
    return np.add.reduceat(weights[:, order], starts, axis=1)


def _ranks(values: Array, ties: Array) -> Array:
    """Return the mean rank of each value in each resample."""
    _, distinct = np.unique(values, return_inverse=True)
    return (np.cumsum(ties, axis=1) - (ties - 1) / 2)[:, distinct]


def _concordance(x: Array, y: Array, weights: Array) -> Array:
    """Count concordant minus discordant pairs of pairs in each resample."""
    total = np.zeros(len(weights))
    step = max(1, _GATHER // len(x))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        signs = np.sign(x[rows, None] - x) * np.sign(y[rows, None] - y)
        total += np.einsum("ri,ri->r", weights @ signs.T, weights[:, rows])
    return total


def _weighted_pearson(x: Array, y: Array, weights: Array) -> Array:
    totals = weights.sum(axis=1)
    x = x - ((weights * x).sum(axis=1) / totals)[:, None]
    y = y - ((weights * y).sum(axis=1) / totals)[:, None]
    squares = (weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1)
    return (weights * x * y).sum(axis=1) / np.sqrt(squares)
