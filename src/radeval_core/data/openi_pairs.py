"""Pairs of Open-i reports whose errors are counted by the human codings of both, not by any reading of their texts.

Each report of a split is a reference twice: its candidates are another report drawn by chance and the most similar one.
A heading that only the candidate's coders gave is a false finding, one that only the reference's gave a missing one; a
heading of both with other sides is a wrong location, with other degrees a wrong severity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from radeval_core.data.dataset import Part, Row
from radeval_core.data.pairing import make_pairs

HEURISTICS = ("random", "nearest")
CATEGORIES = ("false_finding", "missing_finding", "wrong_location", "wrong_severity")
#: the coders' qualifiers of side and of degree
SIDES = frozenset({"left", "right", "bilateral"})
DEGREES = frozenset({"mild", "moderate", "severe"})


def pair_rows(reports: Iterable[Row], no_finding: Iterable[str]) -> list[Row]:
    """Two pairs a report that has a text and was coded.

    Args:
        reports: rows of a split of the reports.
        no_finding: headings that name no finding, in lower case.
    """
    texts, codings = {}, {}
    for row in reports:
        text = " ".join(part for part in (row["findings"], row["impression"]) if part)
        if text and row["indexed"]:
            texts[row["id"]] = text
            codings[row["id"]] = _by_heading(row["codings"], frozenset(no_finding))
    rows = []
    for heuristic in HEURISTICS if len(set(texts.values())) > 1 else ():
        for pair in make_pairs(texts, heuristic):
            counts = differences(codings[pair.study], codings[pair.origin])
            texts_of = {"reference": pair.reference, "prediction": pair.prediction}
            rows.append({"id": pair.id, "study": pair.study, "heuristic": heuristic, **texts_of, **counts})
    return rows


def differences(reference: Mapping[str, set[str]], candidate: Mapping[str, set[str]]) -> dict[str, int]:
    """Errors by category, from the qualifiers of each heading."""
    shared = reference.keys() & candidate.keys()
    return {
        "false_finding": len(candidate.keys() - reference.keys()),
        "missing_finding": len(reference.keys() - candidate.keys()),
        "wrong_location": sum(reference[h] & SIDES != candidate[h] & SIDES for h in shared),
        "wrong_severity": sum(reference[h] & DEGREES != candidate[h] & DEGREES for h in shared),
    }


def _by_heading(codings: Iterable[Row], no_finding: frozenset[str]) -> dict[str, set[str]]:
    """All qualifiers of each heading; the coders give a heading once for each place."""
    found: dict[str, set[str]] = {}
    for coding in codings:
        heading = coding["heading"].lower()
        if heading not in no_finding:
            found.setdefault(heading, set()).update(q.lower() for q in coding["qualifiers"])
    return found


def _rated(row: Row) -> list[Row]:
    # a count of codings says nothing of clinical significance, so each category has one number
    expert = {"errors": sum(row[c] for c in CATEGORIES)}
    return [{key: row[key] for key in ("id", "study", "prediction", "reference")} | {"expert": expert}]


PAIRS = Part(
    pa.schema(
        {
            **dict.fromkeys(("id", "study", "heuristic", "reference", "prediction"), pa.string()),
            **dict.fromkeys(CATEGORIES, pa.int64()),
        }
    ),
    ("train", "validation", "test"),
    bench=_rated,
)
