"""Compare two or more systems on the same references: their numbers, and paired tests against the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.bench.provenance import versions
from radeval_core.errors import InputError
from radeval_core.metrics.base import Array
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult
from radeval_core.shown_values import ShownValue, metrics_of
from radeval_core.stats.bootstrap import RESAMPLES, SEED, interval95
from radeval_core.stats.multiplicity import holm
from radeval_core.stats.paired import (
    FLIPS,
    SMALLEST_P_BOOTSTRAP,
    SMALLEST_P_RANDOMISATION,
    PairedTest,
    paired_tests,
)

#: a system with a p-value of at least this much against the best is as good as the best
ALPHA = 0.05
#: the tests, with the smallest p-value that each can give
SMALLEST_P = {"p_bootstrap": SMALLEST_P_BOOTSTRAP, "p_randomisation": SMALLEST_P_RANDOMISATION}
_TESTS = tuple(SMALLEST_P)


@dataclass(frozen=True)
class SystemNumber:
    """One number of one system.

    Attributes:
        value: the number over the pairs that are scored for all systems; None if there is none.
        ci95: its 95 % bootstrap interval.
        unscored: number of pairs of this system that could not be scored.
        best: True if no system is better.
        test: the test of this system against the best (its difference is best minus this one); None for the best.
        adjusted: p-values of the test after Holm's correction, by the name of the test.
    """

    value: float | None
    ci95: tuple[float, float] | None
    unscored: int
    best: bool
    test: PairedTest | None
    adjusted: Mapping[str, float]

    @property
    def tied(self) -> bool:
        """True if the system is not the best but not significantly worse either."""
        known = self.value is not None and not self.best and self.test is not None
        return known and self.adjusted["p_randomisation"] >= ALPHA


@dataclass(frozen=True)
class ComparedValue:
    """One number of all systems.

    Attributes:
        shown: the number.
        systems: the number of each system, by name.
        n: number of pairs scored for all systems.
        left_out: number of pairs not scored for all systems.
        signature: everything that can change the number.
    """

    shown: ShownValue
    systems: Mapping[str, SystemNumber]
    n: int
    left_out: int
    signature: str


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    Attributes:
        values: one entry per number, in order.
        scores: the per-pair scores of each system.
        tests: number of tests that Holm's correction is for: numbers times systems that are compared with the best.
    """

    values: tuple[ComparedValue, ...]
    scores: Mapping[str, api.Scores]
    tests: int

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per pair and system: `{"id", "system", "scores"}`."""
        for system, scores in self.scores.items():
            for row in scores.rows():
                yield {"id": row.pop("id"), "system": system, **row}

    def plain(self) -> dict[str, dict[str, Any]]:
        """Return plain values for JSON, by the name of the number.

        Two systems also have `a`, `b`, `difference` (b - a), its `ci95`, and the p-values at the top level.
        """
        return {value.shown.name: self._plain(value) for value in self.values}

    def _plain(self, value: ComparedValue) -> dict[str, Any]:
        out: dict[str, Any] = {"systems": {name: _plain_system(number) for name, number in value.systems.items()}}
        if len(value.systems) == 2:
            a, b = value.systems.values()
            tested = a if b.test is None else b
            difference, interval = difference_of(a, b)
            out |= {"a": a.value, "b": b.value, "difference": difference, "ci95": interval and list(interval)}
            out |= _p_values(tested)
        return out | {
            "n": value.n,
            "unscored": value.left_out,
            "higher_is_better": value.shown.higher_is_better,
            "signature": value.signature,
            "tests": self.tests,
            "seed": SEED,
            "resamples": RESAMPLES,
            "flips": FLIPS,
            "versions": versions(),
        }


def compare(
    systems: Mapping[str, Sequence[Pair]],
    values: Sequence[ShownValue],
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **arguments: Any,
) -> Comparison:
    """Score systems on the same references, and test each against the best.

    Args:
        systems: the pairs of each system, by name; the same ids and references in the same order (`align`).
        values: the numbers to compare.
        configs: config by metric, if not the default.
        options: options by metric.
        arguments: further arguments of `api.score`, such as `device` or `cache`.
    """
    if len(systems) < 2:
        raise InputError("give at least two systems to compare")
    names = metrics_of(values)
    # separate runs, because corpus statistics (cider's document frequencies) must come from one set of references
    scores = {name: api.score(pairs, names, configs, options, **arguments) for name, pairs in systems.items()}
    return compare_scores(scores, values)


def compare_scores(scores: Mapping[str, api.Scores], values: Sequence[ShownValue]) -> Comparison:
    """Test systems that are already scored against the best.

    Args:
        scores: the scores of each system, by name, of pairs with the same references in the same order.
        values: the numbers to compare.
    """
    found: dict[str, ComparedValue] = {}
    for metric in metrics_of(values):
        wanted = [value for value in values if value.metric == metric]
        results = {name: scored.results[metric] for name, scored in scores.items()}
        found |= {value.shown.name: value for value in _compare_metric(results, wanted)}
    compared = [found[value.name] for value in values]
    return Comparison(tuple(_adjusted(compared)), dict(scores), sum(_is_tested(value) for value in compared))


def _compare_metric(results: Mapping[str, MetricResult], values: Sequence[ShownValue]) -> list[ComparedValue]:
    """Return the numbers of one metric for all systems, with tests that are not yet corrected."""
    common = np.all([~np.isnan(result.scores) for result in results.values()], axis=0)
    n = int(common.sum())
    statistics = {name: result.statistics(common) for name, result in results.items()}
    first = next(iter(results.values()))
    read = _reader(first, values, n)
    numbers = {name: read(rows.sum(axis=0)) if n else np.full(len(values), np.nan) for name, rows in statistics.items()}
    best = [_best({name: row[i] for name, row in numbers.items()}, values[i]) for i in range(len(values))]
    tests = _tests_against(best, statistics, read) if n else {}
    compared = []
    for i, value in enumerate(values):
        systems = {
            name: SystemNumber(
                None if np.isnan(numbers[name][i]) else float(numbers[name][i]),
                interval95(statistics[name], _reader(first, [value], n, flat=True)) if n else None,
                results[name].unscored,
                best[i] != "" and bool(numbers[name][i] == numbers[best[i]][i]),
                tests.get((name, best[i]), [None] * len(values))[i],
                {},
            )
            for name in results
        }
        compared.append(ComparedValue(value, systems, n, len(common) - n, first.signature))
    return compared


def _reader(result: MetricResult, values: Sequence[ShownValue], n: int, flat: bool = False) -> Callable[[Array], Array]:
    """Return a function from summed statistics to the numbers, as the last axis; without that axis if `flat`."""

    def read(sums: Array) -> Array:
        summary = result.summary(sums, n)
        return values[0].read(summary) if flat else np.stack([value.read(summary) for value in values], axis=-1)

    return read


def _best(numbers: Mapping[str, float], value: ShownValue) -> str:
    """Return the first of the best systems; empty if no system has a value."""
    known = {name: number for name, number in numbers.items() if not np.isnan(number)}
    choose = max if value.higher_is_better else min
    return choose(known, key=lambda name: known[name], default="")


def _tests_against(
    best: Sequence[str], statistics: Mapping[str, Array], read: Callable[[Array], Array]
) -> dict[tuple[str, str], list[PairedTest | None]]:
    """Return the tests of every system against each system that is best in some number."""
    return {
        (name, other): list(paired_tests(statistics[name], statistics[other], read))
        for other in sorted(set(best) - {""})
        for name in statistics
        if name != other
    }


def _is_tested(value: ComparedValue) -> int:
    return sum(number.test is not None for number in value.systems.values())


def _adjusted(values: Sequence[ComparedValue]) -> Iterator[ComparedValue]:
    """Yield the numbers with p-values corrected by Holm's method over all tests."""
    tests = [number.test for value in values for number in value.systems.values() if number.test]
    corrected = {key: iter(holm([getattr(test, key) for test in tests])) for key in _TESTS}
    for value in values:
        systems = {}
        for name, number in value.systems.items():
            adjusted = {key: next(corrected[key]) for key in _TESTS} if number.test else {}
            systems[name] = replace(number, adjusted=adjusted)
        yield replace(value, systems=systems)


def difference_of(a: SystemNumber, b: SystemNumber) -> tuple[float | None, tuple[float, float] | None]:
    """Return the difference b - a of two systems, and its interval."""
    test = a.test or b.test
    if test is None or np.isnan(test.difference):
        return None, None
    if a.test:  # b is the best, and the test's difference is best minus the other
        return test.difference, test.ci95
    return -test.difference, test.ci95 and (-test.ci95[1], -test.ci95[0])


def p_text(number: SystemNumber, test: str) -> str:
    """Return the corrected p-value of a test; `≤` if the test cannot give a smaller one."""
    if number.test is None:
        return "-"
    smallest = getattr(number.test, test) <= SMALLEST_P[test]
    return f"{'≤ ' if smallest else ''}{number.adjusted[test]:.4f}"


def _p_values(number: SystemNumber) -> dict[str, float | None]:
    plain = {key: getattr(number.test, key, None) for key in _TESTS}
    return plain | {f"{key}_holm": number.adjusted.get(key) for key in _TESTS}


def _plain_system(number: SystemNumber) -> dict[str, Any]:
    test = number.test
    known = test is not None and not np.isnan(test.difference)
    interval = test.ci95 if test else None
    return {
        "score": number.value,
        "ci95": list(number.ci95) if number.ci95 else None,
        "unscored": number.unscored,
        "best": number.best,
        "tied": number.tied,
        "difference": -test.difference if test and known else None,
        "difference_ci95": [-interval[1], -interval[0]] if interval else None,
        **_p_values(number),
    }
