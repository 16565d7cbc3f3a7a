"""Count the errors of many candidate reports by finding: what is missed, invented or described wrongly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from radeval_core.error_categories import CATEGORIES, FALSE_FINDING, MISSING_FINDING
from radeval_core.findings.compare import Comparison


@dataclass
class FindingErrors:
    """The errors about one finding.

    Attributes:
        finding: its name; of a wrong finding that both reports state, the reference's name.
        stated: number of references that state it, each statement counted.
        errors: number of errors by category.
        significant: number of errors that are clinically significant.
    """

    finding: str
    stated: int = 0
    errors: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CATEGORIES, 0))
    significant: int = 0

    @property
    def total(self) -> int:
        """Return the number of errors."""
        return sum(self.errors.values())

    @property
    def missing(self) -> int:
        """Return how often a candidate does not state it."""
        return self.errors[MISSING_FINDING]

    @property
    def false(self) -> int:
        """Return how often only a candidate states it."""
        return self.errors[FALSE_FINDING]

    @property
    def wrong(self) -> int:
        """Return how often a candidate states it with a wrong place, degree or comparison."""
        return self.total - self.missing - self.false


def errors_by_finding(comparisons: Iterable[Comparison]) -> list[FindingErrors]:
    """Return the findings with at least one error, the one with most significant errors first, then by all errors."""
    found: dict[str, FindingErrors] = {}

    def entry(finding: str) -> FindingErrors:
        return found.setdefault(finding, FindingErrors(finding))

    for comparison in comparisons:
        for theirs, _ in comparison.matched:
            entry(theirs.finding).stated += 1
        for difference in comparison.differences:
            claim = difference.reference or difference.candidate
            assert claim is not None
            about = entry(claim.finding)
            about.stated += difference.candidate is None
            about.errors[difference.category] += 1
            about.significant += difference.significant
    wrong = [about for about in found.values() if about.total]
    return sorted(wrong, key=lambda about: (-about.significant, -about.total, about.finding))
