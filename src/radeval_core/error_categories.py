"""The six kinds of errors in a generated report, as ReXVal, GREEN and FineRadScore count them.

The order is that of the papers, (a) to (f). The names are keys of results, columns of datasets and arguments of
commands; `in_words` is how tables and pages show them.
"""

from __future__ import annotations

FALSE_FINDING, MISSING_FINDING, WRONG_LOCATION, WRONG_SEVERITY, FALSE_COMPARISON, OMITTED_COMPARISON = CATEGORIES = (
    "false_finding",
    "missing_finding",
    "wrong_location",
    "wrong_severity",
    "false_comparison",
    "omitted_comparison",
)


def in_words(category: str) -> str:
    """Return the name of a category as people write it."""
    return category.replace("_", " ")
