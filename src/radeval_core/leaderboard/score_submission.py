"""Score one checked submission with the metrics of its benchmark."""

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
from radeval_core.leaderboard.submission import Submission
from radeval_core.leaderboard.submission_result import SubmissionResult, version_of

#: the metric whose details count errors by category
_ERROR_METRIC = "green"
_SUMMARY_KEYS = ("score", "ci95", "n", "unscored", "higher_is_better", "signature")


def score_submission(benchmark: Benchmark, submission: Submission, date: str, **options: Any) -> SubmissionResult:
    """Score every study of a submission.

    Args:
        benchmark: the benchmark, with the references.
        submission: a submission checked against this benchmark.
        date: date to record in the result.
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
    return SubmissionResult(
        submission=submission.id,
        benchmark=benchmark.name,
        revision=benchmark.revision,
        version=version_of(benchmark.name, benchmark.revision, signatures),
        core=__version__,
        date=date,
        system=submission.system,
        metrics={name: {key: summary[name][key] for key in _SUMMARY_KEYS} for name in benchmark.metrics},
        ids=tuple(str(i) for i in scored.ids),
        scores={name: tuple(row[name] for row in rows) for name in benchmark.metrics},
        errors=_error_counts(scored),
    )


def current_version(benchmark: Benchmark, **options: Any) -> str:
    """Return the version that scoring would give now. It scores two pairs to get the signatures, which is cheap."""
    return _version(benchmark.name, benchmark.folder, benchmark.revision, tuple(sorted(options.items())))


@lru_cache(maxsize=32)
def _version(name: str, folder: Path, revision: str, options: tuple[tuple[str, Any], ...]) -> str:
    benchmark = load_benchmark(str(folder))
    # two pairs, because metrics with corpus statistics need more than one
    pairs = [(study.reference, study.reference) for study in islice(benchmark.studies.values(), 2)]
    with _without_notes():
        results = api.score(pairs, list(benchmark.metrics), dict(benchmark.metrics), **dict(options)).results
    return version_of(name, revision, {metric: result.signature for metric, result in results.items()})


@contextmanager
def _without_notes() -> Iterator[None]:
    """Silence the notes on embedded configs, because a benchmark chooses its configs on purpose."""
    logger = logging.getLogger(api.__name__)

    def silent(record: logging.LogRecord) -> bool:
        return record.levelno > logging.WARNING

    logger.addFilter(silent)
    try:
        yield
    finally:
        logger.removeFilter(silent)


def _error_counts(scored: api.Scores) -> tuple[dict[str, int], ...]:
    """Return the number of errors per category for every pair; empty without the metric that counts them."""
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
