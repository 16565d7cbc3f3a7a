"""FineRadScore's numbers: from the severities and categories of corrections to a score of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

#: key of each count of corrections by category, in the order of the paper's six categories
CATEGORY_KEYS = (
    "false_finding",
    "missing_finding",
    "wrong_location",
    "wrong_severity",
    "false_comparison",
    "omitted_comparison",
)
#: key of each count of corrections by severity, 1 to 4
SEVERITY_KEYS = ("not_actionable", "actionable_nonurgent", "urgent", "emergent")


def total(severities: Sequence[int]) -> int:
    """The score of a report (section 8): the sum of its corrections' severities; 0 without a correction."""
    return sum(severities)


def worst(severities: Sequence[int]) -> int:
    """The other score of a report (section 6.4): its greatest severity; 0 without a correction."""
    return max(severities, default=0)


def counts(severities: Sequence[int], categories: Sequence[Iterable[str]], names: Sequence[str]) -> Mapping[str, int]:
    """How many corrections have each severity and each category.

    Args:
        severities: of each correction, 1 to 4.
        categories: of each correction, none or several.
        names: the six categories, in the paper's order.
    """
    by_severity = {key: severities.count(i) for i, key in enumerate(SEVERITY_KEYS, start=1)}
    by_category = {
        key: sum(name in of_one for of_one in map(set, categories))
        for key, name in zip(CATEGORY_KEYS, names, strict=True)
    }
    return {**by_severity, **by_category}
