"""RaTE-NER: sentences of radiology reports with entities of five types, as IOB tags.

The source has the layout of huggingface.co/datasets/Angelakeke/RaTE-NER: the folders `MIMIC_IV` and `Radiopaedia`, each
with `train_IOB.json`, `dev_IOB.json` and `test_IOB.json` (per its file tree and card), and `idx2label.json` next to the
folders. A row has `tokens` and `ner_tags`; a tag is a number that `idx2label.json` maps to a name, as in public
training code. The folder `all` and the `*_span.json` files repeat the same sentences and are not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import json_rows
from radeval_core.errors import InputError
from radeval_core.functional.iob import OUTSIDE, misplaced_tag

LABELS = ("Abnormality", "Non-Abnormality", "Disease", "Non-Disease", "Anatomy")
SPLITS = ("train", "dev", "test")
#: sources by the name of their folder
FOLDERS = {"MIMIC_IV": "mimic_iv", "Radiopaedia": "radiopaedia"}
_MAX_LISTED = 10
_TAGS = {tag.lower(): tag for tag in (OUTSIDE, *(f"{place}-{label}" for label in LABELS for place in "BI"))}

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("source", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.list_(pa.string())),
        ("tags", pa.list_(pa.string())),
        (
            "entities",
            pa.list_(
                pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("text", pa.string())])
            ),
        ),
    ]
)


def read(source: Path | None) -> Tables:
    """Read the sentences of each source and of both. A source whose folder is missing has no rows."""
    if source is None or not source.is_dir():
        raise InputError(f"--source {source}: expected a folder that contains {' and '.join(FOLDERS)}")
    present = [folder for folder in FOLDERS if (source / folder).is_dir()]
    if not present:
        raise InputError(f"{source}: expected at least one of the folders {' and '.join(FOLDERS)} in it")
    names = _tag_names(source)
    tables: dict[str, dict[str, list[Row]]] = {
        config: {split: [] for split in SPLITS} for config in ("all", *FOLDERS.values())
    }
    for folder in present:
        for split in SPLITS:
            rows = list(_sentences(source / folder / f"{split}_IOB.json", FOLDERS[folder], split, names))
            tables[FOLDERS[folder]][split] = rows
            tables["all"][split].extend(rows)
    return tables


def statistics(tables: Tables) -> dict[str, dict[str, dict[str, Any]]]:
    """Count, as in tables 1 and 2 of the paper, sentences, entities and distinct entities per source, split and type.

    Two entities are the same if their text is identical, including letter case.
    """
    counted: dict[str, dict[str, dict[str, Any]]] = {}
    for source in FOLDERS.values():
        for split, rows in tables[source].items():
            texts: dict[str, list[str]] = {label: [] for label in LABELS}
            for row in rows:
                for entity in row["entities"]:
                    texts[entity["label"]].append(entity["text"])
            entities = {label: [len(of_label), len(set(of_label))] for label, of_label in texts.items()}
            counted.setdefault(source, {})[split] = {"sentences": len(rows), "entities": entities}
    return counted


def compare(tables: Tables) -> list[dict[str, Any]]:
    """Return each figure of the paper's tables 1 and 2 with our count. Sources without rows are omitted."""
    counted = statistics(tables)
    compared: list[dict[str, Any]] = []
    for source, splits in published().items():
        if not any(tables[source].values()):
            continue
        for split, theirs in splits.items():
            ours = counted[source][split]
            figures = {"sentences": (theirs["sentences"], ours["sentences"])}
            for label, (total, distinct) in theirs["entities"].items():
                figures[label] = (total, ours["entities"][label][0])
                figures[f"{label}, distinct"] = (distinct, ours["entities"][label][1])
            for what, (wanted, got) in figures.items():
                compared.append({"source": source, "split": split, "what": what, "published": wanted, "counted": got})
    return compared


def remarks(tables: Tables) -> list[str]:
    """Summarise how the counts compare with the paper's and list the first that differ; `compare` returns all."""
    compared = compare(tables)
    differ = [c for c in compared if c["published"] != c["counted"]]
    lines = [f"{source} is missing" for source in FOLDERS.values() if not any(tables[source].values())]
    lines.append(f"{len(compared) - len(differ)} of {len(compared)} figures match tables 1 and 2 of the paper")
    for c in differ[:_MAX_LISTED]:
        lines.append(f"{c['source']} {c['split']}: {c['what']}: {c['counted']}, published {c['published']}")
    return lines + [f"and {len(differ) - _MAX_LISTED} more differ"] * (len(differ) > _MAX_LISTED)


def published() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the figures of the paper's tables 1 and 2, in the form of `statistics`."""
    text = resources.files("radeval_core.data").joinpath("rate_ner_published.yaml").read_text("utf-8")
    figures: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(text)
    return figures


def bench_row(row: Row) -> list[Row]:
    """Return the tokens and tags of a sentence."""
    return [{key: row[key] for key in ("id", "tokens", "tags")}]


def entities(tokens: list[str], tags: list[str]) -> Iterator[Row]:
    """Yield the entities of valid IOB tags, with their positions in the tokens joined by spaces."""
    starts, position = [], 0
    for token in tokens:
        starts.append(position)
        position += len(token) + 1
    text = " ".join(tokens)
    first = 0
    for i, tag in enumerate(tags):
        if tag.startswith("B-"):
            first = i
        if tag != OUTSIDE and (i + 1 == len(tags) or not tags[i + 1].startswith("I-")):
            start, end = starts[first], starts[i] + len(tokens[i])
            yield {"start": start, "end": end, "label": tag[2:], "text": text[start:end]}


def _sentences(path: Path, source: str, split: str, names: Mapping[int, str]) -> Iterator[Row]:
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    for number, (where, row) in enumerate(json_rows(path)):
        tokens, given = row.get("tokens"), row.get("ner_tags")
        if not isinstance(tokens, list) or not isinstance(given, list):
            raise InputError(f"{where}: expected lists 'tokens' and 'ner_tags'; found {', '.join(map(repr, row))}")
        if not tokens or not all(isinstance(token, str) and token for token in tokens):
            raise InputError(f"{where}: 'tokens' must be non-empty texts")
        if len(tokens) != len(given):
            raise InputError(f"{where}: {len(tokens)} tokens but {len(given)} tags")
        tags = [_tag(where, tag, names) for tag in given]
        if problem := misplaced_tag(tags):
            raise InputError(f"{where}: {problem}")
        yield {
            "id": f"{source}-{split}-{number}",
            "source": source,
            "text": " ".join(tokens),
            "tokens": tokens,
            "tags": tags,
            "entities": list(entities(tokens, tags)),
        }


def _tag_names(source: Path) -> dict[int, str]:
    """Return the tag name of each number; empty if the publisher's file is missing."""
    path = source / "idx2label.json"
    if not path.is_file():
        return {}
    try:
        given = json.loads(path.read_text("utf-8"))
        names = {int(number): str(name) for number, name in given.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f'{path}: expected an object such as {{"0": "B-ABNORMALITY"}} ({error})') from error
    for number, name in names.items():
        if name.lower() not in _TAGS:
            raise InputError(f"{path}: {number}: unknown tag {name!r}; known: {', '.join(_TAGS.values())}")
    return names


def _tag(where: str, given: Any, names: Mapping[int, str]) -> str:
    if isinstance(given, int) and not isinstance(given, bool):
        if not names:
            raise InputError(f"{where}: the tags are numbers; put the publisher's idx2label.json in the source folder")
        given = names.get(given, given)
    tag = _TAGS.get(given.lower()) if isinstance(given, str) else None
    if tag is None:
        raise InputError(f"{where}: unknown tag {given!r}; known: {', '.join(_TAGS.values())}")
    return tag


DATASET = Dataset(
    name="rate_ner",
    about="sentences of MIMIC-IV and Radiopaedia reports with entities of five types",
    source="the folder of huggingface.co/datasets/Angelakeke/RaTE-NER (MIMIC_IV, Radiopaedia, idx2label.json)",
    terms="CC BY-NC 4.0, and the PhysioNet terms of MIMIC-IV: may not be published",
    configs={config: DatasetPart(SCHEMA, SPLITS, bench_row, "entities") for config in ("all", *FOLDERS.values())},
    read=read,
    default_bench=("all", "test"),
    remarks=remarks,
)
