"""Write what a run says about itself: the model card and the tables of figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.bench.entities import ALL
from radeval_core.train.model_card import ModelCard
from radeval_core.train.ner.read_data import NerData
from radeval_core.train.ner.recipes import Base

#: measures of the paper's tables, in their order and with their names
COLUMNS = {"precision": "Pre", "recall": "Recall", "f1": "F1", "accuracy": "Acc"}
#: datasets whose terms allow weights under the licence of the base
_OPEN_DATA = ("radcheck",)


def type_rows(results: Mapping[str, Any]) -> list[list[Any]]:
    """Return one row per type: number, then precision, recall and F1 of the trained reader, then F1 of the parser."""
    trained, parser = (results[name]["entities"] for name in ("trained", "embedded"))
    return [
        [kind, trained[kind]["n"], *(trained[kind][name]["value"] for name in COLUMNS), parser[kind]["f1"]["value"]]
        for kind in trained
    ]


TYPE_COLUMNS = ("type", "n", *COLUMNS.values(), "F1 of the embedded parser")


def card_of(name: str, record: Mapping[str, Any], data: NerData, results: Mapping[str, Any], base: Base) -> ModelCard:
    """Return the card of a trained folder."""
    given = record["data"]
    shown = given.get("dataset") or given["file"]
    parts = ", ".join(f"{len(rows):,} sentences {split}" for split, rows in data.splits.items())
    from_sources = f"; trained on {', '.join(record['sources'])}" if record["sources"] else ""
    encoder = record["encoder"]
    is_open = given.get("dataset") in _OPEN_DATA
    limits = [
        "The figures are on the test split of the same data. They say nothing about reports of another kind: measure "
        "the reader on your own sentences with `radeval bench`.",
        "Exact match: an entity with one word too many counts as wrong.",
    ]
    if is_open:
        limits.append(
            "radcheck is generated from a grammar. A reader learns its phrases and words from it, not the language of "
            "real reports, and its F1 there is far higher than on reports."
        )
    return ModelCard(
        title=name,
        about="Finds entities of five types in sentences of radiology reports, for `ratescore`; scheme "
        f"{record['scheme']}, started from {record['base_model']}. Entities are compared by {encoder['name']} "
        f"({encoder['pooling']}), in `encoder/`.",
        base="" if base.id in ("", "embedded") or base.id.startswith((".", "/")) else base.id,
        licence=base.licence if is_open else "other",
        task="token-classification",
        use=f"radeval score pairs.jsonl --metrics ratescore --config ratescore={name} --out scores.jsonl",
        data=[
            f"{shown}: {parts}{from_sources}",
            "revision " + str(given.get("revision") or given["sha256"][:12]),
            f"{data.repeated()} test sentences are also in train, word by word",
        ],
        recipe={**record["recipe"], **{key: record[key] for key in ("steps", "accumulate", "max_tokens", "seed")}},
        figures=[("Entities of the test split", TYPE_COLUMNS, type_rows(results))],
        limits=limits,
        tags=["ner", f"scheme-{record['scheme']}"],
    )


def overall(results: Mapping[str, Any]) -> dict[str, float]:
    """Return the paper's measures over all types, of the trained reader."""
    found = results["trained"]["entities"][ALL]
    return {name: found[name]["value"] for name in COLUMNS}
