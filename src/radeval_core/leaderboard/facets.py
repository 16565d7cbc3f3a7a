"""Scores of a part of the studies: one body region, long reports, normal ones. The stored scores are enough.

`length` and `normality` come from the references. Only their values and the scores of a whole group leave this module,
never a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from radeval_core.errors import unknown_name
from radeval_core.findings import parse
from radeval_core.leaderboard.benchmark import Benchmark, Study
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import get_spec, metric_value
from radeval_core.stats.bootstrap import interval95

#: the value of a study whose input lacks the field
NOT_STATED = "not stated"
LENGTHS = ("short", "medium", "long")
#: kinds of findings that make a report abnormal; devices and old operations do not
_ABNORMAL = ("abnormality", "disease")


@dataclass(frozen=True)
class SubsetScore:
    """The score of a system on a part of the studies.

    Attributes:
        mean: mean of the scores per study; None if no study has a score.
        ci95: 95 % bootstrap interval of the mean; None with fewer than two scored studies.
        n: number of scored studies.
        studies: number of studies, scored or not.
        is_headline: False if the metric's headline is computed over the corpus (BLEU, CIDEr): then the mean of the
            studies is another number, and must not be compared with the headline.
    """

    mean: float | None
    ci95: tuple[float, float] | None
    n: int
    studies: int
    is_headline: bool


def facet_groups(benchmark: Benchmark, facet: str) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the studies by the values of a facet.

    The values are in alphabetical order; lengths start with the shortest. For `length`, the studies are split into
    three groups of about the same size by the words of the reference. For `normality`, a study is `abnormal` if the
    findings parser reads an abnormality or a disease in its reference that is present or uncertain.
    """
    if facet not in benchmark.facets:
        raise unknown_name(f"facet of {benchmark.name}", facet, benchmark.facets)
    return _groups(benchmark, facet)


def subset_score(
    outcome: SubmissionResult, benchmark: Benchmark, facet: str, value: str, metric: str | None = None
) -> SubsetScore:
    """Return the score of a system on the studies with one value of a facet, from its stored scores per study.

    Args:
        outcome: a result on this benchmark.
        benchmark: the benchmark of the result.
        facet: one of `Benchmark.facets`.
        value: one of the values in `facet_groups`.
        metric: a metric of the benchmark; the first one if not given.
    """
    groups = facet_groups(benchmark, facet)
    if value not in groups:
        raise unknown_name(facet, value, groups)
    name = metric or benchmark.main_metric
    if name not in outcome.scores:
        raise unknown_name(f"metric of {benchmark.name}", name, outcome.scores)
    scores = dict(zip(outcome.ids, outcome.scores[name], strict=True))
    found = [score for study in groups[value] if (score := scores[study]) is not None]
    mean = float(np.mean(found)) if found else None
    interval = interval95(np.array(found)[:, None], lambda sums: sums[..., 0] / len(found)) if found else None
    return SubsetScore(mean, interval, len(found), len(groups[value]), mean_is_headline(name))


def facet_scores(
    outcome: SubmissionResult, benchmark: Benchmark, facet: str, metric: str | None = None
) -> dict[str, SubsetScore]:
    """Return the score of a system for every value of a facet, see `subset_score`."""
    return {value: subset_score(outcome, benchmark, facet, value, metric) for value in facet_groups(benchmark, facet)}


def mean_is_headline(metric: str) -> bool:
    """Return True if the headline of a metric is the mean of its scores per study."""
    value = metric_value(metric)
    return value.is_part or not get_spec(value.metric).corpus_headline


@lru_cache(maxsize=64)
def _groups(benchmark: Benchmark, facet: str) -> dict[str, tuple[str, ...]]:
    studies = list(benchmark.studies.values())
    values = _lengths(studies) if facet == "length" else {study.id: _value(study, facet) for study in studies}
    order = LENGTHS if facet == "length" else sorted(set(values.values()))
    found = {value: tuple(study for study, its in values.items() if its == value) for value in order}
    return {value: ids for value, ids in found.items() if ids}


def _lengths(studies: list[Study]) -> dict[str, str]:
    """Return the third that each study is in by the words of its reference; equal lengths stay together."""
    words = np.array([len(study.reference.split()) for study in studies])
    edges = np.quantile(words, [1 / 3, 2 / 3])
    return {s.id: LENGTHS[int(np.searchsorted(edges, count))] for s, count in zip(studies, words, strict=True)}


def _value(study: Study, facet: str) -> str:
    if facet == "normality":
        stated = parse(study.reference).stated
        abnormal = any(f.kind in _ABNORMAL and f.polarity != "absent" for f in stated)
        return "abnormal" if abnormal else "normal"
    value = study.given.get(facet)
    return NOT_STATED if value is None or value == "" else str(value)
