"""Score one checked submission with the metrics of its benchmark."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import count, islice
from typing import Any

import numpy as np

from radeval_core import __version__, api
from radeval_core.errors import RadevalError
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.submission import Submission
from radeval_core.leaderboard.submission_result import SubmissionResult, version_of
from radeval_core.registry import metric_value
from radeval_core.runner import MetricResult

#: gets the number of pairs scored so far, and the number to score
Progress = Callable[[int, int], None]
#: pairs between two reports of progress; models need more pairs at once to fill their batches
_STEP, _STEP_OF_MODELS = 8, 128
#: the metric whose details count errors by category
_ERROR_METRIC = "green"


def score_submission(
    benchmark: Benchmark, submission: Submission, date: str, on_progress: Progress | None = None, **options: Any
) -> SubmissionResult:
    """Score every study of a submission.

    A prediction that the findings parser cannot read scores as an empty report: left out, it would raise the mean.

    Args:
        benchmark: the benchmark, with the references.
        submission: a submission checked against this benchmark.
        date: date to record in the result.
        on_progress: called with the number of pairs scored so far and the number to score. The latter doubles if a
            prediction turns out unreadable.
        options: further arguments of `api.score`, such as `device` or `cache`.

    Raises:
        RadevalError: if a judge model gives no usable answer at all.
    """
    pairs = [
        {"id": study.id, "prediction": submission.predictions[study.id], "reference": study.reference}
        for study in benchmark.studies.values()
    ]
    with _without_notes():
        scored = _score(benchmark, pairs, 1, on_progress, options)
        if unread := _unread_predictions(scored):
            pairs = [pair | {"prediction": ""} if pair["id"] in unread else pair for pair in pairs]
            scored = _score(benchmark, pairs, 2, on_progress, options)
    for name, result in scored.results.items():
        if why := result.failed_judge:  # a result without scores would stay on the board as if it were final
            raise RadevalError(f"{name}: {why}")
    rows = [row["scores"] for row in scored.rows()]
    metrics = {name: _summary(scored.results, name) for name in benchmark.metrics}
    signatures = {name: str(row["signature"]) for name, row in metrics.items()}
    return SubmissionResult(
        submission=submission.id,
        benchmark=benchmark.name,
        revision=benchmark.revision,
        version=version_of(benchmark.name, benchmark.revision, signatures),
        core=__version__,
        date=date,
        system=submission.system,
        metrics=metrics,
        ids=tuple(str(i) for i in scored.ids),
        scores={name: tuple(row[name] for row in rows) for name in benchmark.metrics},
        errors=_error_counts(scored),
    )


def _score(
    benchmark: Benchmark,
    pairs: list[dict[str, Any]],
    round_: int,
    on_progress: Progress | None,
    options: Mapping[str, Any],
) -> api.Scores:
    """Score the pairs for the first or the second time."""
    names, configs = list(benchmark.configs), benchmark.configs
    if on_progress is None:
        return api.score(pairs, names, configs, benchmark.options, detailed=True, **options)
    done = count(len(pairs) * (round_ - 1) + 1)

    def step(_: Mapping[str, Any]) -> None:
        on_progress(next(done), len(pairs) * round_)

    size = _STEP if set(configs.values()) == {"embedded"} else _STEP_OF_MODELS
    reported = {"on_details": step, "chunk_pairs": size, **options}
    return api.score(pairs, names, configs, benchmark.options, detailed=True, **reported)


def _unread_predictions(scored: api.Scores) -> set[str | int]:
    """Return the ids of the predictions that have words but that the findings parser does not understand."""
    result = next((r for r in scored.results.values() if r.coverage is not None), None)
    if result is None or result.details is None:
        return set()
    shares = [detail["coverage"]["prediction"]["share"] for detail in result.details]
    return {study for study, share in zip(scored.ids, shares, strict=True) if share == 0}


def _summary(results: Mapping[str, MetricResult], name: str) -> dict[str, Any]:
    """Return score, interval, counts, direction and signature of a metric or a part of one."""
    value = metric_value(name)
    result = results[value.metric]
    score = result.numbers.get(value.key, math.nan)
    interval = None if math.isnan(score) else result.ci95(lambda numbers: numbers[value.key])
    unscored = int(np.isnan(result.values[value.key]).sum())
    return {
        "score": None if math.isnan(score) else score,
        "ci95": list(interval) if interval else None,
        "n": len(result.scores) - unscored,
        "unscored": unscored,
        "higher_is_better": value.higher_is_better,
        "signature": result.signature,
    }


def current_version(benchmark: Benchmark, **options: Any) -> str:
    """Return the version that scoring would give now. It scores two pairs to get the signatures, which is cheap."""
    return _version(benchmark, tuple(sorted(options.items())))


@lru_cache(maxsize=32)
def _version(benchmark: Benchmark, options: tuple[tuple[str, Any], ...]) -> str:
    # two pairs, because metrics with corpus statistics need more than one
    pairs = [(study.reference, study.reference) for study in islice(benchmark.studies.values(), 2)]
    names, configs = list(benchmark.configs), benchmark.configs
    with _without_notes():
        results = api.score(pairs, names, configs, benchmark.options, **dict(options)).results
    signatures = {metric: results[metric_value(metric).metric].signature for metric in benchmark.metrics}
    return version_of(benchmark.name, benchmark.revision, signatures)


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
