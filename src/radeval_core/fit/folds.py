"""Split rows into training, held-out and test rows: whole studies, shuffled with a seed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError
from radeval_core.stats.agreement import Array, agreement, coefficient, study_resamples

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """A split of the rows.

    Attributes:
        development: rows for fitting the final weights.
        test: rows for the final test only; can be empty.
        folds: (training rows, held-out rows) within the development rows.
    """

    development: Rows
    test: Rows
    folds: list[tuple[Rows, Rows]]


def studies_needed(folds: int, test_share: float) -> int:
    """Return the number of studies needed: two per fold, plus those of the test."""
    if folds < 2:
        raise InputError(f"--folds must be at least 2, got {folds}")
    if not 0 <= test_share < 1:
        raise InputError(f"--test-share must be at least 0 and below 1, got {test_share:g}")
    needed = 2 * folds
    while needed - round(test_share * needed) < 2 * folds:
        needed += 1
    return needed


def plan(studies: Sequence[Hashable], folds: int, test_share: float, seed: int) -> Plan:
    """Split rows by study.

    Args:
        studies: the study of each row.
        folds: number of folds of the development rows.
        test_share: share of the studies kept for the test.
        seed: seed of the shuffle.
    """
    numbers: dict[Hashable, int] = {}
    study = np.array([numbers.setdefault(s, len(numbers)) for s in studies])
    order = np.random.default_rng(seed).permutation(len(numbers))
    cut = round(test_share * len(order))
    development = np.flatnonzero(np.isin(study, order[cut:]))
    parts = [np.flatnonzero(np.isin(study, part)) for part in np.array_split(order[cut:], folds)]
    pairs = [(np.setdiff1d(development, part), part) for part in parts]
    return Plan(development, np.flatnonzero(np.isin(study, order[:cut])), pairs)


def held_out_tau(predictions: Sequence[Array], target: Array, folds: Sequence[tuple[Rows, Rows]]) -> dict[str, Any]:
    """Return Kendall's tau-b between predictions and target in each fold, and the mean over the folds.

    A fold with a constant target or prediction has no tau. It is None and does not count in the mean.
    """
    taus = [coefficient("kendall", p, target[rows]) for p, (_, rows) in zip(predictions, folds, strict=True)]
    known = [tau for tau in taus if not np.isnan(tau)]
    return {
        "mean": float(np.mean(known)) if known else None,
        "folds": [None if np.isnan(tau) else tau for tau in taus],
    }


def tau_on_test(predict: Callable[[Rows], Array], target: Array, studies: Sequence[Hashable], rows: Rows) -> Any:
    """Return Kendall's tau-b on the test rows with a 95 % interval over studies; None without test rows."""
    if not len(rows):
        return None
    found = agreement("kendall", predict(rows), target[rows], study_resamples([studies[i] for i in rows]))
    if np.isnan(found.value):
        return {"value": None, "ci95": None, "n": found.n}
    return {"value": found.value, "ci95": list(found.ci95) if found.ci95 else None, "n": found.n}
