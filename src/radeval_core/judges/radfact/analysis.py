"""What a judge returns about a pair: the phrases of both reports, judged by each other; and phrases a user gives."""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.findings.types import Box, Span
from radeval_core.functional.radfact import JudgedPhrase


@dataclass(frozen=True, slots=True)
class GivenPhrase:
    """A phrase of a grounded report, as the user gives it.

    Attributes:
        text: the phrase, a passage of the report.
        start: where it begins in the report.
        end: where it ends.
        boxes: where it is on the image; None if it has no boxes.
    """

    text: str
    start: int
    end: int
    boxes: tuple[Box, ...] | None


@dataclass(frozen=True, slots=True)
class GivenPair:
    """The phrases of both reports of a pair, as the user gives them."""

    prediction: tuple[GivenPhrase, ...]
    reference: tuple[GivenPhrase, ...]


@dataclass(frozen=True, slots=True)
class SideAnalysis:
    """The phrases of one report.

    Attributes:
        phrases: the phrases, judged by the other report.
        spans: per phrase, the passages of the report that it comes from; empty if they are not known.
        why: per phrase, why it is not entailed; empty if it is, or if the judge does not say.
    """

    phrases: tuple[JudgedPhrase, ...]
    spans: tuple[tuple[Span, ...], ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RadFactAnalysis:
    """The phrases of both reports of a pair."""

    candidate: SideAnalysis
    reference: SideAnalysis
