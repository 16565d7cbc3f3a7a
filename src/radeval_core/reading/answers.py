"""What a reader answers about a case, checked field by field. Candidates are in the order of the file.

Answers come from a browser, so every field has a type, bounds and a largest length. A reading is complete when every
question of the study has an answer; an incomplete one is kept too, because every change is saved.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import INSERT, REWRITE, SEVERITY
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError, unknown_name
from radeval_core.reading.cases import CORRECTIONS, PREFERENCE, RATING, Case

#: the scale of the rating, and of the confidence in a preference
RATINGS = (0, 5)
CONFIDENCE = (1, 5)
SAME = "same"
_MAX_COUNT, _MAX_TEXT, _MAX_CORRECTIONS = 50, 10_000, 200

Count = Annotated[int, Field(ge=0, le=_MAX_COUNT)]
Text = Annotated[str, Field(max_length=_MAX_TEXT)]


class _Checked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ErrorCounts(_Checked):
    """The errors of one category.

    Attributes:
        significant: clinically significant errors.
        insignificant: other errors.
    """

    significant: Count = 0
    insignificant: Count = 0


class LineCorrection(_Checked):
    """A correction of one line.

    Attributes:
        line: number of the line in `split_lines`, from 0; None for an insertion.
        action: delete, rewrite or insert.
        corrected: the new text of a rewritten or inserted line.
        rating: how severe the error is, one of `corrections.types.SEVERITY`; None if not yet rated.
        comment: the reason, if the reader gave one.
    """

    line: Annotated[int, Field(ge=0)] | None = None
    action: Literal["delete", "rewrite", "insert"]
    corrected: Text = ""
    rating: str | None = None
    comment: Text = ""


class CandidateReading(_Checked):
    """What a reader says about one candidate.

    Attributes:
        errors: counts by category; a category without errors may be left out.
        rating: 0 to 5, or None.
        corrections: corrections of lines.
    """

    errors: dict[str, ErrorCounts] = Field(default_factory=dict)
    rating: Annotated[int, Field(ge=RATINGS[0], le=RATINGS[1])] | None = None
    corrections: Annotated[list[LineCorrection], Field(max_length=_MAX_CORRECTIONS)] = Field(default_factory=list)

    def count(self, category: str, significance: str) -> int:
        """Return the errors of a category."""
        found = self.errors.get(category)
        return int(getattr(found, significance)) if found else 0

    def total(self, significance: str | None = None) -> int:
        """Return all errors, or those of one significance."""
        kinds = (significance,) if significance else ("significant", "insignificant")
        return sum(self.count(category, kind) for category in CATEGORIES for kind in kinds)


class Reading(_Checked):
    """Everything that one reader says about one case.

    Attributes:
        candidates: one entry per candidate.
        preferred: the number of the preferred candidate, `same` if there is no difference, or None.
        confidence: how sure the reader is about it, 1 to 5, or None.
        comment: free text.
        done: the reader says that the case is finished.
    """

    candidates: list[CandidateReading]
    preferred: Literal[0, 1, "same"] | None = None
    confidence: Annotated[int, Field(ge=CONFIDENCE[0], le=CONFIDENCE[1])] | None = None
    comment: Text = ""
    done: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return self.model_dump(mode="json")

    def in_order(self, order: Sequence[int]) -> Reading:
        """Return the reading with its candidates in another order; the same order again turns it back."""
        preferred: int | str | None = self.preferred
        if isinstance(preferred, int):
            preferred = order[preferred]
        return self.model_copy(update={"candidates": [self.candidates[i] for i in order], "preferred": preferred})


@dataclass(frozen=True)
class Missing:
    """An answer that a reading lacks.

    Attributes:
        part: rating, preference, confidence, severity or corrected.
        candidate: number of the candidate, if the answer is about one.
        correction: place in its list of corrections, if the answer is about one.
    """

    part: str
    candidate: int | None = None
    correction: int | None = None


def empty_reading(case: Case) -> Reading:
    """Return a reading of a case without any answer."""
    return Reading(candidates=[CandidateReading() for _ in case.candidates])


def check_reading(value: Any, case: Case) -> Reading:
    """Check an answer and return it. Errors name the field, never a text that the reader wrote."""
    try:
        reading = Reading.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "reading"
        raise InputError(f"{place}: {first['msg'].lower()}") from None
    if len(reading.candidates) != len(case.candidates):
        raise InputError(f"candidates: expected {len(case.candidates)}, got {len(reading.candidates)}")
    if len(case.candidates) == 1 and reading.preferred is not None:
        raise InputError("preferred: this case has one candidate")
    for number, (candidate, given) in enumerate(zip(case.candidates, reading.candidates, strict=True)):
        for category in given.errors:
            if category not in CATEGORIES:
                raise InputError(f"candidates.{number}.errors: {unknown_name('category', category[:40], CATEGORIES)}")
        _check_corrections(f"candidates.{number}.corrections", given.corrections, len(split_lines(candidate.text)))
    return reading


def _check_corrections(where: str, corrections: Sequence[LineCorrection], lines: int) -> None:
    seen = set()
    for number, correction in enumerate(corrections):
        place = f"{where}.{number}"
        if correction.rating is not None and correction.rating not in SEVERITY:
            raise InputError(f"{place}.rating: expected one of {', '.join(SEVERITY)}")
        if correction.action == INSERT:
            if correction.line is not None:
                raise InputError(f"{place}.line: an insertion has no line")
            continue
        if correction.line is None or correction.line >= lines:
            raise InputError(f"{place}.line: expected a whole number from 0 to {lines - 1}")
        if correction.line in seen:
            raise InputError(f"{place}.line: line {correction.line} is corrected twice")
        seen.add(correction.line)


def missing_answers(reading: Reading, case: Case, asked: Collection[str]) -> list[Missing]:
    """Return what is still missing before a case is complete. No counted errors means: there are none."""
    found: list[Missing] = []
    for number, given in enumerate(reading.candidates):
        if RATING in asked and given.rating is None:
            found.append(Missing("rating", number))
        for place, correction in enumerate(given.corrections if CORRECTIONS in asked else ()):
            if correction.action in (INSERT, REWRITE) and not correction.corrected.strip():
                found.append(Missing("corrected", number, place))
            if correction.rating is None:
                found.append(Missing("severity", number, place))
    if PREFERENCE in asked and len(case.candidates) == 2:
        if reading.preferred is None:
            found.append(Missing("preference"))
        if reading.confidence is None:
            found.append(Missing("confidence"))
    return found
