"""Answers the visitors of the workbench: scores their texts together, and renders what each of them sees."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core import __version__
from radeval_core.engine.devices import one_thread
from radeval_core.errors import RadevalError
from radeval_core.html_text import text
from radeval_core.pairs import is_blank
from radeval_core.patient_context import CONTEXT_FIELDS, PatientContext, read_context
from radeval_core.registry import get_spec
from radeval_core.ui.demo import MAX_CHARACTERS
from radeval_core.ui.sheet import Sheet, draw_sheet, read_sheet
from radeval_core.ui.workbench.chips import chips, text_key, verdict
from radeval_core.ui.workbench.metric_readings import MetricReading, read_pairs
from radeval_core.ui.workbench.picture import data_url, pair_picture

log = logging.getLogger(__name__)
#: the columns of the table of numbers
HEADERS = ("metric", "A", "B", "better", "A on the scale", "B on the scale", "signature")


@dataclass(frozen=True)
class Visit:
    """What one visitor sends.

    Attributes:
        reference: the report to compare with.
        candidates: the candidates that are not empty, by letter; A is always there.
        context: what is known about the patient, or None.
        key: identifies all fields, so that the page knows which scores are out of date.
        problem: why nothing can be scored; empty if it can.
        warning: what was ignored; empty if nothing was.
    """

    reference: str
    candidates: Mapping[str, str]
    context: PatientContext | None
    key: str
    problem: str = ""
    warning: str = ""

    @classmethod
    def of(cls, fields: Sequence[str | None]) -> Visit:
        """Read the fields of a page: reference, candidates A and B, and the fields of the context."""
        written = [field or "" for field in fields]  # an untouched box sends null
        reference, a, b, *known = written
        candidates = {"A": a, **({} if is_blank(b) else {"B": b})}
        context, warning = None, ""
        try:
            context = read_context("patient", dict(zip(CONTEXT_FIELDS, known, strict=True)))
        except RadevalError as error:
            warning = f"{error}. The scores are those without a patient."
        problem = _problem(reference, candidates)
        return cls(reference, candidates, context, text_key(*written), problem, warning)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs to score; none if there is a problem."""
        return [] if self.problem else [(self.reference, candidate) for candidate in self.candidates.values()]

    def sheets(self) -> dict[str, Sheet]:
        """Return the marked-up candidates."""
        return {letter: read_sheet(self.reference, c, self.context) for letter, c in self.candidates.items()}


def refusal(reference: str, candidate: str) -> str:
    """Return why a pair cannot be scored, or "" if it can."""
    return _problem(reference, {"": candidate})


def _problem(reference: str, candidates: Mapping[str, str]) -> str:
    if is_blank(reference) and all(map(is_blank, candidates.values())):
        return "both reports are empty: write or paste a reference and a candidate, or click an example"
    named = {"reference": reference, **{f"candidate {letter}".strip(): c for letter, c in candidates.items()}}
    for what, report in named.items():
        if len(report) > MAX_CHARACTERS:
            return f"the {what} has {len(report):,} characters; the maximum here is {MAX_CHARACTERS:,}"
    return ""


def compare_pairs(reference: Sequence[str], candidate: Sequence[str]) -> tuple[list[list[list[Any]]]]:
    """Score a candidate report against a reference report with every metric.

    Args:
        reference: the report to compare with.
        candidate: the report to score.

    Returns:
        One row per metric: name, score, arrow for the better direction, score on the common 0 to 1 scale, signature.
        No rows if both reports are empty, one is too long, or the pair cannot be scored.
    """
    one_thread()
    visits = [Visit.of([r, c, "", *("" for _ in CONTEXT_FIELDS)]) for r, c in zip(reference, candidate, strict=True)]
    found = score_visits(visits)
    return (
        [
            [
                [r.metric, _number(r.raw), get_spec(r.metric).arrow, _number(r.goodness), r.signature]
                for r in scores["A"]
            ]
            for scores in found
        ],
    )


def show_visits(*fields: Sequence[str]) -> tuple[list[str], list[str], list[str], list[list[list[Any]]]]:
    """Score and mark up the candidates of several visitors.

    Args:
        fields: per field of the page, its value for each visitor.

    Returns:
        For each visitor the verdict, the sheets, the chips, and the rows of the table of numbers.
    """
    one_thread()
    visits = [Visit.of(row) for row in zip(*fields, strict=True)]
    shown = [_shown(visit, scores) for visit, scores in zip(visits, score_visits(visits), strict=True)]
    tops, sheets, drawn, tables = zip(*shown, strict=True)
    return list(tops), list(sheets), list(drawn), list(tables)


def score_visits(visits: Sequence[Visit]) -> list[dict[str, list[MetricReading]]]:
    """Score the candidates of several visitors together; if that fails, each visitor alone, so that none fails another.

    A visitor whose texts cannot be scored gets no readings.
    """
    pairs = [pair for visit in visits for pair in visit.pairs]
    contexts = [visit.context for visit in visits for _ in visit.pairs]
    readings: list[list[MetricReading]] = []
    if pairs:
        try:
            readings = read_pairs(pairs, contexts)
        except Exception as error:  # its message may quote a report: log only the type
            log.error("workbench: scoring %d pairs failed with %s", len(pairs), type(error).__name__)
            if len(visits) > 1:
                return [scores for visit in visits for scores in score_visits([visit])]
            readings = [[] for _ in pairs]
    left = iter(readings)
    return [
        {letter: next(left) if visit.pairs else [] for letter in visit.candidates}
        for visit in visits
    ]  # fmt: skip


def _shown(visit: Visit, scores: Mapping[str, list[MetricReading]]) -> tuple[str, str, str, list[list[Any]]]:
    if visit.problem or not scores["A"]:
        what = visit.problem or "this pair could not be scored"
        words = f'<p class="wb-verdict">Nothing to show: {text(what)}.</p>'
        return words, "", f'<div class="wb-chips" data-key="{visit.key}"></div>', []
    sheets = visit.sheets()
    drawn = "".join(draw_sheet(sheet, letter.lower(), f"Candidate {letter}") for letter, sheet in sheets.items())
    top = verdict(scores["A"], sheets["A"])
    if visit.warning:
        top += f'<p class="wb-note">{text(visit.warning)}</p>'
    return (
        top,
        f'<div class="wb-sheets">{drawn}</div>',
        chips(scores["A"], scores.get("B", ()), visit.key),
        _rows(scores),
    )


def _rows(scores: Mapping[str, list[MetricReading]]) -> list[list[Any]]:
    others = {reading.metric: reading for reading in scores.get("B", ())}
    rows = []
    for a in scores["A"]:
        b, spec = others.get(a.metric), get_spec(a.metric)
        values = (_number(a.raw), _number(b.raw) if b else None, spec.arrow)
        places = (_number(a.goodness), _number(b.goodness) if b else None)
        rows.append([a.metric, *values, *places, a.signature])
    return rows


def picture_link(visit: Visit) -> str:
    """Return a link that contains the picture of a visitor's candidates; a page shows it for saving."""
    (scores,) = score_visits([visit])
    sheets = visit.sheets()
    drawn = pair_picture([(f"Candidate {k}", sheets[k], scores[k]) for k in visit.candidates], __version__)
    return f'<a class="wb-save" download="radeval_{visit.key}.png" href="{data_url(drawn)}">Save the picture</a>'


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
