"""`green`: errors by category, matched findings, and the sentences that contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, plural, table

_TITLES = {category: in_words(category).capitalize() for category in CATEGORIES}
_LETTERS = dict(zip(CATEGORIES, "abcdef", strict=True))
#: the sign before the letter of the category, by severity
_SIGNS = {"significant": "✗", "insignificant": "△"}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the errors and matched findings, in both reports and in a table."""
    if "matched" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    counts = {kind: sum(errors["count"] for errors in detail[kind].values()) for kind in _SIGNS}
    facts = (
        f"✓ {plural(detail['matched']['count'], 'matched finding')} · "
        f"✗ {plural(counts['significant'], 'significant error')} · "
        f"△ {plural(counts['insignificant'], 'insignificant error')}"
    )
    rows = [
        [f"({_LETTERS[category]}) {title}", *(_errors(detail[kind].get(category)) for kind in _SIGNS)]
        for category, title in _TITLES.items()
    ]
    matched = "".join(f'<li class="match">✓ {text(entry["text"])}</li>' for entry in detail["matched"]["entries"])
    return (
        f'<p class="facts">{facts}</p>{_weighted(detail)}<p class="summary">{text(detail["explanation"])}</p>'
        + both_reports(reference, candidate, (_marks(detail, "reference"), _marks(detail, "prediction")))
        + legend(
            ("error", "✗ significant error, with the letter of its category"),
            ("minor", "△ insignificant error"),
            ("match", "✓ matched finding"),
        )
        + table(("Error category", "Significant", "Insignificant"), rows, "stack")
        + (f'<h4>Matched findings</h4><ul class="chips">{matched}</ul>' if matched else "")
    )


def _weighted(detail: Mapping[str, Any]) -> str:
    """Show the weighted variant, which only the embedded judge gives, and what it is for."""
    if "weighted" not in detail:
        return ""
    return (
        f'<p class="note">Weighted by clinical significance (green.weighted): <b>{detail["weighted"]:.3f}'
        "</b>. It ranks candidates better; the score above is the paper's equation, which only counts.</p>"
    )


def _errors(errors: Mapping[str, Any] | None) -> str:
    if not errors:
        return '<span class="none">none</span>'
    listed = "".join(f"<li>{text(entry['text'])}</li>" for entry in errors["entries"])
    return f"<b>{errors['count']}</b><ul>{listed}</ul>" if listed else f"<b>{errors['count']}</b>"


def _marks(detail: Mapping[str, Any], side: str) -> list[Mark]:
    """Return the marks of one report, the most severe first."""
    return [
        *_error_marks(detail, side, "significant", "error"),
        *_error_marks(detail, side, "insignificant", "minor"),
    ] + [
        Mark(entry[side][0], entry[side][1], "match", "✓", entry["text"])
        for entry in detail["matched"]["entries"]
        if side in entry
    ]


def _error_marks(detail: Mapping[str, Any], side: str, severity: str, kind: str) -> Iterator[Mark]:
    for category, errors in detail[severity].items():
        for entry in errors["entries"]:
            if side in entry:
                badge = f"{_SIGNS[severity]} {_LETTERS[category]}"
                yield Mark(entry[side][0], entry[side][1], kind, badge, f"{_TITLES[category]}: {entry['text']}")
