"""Fit RadCliQ's line to experts by the protocol of Yu et al. (Patterns 2023): constrained least squares, folds, test.

The line is `intercept + Σ coefficients · (part - mean) / scale`. The coefficients are at most 0 and add up to -1, so a
higher part never makes a report look worse, and the coefficients can be read as weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from radeval_core import __version__, api
from radeval_core.errors import InputError, unknown_name
from radeval_core.fit.folds import held_out_tau, plan, studies_needed, tau_on_test
from radeval_core.fit.simplex import scaled_simplex_weights, simplex_weights
from radeval_core.fit.table import Target, check_rows, expert_target, file_sha256, open_rated, origin, read_columns
from radeval_core.functional.radcliq import PARTS, LinearModel, line_name, lines, radcliq
from radeval_core.stats.agreement import Array

UNITS = ("fitted", "standard")
STANDARDS = ("own", "v1", "v0")


def fit_line(parts: Array, target: Array, unit: str = "fitted", standard: str = "own") -> LinearModel:
    """Return the best line under the constraints.

    Args:
        parts: the four parts, one row per pair.
        target: the expert value of each pair; lower is better.
        unit: `fitted` gives the score the unit of the target: a common factor is fitted with the coefficients and
            stored in `scale`. `standard` standardises the target, as the paper must have done to get an intercept of
            0: no factor is fitted, and the score is in standard deviations from the mean.
        standard: how to standardise the parts: with the mean and standard deviation of these rows (`own`), or with
            those published for `v1` or `v0`.
    """
    mean, deviation = parts.mean(axis=0), parts.std(axis=0)
    if standard != "own":
        mean, deviation = lines()[standard].mean, lines()[standard].scale
    if flat := [part for part, spread in zip(PARTS, np.ptp(parts, axis=0), strict=True) if spread == 0]:
        raise InputError(f"{', '.join(flat)}: the same value in every row, so no weight can be fitted")
    falling = -(parts - mean) / deviation
    centre = falling.mean(axis=0)
    spread = float(target.std())
    if unit == "standard":
        weights, factor, level = simplex_weights(falling - centre, (target - target.mean()) / spread), 1.0, 0.0
    else:
        weights, share = scaled_simplex_weights(falling - centre, (target - target.mean()) / spread)
        factor, level = share * spread, float(target.mean())
    if factor == 0:
        raise InputError("no part falls as the target rises; if a high target is good, give --higher-is-better")
    coefficients: Array = -weights + 0.0  # turns -0.0 into 0.0
    return LinearModel(mean, deviation / factor, coefficients, level - factor * float(centre @ weights))


def fit_radcliq(
    parts: Array,
    target: Target,
    *,
    unit: str = "fitted",
    standard: str = "own",
    folds: int = 10,
    test_share: float = 0.2,
    seed: int = 0,
) -> tuple[LinearModel, dict[str, Any]]:
    """Fit a line on the development rows and evaluate it on held-out rows.

    Args:
        parts: the four parts, one row per pair; rows with NaN here or in the target are skipped.
        target: the expert values.
        unit: `fitted` or `standard`, see `fit_line`.
        standard: `own`, `v1` or `v0`, see `fit_line`.
        folds: folds of the cross-validation.
        test_share: share of the studies used only for the test.
        seed: seed of the split.

    Returns:
        The line, and a report of plain values: counts, settings, Kendall's tau per fold and on the test, the same for
        each part alone and for RadCliQ-v1, and the largest difference between score and target.
    """
    for kind, value, known in (("unit", unit, UNITS), ("standard", standard, STANDARDS)):
        if value not in known:
            raise unknown_name(kind, value, known)
    whole = np.flatnonzero(~(np.isnan(parts).any(axis=1) | np.isnan(target.values)))
    left_out = len(parts) - len(whole)
    parts, kept = parts[whole], target.rows(whole)
    values, studies = kept.values, kept.studies
    check_rows(kept, studies_needed(folds, test_share))
    split = plan(studies, folds, test_share, seed)
    fitted = [fit_line(parts[train], values[train], unit, standard) for train, _ in split.folds]
    line = fit_line(parts[split.development], values[split.development], unit, standard)
    alone = {"radcliq_v1": radcliq(parts, "v1"), **{part: -parts[:, i] for i, part in enumerate(PARTS)}}
    gaps = np.abs(radcliq(parts, line) - values)
    return line, {
        "target": target.name,
        "n": len(values),
        "left_out": left_out,
        "studies": len(set(studies)),
        "seed": seed,
        "unit": unit,
        "standard": standard,
        "cross_validation": {
            "fit": held_out_tau(
                [radcliq(parts[rows], one) for one, (_, rows) in zip(fitted, split.folds, strict=True)],
                values,
                split.folds,
            ),
            **{
                name: held_out_tau([column[rows] for _, rows in split.folds], values, split.folds)
                for name, column in alone.items()
            },
        },
        "test": {
            "fit": tau_on_test(lambda rows: radcliq(parts[rows], line), values, studies, split.test),
            **{
                name: tau_on_test(lambda rows, c=column: c[rows], values, studies, split.test)  # type: ignore[misc]
                for name, column in alone.items()
            },
        },
        "n_development": len(split.development),
        "n_test": len(split.test),
        # only comparable if score and target have the same unit
        "largest_difference": float(gaps.max()) if unit == "fitted" else None,
        "name": line_name(line),
        "core": __version__,
    }


def fit_file(
    path: str | Path,
    target: str,
    parts: list[str] | None = None,
    higher_is_better: bool = False,
    config: str | None = None,
    scoring: dict[str, Any] | None = None,
    data_config: str | None = None,
    split: str | None = None,
    **settings: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit RadCliQ to the data of a file or dataset.

    Args:
        path: JSONL of pairs with expert ratings, a dataset or its folder; with `parts`, JSONL with columns.
        target: an expert measure, or the name of a column.
        parts: names of the columns with RadGraph, BERTScore, CheXbert similarity and BLEU-2; computed by default.
        higher_is_better: True if a high target is good; only for a column.
        config: config of radcliq that computes the parts.
        scoring: further arguments of `api.score`.
        data_config: config of a built dataset.
        split: split of a built dataset.
        settings: further arguments of `fit_radcliq`.

    Returns:
        The content of the weights file, and the report of `fit_radcliq`.
    """
    models: dict[str, object] | None = None
    if parts is not None:
        if len(parts) != len(PARTS):
            raise InputError(
                f"--parts must list {len(PARTS)} columns, for {', '.join(PARTS)} in this order, got {len(parts)}"
            )
        if config is not None or data_config is not None or split is not None:
            raise InputError("--config, --data-config and --split cannot be used with --parts")
        table, goal = read_columns(path, parts, target, higher_is_better)
        source: dict[str, Any] = {"sha256": file_sha256(path), "rows": len(table)}
    else:
        if higher_is_better:
            raise InputError("--higher-is-better needs --parts; the direction of expert measures is known")
        data = open_rated(path, data_config, split)
        goal = expert_target(data, target, str(path))
        check_rows(goal.known(), studies_needed(settings.get("folds", 10), settings.get("test_share", 0.2)))
        source = origin(data)
        table, models = _computed_parts(data.pairs, config, scoring or {})
    line, report = fit_radcliq(table, goal, **settings)
    provenance: dict[str, Any] = {"metric": "radcliq", "data": source, **report}
    if models is not None:
        provenance |= {"config": config or "embedded", "part_models": models}
    return {
        "parts": list(PARTS),
        "mean": line.mean.tolist(),
        "scale": line.scale.tolist(),
        "coefficients": line.coefficients.tolist(),
        "intercept": line.intercept,
        "provenance": provenance,
    }, report


def _computed_parts(pairs: Any, config: str | None, scoring: dict[str, Any]) -> tuple[Array, dict[str, object]]:
    """Compute the four parts of each pair, and return them with the models used."""
    result = api.score(pairs, ["radcliq"], {"radcliq": config} if config else None, **scoring).results["radcliq"]
    fields = dict(field.split(":", 1) for field in result.signature.split("|")[1:])
    models: dict[str, object] = {part: fields[part] for part in PARTS if part in fields}
    return np.column_stack([result.values[part] for part in PARTS]), models
