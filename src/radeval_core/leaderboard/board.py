"""Read a leaderboard: ranked systems, baselines and oracles, other versions, failed and waiting submissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.leaderboard.baselines import seed
from radeval_core.leaderboard.benchmark import Benchmark, Kind
from radeval_core.leaderboard.queue import Clock, utc_now
from radeval_core.leaderboard.ranking import Ranked, VersionGroup, group_by_version, in_order, rank
from radeval_core.leaderboard.score_submission import Progress, current_version
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.submission_result import SubmissionResult


@dataclass(frozen=True)
class Board:
    """A leaderboard at one moment.

    Attributes:
        benchmark: its benchmark.
        version: version of the installed metrics.
        current: results of that version.
        others: results of older or newer versions, one group per version.
        failed: results of the current version without scores.
        waiting: number of submissions without a result of the current version.
        skipped: a note for every file that cannot be read or does not belong to the store.
        withdrawn: number of submissions that their owners have withdrawn; they are nowhere else on the board.
    """

    benchmark: Benchmark
    version: str
    current: tuple[SubmissionResult, ...]
    others: tuple[VersionGroup, ...]
    failed: tuple[SubmissionResult, ...]
    waiting: int
    skipped: tuple[str, ...] = ()
    withdrawn: int = 0

    def ranked(self, metric: str | None = None) -> list[Ranked]:
        """Rank the systems of the current version by a metric of the benchmark, without baselines and oracles."""
        return rank([o for o in self.current if self.kind(o) == "system"], self.metric(metric))

    def unranked(self, metric: str | None = None) -> list[Ranked]:
        """Return the baselines and oracles of the current version, the best first. They take no part in any test."""
        rows = [Ranked(None, o, kind) for o in self.current if (kind := self.kind(o)) != "system"]
        return in_order(rows, self.metric(metric))

    def kind(self, outcome: SubmissionResult) -> Kind:
        """Return what a submission counts as; see `Benchmark.kind_of`."""
        return self.benchmark.kind_of(outcome.system.name, outcome.system.kind)

    def metric(self, metric: str | None) -> str:
        """Return a metric of the benchmark, the first one if none is given.

        Raises:
            InputError: the benchmark does not have this metric.
        """
        metric = metric or self.benchmark.main_metric
        if metric not in self.benchmark.metrics:
            raise unknown_name(f"metric of {self.benchmark.name}", metric, self.benchmark.metrics)
        return metric

    def find(self, system: str) -> SubmissionResult:
        """Find a result of the current version by the start of its id or by the exact name of its system."""
        found = [o for o in self.current if system and (o.submission.startswith(system) or o.system.name == system)]
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(o.submission[:12] for o in found)
            raise InputError(f"{len(found)} submissions match {system!r}; give one of {ids}")
        raise unknown_name("submission", system, [o.submission for o in self.current])

    def as_dict(self, metric: str) -> dict[str, Any]:
        """Return the leaderboard as a dict for JSON."""
        return {
            "benchmark": self.benchmark.name,
            "revision": self.benchmark.revision,
            "version": self.version,
            "ranked_by": metric,
            "systems": [_row(row) for row in self.ranked(metric)],
            "unranked": [_row(row) for row in self.unranked(metric)],
            "other_versions": [
                {"version": g.version, "revision": g.revision, "core": g.core, "systems": len(g.outcomes)}
                for g in self.others
            ],
            "failed": [{"submission": o.submission, "name": o.system.name, "reason": o.reason} for o in self.failed],
            "waiting": self.waiting,
            "skipped": list(self.skipped),
            "withdrawn": self.withdrawn,
        }


def read_board(
    store: Store,
    benchmark: Benchmark,
    *,
    seed_if_empty: bool = False,
    clock: Clock = utc_now,
    on_progress: Progress | None = None,
    **options: Any,
) -> Board:
    """Read a store.

    Args:
        store: the store.
        benchmark: the benchmark of the board.
        seed_if_empty: first submit and score the benchmark's baselines if there are no submissions.
        clock: gives the date of the baselines.
        on_progress: called while baselines are scored, with the number of pairs scored so far and the number in all.
        options: further arguments of `api.score`.
    """
    if seed_if_empty and not store.submissions(benchmark.name):
        seed(store, benchmark, clock=clock, on_progress=on_progress, **options)
    version = current_version(benchmark, **options)
    withdrawn = store.withdrawn(benchmark.name)
    found, skipped = store.read_outcomes(benchmark.name)
    outcomes = [outcome for outcome in found if outcome.submission not in withdrawn]
    odd = [o for o in outcomes if not o.failed and o.version == version and not _fits(o, benchmark)]
    skipped.extend(f"result {o.submission}: not for the studies and metrics of {benchmark.name}" for o in odd)
    now = [o for o in outcomes if o.version == version and o not in odd]
    entered = store.submissions(benchmark.name)
    done = withdrawn.union(store.finished(benchmark.name, version))
    return Board(
        benchmark,
        version,
        tuple(o for o in now if not o.failed),
        tuple(g for g in group_by_version(outcomes) if g.version != version),
        tuple(o for o in now if o.failed),
        sum(submission not in done for submission in entered),
        tuple(skipped),
        len(withdrawn.intersection(entered)),
    )


def _row(row: Ranked) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "kind": row.kind,
        "submission": row.outcome.submission,
        "name": row.outcome.system.name,
        "link": row.outcome.system.link,
        "training_data": row.outcome.system.training_data,
        "date": row.outcome.date,
        "core": row.outcome.core,
        "metrics": dict(row.outcome.metrics),
    }


def _fits(outcome: SubmissionResult, benchmark: Benchmark) -> bool:
    return set(outcome.metrics) == set(benchmark.metrics) and outcome.ids == tuple(benchmark.studies)


def with_interval(row: Mapping[str, Any]) -> str:
    """Format a score with its interval: `0.373 (0.333–0.408)`."""
    if row["score"] is None:
        return "-"
    interval = f" ({row['ci95'][0]:.3f}–{row['ci95'][1]:.3f})" if row["ci95"] else ""
    return f"{row['score']:.3f}{interval}"
