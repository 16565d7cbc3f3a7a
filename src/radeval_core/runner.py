"""Run scorers over pairs: a stream in, per-pair values and headlines out.

Pairs are read in chunks and every scorer sees a chunk before the next is read, so memory grows only with the results,
and all scorers share the annotations of the chunk's texts.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from radeval_core.errors import InputError
from radeval_core.metrics._coverage import advice, score_covered
from radeval_core.metrics.base import Array, PairScores, Scorer
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import Pair
from radeval_core.signature import refs_text, signature
from radeval_core.stats.bootstrap import interval95
from radeval_core.stats.row_table import RowTable, compact

log = logging.getLogger(__name__)
#: a chunk ends at this many pairs or characters, whichever comes first
CHUNK_PAIRS = 2048
CHUNK_CHARACTERS = 500_000


@dataclass
class MetricResult:
    """The result of one metric on a set of pairs.

    Attributes:
        spec: the metric's declared facts.
        score: the headline; NaN if no pair could be scored.
        extras: further headline numbers by name.
        values: per-pair values, keyed by the metric's name and its parts; NaN marks an unscored pair.
        signature: everything that can change the score.
        details: the structures behind each score, if requested.
        report: further results that are not single numbers, by name.
        coverage: per pair, the share of the content words that the findings parser understood, in the report of which
            it understood less; None if the config does not use the parser.
        asked: the judge model that was asked, with its server; empty if none was.
        judged: how many pairs have a usable answer of the model.
        failures: how many pairs have no usable answer of the model, by reason; the most frequent first. Without a
            model: how many pairs made the metric fail, where the pairs were scored in parts.
    """

    spec: MetricSpec
    score: float
    extras: dict[str, float]
    values: dict[str, Array]
    signature: str
    details: list[dict[str, Any]] | None
    report: dict[str, Any]
    coverage: Array | None
    _stats: RowTable = field(repr=False)
    _summarise: Callable[[Array, int], dict[str, Array]] = field(repr=False)
    asked: str = ""
    judged: int = 0
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def scores(self) -> Array:
        return self.values[self.spec.name]

    @property
    def unscored(self) -> int:
        return int(np.isnan(self.scores).sum())

    @property
    def n(self) -> int:
        """Return the number of scored pairs."""
        return len(self.scores) - self.unscored

    @property
    def failure_fields(self) -> dict[str, dict[str, int]]:
        """Return `unscored_reasons` if a model left pairs without a score, else nothing: a part of every summary."""
        return {"unscored_reasons": self.failures} if self.failures else {}

    @property
    def failed_judge(self) -> str:
        """Return why a judge model gave no usable answer at all; empty if it gave one, or if none was asked."""
        from radeval_core.judges.engine import failed_judge

        return failed_judge(self.asked, self.judged, self.failures) if self.asked else ""

    @property
    def numbers(self) -> dict[str, float]:
        """Return the headline, under the metric's name, and the further headline numbers."""
        return {self.spec.name: self.score, **self.extras}

    def ci95(self, read: Callable[[dict[str, Array]], Array] | None = None) -> tuple[float, float] | None:
        """Return the 95 % bootstrap interval of a number, or None with fewer than two scored pairs.

        Args:
            read: takes the number from `numbers`; the headline if not given.
        """
        name = self.spec.name
        return interval95(self._stats, lambda sums: (read or (lambda found: found[name]))(self.summary(sums, self.n)))

    def statistics(self, pairs: NDArray[np.bool_]) -> Array:
        """Return the per-pair statistics of some pairs: those marked True, which must be scored."""
        return self._stats.rows(pairs[~np.isnan(self.scores)]).array()

    def summary(self, sums: Array, n: int) -> dict[str, Array]:
        """Return `numbers` for the summed statistics of n pairs; leading axes of `sums` are resamples."""
        return self._summarise(sums, n)


@dataclass(frozen=True)
class ScoredChunk:
    """What a scorer found in a chunk of pairs, one row per pair.

    Attributes:
        values: per-pair values, keyed by the metric's name and its parts.
        stats: the columns of the per-pair statistics, see `compact`.
        coverage: the share that the findings parser understood of each pair; None if the config does not use it.
        unread: languages of the pairs that the parser could not read; an empty one if it is not known.
        details: the structures behind each score, if requested.
        outcomes: what a judge model did with each pair, see `Scorer.outcomes`; empty if none was asked.
    """

    values: dict[str, Array]
    stats: list[NDArray[Any]]
    coverage: Array | None = None
    unread: Counter[str] = field(default_factory=Counter)
    details: list[dict[str, Any]] = field(default_factory=list)
    outcomes: Sequence[str | None] = ()


@dataclass(frozen=True)
class RunFacts:
    """What a scorer knows after all pairs: the attributes of the same names of `MetricResult`, and signature fields."""

    fields: dict[str, object]
    report: dict[str, Any]
    asked: str
    judged: int
    failures: dict[str, int]


def score_chunk(scorer: Scorer, pairs: Sequence[Pair], detailed: bool = False) -> ScoredChunk:
    """Score a chunk of pairs."""
    before = len(scorer.outcomes)
    got: PairScores = score_covered(scorer, pairs, detailed)
    return scored_chunk(scorer, got, len(pairs), scorer.outcomes[before:])


def scored_chunk(scorer: Scorer, got: PairScores, pairs: int, outcomes: Sequence[str | None]) -> ScoredChunk:
    """Return the scores of some pairs as a chunk.

    Args:
        scorer: what scored them.
        got: the scores.
        pairs: number of pairs.
        outcomes: what a judge model did with each pair.
    """
    values = {name: np.asarray(got.values[name], dtype=np.float64) for name in scorer.value_names}
    for name, column in values.items():
        if len(column) != pairs:
            raise AssertionError(f"{name}: {len(column)} values for {pairs} pairs")
    stats = compact(np.column_stack(list(values.values())) if got.stats is None else got.stats)
    covered = got.coverage or ()
    coverage = None if got.coverage is None else np.array([pair.share for pair in covered])
    unread = Counter(pair.language for pair in covered if pair.unread)
    return ScoredChunk(values, stats, coverage, unread, got.details or [], outcomes)


class Collector:
    """Gathers the chunks of one scorer into one result."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self._values: dict[str, list[Array]] = {name: [] for name in scorer.value_names}
        self._stats: list[list[NDArray[Any]]] = []
        self._details: list[dict[str, Any]] = []
        self._coverage: list[Array] = []
        self._outcomes: list[str | None] = []
        #: languages of the pairs that the findings parser could not read; empty if it is not known
        self.unread: Counter[str] = Counter()

    def add(self, chunk: ScoredChunk) -> None:
        """Add the next chunk."""
        for name, rows in self._values.items():
            rows.append(chunk.values[name])
        self._stats.append(chunk.stats)
        self.unread.update(chunk.unread)
        self._outcomes.extend(chunk.outcomes)
        if chunk.coverage is not None:
            self._coverage.append(chunk.coverage)

    def keep(self, details: list[dict[str, Any]]) -> None:
        """Keep structures for the result."""
        self._details.extend(details)

    def _facts(self) -> RunFacts:
        """Return the facts of a scorer that has scored all pairs; it may have scored those of other runs too."""
        failures = dict(Counter(filter(None, self._outcomes)))
        scorer = self.scorer
        return RunFacts(scorer.signature_fields(), scorer.report(), scorer.asks, self._outcomes.count(""), failures)

    def result(self, refs: str, detailed: bool = False, facts: RunFacts | None = None) -> MetricResult:
        """Return the result of all chunks; `facts` are the scorer's own by default."""
        scorer, name = self.scorer, self.scorer.spec.name
        facts = facts or self._facts()
        # chunks are dropped as they are joined: a million pairs are not held twice
        values = {key: np.concatenate(self._values.pop(key)) for key in list(self._values)}
        stats = RowTable.joined(self._stats).rows(~np.isnan(values[name]))
        self._stats.clear()
        n = len(stats)
        numbers = {key: float(v) for key, v in scorer.summarise(stats.sum(), n).items()} if n else {}
        cutter = scorer.resources.cutter
        fields = {**(cutter.fields if cutter else {}), **facts.fields}
        text = signature(name, scorer.config.name, fields, refs, scorer.spec.version)
        return MetricResult(
            spec=scorer.spec,
            score=numbers.pop(name, float("nan")),
            extras=numbers,
            values=values,
            signature=text,
            details=self._details if detailed else None,
            report=facts.report,
            coverage=np.concatenate(self._coverage) if self._coverage else None,
            _stats=stats,
            _summarise=scorer.summarise,
            asked=facts.asked,
            judged=facts.judged,
            failures=dict(Counter(facts.failures).most_common()),
        )


def run(
    read: Callable[[], Iterable[Pair]],
    scorers: Sequence[Scorer],
    detailed: bool = False,
    total: int | None = None,
    progress: bool = False,
    chunk_pairs: int | None = None,
    on_details: Callable[[dict[str, Any]], None] | None = None,
    warn_unread: bool = True,
) -> tuple[list[str | int], dict[str, MetricResult]]:
    """Score a stream of pairs.

    Args:
        read: returns the pairs from the start each time it is called; called twice if a scorer needs a first pass.
        scorers: one per metric.
        detailed: keep the structures behind each score.
        total: number of pairs, for the progress bar.
        progress: show a bar on a terminal.
        chunk_pairs: largest number of pairs to read at once; fewer means more frequent progress.
        on_details: called once per pair with `{"id", "details": {metric: {...}}}`, in order, chunk by chunk.
        warn_unread: warn about pairs that the findings parser cannot read; no if each call has a single pair.

    Returns:
        The ids of the pairs in order, and the result of each metric by name.
    """
    first_pass = [s for s in scorers if s.two_pass]
    if first_pass:
        for chunk in chunks(read(), chunk_pairs):
            for scorer in first_pass:
                scorer.observe(chunk)
    collectors = {s.spec.name: Collector(s) for s in scorers}
    ids: list[str | int] = []
    reference_counts: set[int] = set()
    with tqdm(total=total, desc="scoring", unit="pair", disable=None if progress else True) as bar:
        for chunk in chunks(read(), chunk_pairs):
            details: dict[str, list[dict[str, Any]]] = {}
            for name, collector in collectors.items():
                scored = score_chunk(collector.scorer, chunk, detailed or on_details is not None)
                collector.add(scored)
                details[name] = scored.details
                if detailed:
                    collector.keep(scored.details)
            if on_details:
                for i, pair in enumerate(chunk):
                    on_details({"id": pair.id, "details": {name: rows[i] for name, rows in details.items()}})
            reference_counts.update(len(p.references) for p in chunk)
            ids.extend(p.id for p in chunk)
            bar.update(len(chunk))
    if not ids:
        raise InputError("predictions and references are empty: give at least one pair of reports")
    if warn_unread:
        warn_of_unread(collectors.values(), len(ids))
    refs = refs_text(min(reference_counts), max(reference_counts))
    return ids, {name: c.result(refs, detailed) for name, c in collectors.items()}


def warn_of_unread(collectors: Iterable[Collector], total: int) -> None:
    """Warn once about pairs that the findings parser could not read. The warning contains no text of a report."""
    blind = [collector for collector in collectors if collector.unread]
    if not blind:
        return
    unread = blind[0].unread  # all scorers that use the parser read the same pairs
    languages = {name: f"{count} read like {name}" for name, count in unread.most_common() if name}
    specs = [collector.scorer.spec for collector in blind]
    log.warning(
        "%d of %d pairs are not scored by %s: the embedded parser reads English and understands nothing in a report of "
        "theirs%s. %s The details of each pair say more.",
        unread.total(),
        total,
        ", ".join(spec.name for spec in specs),
        f" ({', '.join(languages.values())})" if languages else "",
        advice(specs, " or ".join(languages)),
    )


def chunks(pairs: Iterable[Pair], most: int | None = None) -> Iterator[list[Pair]]:
    """Cut a stream into chunks bounded in pairs and characters."""
    chunk: list[Pair] = []
    characters = 0
    for pair in pairs:
        chunk.append(pair)
        characters += len(pair.prediction) + sum(map(len, pair.references))
        if len(chunk) >= (most or CHUNK_PAIRS) or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk
