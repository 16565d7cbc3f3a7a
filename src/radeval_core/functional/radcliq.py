"""RadCliQ (Yu et al. 2023): a linear model of four metrics, fitted to the number of errors radiologists found."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError, unknown_name

Array = NDArray[np.float64]


class LinearModel(NamedTuple):
    """A published or fitted version: a weighted sum of the standardised parts."""

    mean: Array
    scale: Array
    coefficients: Array
    intercept: float


@cache
def lines() -> dict[str, LinearModel]:
    """Return the published versions, `v0` and `v1`."""
    text = resources.files("radeval_core.functional").joinpath("radcliq_constants.json").read_text("utf-8")
    return {
        name: LinearModel(np.array(v["mean"]), np.array(v["scale"]), np.array(v["coefficients"]), v["intercept"])
        for name, v in json.loads(text)["versions"].items()
    }


#: the order of the parts
PARTS = ("radgraph", "bertscore", "semb", "bleu")


def bertscore_text(text: str) -> str:
    """Return a report as RadCliQ gives it to BERTScore: repeated spaces become one, nothing else changes."""
    return re.sub(" +", " ", text)


def contributions(parts: Array, version: str | LinearModel) -> Array:
    """Return what each part adds to RadCliQ; lower is better.

    Args:
        parts: RadGraph combined F1, rescaled BERTScore, CheXbert similarity and BLEU-2, in the last axis.
        version: `v0`, `v1`, or a fitted model.
    """
    line = version if isinstance(version, LinearModel) else lines()[version]
    return line.coefficients * (parts - line.mean) / line.scale


def radcliq(parts: Array, version: str | LinearModel) -> Array:
    """Return RadCliQ: roughly the number of errors (v0), a standardised score (v1), or the target of a fitted model."""
    line = version if isinstance(version, LinearModel) else lines()[version]
    return contributions(parts, line).sum(axis=-1) + line.intercept


_FIELDS = ("mean", "scale", "coefficients", "intercept")


def read_line(data: Any, where: str) -> LinearModel:
    """Check and read a fitted model, as `radeval fit radcliq` writes it.

    Args:
        data: `mean`, `scale` and `coefficients`, four numbers each in the order of PARTS, and `intercept`; optional
            `parts` (the same order) and `provenance` (where the model comes from).
        where: how error messages name it.
    """
    if not isinstance(data, Mapping):
        raise InputError(f"{where} must contain {', '.join(_FIELDS)}, got {type(data).__name__}")
    for name in data:
        if name not in (*_FIELDS, "parts", "provenance"):
            raise unknown_name(f"field of {where}", str(name), [*_FIELDS, "parts", "provenance"])
    for name in _FIELDS:
        if name not in data:
            raise InputError(f"{where}: {name!r} is missing; create the file with `radeval fit radcliq`")
    if data.get("parts", list(PARTS)) != list(PARTS):
        raise InputError(f"{where}: 'parts' must be {list(PARTS)}, in this order, got {data['parts']!r}")
    mean, scale, coefficients = (_four_numbers(data[name], f"{where}: {name!r}") for name in _FIELDS[:3])
    if scale.min() <= 0:
        raise InputError(f"{where}: 'scale' must be above 0, got {scale.min():g}")
    if not _is_number(data["intercept"]):
        raise InputError(f"{where}: 'intercept' must be a number, got {data['intercept']!r}")
    return LinearModel(mean, scale, coefficients, float(data["intercept"]))


def line_name(line: LinearModel) -> str:
    """Return the name of a fitted model in signatures: a hash of its numbers, independent of the file."""
    numbers = [*line.mean, *line.scale, *line.coefficients, line.intercept]
    return f"fit-{hashlib.sha256(json.dumps([float(n) for n in numbers]).encode()).hexdigest()[:8]}"


def _four_numbers(values: Any, where: str) -> Array:
    if not isinstance(values, list) or len(values) != len(PARTS) or not all(map(_is_number, values)):
        raise InputError(f"{where} must be {len(PARTS)} numbers ({', '.join(PARTS)}), got {values!r}")
    return np.array(values, dtype=np.float64)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
