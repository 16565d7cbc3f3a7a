"""What GREEN says of a pair of reports, whoever says it: a model, or our comparison of findings."""

from __future__ import annotations

from dataclasses import dataclass

#: the six categories in the order of the paper, (a) to (f), as keys of results
CATEGORIES = (
    "false_finding",
    "missing_finding",
    "location",
    "severity",
    "false_comparison",
    "omitted_comparison",
)
#: the same, as the instructions and the published models write them
TITLES = (
    "False report of a finding in the candidate",
    "Missing a finding present in the reference",
    "Misidentification of a finding's anatomic location/position",
    "Misassessment of the severity of a finding",
    "Mentioning a comparison that isn't in the reference",
    "Omitting a comparison detailing a change from a prior study",
)
Span = tuple[int, int]


@dataclass(frozen=True)
class Entry:
    """One error, or one matched finding.

    Attributes:
        text: what it is, in words.
        weight: how much it matters clinically; 1 where a model judges.
        reference: start and end of the sentence of the reference it is about, where known.
        candidate: the same in the candidate.
    """

    text: str
    weight: float = 1.0
    reference: Span | None = None
    candidate: Span | None = None


@dataclass(frozen=True)
class Counted:
    """Errors of one category, or matched findings.

    Attributes:
        count: how many there are; a model may count more or fewer than it writes out.
        entries: those that are written out.
    """

    count: int = 0
    entries: tuple[Entry, ...] = ()


NONE = Counted()
NO_ERRORS = (NONE,) * len(CATEGORIES)


@dataclass(frozen=True)
class GreenAnalysis:
    """The errors of a candidate report and what it has right.

    Attributes:
        explanation: what is wrong, in words.
        significant: clinically significant errors, by category in the order of `CATEGORIES`.
        insignificant: the others, in the same order.
        matched: findings that both reports state.
    """

    explanation: str
    significant: tuple[Counted, ...]
    insignificant: tuple[Counted, ...]
    matched: Counted

    @property
    def significant_count(self) -> int:
        return sum(errors.count for errors in self.significant)

    @property
    def insignificant_count(self) -> int:
        return sum(errors.count for errors in self.insignificant)
