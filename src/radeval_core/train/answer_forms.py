"""The answers of the judges that can be trained: how each metric asks for, reads, counts and writes one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from radeval_core.corrections.types import CATEGORY_TITLES, Analysis
from radeval_core.error_categories import CATEGORIES
from radeval_core.functional.crimson import ATTRIBUTE, FALSE, LEVELS, MISSING
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.instructions import CrimsonInstructions
from radeval_core.judges.crimson.write_answer import write_answer as write_crimson
from radeval_core.judges.fineradscore.instructions import FineRadInstructions
from radeval_core.judges.fineradscore.write_answer import write_answer as write_fineradscore
from radeval_core.judges.green.analysis import Counted, GreenAnalysis
from radeval_core.judges.green.instructions import GreenInstructions
from radeval_core.judges.green.write_answer import write_answer as write_green
from radeval_core.judges.verdict import Instructions

#: levels of CRIMSON that are acted on: an error about such a finding is significant
_ACTED_ON = tuple(LEVELS)[:2]

CategoryCounts = dict[str, Annotated[int, Field(ge=1)]]


class ErrorCounts(BaseModel):
    """The errors that an answer names, by category; a category without errors is left out.

    Attributes:
        significant: clinically significant errors.
        insignificant: the others.
        matched: number of matched findings; None if the metric's answer does not state it, as FineRadScore's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    significant: CategoryCounts = Field(default_factory=dict)
    insignificant: CategoryCounts = Field(default_factory=dict)
    matched: Annotated[int, Field(ge=0)] | None = None

    @property
    def errors(self) -> int:
        """Return the number of all errors."""
        return sum(self.significant.values()) + sum(self.insignificant.values())


@dataclass(frozen=True)
class AnswerForm:
    """What a metric asks a judge, and how it reads, counts and writes the answer.

    Attributes:
        categories: the categories of its errors.
        instructions: returns the metric's default questions, with the reader of the answers.
        count: returns the errors of an analysis.
        write: returns an analysis as a judge would answer it; the reader reads the same counts from it.
    """

    categories: tuple[str, ...]
    instructions: Callable[[], Instructions[Any]]
    count: Callable[[Any], ErrorCounts]
    write: Callable[[Any], str]

    def counts_in(self, reference: str, candidate: str, answer: str) -> ErrorCounts:
        """Return the errors that the metric reads in an answer.

        Raises:
            UnreadableAnswer: it cannot read it.
        """
        return self.count(self.instructions().read(reference, candidate, answer))


def _count_green(analysis: GreenAnalysis) -> ErrorCounts:
    def named(errors: Sequence[Counted]) -> dict[str, int]:
        return {name: counted.count for name, counted in zip(CATEGORIES, errors, strict=True) if counted.count}

    return ErrorCounts(
        significant=named(analysis.significant),
        insignificant=named(analysis.insignificant),
        matched=analysis.matched.count,
    )


def _count_crimson(analysis: CrimsonAnalysis) -> ErrorCounts:
    """Count errors; one about a finding is significant if the finding is urgent or actionable."""
    said = analysis.evaluation
    errors = said["errors"]
    findings = (*said["reference_findings"], *said["predicted_findings"])
    levels = {entry["id"]: entry.get("clinical_significance") for entry in findings}
    found = {True: Counter[str](), False: Counter[str]()}
    for kind in (FALSE, MISSING):
        for name in errors.get(kind, []):
            found[levels.get(name) in _ACTED_ON][kind] += 1
    for error in errors.get(ATTRIBUTE, []):
        found[error.get("severity") == "significant"][ATTRIBUTE] += 1
    matched = len(said["matched_findings"])
    return ErrorCounts(significant=dict(found[True]), insignificant=dict(found[False]), matched=matched)


def _count_fineradscore(analysis: Analysis) -> ErrorCounts:
    """Count the categories of corrections; a correction is significant if it is actionable, as in `radeval bench`."""
    found = {True: Counter[str](), False: Counter[str]()}
    for correction in analysis.corrections:
        for title in correction.category:
            found[correction.severity > 1][CATEGORIES[CATEGORY_TITLES.index(title)]] += 1
    return ErrorCounts(significant=dict(found[True]), insignificant=dict(found[False]))


FORMS = {
    "green": AnswerForm(CATEGORIES, GreenInstructions, _count_green, write_green),
    "crimson": AnswerForm((FALSE, MISSING, ATTRIBUTE), CrimsonInstructions, _count_crimson, write_crimson),
    "fineradscore": AnswerForm(CATEGORIES, FineRadInstructions, _count_fineradscore, write_fineradscore),
}
