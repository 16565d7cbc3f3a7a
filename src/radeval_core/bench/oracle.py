"""Metric-oracle retrieval: find the report of a corpus that a metric scores best, for each test report.

Yu et al. (Patterns 2023) use it as an upper bound for retrieval, and to see what a metric rewards. Every distinct
report is read once. For metrics that compare sets or vectors, matrix products compare all pairs in blocks, with the
same result as scoring every pair. Other metrics can score a shortlist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm

from radeval_core import __version__, api
from radeval_core.bench.oracle_metrics import CHUNK, Search, exact_search, exact_values
from radeval_core.bench.oracle_sets import Array, SetIndex, ngrams, rouge_f1
from radeval_core.errors import InputError
from radeval_core.judges.engine import failed_judge
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair, is_blank
from radeval_core.registry import MetricValue, metric_value
from radeval_core.signature import signature
from radeval_core.stats.bootstrap import RADCLIQ_RESAMPLES, interval95

#: number of candidates that the metric scores at once
_CHECKED = 64
Best = tuple[int | None, float]


@dataclass(frozen=True)
class Oracle:
    """The result of a retrieval.

    Attributes:
        rows: one `{"id", "best_id", "score"}` per test report, in order; null if no candidate could be scored.
        summary: mean score with range and 95 % interval (5,000 resamples, as Yu et al. take for tables S5 to S7),
            counts, signature, and whether the search was exact. `without_match` counts the test reports that share
            nothing with any corpus report and got the most frequent one.
        failed_judge: why a judge model gave no usable answer at all; empty if it gave one, or if none was asked.
    """

    rows: list[dict[str, Any]]
    summary: dict[str, Any]
    failed_judge: str = ""


def oracle(
    references: Sequence[tuple[str | int, str]],
    corpus: Sequence[tuple[str | int, str]],
    metric: str,
    config: str | None = None,
    options: Mapping[str, Any] | None = None,
    candidates: int | None = None,
    **resources: Any,
) -> Oracle:
    """Find the best corpus report for each test report; the first in the corpus if several are equally good.

    An exact search that finds only scores of 0 chooses the most frequent report of the corpus, as Yu et al. do.

    Args:
        references: (id, text) of each test report.
        corpus: (id, text) of each corpus report.
        metric: a metric, or one of its per-pair values: `radgraph_f1`, `radgraph_f1.simple`.
        config: config of the metric.
        options: options of the metric.
        candidates: for metrics without an exact search, the length of the shortlist: only the corpus reports with the
            highest ROUGE-1 are scored for each test report. The result is then not exact.
        resources: device, batch_tokens, cache and progress, as in `api.make_resources`.
    """
    for what, reports in (("test reports", references), ("reports in the corpus", corpus)):
        if not reports:
            raise InputError(f"no {what}; give at least one")
    value = metric_value(metric)
    if metric not in exact_values():
        _check_candidates(metric, candidates)
    elif candidates is not None:
        raise InputError(f"{metric} has an exact search; omit --candidates")
    scorer = api.make_scorer(value.metric, config, api.make_resources(**resources), dict(options or {}))
    scorer.warm_up()
    texts, theirs = (list(dict.fromkeys(text for _, text in reports)) for reports in (references, corpus))
    with tqdm(total=len(texts), unit="report", disable=None if resources.get("progress") else True) as bar:
        search = exact_search(scorer, value.key, texts, theirs)
        if search is not None:
            found, exact = _best(search, bar, theirs.index(_most_frequent(corpus))), True
        else:
            assert candidates is not None
            _observe(scorer, [text for _, text in references])
            found, exact = _best_of_shortlist(scorer, value, texts, theirs, candidates, bar), candidates >= len(theirs)
    best = dict(zip(texts, found, strict=True))
    unmatched = sum(best[text][1] == 0 for _, text in references) if search is not None and search.zero else 0
    return _outcome(scorer, value, references, corpus, best, theirs, exact, unmatched)


def _check_candidates(metric: str, candidates: int | None) -> None:
    if candidates is None:
        raise InputError(
            f"{metric} has no exact search; give --candidates N to score a shortlist, or use one of "
            f"{', '.join(exact_values())}"
        )
    if candidates < 1:
        raise InputError(f"--candidates must be at least 1, got {candidates}")


def _most_frequent(corpus: Sequence[tuple[str | int, str]]) -> str:
    """Return the most frequent report of the corpus, the first of several; an empty one only if all are empty."""
    counts = Counter(text for _, text in corpus)
    return max(counts, key=lambda text: (not is_blank(text), counts[text]))


def _best(search: Search, bar: tqdm[Any], usual: int) -> list[Best]:
    """Return the best corpus report of each test report, and its score.

    Args:
        search: values of all pairs.
        bar: progress.
        usual: index of the report to choose if no report has anything in common with the test report.
    """
    found: list[Best] = []
    for rows, values in search.blocks():
        for row, line in enumerate(values, start=rows.start):
            if search.zero and line.max() == 0:
                found.append((usual, 0.0))
            elif search.slack is None:
                column = int(line.argmax())
                found.append((search.first[column], float(line[column])))
            else:
                found.append(_best_checked(search, row, line, search.slack))
        bar.update(len(values))
    return found


def _best_checked(search: Search, row: int, values: Array, slack: float) -> Best:
    """Return the best by the metric's own score. Candidates are scored until no other can be as good or better."""
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
    """Show all references once to a metric that computes word weights from them."""
    if scorer.two_pass:
        for start in range(0, len(references), CHUNK):
            scorer.observe([Pair(text, (text,)) for text in references[start : start + CHUNK]])


def _best_of_shortlist(
    scorer: Scorer,
    value: MetricValue,
    references: Sequence[str],
    corpus: Sequence[str],
    candidates: int,
    bar: tqdm[Any],
) -> list[Best]:
    """Return the best of the corpus reports with the highest ROUGE-1."""
    from rouge_score.tokenizers import DefaultTokenizer

    sign = 1.0 if value.higher_is_better else -1.0
    tokenizer = DefaultTokenizer(False)
    index = SetIndex(
        ([ngrams(tokenizer.tokenize(text), 1)] for text in references),
        ([ngrams(tokenizer.tokenize(text), 1)] for text in corpus),
        merge=False,
    )
    found: list[Best] = []
    for rows, overlaps in index.blocks():
        # keep corpus order within a shortlist, so that the first of the corpus wins a tie
        lists = [np.sort(np.argsort(-line, kind="stable")[:candidates]) for line in rouge_f1(overlaps)]
        for row, chosen in enumerate(lists, start=rows.start):
            scores = sign * np.concatenate(
                [
                    scorer.score([Pair(corpus[i], (references[row],)) for i in part], False).values[value.key]
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
    value: MetricValue,
    references: Sequence[tuple[str | int, str]],
    corpus: Sequence[tuple[str | int, str]],
    found: Mapping[str, Best],
    distinct: Sequence[str],
    exact: bool,
    unmatched: int,
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
    mean = float(np.mean(scores)) if scores else None
    interval = interval95(np.array(scores)[:, None], lambda sums: sums[..., 0] / len(scores), RADCLIQ_RESAMPLES)
    return Oracle(
        rows,
        {
            "metric": value.name,
            "mean": mean,
            "ci95": list(interval) if interval else None,
            "resamples": RADCLIQ_RESAMPLES,
            "range": [min(scores), max(scores)] if scores else None,
            "n": len(scores),
            "unscored": len(rows) - len(scores),
            **({"unscored_reasons": dict(scorer.failures)} if scorer.failures else {}),
            "without_match": unmatched,
            "corpus": len(corpus),
            "distinct": {"references": len(found), "corpus": len(distinct)},
            "exact": exact,
            "higher_is_better": value.higher_is_better,
            "signature": signature(spec.name, scorer.config.name, scorer.signature_fields(), "1", spec.version),
            "core": __version__,
        },
        failed_judge(scorer.asks, scorer.judged, scorer.failures),
    )
