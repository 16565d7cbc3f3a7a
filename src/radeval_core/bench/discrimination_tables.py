"""Tables and points of the plot: errors that metrics notice, and what they take off for rewording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.bench.cells import Result, Table, value, words
from radeval_core.error_categories import CATEGORIES


def discrimination_tables(result: Result) -> list[Table]:
    """Return the two tables of the section, or none without it."""
    found = result.get("discrimination")
    return [_noticed(found), _taken_off(found)] if found else []


def discrimination_points(found: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return, per metric, the share taken off for rewording and the share of significant errors noticed."""
    points = {
        name: (row["taken_off"]["all"]["value"], row["noticed"]["significant"]["all"]["value"])
        for name, row in found["metrics"].items()
    }
    return {name: point for name, point in points.items() if None not in point}


def _noticed(found: Mapping[str, Any]) -> Table:
    rows = []
    for severity, cases in found["cases"].items():
        for name, row in _ordered(found, severity):
            cells = [value(row["noticed"][severity][c], interval=False) for c in CATEGORIES]
            rows.append([name, severity, value(row["noticed"][severity]["all"]), *cells])
        counts = [str(cases[c]) for c in CATEGORIES]
        rows.append(["pairs", severity, str(sum(cases.values())), *counts])
    note = (
        f"{found['reports']} generated reports. Share of pairs in which the report with one error scores worse "
        "than the same report without it; equal scores are not noticed. The generator shares nothing with our parser."
    )
    header = ["metric", "errors", "all", *map(words, CATEGORIES)]
    return Table("noticed", "Errors that are noticed", header, rows, note)


def _taken_off(found: Mapping[str, Any]) -> Table:
    kinds = list(found["rewordings"])
    rows = [
        [name, value(row["taken_off"]["all"]), *(value(row["taken_off"][kind], interval=False) for kind in kinds)]
        for name, row in sorted(found["metrics"].items(), key=lambda item: _value(item[1]["taken_off"]["all"], 1e9))
    ]
    rows.append(["reports", "", *(str(found["rewordings"][kind]) for kind in kinds)])
    note = "Fall for a change that keeps the meaning, as a share of the fall for a report of another study; 0 is best."
    return Table("rewording", "What rewording costs", ["metric", "mean", *kinds], rows, note)


def _ordered(found: Mapping[str, Any], severity: str) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(found["metrics"].items(), key=lambda item: -_value(item[1]["noticed"][severity]["all"], -1.0))


def _value(row: Mapping[str, Any], missing: float) -> float:
    return missing if row["value"] is None else float(row["value"])
