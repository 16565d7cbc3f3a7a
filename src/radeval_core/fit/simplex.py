"""Least squares with weights that are at least 0 and add up to 1: the constrained regression behind RadCliQ-v1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def simplex_weights(columns: Array, target: Array) -> Array:
    """The weights w ≥ 0 with Σw = 1 whose mix of the columns is nearest to the target; the global optimum.

    With Σw = 1 the residual is `columns @ w - target = B w`, B being the columns less the target. The u ≥ 0 that
    minimises |B u|² + (Σu - 1)² points in the direction of the wanted w: along u = t·w the best t leaves
    q / (1 + q), which grows with q = |B w|². So non-negative least squares (Lawson & Hanson 1974) solves it exactly.

    Args:
        columns: a row an observation, a column a part.
        target: a number an observation.
    """
    from scipy.optimize import nnls  # slow to import

    residuals = columns - target[:, None]
    size = max(float(np.abs(residuals).max()), 1e-300) * np.sqrt(len(target))  # so that q is of the order of 1
    system = np.vstack([residuals / size, np.ones(columns.shape[1])])
    found = nnls(system, np.append(np.zeros(len(target)), 1.0))[0]
    weights: Array = found / found.sum()
    return weights


def scaled_simplex_weights(columns: Array, target: Array) -> tuple[Array, float]:
    """The weights w ≥ 0 with Σw = 1 and the factor k ≥ 0 for which k · (mix of the columns) is nearest to the target.

    k·w is any vector without negative entries, so this is plain non-negative least squares. k is 0, and the weights
    mean nothing, where no mix does better than a constant.
    """
    from scipy.optimize import nnls  # slow to import

    found = nnls(columns, target)[0]
    total = float(found.sum())
    return (found / total if total > 0 else found), total
