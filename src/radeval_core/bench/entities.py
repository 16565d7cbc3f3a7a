"""Measure how well a reader of entities finds those that people marked. Tables 6 and 7 of the RaTEScore paper.

A sentence has tokens with IOB tags. An entity is found if the reader gives exactly its tokens and its type; precision,
recall and F1 count entities over all sentences. Accuracy is that of the tags, over all tokens; for one type, over the
tokens that people gave this type. `overlap_f1` is the share of the found and marked entities that share a token with
one of the same type on the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.bench.plain import plain
from radeval_core.bench.published import published_values
from radeval_core.bench.sources import EntityData
from radeval_core.errors import InputError
from radeval_core.findings.types import RateEntity
from radeval_core.functional.iob import OUTSIDE, marked_spans
from radeval_core.metrics.ratescore import RateScorer
from radeval_core.signature import signature
from radeval_core.stats.agreement import Array, Estimate, percentiles95, study_resamples

READER = "ratescore"
ALL = "all"
MEASURES = ("precision", "recall", "f1", "accuracy", "overlap_f1")
#: first and last token, and the type
TokenSpan = tuple[int, int, str]
#: what is counted per sentence
_COUNTED = ("hits", "found", "marked", "right_tags", "tags", "overlap_found", "overlap_marked")


def entity_rows(
    data: EntityData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return precision, recall, F1 and accuracy per type and overall, and the published values.

    Args:
        data: sentences with marked entities.
        metrics: names of metrics; `ratescore` must be among them, as only it reads typed entities.
        configs: config by metric.
        options: `device`, `batch_tokens`, `cache`, `progress` and `lexicon`, as in `api.make_resources`.
    """
    if READER not in metrics:
        raise InputError(f"the data has entities of five types, which only {READER} reads; use --metrics {READER}")
    scorer = api.make_scorer(READER, (configs or {}).get(READER), api.make_resources(**options), {})
    assert isinstance(scorer, RateScorer)
    counts = _counts(data, scorer.entities(data.texts))
    resamples = study_resamples(range(len(data.ids)))
    found = {kind: {**_measures(table, resamples), "n": int(table[:, 2].sum())} for kind, table in counts.items()}
    text = signature(READER, scorer.config.name, scorer.annotator.fields, "1", scorer.spec.version)
    row = {"entities": found, "sentences": len(data.ids), "n": len(data.ids), "unscored": 0, "signature": text}
    published = [_beside(row, found[ALL], scorer.config.name) for row in published_values(data.provenance, "entities")]
    left_out = [name for name in metrics if name != READER]
    return {
        READER: row,
        **({"published": published} if published else {}),
        **({"left_out": left_out} if left_out else {}),
    }


def entity_measures(data: EntityData, read: Sequence[Sequence[RateEntity]]) -> dict[str, dict[str, float]]:
    """Return the measures per type and overall, without intervals; NaN if there is nothing to count.

    Args:
        data: sentences with marked entities.
        read: the entities that a reader found in each of `data.texts`.
    """
    return {
        kind: {name: float(value[0]) for name, value in _ratios(table.sum(axis=0, keepdims=True)).items()}
        for kind, table in _counts(data, read).items()
    }


def _counts(data: EntityData, read: Sequence[Sequence[RateEntity]]) -> dict[str, Array]:
    """Return one row of counts per sentence, for all types together and for each type that people marked."""
    types = sorted({tag[2:] for tags in data.tags for tag in tags if tag != OUTSIDE})
    return {
        kind: np.array(
            [sentence_counts(*row, kind) for row in zip(data.tokens, data.tags, read, strict=True)], dtype=np.float64
        )
        for kind in (ALL, *types)
    }


def sentence_counts(
    tokens: Sequence[str], tags: Sequence[str], entities: Sequence[RateEntity], kind: str = ALL
) -> list[int]:
    """Count the entities and tags of one sentence, of one type or of all; the order is that of `_COUNTED`."""
    found = token_spans(tokens, entities)
    marked = marked_spans(tags)
    given = _tags(found, len(tags))
    if kind != ALL:
        found, marked = ([span for span in spans if span[2] == kind] for spans in (found, marked))
    asked = [i for i, tag in enumerate(tags) if kind == ALL or tag[2:] == kind]
    return [
        len(set(found) & set(marked)),
        len(found),
        len(marked),
        sum(tags[i] == given[i] for i in asked),
        len(asked),
        sum(any(_overlap(one, other) for other in marked) for one in found),
        sum(any(_overlap(one, other) for other in found) for one in marked),
    ]


def token_spans(tokens: Sequence[str], entities: Sequence[RateEntity]) -> list[TokenSpan]:
    """Return the entities in tokens of the sentence: all tokens that they touch, each span once."""
    starts = np.cumsum([0, *(len(token) + 1 for token in tokens)])
    spans: dict[TokenSpan, None] = {}
    for entity in entities:
        touched = [
            i for i, token in enumerate(tokens) if starts[i] < entity.end and starts[i] + len(token) > entity.start
        ]
        if touched:
            spans[touched[0], touched[-1], entity.type] = None
    return list(spans)


def _tags(spans: Sequence[TokenSpan], length: int) -> list[str]:
    """Return IOB tags; where entities overlap, the first keeps its tokens."""
    tags = [OUTSIDE] * length
    for first, last, kind in spans:
        if all(tag == OUTSIDE for tag in tags[first : last + 1]):
            tags[first : last + 1] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
    return tags


def _overlap(one: TokenSpan, other: TokenSpan) -> bool:
    return one[2] == other[2] and one[0] <= other[1] and other[0] <= one[1]


def _measures(counts: Array, resamples: Array) -> dict[str, Any]:
    whole, drawn = (_ratios(weights @ counts) for weights in (np.ones((1, len(counts))), resamples))
    return {
        name: plain(Estimate(float(whole[name][0]), percentiles95(drawn[name]), len(counts), drawn[name]))
        for name in MEASURES
    }


def _ratios(sums: Array) -> dict[str, Array]:
    column = {name: sums[:, i] for i, name in enumerate(_COUNTED)}
    with np.errstate(invalid="ignore", divide="ignore"):
        touched = column["overlap_found"] + column["overlap_marked"]
        return {
            "precision": column["hits"] / column["found"],
            "recall": column["hits"] / column["marked"],
            "f1": 2 * column["hits"] / (column["found"] + column["marked"]),
            "accuracy": column["right_tags"] / column["tags"],
            "overlap_f1": touched / (column["found"] + column["marked"]),
        }


def _beside(row: dict[str, Any], found: Mapping[str, Any], config: str) -> dict[str, Any]:
    """Return a published value with ours; only the published checkpoint compares."""
    if row["metric"] is None:
        return {**row, "measured": None, "comparable": None, "why_not": ""}
    why = "" if config == row["needs"] else f"measured with {config}, published with {row['needs']}"
    kept = {key: cell for key, cell in row.items() if key != "needs"}
    return {**kept, "measured": found[row["measure"]], "comparable": not why, "why_not": why}
