"""Shows two systems side by side: their numbers, the difference with its interval, and whether it is significant."""

from __future__ import annotations

from radeval_core.bench.compare_systems import ALPHA, ComparedValue, Comparison, difference_of, p_text
from radeval_core.html_text import text
from radeval_core.ui.report.tables import section, table


def comparison_section(comparison: Comparison) -> str:
    """Return the comparison of two systems."""
    a, b = comparison.scores
    head = ["Metric", f"A: {a}", f"B: {b}", "B \u2212 A (95 % interval)", "p", "Pairs", "Result"]
    rows = [_row(value) for value in comparison.values]
    wins = [_better(value) for value in comparison.values]
    said = ", ".join(
        f"{words} on {wins.count(side):,}"
        for side, words in (("A", "A is better"), ("B", "B is better"), ("", "no significant difference"))
        if wins.count(side)
    )
    count = len(wins)
    note = (
        f'<p class="note">p-values of approximate randomisation, after Holm\'s correction for {comparison.tests:,} '
        f"test{'' if comparison.tests == 1 else 's'}; below {ALPHA:g} a difference is significant. Numbers are over "
        "the pairs that are scored for both systems.</p>"
    )
    summary = f"<p><b>Of {count:,} metric{'' if count == 1 else 's'}: {said}.</b></p>"
    return section("comparison", "Two systems compared", f"{summary}{table(head, rows, 'versus')}{note}")


def _better(value: ComparedValue) -> str:
    """Return the system that is significantly better: A, B or none."""
    numbers = dict(zip("AB", value.systems.values(), strict=True))
    worse = [letter for letter, n in numbers.items() if n.test and not n.best and not n.tied and n.value is not None]
    return {"A": "B", "B": "A"}[worse[0]] if worse else ""


def _row(value: ComparedValue) -> list[str]:
    a, b = value.systems.values()
    difference, interval = difference_of(a, b)
    better = _better(value)
    result = f'<b class="wins">{better} is better</b>' if better else "no significant difference"
    between = f"{_signed(difference)} ({_signed(interval[0])} to {_signed(interval[1])})" if interval else ""
    return [
        f"<b>{text(value.shown.name)}</b> {'↑' if value.shown.higher_is_better else '↓'}",
        _number(a.value),
        _number(b.value),
        between or (_signed(difference) if difference is not None else "–"),
        p_text(b if b.test else a, "p_randomisation"),
        f"{value.n:,}" + (f" ({value.left_out:,} left out)" if value.left_out else ""),
        result,
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.4f}".replace("-", "\u2212")
