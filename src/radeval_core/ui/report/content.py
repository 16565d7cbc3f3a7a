"""Choose the pairs a page shows, and put them in order: the worst first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from radeval_core.api import Scores
from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.cider import DocumentFrequencies
from radeval_core.pairs import Pair, is_blank
from radeval_core.runner import MetricResult
from radeval_core.ui.report.errors import JUDGES, ErrorCount, find_errors


class Details(Protocol):
    """The structures behind the scores: by place of the pair, then by metric."""

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        """Return the details of one pair."""


@dataclass(frozen=True)
class ShownPair:
    """A pair on the page.

    Attributes:
        place: its place in the input, from 0.
        pair: the reports.
        values: the score of each metric; NaN if unscored.
        details: what is behind each score, by metric.
        errors: kinds of errors a judge counted.
        coverage: share of the reports that the findings parser understood; None if no metric uses it.
    """

    place: int
    pair: Pair
    values: dict[str, float]
    details: Mapping[str, Any]
    errors: list[ErrorCount]
    coverage: float | None


@dataclass(frozen=True)
class Content:
    """What a page shows.

    Attributes:
        source: name of the scored file.
        scores: the scores of all pairs.
        pairs: the pairs on the page, the worst first.
        first: the metric they are sorted by.
        empty: number of pairs with an empty prediction, and with an empty reference.
        options: options of each view, by metric.
        read: parses a report as the run did.
    """

    source: str
    scores: Scores
    pairs: list[ShownPair]
    first: str
    empty: tuple[int, int]
    options: Mapping[str, Mapping[str, Any]]
    read: Callable[[str], ParsedReport]

    @property
    def results(self) -> dict[str, MetricResult]:
        return self.scores.results

    @property
    def names(self) -> list[str]:
        """Return the metrics, the one that sorts the pairs first."""
        return [self.first, *(name for name in self.results if name != self.first)]

    @property
    def left_out(self) -> int:
        """Return the number of scored pairs that are not on the page."""
        return len(self.scores.ids) - len(self.pairs)

    @property
    def where(self) -> str:
        """Return which pairs are on the page, in words."""
        return f"the {len(self.pairs):,} pairs on this page" if self.left_out else "all pairs"


def gather(
    scores: Scores,
    pairs: Iterable[Pair],
    details: Details,
    source: str,
    options: Mapping[str, Mapping[str, Any]],
    most: int,
    read: Callable[[str], ParsedReport] = parse,
) -> Content:
    """Return the content of a page; `pairs` is read once."""
    first = next((name for name in JUDGES if name in scores.results), next(iter(scores.results)))
    order = worst_first(scores.results[first])[:most]
    wanted, found = set(order), {}
    empty, frequencies = [0, 0], DocumentFrequencies()
    for place, pair in enumerate(pairs):
        empty[0] += is_blank(pair.prediction)
        empty[1] += all(map(is_blank, pair.references))
        if "cider" in scores.results:  # its view weighs words by how many references contain them
            frequencies.add(pair.references)
        if place in wanted:
            found[place] = pair
    views = {name: dict(options.get(name, {})) for name in scores.results}
    if "cider" in views and not views["cider"].get("corpus"):
        views["cider"]["frequencies"] = frequencies
    shown = [_shown(scores, place, found[place], details[place]) for place in order]
    return Content(source, scores, shown, first, (empty[0], empty[1]), views, read)


def worst_first(result: MetricResult) -> Sequence[int]:
    """Return the places of the pairs, the worst score first and unscored pairs last; ties keep their order."""
    sign = 1 if result.spec.higher_is_better else -1
    values = result.scores.tolist()
    return sorted(
        range(len(values)), key=lambda i: (math.isnan(values[i]), 0 if math.isnan(values[i]) else sign * values[i])
    )


def _shown(scores: Scores, place: int, pair: Pair, details: Mapping[str, Any]) -> ShownPair:
    values = {name: float(result.scores[place]) for name, result in scores.results.items()}
    return ShownPair(place, pair, values, details, find_errors(details), coverage_of(details))


def coverage_of(details: Mapping[str, Any]) -> float | None:
    """Return the share that was understood of the report that was understood less; None if no metric says so."""
    found = next((detail["coverage"] for detail in details.values() if "coverage" in detail), None)
    return None if found is None else float(min(found[side]["share"] for side in ("prediction", "reference")))
