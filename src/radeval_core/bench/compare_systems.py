"""Compare two systems on the same references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.bench.provenance import versions
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, open_pairs
from radeval_core.pairs import Pair
from radeval_core.stats.bootstrap import RESAMPLES, SEED
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import FLIPS, paired_test


def compare(
    first: str | Path,
    second: str | Path,
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    *,
    columns: PairColumns | None = None,
    **options: Any,
) -> dict[str, dict[str, Any]]:
    """Compare two systems on the same references, and return plain values for JSON.

    Args:
        first: pairs of system A: a file that `radeval score` reads.
        second: pairs of system B, with the same ids and references in the same order.
        metrics: names of metrics.
        configs: config per metric, if not the default.
        columns: names of the columns in both files, if not our own.
        options: further arguments of `api.score`, such as `device` or `cache`.

    Returns:
        For each metric: the means `a` and `b` of the per-pair scores over the pairs scored for both systems,
        `difference` (b - a) with its 95 % interval, the p-values of the paired bootstrap and of approximate
        randomisation (both also after Holm's correction over the metrics), counts, direction, signature, seed, number
        of draws, and versions.
    """
    a_pairs, b_pairs = same_references(first, second, columns)
    a_results = api.score(a_pairs, metrics, configs, **options).results
    # a separate run, because corpus statistics (cider's document frequencies) must come from one set of references
    b_results = api.score(b_pairs, metrics, configs, **options).results
    out: dict[str, dict[str, Any]] = {}
    for name, a in a_results.items():
        b = b_results[name]
        both = ~np.isnan(a.scores) & ~np.isnan(b.scores)
        test = paired_test((b.scores - a.scores)[both])
        out[name] = {
            "a": float(a.scores[both].mean()) if test.n else None,
            "b": float(b.scores[both].mean()) if test.n else None,
            "difference": None if math.isnan(test.difference) else test.difference,
            "ci95": list(test.ci95) if test.ci95 else None,
            "p_bootstrap": test.p_bootstrap,
            "p_randomisation": test.p_randomisation,
            "n": test.n,
            "unscored": int((~both).sum()),
            "higher_is_better": a.spec.higher_is_better,
            "signature": a.signature,
            "seed": SEED,
            "resamples": RESAMPLES,
            "flips": FLIPS,
            "versions": versions(),
        }
    for key in ("p_bootstrap", "p_randomisation"):
        for row, adjusted in zip(out.values(), holm([row[key] for row in out.values()]), strict=True):
            row[f"{key}_holm"] = adjusted
    return out


def same_references(
    first: str | Path, second: str | Path, columns: PairColumns | None = None
) -> tuple[list[Pair], list[Pair]]:
    """Read the pairs of two systems; raise an error at the first row where ids or references differ."""
    a_pairs, b_pairs = (list(open_pairs(path, columns=columns)) for path in (first, second))
    for row, (a, b) in enumerate(zip_longest(a_pairs, b_pairs), start=1):
        if a is None or b is None:
            longer, shorter, extra = (first, second, a) if b is None else (second, first, b)
            raise InputError(f"row {row}: id {extra.id!r} is in {longer}, but {shorter} has only {row - 1} pairs")
        if a.id != b.id:
            raise InputError(
                f"row {row}: id {a.id!r} in {first}, but {b.id!r} in {second}; give the same ids in the same order"
            )
        if a.references != b.references:
            raise InputError(f"row {row}: the references of id {a.id!r} differ between {first} and {second}")
    if not a_pairs:
        raise InputError(f"{first}: no pairs to score")
    return a_pairs, b_pairs
