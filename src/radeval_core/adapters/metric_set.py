"""Several metrics, loaded once, for a harness that calls them again and again.

Harnesses call in two ways: with all pairs at once, or with one pair at a time and an aggregation at the end. The second
way keeps the statistics of each pair. A headline is a function of their sum, so it equals that of `radeval score`, also
for metrics whose headline is not the mean of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.errors import InputError, says_what_to_install, unknown_name
from radeval_core.metrics.base import Array, Scorer
from radeval_core.pairs import pairs_from_lists
from radeval_core.registry import get_spec, metric_names
from radeval_core.runner import MetricResult, run
from radeval_core.shown_values import ShownValue, metrics_of, shown_value
from radeval_core.stats.bootstrap import interval95
from radeval_core.stats.row_table import RowTable


class PairValue(float):
    """The value of one pair, NaN if it is unscored: a float that a harness can log, with what its headline needs.

    Attributes:
        statistics: the numbers whose sum over all pairs gives the headline; None if the pair is unscored.
    """

    statistics: tuple[float, ...] | None

    def __new__(cls, value: float | None, statistics: tuple[float, ...] | None) -> PairValue:
        made = super().__new__(cls, math.nan if value is None else value)
        made.statistics = statistics
        return made

    def __getnewargs__(self) -> tuple[float, tuple[float, ...] | None]:  # type: ignore[override]
        return float(self), self.statistics


@dataclass(frozen=True)
class PairScore:
    """What the metrics say about one pair.

    Attributes:
        values: the value of each name that was asked for. It is NaN if the pair is unscored, and if the name is a
            number over the corpus, which no pair has.
        details: by metric, the structures behind the scores, if requested. They quote the reports.
    """

    values: dict[str, PairValue]
    details: dict[str, dict[str, Any]]


class MetricSet:
    """One or several metrics, or parts of metrics, under their configs and options. Threads may share it.

    Args:
        metrics: names such as `radgraph_f1` or `green.error_count`, or a single one.
        configs: config by metric; the default if not given.
        options: options by metric.
        pair_by_pair: the pairs come one at a time: refuse metrics that must see all references first.
        settings: `device`, `batch_tokens`, `cache`, `progress`, `lexicon` and `section`, as for `radeval_core.load`.
    """

    def __init__(
        self,
        metrics: str | Sequence[str],
        configs: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        pair_by_pair: bool = False,
        **settings: Any,
    ) -> None:
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        if not names:
            raise InputError(f"no metric given; available: {', '.join(metric_names())}")
        self._shown = {value.name: value for value in map(shown_value, names)}
        self.metrics = metrics_of(list(self._shown.values()))
        self._configs, self._options = dict(configs or {}), {k: dict(v) for k, v in (options or {}).items()}
        api.check_settings(self.metrics, self._configs, self._options)
        self._pair_by_pair = pair_by_pair
        self._resources = api.make_resources(**{"progress": False, **settings})
        scorers = self._scorers()
        api.check_lexicon(scorers)
        self._summarising = {scorer.spec.name: scorer for scorer in scorers}
        waiting = [scorer.spec.name for scorer in scorers if scorer.two_pass]
        if pair_by_pair and waiting:
            raise InputError(
                f"{', '.join(waiting)} must see all references before it scores the first pair, but here pairs are "
                "scored as they come: give the reports to count words in, such as options={'cider': {'corpus': "
                "reports}}, or score the predictions afterwards with radeval_core.score"
            )
        for scorer in scorers:
            api.announce(scorer.spec, scorer.config.name)
        self._made_with = (tuple(names), self._configs, self._options, pair_by_pair, settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made with: another process loads its own models."""
        return _made, self._made_with

    def __deepcopy__(self, memo: dict[int, Any]) -> MetricSet:
        """Return itself: nothing in it changes but what it remembers."""
        return self

    @property
    def names(self) -> list[str]:
        """Return the names that were asked for."""
        return list(self._shown)

    def shown(self, name: str) -> ShownValue:
        """Return which number of which metric a name is, with its direction."""
        if name not in self._shown:
            raise unknown_name("name among the metrics", name, self.names)
        return self._shown[name]

    def score(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
        detailed: bool = False,
    ) -> api.Scores:
        """Score parallel lists, as `radeval_core.score` does; the annotations of earlier calls are kept."""
        single = [name for name in self.metrics if not get_spec(name).multi_reference]
        named = (single or self.metrics)[0]  # an error about several references names a metric that takes only one
        pairs = pairs_from_lists(predictions, references, named, not single, contexts=contexts)
        cutter = self._resources.cutter
        if cutter:
            pairs = list(cutter.pairs(pairs))
        with says_what_to_install(" or ".join(self.metrics)):
            ids, results = run(lambda: pairs, self._scorers(), detailed, warn_unread=not self._pair_by_pair)
        return api.Scores(ids, results, tuple(self._shown.values()), cutter.counts() if cutter else {})

    def score_pairs(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
        detailed: bool = False,
    ) -> list[PairScore]:
        """Score parallel lists; return the values of each pair, in order."""
        results = self.score(predictions, references, contexts, detailed).results
        columns = {name: _pair_values(results[value.metric], value.key) for name, value in self._shown.items()}
        details = {name: result.details for name, result in results.items() if result.details is not None}
        return [
            PairScore({name: column[i] for name, column in columns.items()}, {n: d[i] for n, d in details.items()})
            for i in range(len(predictions))
        ]

    def headline(self, name: str, values: Iterable[float]) -> float:
        """Return the number that a name has over all pairs, from the values of the pairs; NaN if none is scored."""
        rows = _statistics(values)
        return self.headline_of_sums(name, rows.sum(axis=0), len(rows)) if len(rows) else math.nan

    def headline_of_sums(self, name: str, sums: Array, n: int) -> float:
        """Return the number that a name has, from the sum of the statistics of n scored pairs."""
        return float(self._read(name, sums, n))

    def ci95(self, name: str, values: Iterable[float]) -> tuple[float, float] | None:
        """Return the 95 % bootstrap interval of the headline; None with fewer than two scored pairs."""
        rows = _statistics(values)
        if len(rows) < 2:
            return None
        return interval95(RowTable(list(rows.T)), lambda sums: self._read(name, sums, len(rows)))

    def _read(self, name: str, sums: Array, n: int) -> Array:
        shown = self.shown(name)
        return shown.read(self._summarising[shown.metric].summarise(sums, n))

    def _scorers(self) -> list[Scorer]:
        return [
            api.make_scorer(name, self._configs.get(name), self._resources, self._options.get(name, {}))
            for name in self.metrics
        ]


class Headline:
    """The number of a name over all pairs, as a function of their values that other processes can be sent.

    Args:
        metrics: made the values.
        name: one of its names.
    """

    __name__ = "headline"  # harnesses print it

    def __init__(self, metrics: MetricSet, name: str) -> None:
        metrics.shown(name)  # a wrong name fails here
        self._metrics = metrics
        self._name = name

    def __call__(self, values: Iterable[float]) -> float:
        return self._metrics.headline(self._name, values)


def unscored(values: Iterable[float]) -> float:
    """Return how many pairs have no score, given their values."""
    return float(sum(math.isnan(value) for value in values))


_made_here: dict[str, MetricSet] = {}


def _made(
    names: Sequence[str], configs: dict[str, str], options: dict[str, Any], pair_by_pair: bool, settings: dict[str, Any]
) -> MetricSet:
    """Return a set that was pickled, the same one each time: harnesses send it to a process many times."""
    key = repr((names, configs, options, pair_by_pair, settings))
    if key not in _made_here:
        _made_here[key] = MetricSet(names, configs, options, pair_by_pair=pair_by_pair, **settings)
    return _made_here[key]


def _pair_values(result: MetricResult, key: str) -> list[PairValue]:
    """Return the value of each pair with the statistics of its metric."""
    scored = ~np.isnan(result.scores)
    rows = iter(result.statistics(scored).tolist())
    column = result.values.get(key, np.full(len(scored), math.nan)).tolist()
    return [PairValue(value, tuple(next(rows)) if one else None) for value, one in zip(column, scored, strict=True)]


def _statistics(values: Iterable[float]) -> Array:
    """Return the statistics of the scored pairs, one row each."""
    rows = []
    for value in values:
        if not isinstance(value, PairValue):
            raise InputError(f"the headline needs the values that our metrics returned, got {type(value).__name__}")
        if value.statistics is not None:
            rows.append(value.statistics)
    return np.array(rows, dtype=np.float64)
