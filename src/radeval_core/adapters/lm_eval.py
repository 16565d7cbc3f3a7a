"""`process_results` and aggregations for a task of lm-evaluation-harness.

The task's YAML file names functions of a Python file beside it (`!function`); that file makes them here:

    task = ReportTask(["radgraph_f1", "green"], reference="report")
    process_results = task.process_results
    radgraph_f1, green = task.aggregation("radgraph_f1"), task.aggregation("green")

`unscored` is the aggregation of `NAME_unscored`: the number of docs without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from radeval_core.adapters.metric_set import Headline, MetricSet, PairValue, unscored
from radeval_core.errors import InputError

__all__ = ["ReportTask", "unscored"]


class ReportTask:
    """Scores the generated report of each doc.

    Args:
        metrics: names such as `radgraph_f1` or `green.error_count`, or a single one; the YAML file lists them, too.
        reference: column of the dataset with the reference report, or with a list of them.
        context: column with what is known about the patient, if a metric uses it.
        configs: config by metric.
        options: options by metric.
        settings: `device`, `section` and others, as for `radeval_core.load`.
    """

    def __init__(
        self,
        metrics: str | Sequence[str],
        reference: str,
        context: str | None = None,
        configs: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        **settings: Any,
    ) -> None:
        self._metrics = MetricSet(metrics, configs, options, pair_by_pair=True, **settings)
        self._reference = reference
        self._context = context

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, PairValue]:
        """Return the value of each name for one doc, NaN if the pair is unscored; for `NAME_unscored`, too."""
        for column in filter(None, (self._reference, self._context)):
            if column not in doc:
                raise InputError(f"the dataset has no column {column!r}; columns: {', '.join(map(str, doc))}")
        texts = results[0] if len(results) == 1 and isinstance(results[0], list) else results  # some filters add a list
        if len(texts) != 1:
            raise InputError(f"there are {len(texts)} generated texts for a doc, but a report is one: set repeats: 1")
        context = doc[self._context] if self._context else None
        (pair,) = self._metrics.score_pairs([texts[0]], [doc[self._reference]], [context])
        return {**pair.values, **{f"{name}_unscored": value for name, value in pair.values.items()}}

    def aggregation(self, name: str) -> Callable[[Sequence[float]], float]:
        """Return the function that makes the headline of a name, as `radeval score` computes it."""
        return Headline(self._metrics, name)
