"""Least squares with weights that are at least 0 and add up to 1: the constrained regression of RadCliQ-v1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def simplex_weights(columns: Array, target: Array) -> Array:
    """Return the weights w ≥ 0 with Σw = 1 that minimise |columns @ w - target|²; the global optimum.

    With Σw = 1 the residual is `columns @ w - target = B w`, where B is the columns minus the target. The u ≥ 0 that
    minimises |B u|² + (Σu - 1)² has the direction of this w: along u = t·w, the minimum over t is q / (1 + q), which
    grows with q = |B w|². So non-negative least squares (Lawson & Hanson 1974) solves the problem exactly.

    Args:
        columns: one row per observation, one column per part.
        target: one number per observation.
    """
    from scipy.optimize import nnls  # slow to import

    residuals = columns - target[:, None]
    size = max(float(np.abs(residuals).max()), 1e-300) * np.sqrt(len(target))  # scales q to the order of 1
    system = np.vstack([residuals / size, np.ones(columns.shape[1])])
    found = nnls(system, np.append(np.zeros(len(target)), 1.0))[0]
    weights: Array = found / found.sum()
    return weights


def scaled_simplex_weights(columns: Array, target: Array) -> tuple[Array, float]:
    """Return the weights w ≥ 0 with Σw = 1 and the factor k ≥ 0 that minimise |k · columns @ w - target|².

    k·w can be any vector without negative entries, so this is plain non-negative least squares. If no mix of the
    columns beats a constant, k is 0 and the weights are meaningless.
    """
    from scipy.optimize import nnls  # slow to import

    found = nnls(columns, target)[0]
    total = float(found.sum())
    return (found / total if total > 0 else found), total
