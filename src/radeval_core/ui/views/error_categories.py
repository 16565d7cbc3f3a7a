"""Errors in the six categories: marks in both reports, and a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, plural, table

_TITLES = {category: in_words(category).capitalize() for category in CATEGORIES}
_LETTERS = dict(zip(CATEGORIES, "abcdef", strict=True))
#: kind of mark, and the sign before the letter of the category, by severity
_KINDS = {"significant": ("error", "✗"), "insignificant": ("minor", "△")}
#: entries of a legend
LEGEND = (("error", "✗ significant error, with the letter of its category"), ("minor", "△ insignificant error"))


def error_counts(detail: Mapping[str, Any]) -> str:
    """Return how many errors of each severity there are, in words."""
    counts = {kind: sum(errors["count"] for errors in detail[kind].values()) for kind in _KINDS}
    return " · ".join(f"{sign} {plural(counts[kind], f'{kind} error')}" for kind, (_, sign) in _KINDS.items())


def all_errors(detail: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield every listed error with its severity and category, the significant ones first."""
    for severity in _KINDS:
        for category, errors in detail[severity].items():
            yield from ((severity, category, entry) for entry in errors["entries"])


def error_table(detail: Mapping[str, Any]) -> str:
    """Return the table of errors by category and severity; categories without an error share one line."""
    counted = [c for c in _TITLES if any(detail[kind].get(c) for kind in _KINDS)]
    rows = [
        [f"({_LETTERS[category]}) {_TITLES[category]}", *(_errors(detail[kind].get(category)) for kind in _KINDS)]
        for category in counted
    ]
    others = ", ".join(_TITLES[c].lower() for c in _TITLES if c not in counted)
    none = f'<p class="note">No error of these kinds: {others}.</p>' if others else ""
    return (table(("Error category", "Significant", "Insignificant"), rows, "stack") if rows else "") + none


def error_marks(detail: Mapping[str, Any], side: str) -> Iterator[Mark]:
    """Yield the marks of the errors in one report, the significant ones first."""
    for severity, (kind, sign) in _KINDS.items():
        for category, errors in detail[severity].items():
            for entry in errors["entries"]:
                if side in entry:
                    note = f"{_TITLES[category]}: {entry['text']}"
                    yield Mark(entry[side][0], entry[side][1], kind, f"{sign} {_LETTERS[category]}", note)


def _errors(errors: Mapping[str, Any] | None) -> str:
    if not errors:
        return '<span class="none">none</span>'
    listed = "".join(f"<li>{text(entry['text'])}{_weight(entry)}</li>" for entry in errors["entries"])
    return f"<b>{errors['count']}</b><ul>{listed}</ul>" if listed else f"<b>{errors['count']}</b>"


def _weight(entry: Mapping[str, Any]) -> str:
    return f" <small>weight {entry['weight']:.4g}</small>" if "weight" in entry else ""
