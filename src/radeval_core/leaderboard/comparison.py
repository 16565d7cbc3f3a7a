"""Compare two systems of a board on the same studies, from their stored scores. No metric is rerun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.facets import facet_groups, mean_is_headline
from radeval_core.leaderboard.ranking import ALPHA
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value
from radeval_core.stats.bootstrap import interval95
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import PairedTest, Summary, paired_tests

#: number of studies that differ most
CASES = 5


@dataclass(frozen=True)
class MetricDifference:
    """The difference of two systems in one metric.

    Attributes:
        metric: the metric, or METRIC.PART.
        higher_is_better: its direction.
        first: headline of the first system; None if it has none.
        second: headline of the second system.
        difference: mean of the scores per study, first minus second, over the studies that both have.
        ci95: 95 % bootstrap interval of the difference.
        p: p-value of approximate randomisation, two-sided.
        p_holm: the p-value after Holm's correction over all metrics of this comparison.
        n: number of studies that both have.
        better: `first` or `second` if p_holm is below 0.05, else empty: then the two do not differ significantly.
        is_headline: False if the metric's headline is computed over the corpus, so that it may differ in another way.
    """

    metric: str
    higher_is_better: bool
    first: float | None
    second: float | None
    difference: float | None
    ci95: tuple[float, float] | None
    p: float
    p_holm: float
    n: int
    better: str
    is_headline: bool


@dataclass(frozen=True)
class PartDifference:
    """The difference of two systems in a part of the studies, or in one category of errors.

    Attributes:
        name: facet or `errors`.
        value: value of the facet, or category of errors.
        difference: mean difference per study, first minus second.
        ci95: its 95 % bootstrap interval; None with fewer than two studies.
        n: number of studies.
        better: `first` or `second` if the interval does not contain 0, else empty. It is not corrected for the number
            of parts: it says where to look, not what is proven.
    """

    name: str
    value: str
    difference: float
    ci95: tuple[float, float] | None
    n: int
    better: str


@dataclass(frozen=True)
class CaseDifference:
    """A study on which two systems differ: its id and both scores of the metric that ranks."""

    study: str
    first: float
    second: float


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same studies.

    Attributes:
        first: id of the first submission.
        second: id of the second submission.
        ranked_by: the metric of `facets` and `cases`.
        metrics: one difference per metric of the benchmark.
        facets: one difference per value of each facet of the benchmark.
        errors: one difference per category of errors that one of them made; empty if no metric counts errors.
        cases: the studies that differ most, the largest difference first.
    """

    first: str
    second: str
    ranked_by: str
    metrics: tuple[MetricDifference, ...]
    facets: tuple[PartDifference, ...]
    errors: tuple[PartDifference, ...]
    cases: tuple[CaseDifference, ...]


def compare_entries(
    first: SubmissionResult,
    second: SubmissionResult,
    benchmark: Benchmark,
    metric: str | None = None,
    count: int = CASES,
) -> Comparison:
    """Compare two results of the same version of a benchmark.

    Args:
        first: one result.
        second: another.
        benchmark: their benchmark.
        metric: the metric of the facets and cases; the first of the benchmark if not given.
        count: maximum number of cases.
    """
    if first.version != second.version or first.ids != second.ids:
        raise InputError("results with different signatures or studies cannot be compared")
    main = metric or benchmark.main_metric
    return Comparison(
        first.submission,
        second.submission,
        main,
        _metric_differences(first, second, benchmark.metrics),
        tuple(_facet_differences(first, second, benchmark, main)),
        tuple(_error_differences(first, second)),
        tuple(_cases(first, second, main, count)),
    )


def _metric_differences(
    first: SubmissionResult, second: SubmissionResult, metrics: Iterable[str]
) -> tuple[MetricDifference, ...]:
    names = list(metrics)
    tests = _tests([_differences(first, second, name) for name in names])
    corrected = holm([test.p_randomisation for test in tests])
    return tuple(
        MetricDifference(
            name,
            metric_value(name).higher_is_better,
            first.metrics[name]["score"],
            second.metrics[name]["score"],
            test.difference if test.n else None,
            test.ci95,
            test.p_randomisation,
            p_holm,
            test.n,
            _better(test.difference, name) if p_holm < ALPHA else "",
            mean_is_headline(name),
        )
        for name, test, p_holm in zip(names, tests, corrected, strict=True)
    )


def _tests(columns: Sequence[NDArray[np.float64]]) -> list[PairedTest]:
    """Test the differences per study of each metric. Metrics with the same scored studies share their draws."""
    known = [~np.isnan(column) for column in columns]
    found: dict[int, PairedTest] = {}
    for scored in {mask.tobytes(): mask for mask in known}.values():
        places = [i for i, mask in enumerate(known) if np.array_equal(mask, scored)]
        rows = np.stack([columns[i][scored] for i in places], axis=1)
        found |= dict(zip(places, paired_tests(np.zeros_like(rows), rows, _mean_of(len(rows))), strict=True))
    return [found[i] for i in range(len(columns))]


def _mean_of(count: int) -> Summary:
    return lambda sums: sums / max(count, 1)


def _facet_differences(
    first: SubmissionResult, second: SubmissionResult, benchmark: Benchmark, metric: str
) -> Iterable[PartDifference]:
    by_study = dict(zip(first.ids, _differences(first, second, metric), strict=True))
    up = metric_value(metric).higher_is_better
    for facet in benchmark.facets:
        for value, studies in facet_groups(benchmark, facet).items():
            yield from _part(facet, value, [by_study[study] for study in studies], up)


def _error_differences(first: SubmissionResult, second: SubmissionResult) -> Iterable[PartDifference]:
    if not first.errors or not second.errors:
        return
    for category in sorted({key for counts in (*first.errors, *second.errors) for key in counts}):
        pairs = zip(first.errors, second.errors, strict=True)
        yield from _part("errors", category, [a.get(category, 0) - b.get(category, 0) for a, b in pairs], False)


def _part(name: str, value: str, differences: Sequence[float], higher_is_better: bool) -> Iterable[PartDifference]:
    """Yield the difference of a part; nothing if no study of it has scores of both systems."""
    known = np.array([d for d in differences if not np.isnan(d)], dtype=np.float64)
    if not len(known):
        return
    interval = interval95(known[:, None], lambda sums: sums[..., 0] / len(known))
    clear = interval is not None and (interval[0] > 0 or interval[1] < 0)
    mean = float(known.mean())
    yield PartDifference(name, value, mean, interval, len(known), _winner(mean, higher_is_better) if clear else "")


def _cases(first: SubmissionResult, second: SubmissionResult, metric: str, count: int) -> Iterable[CaseDifference]:
    differences = np.abs(np.nan_to_num(_differences(first, second, metric)))
    for i in np.argsort(-differences, kind="stable")[:count]:
        one, other = first.scores[metric][i], second.scores[metric][i]
        if differences[i] > 0 and one is not None and other is not None:
            yield CaseDifference(first.ids[i], one, other)


def _differences(first: SubmissionResult, second: SubmissionResult, metric: str) -> NDArray[np.float64]:
    """Return the score of the first minus that of the second per study; NaN where one is missing."""
    return np.array(first.scores[metric], dtype=np.float64) - np.array(second.scores[metric], dtype=np.float64)


def _better(difference: float, metric: str) -> str:
    return _winner(difference, metric_value(metric).higher_is_better)


def _winner(difference: float, higher_is_better: bool) -> str:
    return "first" if (difference > 0) == higher_is_better else "second"
