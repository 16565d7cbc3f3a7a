"""Compute FineRadScore's numbers from the severities and categories of corrections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from radeval_core.error_categories import CATEGORIES

#: result keys of the number of corrections of severity 1 to 4
SEVERITY_KEYS = ("not_actionable", "actionable_nonurgent", "urgent", "emergent")


def total(severities: Sequence[int]) -> int:
    """Return the score of a report (section 8): the sum of its corrections' severities, 0 without corrections."""
    return sum(severities)


def worst(severities: Sequence[int]) -> int:
    """Return the alternative score of a report (section 6.4): its highest severity, 0 without corrections."""
    return max(severities, default=0)


def counts(severities: Sequence[int], categories: Sequence[Iterable[str]], names: Sequence[str]) -> Mapping[str, int]:
    """Return the number of corrections of each severity and each category.

    Args:
        severities: severity of each correction, 1 to 4.
        categories: categories of each correction, zero or more.
        names: the six categories in the paper's wording and order.
    """
    by_severity = {key: severities.count(i) for i, key in enumerate(SEVERITY_KEYS, start=1)}
    by_category = {
        key: sum(name in chosen for chosen in map(set, categories)) for key, name in zip(CATEGORIES, names, strict=True)
    }
    return {**by_severity, **by_category}
