"""Score the pairs of several runs at once: the models' batches fill up, and each run gets a result of its own.

A server uses it for the requests that wait at the same time. Headlines, intervals and signatures are those of each run
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from radeval_core.metrics._coverage import score_covered
from radeval_core.metrics.base import PairScores, Scorer
from radeval_core.pairs import Pair
from radeval_core.runner import Collector, MetricResult, chunks, run, scored_chunk
from radeval_core.signature import refs_text


def run_jointly(
    runs: Sequence[Sequence[Pair]], make_scorer: Callable[[], Scorer], detailed: bool = False
) -> list[MetricResult]:
    """Score the pairs of several runs with one metric and return the result of each run.

    Metrics that look at all pairs of a run, such as CIDEr, score one run after the other, and so do runs with boxes or
    films. The numbers are those of `runner.run` on each run; the last digits of a model's may differ, as they do with
    its batches.

    Args:
        runs: the pairs of each run; none may be empty.
        make_scorer: returns a new scorer.
        detailed: keep the structures behind each score.
    """
    scorer = make_scorer()
    together = [i for i, pairs in enumerate(runs) if scorer.pairwise and not any(map(_has_picture, pairs))]
    results: dict[int, MetricResult] = {}
    if len(together) > 1:
        results = dict(zip(together, _joined([runs[i] for i in together], scorer, detailed), strict=True))
    for i, pairs in enumerate(runs):
        if i not in results:
            results[i] = _alone(pairs, make_scorer(), detailed)
    return [results[i] for i in range(len(runs))]


def _has_picture(pair: Pair) -> bool:
    return pair.boxes is not None or pair.image is not None


def _alone(pairs: Sequence[Pair], scorer: Scorer, detailed: bool) -> MetricResult:
    _, results = run(lambda: pairs, [scorer], detailed)
    return results[scorer.spec.name]


def _joined(runs: Sequence[Sequence[Pair]], scorer: Scorer, detailed: bool) -> list[MetricResult]:
    """Return the result of each run; all pairs go through the scorer in one stream."""
    collectors = [Collector(scorer) for _ in runs]
    owners = iter([run for run, pairs in enumerate(runs) for _ in pairs])
    for chunk in chunks(pair for pairs in runs for pair in pairs):
        before = len(scorer.outcomes)
        got = score_covered(scorer, chunk, detailed)
        outcomes = scorer.outcomes[before:]
        owned = [next(owners) for _ in chunk]
        for owner in dict.fromkeys(owned):
            start = owned.index(owner)
            part = slice(start, start + owned.count(owner))
            scored = scored_chunk(scorer, _rows(got, part), part.stop - start, outcomes[part])
            collectors[owner].add(scored)
            collectors[owner].keep(scored.details)
    refs = [refs_text(*_fewest_and_most(pairs)) for pairs in runs]
    return [collector.result(counts, detailed) for collector, counts in zip(collectors, refs, strict=True)]


def _rows(got: PairScores, part: slice) -> PairScores:
    """Return the scores of some of the pairs."""
    return replace(
        got,
        values={name: column[part] for name, column in got.values.items()},
        stats=None if got.stats is None else got.stats[part],
        details=None if got.details is None else got.details[part],
        coverage=None if got.coverage is None else got.coverage[part],
    )


def _fewest_and_most(pairs: Sequence[Pair]) -> tuple[int, int]:
    counts = [len(pair.references) for pair in pairs]
    return min(counts), max(counts)
