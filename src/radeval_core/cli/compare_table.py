"""Print a comparison of systems: two of them in detail, more as a table with one row per system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from radeval_core.bench.compare_systems import (
    ALPHA,
    SMALLEST_P,
    ComparedValue,
    Comparison,
    SystemNumber,
    difference_of,
    p_text,
)
from radeval_core.bench.tables import plain_number, value
from radeval_core.cli.table_formats import Cell, csv_text, latex, markdown, number_cell
from radeval_core.cli.tables import count_text, print_table

#: marks of systems that are worse than the best, by the largest p-value
_STARS = ((0.001, "***"), (0.01, "**"), (ALPHA, "*"))
TIE = "†"
_CSV = (
    *("system", "metric", "score", "ci95_low", "ci95_high", "n", "unscored", "higher_is_better", "best", "tied"),
    *("difference", "difference_ci95_low", "difference_ci95_high", "p_bootstrap", "p_randomisation"),
    *("p_bootstrap_holm", "p_randomisation_holm", "signature"),
)


def print_comparison(
    result: Comparison, style: str, intervals: bool = True, signatures: bool = True, notes: Sequence[str] = ()
) -> None:
    """Print a comparison.

    Args:
        result: the comparison.
        style: one of the formats of `--format`.
        intervals: print 95 % intervals in Markdown and LaTeX.
        signatures: print the signatures too.
        notes: further sentences to print below the table.
    """
    signed = list(dict.fromkeys(row.signature for row in result.values)) if signatures else []
    systems = list(result.scores)
    if style == "csv":
        print(csv_text(_CSV, _csv_rows(result)))
    elif style != "table":
        write = {"markdown": markdown, "latex": latex}[style]
        print(write(_header(result), _cells(result, intervals), [*_legend(result), *notes], signed))
    else:
        if len(systems) == 2:
            _print_pair(result, systems)
        else:
            _print_systems(result)
        for line in (*_legend(result, terminal=True), *notes, *signed):
            print(line)


def mark(number: SystemNumber) -> str:
    """Return the mark of a system: a dagger if it is not significantly worse than the best, else stars."""
    if number.best or number.test is None or number.value is None:
        return ""
    p = number.adjusted["p_randomisation"]
    return next((stars for limit, stars in _STARS if p < limit), TIE)


def _print_pair(result: Comparison, systems: Sequence[str]) -> None:
    """Print both systems side by side, with the difference and both tests."""
    rows = []
    for row in result.values:
        a, b = row.systems.values()
        difference, interval = difference_of(a, b)
        tested = b if b.test else a
        cells = [plain_number(number.value, 4) for number in (a, b)]
        cells += [value({"value": difference, "ci95": interval})]
        cells += [p_text(tested, test) for test in SMALLEST_P]
        rows.append([row.shown.name, *cells, _count(row), _better(row)])
    a_name, b_name = systems
    header = ["metric", f"A: {a_name}", f"B: {b_name}", "B - A (95 % interval)", "p bootstrap", "p randomisation"]
    print_table([*header, "n", "better"], rows)


def _print_systems(result: Comparison) -> None:
    """Print one row per system and one column per number."""
    rows = []
    for cells in _cells(result, intervals=True):
        rows.append([" ".join(filter(None, [c.text + c.mark, c.interval, "best" if c.bold else ""])) for c in cells])
    print_table(_header(result), rows)


def _header(result: Comparison) -> list[str]:
    return ["system", *(f"{row.shown.name} {'↑' if row.shown.higher_is_better else '↓'}" for row in result.values)]


def _cells(result: Comparison, intervals: bool) -> list[list[Cell]]:
    return [[Cell(name), *(_cell(row.systems[name], intervals) for row in result.values)] for name in result.scores]


def _cell(number: SystemNumber, intervals: bool) -> Cell:
    return number_cell(number.value, number.ci95 if intervals else None, number.best, mark(number))


def _legend(result: Comparison, terminal: bool = False) -> list[str]:
    """Return what the marks mean, what was corrected for, and how many pairs there are."""
    detailed = terminal and len(result.scores) == 2
    numbers, others = len(result.values), len(result.scores) - 1
    over = f"{_many(numbers, 'metric')}" + ("" if detailed else f" of {_many(others, 'system')} against the best")
    holm = f"p-values after Holm's correction for {_many(result.tests, 'test')}: {over}"
    counts = {(row.n, row.left_out) for row in result.values}
    pairs = [
        f"{row.shown.name if len(counts) > 1 else 'numbers'} over {row.n} pairs"
        + (f"; {row.left_out} not scored for all systems are left out" if row.left_out else "")
        for row in (result.values if len(counts) > 1 else result.values[:1])
    ]
    if detailed:
        return [holm]
    smallest = min(p for p, _ in _STARS)
    best = "best: the best number of its column" if terminal else "best number of each column in bold"
    marks = (
        f"{best}; {TIE} not significantly worse than the best; "
        f"*, **, *** worse with p < {ALPHA:g}, {_STARS[1][0]:g}, {smallest:g} (approximate randomisation)"
    )
    return [marks, holm, ", ".join(pairs) + "; 95 % bootstrap intervals"]


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _count(row: ComparedValue) -> str:
    return count_text({"n": row.n, "unscored": row.left_out})


def _better(row: ComparedValue) -> str:
    return "↑ higher" if row.shown.higher_is_better else "↓ lower"


def _csv_rows(result: Comparison) -> list[list[Any]]:
    """Return one row per system and number, with all digits."""
    rows = []
    for name, row in result.plain().items():
        for system, number in row["systems"].items():
            low, high = number["ci95"] or (None, None)
            gap_low, gap_high = number["difference_ci95"] or (None, None)
            known = {
                **row,
                **number,
                "system": system,
                "metric": name,
                "ci95_low": low,
                "ci95_high": high,
                "difference_ci95_low": gap_low,
                "difference_ci95_high": gap_high,
            }
            rows.append([known[key] for key in _CSV])
    return rows
