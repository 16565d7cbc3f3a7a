"""RadCliQ (Yu et al. 2023): a line through four metrics, fitted to how many errors radiologists found."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Line(NamedTuple):
    """One published version: each part is standardised, then weighed and added up."""

    mean: Array
    scale: Array
    coefficients: Array
    intercept: float


@cache
def lines() -> dict[str, Line]:
    """The published versions, `v0` and `v1`."""
    text = resources.files("radeval_core.scores").joinpath("radcliq_constants.json").read_text("utf-8")
    return {
        name: Line(np.array(v["mean"]), np.array(v["scale"]), np.array(v["coefficients"]), v["intercept"])
        for name, v in json.loads(text)["versions"].items()
    }


#: the order of the parts
PARTS = ("radgraph", "bertscore", "semb", "bleu")


def contributions(parts: Array, version: str) -> Array:
    """What each part adds to RadCliQ; lower is better.

    Args:
        parts: RadGraph combined F1, rescaled BERTScore, CheXbert similarity and BLEU-2, in the last axis.
        version: `v0` or `v1`.
    """
    line = lines()[version]
    return line.coefficients * (parts - line.mean) / line.scale


def radcliq(parts: Array, version: str) -> Array:
    """The composite: about the number of errors (v0), or a standardised score (v1)."""
    return contributions(parts, version).sum(axis=-1) + lines()[version].intercept
