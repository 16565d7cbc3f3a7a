"""From a checked request to work, and from results to the JSON that is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from radeval_core.api import Scores
from radeval_core.bench.compare_systems import compare_scores
from radeval_core.bench.system_pairs import align
from radeval_core.errors import InputError
from radeval_core.findings.rows import report_row
from radeval_core.findings.views.label_sets import DEFAULT_LABELS, label_set
from radeval_core.io.output import finite
from radeval_core.metrics.base import Resources
from radeval_core.pairs import Pair, is_blank
from radeval_core.registry import get_spec
from radeval_core.runner import MetricResult
from radeval_core.serve.limits import Limits
from radeval_core.serve.offer import Offer, Task
from radeval_core.serve.requests import (
    CompareBody,
    ParseBody,
    ScoreBody,
    check_size,
    checked_pairs,
    read,
    texts_of,
)
from radeval_core.shown_values import ShownValue, metrics_of

#: the results of a set of pairs, by metric
Results = Mapping[str, MetricResult]


@dataclass(frozen=True)
class ScorePlan:
    """What to do for a request to score or to compare.

    Attributes:
        tasks: what to score with.
        sets: sets of pairs to score: one, or one per system.
        detailed: keep the structures behind the scores.
        answer: makes the JSON to send from the results of each set.
    """

    tasks: tuple[Task, ...]
    sets: tuple[tuple[Pair, ...], ...]
    detailed: bool
    answer: Callable[[Sequence[Results]], bytes]


def plan_score(raw: bytes, offer: Offer, limits: Limits) -> ScorePlan:
    """Check a request to score."""
    body = read(ScoreBody, raw)
    check_size(limits, [len(body.pairs)], texts_of(body.pairs))
    shown, tasks = _chosen(offer, body.metrics, body.configs, body.options)
    ids, pairs = checked_pairs(body.pairs, _several(tasks))

    def answer(sets: Sequence[Results]) -> bytes:
        scores = Scores(ids, dict(sets[0]), shown)
        empty = _empty_counts(pairs)
        whole = all(value.key == value.metric for value in shown)
        summary = scores.summary(body.intervals) if whole else scores.table()
        rows = list(scores.rows())
        if body.details:
            for i, row in enumerate(rows):
                row["details"] = {name: (result.details or [])[i] for name, result in sets[0].items()}
        return to_json({"summary": {name: row | empty for name, row in summary.items()}, "rows": rows})

    return ScorePlan(tasks, (tuple(pairs),), body.details, answer)


def plan_compare(raw: bytes, offer: Offer, limits: Limits) -> ScorePlan:
    """Check a request to compare systems."""
    body = read(CompareBody, raw)
    texts = [text for rows in body.systems.values() for text in texts_of(rows)]
    check_size(limits, [len(rows) for rows in body.systems.values()], texts)
    shown, tasks = _chosen(offer, body.metrics, body.configs, body.options)
    systems: dict[str, list[Pair]] = {}
    for place, (name, rows) in enumerate(body.systems.items()):
        try:
            ids, pairs = checked_pairs(rows, _several(tasks))
        except InputError as error:
            raise InputError(f"system {place}: {error}") from None
        systems[name] = [replace(pair, id=own) for own, pair in zip(ids, pairs, strict=True)]
    try:
        aligned = align(systems)
    except InputError:  # it lists ids
        raise InputError("the systems need the same ids, references and patients, and no id twice") from None
    ids = [pair.id for pair in next(iter(aligned.values()))]
    sets = tuple(tuple(replace(pair, id=i) for i, pair in enumerate(pairs)) for pairs in aligned.values())

    def answer(results: Sequence[Results]) -> bytes:
        scores = {name: Scores(ids, dict(found), shown) for name, found in zip(aligned, results, strict=True)}
        compared = compare_scores(scores, shown)
        return to_json({"summary": compared.plain(), "rows": list(compared.rows())})

    return ScorePlan(tasks, sets, False, answer)


def plan_parse(raw: bytes, limits: Limits) -> tuple[int, Callable[[Resources], bytes]]:
    """Check a request to parse; return the number of reports, and what makes the JSON to send."""
    body = read(ParseBody, raw)
    check_size(limits, [len(body.reports)], [report.text for report in body.reports])
    if not body.reports:
        raise InputError("reports is empty: give at least one report")
    labels = body.labels or DEFAULT_LABELS
    try:
        label_set(labels)
    except InputError:
        raise InputError("labels must be chexpert or ctrate") from None

    def work(resources: Resources) -> bytes:
        read = resources.reports([report.text for report in body.reports])
        rows = [
            report_row(i if report.id is None else report.id, read[report.text], labels)
            for i, report in enumerate(body.reports)
        ]
        return to_json({"rows": rows})

    return len(body.reports), work


def to_json(value: Any) -> bytes:
    """Return plain values as JSON. Numbers keep every bit; NaN and infinity are null."""
    return json.dumps(finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _chosen(
    offer: Offer, metrics: Sequence[str], configs: Mapping[str, str], options: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[ShownValue, ...], tuple[Task, ...]]:
    """Return the numbers to show and what to score with."""
    shown = tuple(offer.value(i, name) for i, name in enumerate(dict.fromkeys(metrics)))
    names = metrics_of(shown)
    for field, given in (("configs", configs), ("options", options)):
        if any(name not in names for name in given):
            raise InputError(f"{field} names something that is not among metrics: {', '.join(names)}")
    return shown, tuple(offer.task(name, configs.get(name), options.get(name, {})) for name in names)


def _several(tasks: Sequence[Task]) -> dict[str, bool]:
    return {task.metric: get_spec(task.metric).multi_reference for task in tasks}


def _empty_counts(pairs: Sequence[Pair]) -> dict[str, int]:
    return {
        "empty_predictions": sum(is_blank(pair.prediction) for pair in pairs),
        "empty_references": sum(all(map(is_blank, pair.references)) for pair in pairs),
    }
