"""The result of a submission as data: its rank and scores, and how it differs from its neighbours in the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from radeval_core.leaderboard.benchmark import Kind
from radeval_core.leaderboard.board import Board
from radeval_core.leaderboard.comparison import Comparison, compare_entries
from radeval_core.leaderboard.facets import SubsetScore, facet_scores
from radeval_core.leaderboard.ranking import Ranked, in_order
from radeval_core.leaderboard.submission_result import SubmissionResult


@dataclass(frozen=True)
class Neighbour:
    """The system above or below in the ranking.

    Attributes:
        submission: its id.
        name: its name.
        rank: its rank.
        comparison: this submission (first) with the neighbour (second).
    """

    submission: str
    name: str
    rank: int | None
    comparison: Comparison


@dataclass(frozen=True)
class EntryReport:
    """The result of one submission.

    Attributes:
        submission: its id.
        name: name of the system.
        kind: system, baseline or oracle.
        rank: its rank; None for a baseline or an oracle, or if the metric could not score it.
        systems: number of ranked systems.
        shared: number of other systems with the same rank: they do not differ significantly from the best of them.
        ranked_by: the metric of rank and neighbours.
        metrics: per metric: score, ci95, n, unscored, higher_is_better, signature.
        facets: score by facet and value, in the metric that ranks.
        above: the next better system by score; None for the best.
        below: the next worse system by score; None for the last.
        benchmark: name of the benchmark.
        revision: revision of its studies.
        version: hash of revision and signatures.
        core: version of radeval_core that scored it.
        date: date of scoring.
    """

    submission: str
    name: str
    kind: Kind
    rank: int | None
    systems: int
    shared: int
    ranked_by: str
    metrics: Mapping[str, Mapping[str, Any]]
    facets: Mapping[str, Mapping[str, SubsetScore]]
    above: Neighbour | None
    below: Neighbour | None
    benchmark: str
    revision: str
    version: str
    core: str
    date: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def report_entry(board: Board, submission: str, metric: str | None = None) -> EntryReport:
    """Return the result of a submission: `radeval leaderboard result` prints it, and the page shows it.

    Neighbours are ranked systems. Those of a baseline or an oracle are the systems with the next better and the next
    worse score.

    Args:
        board: the board.
        submission: its id, the start of it, or the exact name of its system.
        metric: the metric to rank by; the first of the benchmark if not given.
    """
    benchmark = board.benchmark
    outcome = board.find(submission)
    name = board.metric(metric)
    ranked = board.ranked(name)
    order = ranked if board.kind(outcome) == "system" else in_order(_by_score(ranked, outcome), name)
    place = next(i for i, row in enumerate(order) if row.outcome.submission == outcome.submission)
    rank = order[place].rank
    return EntryReport(
        outcome.submission,
        outcome.system.name,
        board.kind(outcome),
        rank,
        len(ranked),
        sum(row.rank == rank for row in ranked) - 1 if rank else 0,
        name,
        dict(outcome.metrics),
        {facet: facet_scores(outcome, benchmark, facet, name) for facet in benchmark.facets},
        _neighbour(board, outcome, ranked, order[place - 1], name) if place else None,
        _neighbour(board, outcome, ranked, order[place + 1], name) if place + 1 < len(order) else None,
        benchmark.name,
        benchmark.revision,
        outcome.version,
        outcome.core,
        outcome.date,
    )


def _by_score(ranked: list[Ranked], outcome: SubmissionResult) -> list[Ranked]:
    """Return all rows without a rank, so that only the score orders them."""
    return [Ranked(None, row.outcome) for row in ranked] + [Ranked(None, outcome)]


def _neighbour(board: Board, outcome: SubmissionResult, ranked: list[Ranked], row: Ranked, metric: str) -> Neighbour:
    other = row.outcome
    rank = next(found.rank for found in ranked if found.outcome.submission == other.submission)
    comparison = compare_entries(outcome, other, board.benchmark, metric)
    return Neighbour(other.submission, other.system.name, rank, comparison)
