"""A part of the studies: the board's results restricted to one value of a facet, such as CT, or long reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.board import Board
from radeval_core.leaderboard.facets import facet_groups, subset_score
from radeval_core.leaderboard.submission_result import SubmissionResult


@dataclass(frozen=True)
class Part:
    """One value of a facet.

    Attributes:
        facet: a facet of the benchmark.
        value: one of its values.
        studies: the ids of the studies with this value.
    """

    facet: str
    value: str
    studies: tuple[str, ...]

    @property
    def key(self) -> str:
        """The part in an address."""
        return f"{self.facet}:{self.value}"

    @property
    def words(self) -> str:
        return f"{self.facet}: {self.value}"


def parts_of(benchmark: Benchmark) -> dict[str, Part]:
    """Return all parts that a visitor can choose, by their keys."""
    parts = [
        Part(facet, value, studies)
        for facet in benchmark.facets
        for value, studies in facet_groups(benchmark, facet).items()
    ]
    return {part.key: part for part in parts}


def choices(benchmark: Benchmark) -> list[tuple[str, str]]:
    """Return the parts as labels and keys for a list; the first is the whole set."""
    whole = (f"all {len(benchmark.studies)} studies", "")
    return [whole, *((f"{p.words} ({len(p.studies)})", key) for key, p in parts_of(benchmark).items())]


def restricted(board: Board, part: Part | None) -> Board:
    """Return the board on a part of the studies, with means and intervals of these studies; on all if it is None."""
    if part is None:
        return board
    results = tuple(
        replace(outcome, **_fields(_Key(outcome, outcome.submission, outcome.version), board.benchmark, part))
        for outcome in board.current
    )
    return replace(board, current=results)


class _Key:
    """A result, known by its submission and version, so that its numbers are computed once."""

    def __init__(self, outcome: SubmissionResult, *key: str) -> None:
        self.outcome, self.key = outcome, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=2_000)
def _fields(key: _Key, benchmark: Benchmark, part: Part) -> dict[str, Any]:
    outcome = key.outcome
    wanted = set(part.studies)
    places = [i for i, study in enumerate(outcome.ids) if study in wanted]
    metrics = {}
    for name, row in outcome.metrics.items():
        found = subset_score(outcome, benchmark, part.facet, part.value, name)
        interval = list(found.ci95) if found.ci95 else None
        metrics[name] = {
            **row,
            "score": found.mean,
            "ci95": interval,
            "n": found.n,
            "unscored": found.studies - found.n,
        }
    return {
        "ids": tuple(outcome.ids[i] for i in places),
        "scores": {name: _kept(values, places) for name, values in outcome.scores.items()},
        "errors": _kept(outcome.errors, places) if outcome.errors else (),
        "metrics": metrics,
    }


def _kept(values: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in places)
