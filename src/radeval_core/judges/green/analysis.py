"""GREEN's analysis of a pair of reports, from a model or from our comparison of findings."""

from __future__ import annotations

from dataclasses import dataclass

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
        matched_by: what decided that two findings of which one is not in the lexicon are the same: `name`, `spelling`,
            `words`, `encoder` or `size`; empty otherwise.
    """

    text: str
    weight: float = 1.0
    reference: Span | None = None
    candidate: Span | None = None
    matched_by: str = ""


@dataclass(frozen=True)
class Counted:
    """Errors of one category, or matched findings.

    Attributes:
        count: the stated number; a model may count more or fewer than it lists.
        entries: the listed ones.
    """

    count: int = 0
    entries: tuple[GreenItem, ...] = ()


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
