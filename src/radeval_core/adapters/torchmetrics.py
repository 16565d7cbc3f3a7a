"""A torchmetrics `Metric`: sums of per-pair statistics as states, so that processes add them up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from radeval_core.adapters.metric_set import MetricSet

#: room for the statistics of a metric. The number is known only after the first pair, but the states of all processes
#: must have the same shape, also of one that got no pair; srrbert_f1 has most: 220.
_ROOM = 1024


class ReportScore(Metric):
    """One or several metrics over the pairs of all updates and all processes.

    `update(predictions, references)` takes lists of reports; `compute()` returns the headline of each name, NaN if no
    pair was scored, and `NAME_unscored`, the number of pairs without a score. The headlines are those of `radeval
    score` on all pairs. Metrics that must see all references first (cider without `corpus`) are refused, because the
    texts are not kept: no process sends a report to another.

    Args:
        metrics: names such as `radgraph_f1` or `green.error_count`, or a single one.
        configs: config by metric.
        options: options by metric.
        settings: `device`, `section` and others, as for `radeval_core.load`.
        kwargs: options of `torchmetrics.Metric`, such as `process_group`.
    """

    is_differentiable = False
    full_state_update = False
    sums: torch.Tensor
    counts: torch.Tensor
    widths: torch.Tensor

    def __init__(
        self,
        metrics: str | Sequence[str],
        configs: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        settings: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._metrics = MetricSet(metrics, configs, options, pair_by_pair=True, **(settings or {}))
        count = len(self._metrics.metrics)
        self.add_state("sums", torch.zeros(count, _ROOM, dtype=torch.float64), dist_reduce_fx="sum")
        self.add_state("counts", torch.zeros(count, 2, dtype=torch.int64), dist_reduce_fx="sum")  # scored, unscored
        self.add_state("widths", torch.zeros(count, dtype=torch.int64), dist_reduce_fx="max")

    @property
    def higher_is_better(self) -> bool | None:
        """Return the direction of the names; None if they differ."""
        directions = {self._metrics.shown(name).higher_is_better for name in self._metrics.names}
        return directions.pop() if len(directions) == 1 else None

    def update(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> None:
        """Add the pairs of a batch."""
        results = self._metrics.score(predictions, references, contexts).results
        sums, counts, widths = (np.zeros(state.shape) for state in (self.sums, self.counts, self.widths))
        for i, metric in enumerate(self._metrics.metrics):
            result = results[metric]
            added = result.statistics(~np.isnan(result.scores)).sum(axis=0)
            if len(added) > _ROOM:
                raise AssertionError(f"{metric} has {len(added)} statistics: raise _ROOM")
            sums[i, : len(added)], counts[i], widths[i] = added, (result.n, result.unscored), len(added)
        # new tensors, because Lightning resets the states in inference mode, where tensors cannot be changed in place
        self.sums = self.sums + torch.from_numpy(sums).to(self.sums)
        self.counts = self.counts + torch.from_numpy(counts).to(self.counts)
        self.widths = torch.from_numpy(widths).to(self.widths)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the headlines and the numbers of unscored pairs."""
        numbers: dict[str, float] = {}
        for name in self._metrics.names:
            i = self._metrics.metrics.index(self._metrics.shown(name).metric)
            (n, unscored), sums = self.counts[i].tolist(), self.sums[i, : int(self.widths[i])].cpu().numpy()
            numbers[name] = self._metrics.headline_of_sums(name, sums, n) if n else math.nan
            numbers[f"{name}_unscored"] = float(unscored)
        device = self.sums.device
        return {name: torch.tensor(value, dtype=torch.float64, device=device) for name, value in numbers.items()}
