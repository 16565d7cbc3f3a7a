"""Compare the raters with each other: a matrix of Kendall's tau, and the intraclass correlation.

Figure 5 of the GREEN paper shows such a matrix with the mean of all raters; figure S3 of the RadCliQ paper shows the
intraclass correlation, split by the candidate. It does not name the form; we report ICC(2,1) and ICC(2,k).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from radeval_core.bench.expert_data import ExpertData
from radeval_core.bench.plain import number, plain
from radeval_core.stats.agreement import Array, agreement, rater_mean
from radeval_core.stats.intraclass import intraclass_correlation


def between_raters(data: ExpertData, resamples: Array) -> dict[str, Any]:
    """Return, per measure with several raters, the matrix of tau (the mean of all raters last) and the ICC.

    `candidates` has the ICC of each kind of candidate, if the data names them.
    """
    out: dict[str, Any] = {}
    for measure, raters in data.raters.items():
        if raters.shape[1] > 1:
            out[measure] = {"matrix": _matrix(raters), **_icc(raters, resamples)}
            groups = {name: np.array([c == name for c in data.candidates]) for name in sorted(set(data.candidates))}
            by = {name: _icc(raters[mine], resamples[:, mine]) for name, mine in groups.items()}
            out[measure] |= {"candidates": by} if by else {}
    return out


def _matrix(raters: Array) -> list[list[float | None]]:
    columns = [*raters.T, rater_mean(raters)]
    none = np.empty((0, len(raters)))  # no interval: a cell is one number
    return [[number(agreement("kendall", one, other, none).value) for other in columns] for one in columns]


def _icc(raters: Array, resamples: Array) -> dict[str, Any]:
    found = intraclass_correlation(raters, resamples)
    if found is None:
        return {}
    return {"icc_single": plain(found.single), "icc_average": plain(found.average), "raters": found.raters}
