"""Scores one checked submission with the metrics of its benchmark."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from radeval_core import __version__, api
from radeval_core.leaderboard.benchmark import Benchmark, load_benchmark
from radeval_core.leaderboard.outcome import Outcome, version_of
from radeval_core.leaderboard.submission import Submission

#: the metric whose details count errors by category
_ERROR_METRIC = "green"
_KEPT = ("score", "ci95", "n", "unscored", "higher_is_better", "signature")


def score_submission(benchmark: Benchmark, submission: Submission, date: str, **options: Any) -> Outcome:
    """Score every study.

    Args:
        benchmark: with the references.
        submission: checked against the same benchmark.
        date: written into the outcome.
        options: further arguments of `api.score`, such as `device` or `cache`.
    """
    pairs = [
        {"id": study.id, "prediction": submission.predictions[study.id], "reference": study.reference}
        for study in benchmark.studies.values()
    ]
    with _without_notes():
        scored = api.score(pairs, list(benchmark.metrics), dict(benchmark.metrics), detailed=True, **options)
    summary = scored.summary()
    rows = [row["scores"] for row in scored.rows()]
    signatures = {name: str(summary[name]["signature"]) for name in benchmark.metrics}
    return Outcome(
        submission=submission.id,
        benchmark=benchmark.name,
        revision=benchmark.revision,
        version=version_of(benchmark.name, benchmark.revision, signatures),
        core=__version__,
        date=date,
        system=submission.system,
        metrics={name: {key: summary[name][key] for key in _KEPT} for name in benchmark.metrics},
        ids=tuple(str(i) for i in scored.ids),
        scores={name: tuple(row[name] for row in rows) for name in benchmark.metrics},
        errors=_error_counts(scored),
    )


def current_version(benchmark: Benchmark, **options: Any) -> str:
    """The version scoring would give now, from the signatures of two pairs: cheap, and nothing is guessed."""
    return _version(benchmark.name, benchmark.folder, benchmark.revision, tuple(sorted(options.items())))


@lru_cache(maxsize=32)
def _version(name: str, folder: Path, revision: str, options: tuple[tuple[str, Any], ...]) -> str:
    benchmark = load_benchmark(str(folder))
    # two pairs: metrics that count words over a test set want more than one
    pairs = [(study.reference, study.reference) for study in islice(benchmark.studies.values(), 2)]
    with _without_notes():
        results = api.score(pairs, list(benchmark.metrics), dict(benchmark.metrics), **dict(options)).results
    return version_of(name, revision, {metric: result.signature for metric, result in results.items()})


@contextmanager
def _without_notes() -> Iterator[None]:
    """No note on embedded configs: a benchmark names its configs on purpose."""
    logger = logging.getLogger(api.__name__)

    def silent(record: logging.LogRecord) -> bool:
        return record.levelno > logging.WARNING

    logger.addFilter(silent)
    try:
        yield
    finally:
        logger.removeFilter(silent)


def _error_counts(scored: api.Scores) -> tuple[dict[str, int], ...]:
    """How many errors of each category every pair has; empty without the metric that counts them."""
    result = scored.results.get(_ERROR_METRIC)
    if result is None or result.details is None:
        return ()
    counts = []
    for detail in result.details:
        found: dict[str, int] = {}
        for kind in ("significant", "insignificant"):
            for category, counted in detail.get(kind, {}).items():
                found[category] = found.get(category, 0) + counted["count"]
        counts.append(found)
    return tuple(counts)
