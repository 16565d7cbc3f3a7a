"""Shows one scored system: headlines, what was not scored and why, distributions, errors, agreement, table of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.metrics._coverage import LOW_COVERAGE
from radeval_core.pairs import is_blank
from radeval_core.ui.file_page.run import SystemRun
from radeval_core.ui.report.agreement import agreement_section
from radeval_core.ui.report.content import Content, ShownPair, gather
from radeval_core.ui.report.findings import finding_section
from radeval_core.ui.report.index import index_table
from radeval_core.ui.report.summary import distribution_section, error_section, summary_section
from radeval_core.ui.report.tables import section, table

#: ids listed for a reason
_LISTED = 6
_SECTIONS = {
    "comparison": "Comparison",
    "summary": "Summary",
    "errors": "What goes wrong",
    "unscored": "Not scored, empty, not understood",
    "distributions": "Distributions",
    "findings": "Findings",
    "agreement": "Agreement",
}


@dataclass(frozen=True)
class Overview:
    """What a page shows of one system.

    Attributes:
        sections: the sections as HTML.
        index: the table of pairs, with the choice of a kind of error.
        options: options of the metrics' views.
    """

    sections: str
    index: str
    options: Mapping[str, Mapping[str, Any]]


def overview(system: SystemRun, comparison: str = "") -> Overview:
    """Return the sections of a system, after its comparison with another one if there is one (as HTML)."""
    content = gather(system.scores, system.pairs, system.details, system.name, system.options, len(system.pairs))
    parts = {
        "comparison": comparison,
        "summary": summary_section(content),
        "errors": error_section(content),
        "unscored": _unscored_section(content),
        "distributions": distribution_section(content),
        "findings": finding_section(system.pairs),
        "agreement": agreement_section(content.results),
    }
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title in _SECTIONS.items() if parts[name])
    links += '<a href="#fp-pairs">Pairs</a><a href="#fp-cases">Cases</a>'
    nav = f'<nav class="fp-nav" aria-label="Sections of the result">{links}</nav>'
    sections = f"{nav}{''.join(parts.values())}"
    return Overview(sections, _error_choice(content) + index_table(content), content.options)


def _unscored_section(content: Content) -> str:
    """Return which pairs have no score, an empty report, or a report that was hardly understood, with the reason."""
    rows = [[text(what), f"{len(ids):,}", _ids(ids)] for what, ids in _remarks(content).items()]
    if not rows:
        return ""
    note = '<p class="note">A pair without a score is left out of the mean; it never counts as 0.</p>'
    return section("unscored", _SECTIONS["unscored"], note + table(["What", "Pairs", "Ids"], rows, "remarks"))


def _remarks(content: Content) -> dict[str, list[str | int]]:
    found: dict[str, list[str | int]] = {}
    for shown in sorted(content.pairs, key=lambda pair: pair.place):
        for what in _remarks_of(shown):
            found.setdefault(what, []).append(shown.pair.id)
    return found


def _remarks_of(shown: ShownPair) -> Iterator[str]:
    if is_blank(shown.pair.prediction):
        yield "empty prediction: scored by each metric's rule for empty reports"
    if all(map(is_blank, shown.pair.references)):
        yield "empty reference: scored by each metric's rule for empty reports"
    for name, value in shown.values.items():
        if math.isnan(value):
            reason = shown.details[name].get("reason") or "the details do not say why"
            yield f"{name}: {reason.removeprefix('not scored: ')}"
    if shown.coverage is not None and 0 < shown.coverage < LOW_COVERAGE:
        yield f"less than {LOW_COVERAGE:.0%} of a report understood by the findings parser"


def _ids(ids: Sequence[str | int]) -> str:
    listed = ", ".join(f"<bdi>{text(own)}</bdi>" for own in ids[:_LISTED])
    return listed + (f" and {len(ids) - _LISTED:,} more" if len(ids) > _LISTED else "")


def _error_choice(content: Content) -> str:
    """Return the choice of a kind of error that the table of pairs is limited to; empty without a judge."""
    tokens = [token for pair in content.pairs for error in pair.errors for token in error.tokens]
    options = "".join(
        f'<option value="{category}">{in_words(category)} ({tokens.count(category):,} pairs)</option>'
        for category in CATEGORIES
        if category in tokens
    )
    if not options:
        return ""
    return (
        '<label class="fp-choice">Only pairs with <select id="fp-error"><option value="">any or no error</option>'
        f"{options}</select></label>"
    )
