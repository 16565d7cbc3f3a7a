"""The numbers a table shows: the headline of a metric, another of its numbers, or a function of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from radeval_core.errors import unknown_name
from radeval_core.metrics.base import Array
from radeval_core.registry import get_spec, metric_value, scorer_class
from radeval_core.runner import MetricResult


@dataclass(frozen=True)
class ShownValue:
    """One number of a table.

    Attributes:
        name: the name in the table.
        metric: the metric it comes from.
        key: which number of the metric: its name for the headline, else a part or another number of its summary.
        higher_is_better: the direction.
        inverse: show 1 divided by the number. It has no value where the number is 0 or less.
        comparable: for a number of a preset, whether it can be compared with the published table.
    """

    name: str
    metric: str
    key: str
    higher_is_better: bool
    inverse: bool = False
    comparable: bool | None = None

    @property
    def source(self) -> str:
        """Return the number as users name it: METRIC or METRIC.PART."""
        return self.metric if self.key == self.metric else f"{self.metric}.{self.key}"

    def read(self, numbers: Mapping[str, Array]) -> Array:
        """Return the number from the summary of a metric; NaN where it has no value."""
        found = np.asarray(numbers[self.key], dtype=np.float64)
        if not self.inverse:
            return found
        return np.where(found > 0, 1 / np.where(found > 0, found, 1.0), np.nan)

    def row(self, result: MetricResult) -> dict[str, Any]:
        """Return the number with interval, counts, direction and signature, ready for JSON."""
        value = float(self.read(result.numbers)) if result.n else float("nan")  # type: ignore[arg-type]
        interval = result.ci95(self.read)
        return {
            "score": None if np.isnan(value) else value,
            "ci95": list(interval) if interval else None,
            "n": result.n,
            "unscored": result.unscored,
            **result.failure_fields,
            "higher_is_better": self.higher_is_better,
            "signature": result.signature,
            "source": self.source,
            **({} if self.comparable is None else {"comparable": self.comparable}),
        }


def shown_value(name: str) -> ShownValue:
    """Return the number that METRIC or METRIC.PART names; a part may also be a number over the corpus.

    Raises:
        InputError: no such metric, or the metric has no such number; the message lists what there is.
    """
    metric, dot, key = name.partition(".")
    spec, corpus = get_spec(metric), scorer_class(metric).corpus_numbers
    if dot and key not in (*spec.parts, *corpus):
        raise unknown_name(f"part of {metric}", key, [*spec.parts, *corpus] or ["(none)"])
    if key in corpus and key not in spec.parts:
        return ShownValue(name, metric, key, spec.higher_is_better)
    named = metric_value(name)
    return ShownValue(name, named.metric, named.key, named.higher_is_better)


def metrics_of(values: Sequence[ShownValue]) -> list[str]:
    """Return the metrics that give the numbers, each once."""
    return list(dict.fromkeys(value.metric for value in values))
