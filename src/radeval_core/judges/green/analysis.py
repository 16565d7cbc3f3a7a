"""GREEN's analysis of a pair of reports, from a model or from our comparison of findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.error_categories import CATEGORIES
from radeval_core.findings.types import Span

#: the six categories, in the wording of the instructions and the published models
TITLES = (
    "False report of a finding in the candidate",
    "Missing a finding present in the reference",
    "Misidentification of a finding's anatomic location/position",
    "Misassessment of the severity of a finding",
    "Mentioning a comparison that isn't in the reference",
    "Omitting a comparison detailing a change from a prior study",
)


@dataclass(frozen=True)
class GreenItem:
    """One error, or one matched finding.

    Attributes:
        text: a description.
        weight: how much it matters clinically; always 1 if a model judges.
        reference: start and end of its sentence in the reference, if known.
        candidate: start and end of its sentence in the candidate, if known.
        lost: the part of a matched finding's weight that a vaguer description costs.
        matched_by: what decided that two findings of which one is not in the lexicon are the same: `name`, `spelling`,
            `words`, `encoder` or `size`; empty otherwise.
    """

    text: str
    weight: float = 1.0
    reference: Span | None = None
    candidate: Span | None = None
    lost: float = 0.0
    matched_by: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the item as plain values; it has a weight if we know where it is."""
        spans = {"reference": self.reference, "prediction": self.candidate}
        known = {side: list(span) for side, span in spans.items() if span}
        weight = {"weight": self.weight} if known else {}
        lost = {"lost": self.lost} if self.lost else {}
        decided = {"matched_by": self.matched_by} if self.matched_by else {}
        return {"text": self.text, **weight, **lost, **decided, **known}


@dataclass(frozen=True)
class Counted:
    """Errors of one category, or matched findings.

    Attributes:
        count: the stated number; a model may count more or fewer than it lists.
        entries: the listed ones.
    """

    count: int = 0
    entries: tuple[GreenItem, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the count and what is counted, as plain values."""
        return {"count": self.count, "entries": [entry.as_dict() for entry in self.entries]}


def by_category(errors: Sequence[Counted]) -> dict[str, Any]:
    """Return the errors of each category that has any, as plain values."""
    return {name: counted.as_dict() for name, counted in zip(CATEGORIES, errors, strict=True) if counted.count}


NONE = Counted()
NO_ERRORS = (NONE,) * len(CATEGORIES)


@dataclass(frozen=True)
class GreenAnalysis:
    """The errors and the matched findings of a candidate report.

    Attributes:
        explanation: what is wrong, in words.
        significant: clinically significant errors, by category in the order of `CATEGORIES`.
        insignificant: the others, in the same order.
        matched: findings that both reports state.
        weighted: True if the entries have clinical weights, as those of the embedded judge do.
        silent: whether candidate and reference say nothing that could be compared.
    """

    explanation: str
    significant: tuple[Counted, ...]
    insignificant: tuple[Counted, ...]
    matched: Counted
    weighted: bool = False
    silent: tuple[bool, bool] = (False, False)

    @property
    def significant_count(self) -> int:
        return sum(errors.count for errors in self.significant)

    @property
    def insignificant_count(self) -> int:
        return sum(errors.count for errors in self.insignificant)
