"""Show which findings go wrong: missed, false, or described wrongly, as the findings parser reads the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from radeval_core.error_categories import in_words
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.coverage import coverage_of
from radeval_core.findings.error_table import FindingErrors, errors_by_finding
from radeval_core.findings.parser import parse
from radeval_core.html_text import text
from radeval_core.metrics._coverage import PairCoverage
from radeval_core.pairs import Pair
from radeval_core.ui.report.tables import bar, folded, section, table

#: findings in the table; further ones are folded
_SHOWN = 12
_HEAD = ("Finding", "Errors", "Significant", "Missing", "False", "Wrong place, degree or comparison")


def comparisons(pairs: Iterable[Pair]) -> Iterator[Comparison]:
    """Yield the comparison of each pair that the findings parser can read; of several references the first counts."""
    for pair in pairs:
        reference, candidate = parse(pair.reference), parse(pair.prediction)
        if not PairCoverage(coverage_of(candidate), coverage_of(reference)).problem:
            yield compare(reference, candidate)


def finding_section(pairs: Iterable[Pair], where: str = "all pairs") -> str:
    """Return the errors by finding; empty if no error is found.

    Args:
        pairs: the pairs.
        where: what the pairs are, for the note.
    """
    found = errors_by_finding(comparisons(pairs))
    if not found:
        return ""
    most = max(about.total for about in found)
    rows = [_row(about, most) for about in found]
    rest = rows[_SHOWN:]
    more = folded(f"{len(rest):,} further findings", table(_HEAD, rest)) if rest else ""
    about = (
        f'<p class="note">Errors that the sheets mark in {text(where)}. "22 of 35" means: the references state the '
        "finding 35 times, and 22 times the candidate does not.</p>"
    )
    return section("findings", "Errors by finding", f"{about}{table(_HEAD, rows[:_SHOWN])}{more}")


def _row(about: FindingErrors, most: int) -> list[str]:
    return [
        text(in_words(about.finding).capitalize()),
        bar(about.total, most),
        f"{about.significant:,}",
        f"{about.missing:,} of {about.stated:,}" if about.stated else "0",
        f"{about.false:,}",
        f"{about.wrong:,}",
    ]
