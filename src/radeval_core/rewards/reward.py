"""A metric, or a weighted mean of metrics, as a reward of a training loop."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.api import LexiconFiles, announce, check_lexicon, make_resources, make_scorer
from radeval_core.engine.fork_safe_lock import ForkSafeLock
from radeval_core.errors import InputError, says_what_to_install
from radeval_core.judges.engine import failed_judge
from radeval_core.metrics._coverage import score_covered
from radeval_core.metrics.base import Resources, Scorer
from radeval_core.pairs import Pair
from radeval_core.patient_context import CONTEXT_COLUMNS
from radeval_core.registry import metrics_behind
from radeval_core.rewards.inputs import ColumnReader, read_completions, read_context_columns
from radeval_core.rewards.length_guard import LengthGuard, read_guard
from radeval_core.rewards.names import telling_name
from radeval_core.rewards.weighted_metrics import WeightedMetric, read_metrics, read_settings
from radeval_core.runner import chunks

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rating:
    """What a reward gives a batch of completions.

    Attributes:
        rewards: one number from 0 to 1 per completion; None if a metric of the reward did not score it.
        values: the metrics' own values per completion, by name, before they are mapped; None if unscored.
        factors: what the length guard multiplied each reward by; 1 without a guard.
    """

    rewards: list[float | None]
    values: dict[str, list[float | None]]
    factors: list[float]


class Reward:
    """A callable that scores completions against references; `make_reward` is another name of it.

    TRL calls it as it is; see `radeval_core.rewards` for other trainers. It can be shared by threads, copied, pickled
    and used after a fork. A copy or pickle holds the settings only: it reads lexicons and loads models again when it is
    first called.

    Every metric is mapped to 0…1 with 1 for identical reports (see `radeval_core.score_scale`), so metrics for which
    lower is better are turned round. A composite is the weighted mean. A completion that a metric of the reward cannot
    score gets None, never a number. Metrics whose headline is computed over a corpus (bleu, chexbert_f1, …) give their
    value per pair. Models are loaded at once, so that a missing checkpoint fails before training starts.

    Args:
        metrics: a metric or METRIC.PART, or a mapping from such names to positive weights.
        reference_column: column of the dataset with the reference report, a text or a list of texts. A row whose
            reference is None, such as one of another task, gets None.
        configs: config by metric, as for `radeval_core.score`; with one metric, the config alone will do.
        options: options by metric.
        context_columns: column of each of `age`, `sex`, `indication`, `history`, for metrics that use the patient's
            context; by default the columns with these names, where the dataset has them.
        length_guard: lowers the reward of completions that are more than this many times as long as their reference;
            a LengthGuard may also lower that of short ones. See `LengthGuard` for the formula.
        name: name in the trainer's logs; made from the settings by default.
        device: `cuda`, `mps` or `cpu`; chosen if not given.
        batch_tokens: token budget of a batch.
        cache: folder of the annotation cache.
        lexicon: YAML file, or list of files, with further findings for the findings parser.
        section: score only this section of the reports: findings, impression or both.

    Raises:
        InputError: a name, weight, column, config or option is wrong; the message says what to type.
    """

    def __init__(
        self,
        metrics: str | Mapping[str, float],
        reference_column: str = "reference",
        *,
        configs: str | Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        context_columns: Mapping[str, str] | None = None,
        length_guard: float | LengthGuard | None = None,
        name: str | None = None,
        device: str | None = None,
        batch_tokens: int | None = None,
        cache: str | Path | None = None,
        lexicon: LexiconFiles = None,
        section: str | None = None,
    ) -> None:
        self.metrics: tuple[WeightedMetric, ...] = read_metrics(metrics)
        self.reference_column = _text("reference_column", reference_column)
        self.configs: dict[str, str] = read_settings("configs", configs, self.metrics)
        self.options: dict[str, dict[str, Any]] = read_settings("options", options, self.metrics)
        self.guard = read_guard(length_guard)
        self._run: dict[str, Any] = {
            "device": device,
            "batch_tokens": batch_tokens,
            "cache": cache,
            "lexicon": lexicon,
            "section": section,
        }
        self._resources: Resources | None = None
        self._lock = ForkSafeLock()
        self._warned = False
        scorers = self._new_scorers()
        check_lexicon(scorers)
        for scorer in scorers:
            _refuse_two_passes(scorer)
            with says_what_to_install(f"config {scorer.config.name!r} of {scorer.spec.name}"):
                scorer.warm_up()
            announce(scorer.spec, scorer.config.name)
        self.reader = _column_reader(self.reference_column, context_columns, scorers)
        further = {
            "options": self.options,
            "context_columns": context_columns,
            "lexicon": lexicon,
            "section": section,
        }
        self.__name__ = (
            _text("name", name)
            if name is not None
            else telling_name(self.metrics, self.reference_column, self.configs, self.guard, further)
        )

    def __call__(self, completions: Any = None, prompts: Any = None, **columns: Any) -> list[float | None]:
        """Return one reward per completion, as TRL asks for them.

        Args:
            completions: texts, or lists of messages whose last message of the assistant is the report.
            prompts: not used.
            columns: the columns of the dataset, one value per completion: the references, and `age`, `sex`,
                `indication` and `history` for metrics that use them. `log_metric` and `log_extra`, if given, get the
                metrics' own values.
        """
        rating = self.rate(completions, columns)
        self._report(rating, columns.get("log_metric"), columns.get("log_extra"))
        return rating.rewards

    def rate(self, completions: Any, columns: Mapping[str, Any]) -> Rating:
        """Return the rewards of completions, with the values behind them; arguments as for a call."""
        if completions is None:
            raise InputError("a reward needs completions: call it as reward(completions=[...], reference=[...])")
        texts = read_completions(completions)
        pairs = self.reader.pairs(texts, columns)
        there = [pair for pair in pairs if pair is not None]
        found = self._values(there)
        places = [i for i, pair in enumerate(pairs) if pair is not None]
        values: dict[str, list[float | None]] = {metric.name: [None] * len(texts) for metric in self.metrics}
        rewards: list[float | None] = [None] * len(texts)
        factors = [1.0] * len(texts)
        for row, i in enumerate(places):
            own = {metric.name: found[metric.name][row] for metric in self.metrics}
            for name, value in own.items():
                values[name][i] = None if math.isnan(value) else value
            if self.guard is not None:
                factors[i] = self.guard.factor(there[row].prediction, there[row].references)
            mean = math.fsum(metric.weight * metric.scale(own[metric.name]) for metric in self.metrics)
            rewards[i] = None if math.isnan(mean) else min(1.0, mean) * factors[i]
        self._warn_once(rewards)
        return Rating(rewards, values, factors)

    def _values(self, pairs: Sequence[Pair]) -> dict[str, list[float]]:
        """Return the value of each metric per pair; NaN if it is unscored."""
        found: dict[str, list[float]] = {metric.name: [] for metric in self.metrics}
        if not pairs:
            return found
        resources = self._shared()
        if resources.cutter:
            pairs = list(resources.cutter.pairs(pairs))
        # new scorers for every call: some keep statistics of the pairs they scored, which must not pile up or mix
        scorers = {scorer.spec.name: scorer for scorer in self._new_scorers()}
        for chunk in chunks(pairs):
            got = {name: score_covered(scorer, chunk, False).values for name, scorer in scorers.items()}
            for metric in self.metrics:
                found[metric.name].extend(got[metric.metric][metric.key].tolist())
        for scorer in scorers.values():
            why = failed_judge(scorer.asks, scorer.judged, dict(scorer.failures))
            if why:  # said every time: training goes on, but learns nothing
                log.warning("%s: no completion of this batch has a reward: %s", self.__name__, why)
        return found

    def _shared(self) -> Resources:
        """Return what all calls share: the annotations of texts seen before, and the findings parser."""
        with self._lock:
            if self._resources is None:
                self._resources = make_resources(progress=False, **self._run)
            return self._resources

    def _new_scorers(self) -> list[Scorer]:
        names = metrics_behind(metric.name for metric in self.metrics)
        resources = self._shared()
        return [make_scorer(n, self.configs.get(n), resources, dict(self.options.get(n, {}))) for n in names]

    def _report(
        self, rating: Rating, log_metric: Callable[[str, float], None] | None, log_extra: Callable[..., None] | None
    ) -> None:
        """Hand the metrics' own values to the trainer's log: their mean, the share without one, and one per row."""
        for name, values in rating.values.items():
            scored = [value for value in values if value is not None]
            if log_metric is not None and scored:
                log_metric(f"{self.__name__}/{name}", math.fsum(scored) / len(scored))
            if log_extra is not None:
                log_extra(f"{self.__name__}/{name}", list(values))
        if log_metric is not None and rating.rewards:
            log_metric(f"{self.__name__}/unscored", rating.rewards.count(None) / len(rating.rewards))

    def _warn_once(self, rewards: Sequence[float | None]) -> None:
        if None in rewards and not self._warned:
            self._warned = True
            log.warning(
                "%s: %d of %d completions have no reward (None): the row has no reference, or a metric could not score "
                "the pair. This is said once; log_metric counts them.",
                self.__name__,
                rewards.count(None),
                len(rewards),
            )

    def __repr__(self) -> str:
        return f"Reward({self.__name__!r})"

    def __getstate__(self) -> dict[str, Any]:
        # annotations quote reports, and models are large: a copy makes its own
        return {**vars(self), "_resources": None, "_lock": ForkSafeLock()}


#: what users call: a reward is made from its settings
make_reward = Reward


def _column_reader(
    reference_column: str, context_columns: Mapping[str, str] | None, scorers: Sequence[Scorer]
) -> ColumnReader:
    read = list(dict.fromkeys(column for scorer in scorers for column in scorer.columns))
    fields = [column for column in read if column in CONTEXT_COLUMNS]
    single = next((s.spec.name for s in scorers if not s.spec.multi_reference), "")
    return ColumnReader(
        reference_column,
        read_context_columns(context_columns, fields),
        context_columns is not None,
        [column for column in read if column not in CONTEXT_COLUMNS],
        not single,
        single,
    )


def _refuse_two_passes(scorer: Scorer) -> None:
    """Refuse a metric that weighs words by the other references of the same call: a batch is no corpus."""
    if not scorer.two_pass:
        return
    name = scorer.spec.name
    if "corpus" in scorer.options:
        raise InputError(
            f"{name} weighs words by how rare they are in a corpus, and the rewards of a batch must not depend on the "
            f"other rows: give the training references, options={{{name!r}: {{'corpus': [...]}}}}"
        )
    used = ", ".join(f"{key}={value!r}" for key, value in scorer.chosen.items() if value is True)
    raise InputError(f"{name} with {used} reads all references before it scores one: leave the option out of a reward")


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"{what} must be a text, got {value!r}")
    return value
