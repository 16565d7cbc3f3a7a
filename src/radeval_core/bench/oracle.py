"""Metric-oracle retrieval: for each test report the best-scoring report of a corpus, under a metric.

Yu et al. (Patterns 2023) use it as the ceiling of what retrieval can reach, and to see what a metric rewards. Every
distinct report is read once. For metrics that compare sets or vectors, all pairs are compared by matrix products in
blocks, and the answer is the one that scoring every pair would give. Other metrics can score a shortlist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from radeval_core import __version__, api
from radeval_core.bench.oracle_metrics import CHUNK, Search, exact_search, exact_values
from radeval_core.bench.oracle_sets import Array, SetIndex, ngrams, rouge_f1
from radeval_core.errors import InputError, unknown_name
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec
from radeval_core.scorer import Scorer
from radeval_core.signature import signature

#: candidates that the metric scores at once
_CHECKED = 64
Best = tuple[int | None, float]


@dataclass(frozen=True)
class Oracle:
    """The outcome of a retrieval.

    Attributes:
        rows: `{"id", "best_id", "score"}` a test report, in their order; null where no candidate could be scored.
        summary: mean score, counts, signature and whether the search was exact.
    """

    rows: list[dict[str, Any]]
    summary: dict[str, Any]


def oracle(
    references: Sequence[tuple[str | int, str]],
    corpus: Sequence[tuple[str | int, str]],
    metric: str,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
    candidates: int | None = None,
    **resources: Any,
) -> Oracle:
    """The best corpus report of each test report; of equally good ones the first in the corpus.

    Args:
        references: (id, text) of each test report.
        corpus: (id, text) of each report to choose from.
        metric: a metric, or one of its per-pair values: `radgraph_f1`, `radgraph_f1.simple`.
        config: config of the metric.
        options: options of the metric.
        candidates: for metrics without an exact search: score only so many corpus reports for each test report, those
            with the highest ROUGE-1. The answer is then not exact.
        resources: device, batch_tokens, cache and progress, as in `api.make_resources`.
    """
    for what, reports in (("test reports", references), ("reports in the corpus", corpus)):
        if not reports:
            raise InputError(f"no {what}: give at least one")
    name, _, part = metric.partition(".")
    spec, key = get_spec(name), part or name
    if key not in (name, *spec.parts):
        raise unknown_name(f"value of {name}", key, [name, *spec.parts])
    if metric not in exact_values():
        _check_candidates(metric, part, candidates)
    elif candidates is not None:
        raise InputError(f"{metric} is searched exactly: leave out --candidates")
    scorer = api.make_scorer(name, config, api.make_resources(**resources), dict(options or {}))
    scorer.warm_up()
    texts, theirs = (list(dict.fromkeys(text for _, text in reports)) for reports in (references, corpus))
    with tqdm(total=len(texts), unit="report", disable=None if resources.get("progress") else True) as bar:
        search = exact_search(scorer, key, texts, theirs)
        if search is not None:
            found, exact = _best(search, bar), True
        else:
            assert candidates is not None
            _observe(scorer, [text for _, text in references])
            found, exact = _best_of_shortlist(scorer, texts, theirs, candidates, bar), candidates >= len(theirs)
    return _outcome(scorer, metric, references, corpus, dict(zip(texts, found, strict=True)), theirs, exact)


def _check_candidates(metric: str, part: str, candidates: int | None) -> None:
    if candidates is None:
        raise InputError(
            f"{metric} cannot be searched exactly: give --candidates N to score a shortlist, or take one of "
            f"{', '.join(exact_values())}"
        )
    if part:
        raise InputError(f"a shortlist is scored by whole metrics only: give {metric.partition('.')[0]!r}")
    if candidates < 1:
        raise InputError(f"--candidates must be at least 1, got {candidates}")


def _best(search: Search, bar: tqdm[Any]) -> list[Best]:
    """The best corpus report of each test report, and its score."""
    found: list[Best] = []
    for rows, values in search.blocks():
        for row, line in enumerate(values, start=rows.start):
            if search.slack is None or (search.zero and line.max() == 0):
                column = int(line.argmax())
                found.append((search.first[column], float(line[column])))
            else:
                found.append(_best_checked(search, row, line, search.slack))
        bar.update(len(values))
    return found


def _best_checked(search: Search, row: int, values: Array, slack: float) -> Best:
    """The best by the metric's own score: candidates are scored until no value left could be better or equal."""
    best, score = -1, -np.inf
    left = np.flatnonzero(values >= values.max() - slack)
    done = np.zeros(len(values), dtype=np.bool_)
    while len(left):
        for start in range(0, len(left), _CHECKED):
            chunk = left[start : start + _CHECKED]
            if values[chunk[0]] + slack < score:
                break
            done[chunk] = True
            for column, got in zip(chunk, search.check(row, [search.first[c] for c in chunk]), strict=True):
                if got > score or (got == score and column < best):
                    best, score = int(column), float(got)
        left = np.flatnonzero((values >= score - slack) & ~done)
        left = left[np.argsort(-values[left], kind="stable")]
    return search.first[best], score


def _observe(scorer: Scorer, references: Sequence[str]) -> None:
    """Show a metric that weighs words by the references all of them, once."""
    if scorer.two_pass:
        for start in range(0, len(references), CHUNK):
            scorer.observe([Pair(text, (text,)) for text in references[start : start + CHUNK]])


def _best_of_shortlist(
    scorer: Scorer, references: Sequence[str], corpus: Sequence[str], candidates: int, bar: tqdm[Any]
) -> list[Best]:
    """The best of the corpus reports with the highest ROUGE-1."""
    from rouge_score.tokenizers import DefaultTokenizer

    sign = 1.0 if scorer.spec.higher_is_better else -1.0
    tokenizer = DefaultTokenizer(False)
    index = SetIndex(
        ([ngrams(tokenizer.tokenize(text), 1)] for text in references),
        ([ngrams(tokenizer.tokenize(text), 1)] for text in corpus),
        merge=False,
    )
    found: list[Best] = []
    for rows, overlaps in index.blocks():
        # corpus order within a shortlist, so that the first of equals is the first of the corpus
        lists = [np.sort(np.argsort(-line, kind="stable")[:candidates]) for line in rouge_f1(overlaps)]
        for row, chosen in enumerate(lists, start=rows.start):
            scores = sign * np.concatenate(
                [
                    scorer.score([Pair(corpus[i], (references[row],)) for i in part], False).values[scorer.spec.name]
                    for part in _parts(chosen)
                ]
            )
            if np.isnan(scores).all():
                found.append((None, float("nan")))
            else:
                best = int(np.nanargmax(scores))
                found.append((int(chosen[best]), float(sign * scores[best])))
            bar.update()
    return found


def _parts(numbers: Any) -> Iterator[Any]:
    return (numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK))


def _outcome(
    scorer: Scorer,
    metric: str,
    references: Sequence[tuple[str | int, str]],
    corpus: Sequence[tuple[str | int, str]],
    found: Mapping[str, Best],
    distinct: Sequence[str],
    exact: bool,
) -> Oracle:
    ids: dict[str, str | int] = {}
    for report_id, text in corpus:
        ids.setdefault(text, report_id)
    rows: list[dict[str, Any]] = []
    for report_id, text in references:
        best, score = found[text]
        if best is None:
            rows.append({"id": report_id, "best_id": None, "score": None})
        else:
            rows.append({"id": report_id, "best_id": ids[distinct[best]], "score": score})
    scores = [row["score"] for row in rows if row["score"] is not None]
    spec = scorer.spec
    return Oracle(
        rows,
        {
            "metric": metric,
            "mean": float(np.mean(scores)) if scores else None,
            "n": len(scores),
            "unscored": len(rows) - len(scores),
            "corpus": len(corpus),
            "distinct": {"references": len(found), "corpus": len(distinct)},
            "exact": exact,
            "higher_is_better": spec.higher_is_better,
            "signature": signature(spec.name, scorer.config.name, scorer.signature_fields(), "1", spec.version),
            "core": __version__,
        },
    )
