"""Pair Open-i reports and count the errors from the human codings of both, without reading the texts.

Each report of a split is the reference of two pairs: one with a random other report, one with the most similar report.
A heading that only the candidate has is a false finding; one that only the reference has is a missing finding. A
heading of both with different sides is a wrong location; with different degrees, a wrong severity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from radeval_core.data.dataset import DatasetPart, Row
from radeval_core.data.pairing import make_pairs
from radeval_core.error_categories import CATEGORIES

HEURISTICS = ("random", "nearest")
#: the error categories that codings can show
CODED = CATEGORIES[:4]
#: the coders' qualifiers for side and degree
SIDES = frozenset({"left", "right", "bilateral"})
DEGREES = frozenset({"mild", "moderate", "severe"})


def pair_rows(reports: Iterable[Row], no_finding: Iterable[str]) -> list[Row]:
    """Return two pairs for each report that has text and was coded.

    Args:
        reports: rows of a split of the reports.
        no_finding: headings that are not findings, in lower case.
    """
    texts, codings = {}, {}
    for row in reports:
        text = report_text(row)
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


def report_text(row: Row) -> str:
    """Return the text of a report: its findings, then its impression."""
    return " ".join(part for part in (row["findings"], row["impression"]) if part)


def differences(reference: Mapping[str, set[str]], candidate: Mapping[str, set[str]]) -> dict[str, int]:
    """Count the errors per category, given the qualifiers of each heading."""
    shared = reference.keys() & candidate.keys()
    return {
        "false_finding": len(candidate.keys() - reference.keys()),
        "missing_finding": len(reference.keys() - candidate.keys()),
        "wrong_location": sum(reference[h] & SIDES != candidate[h] & SIDES for h in shared),
        "wrong_severity": sum(reference[h] & DEGREES != candidate[h] & DEGREES for h in shared),
    }


def _by_heading(codings: Iterable[Row], no_finding: frozenset[str]) -> dict[str, set[str]]:
    """Collect the qualifiers of each heading. Coders repeat a heading for each location."""
    found: dict[str, set[str]] = {}
    for coding in codings:
        heading = coding["heading"].lower()
        if heading not in no_finding:
            found.setdefault(heading, set()).update(q.lower() for q in coding["qualifiers"])
    return found


def _rated(row: Row) -> list[Row]:
    # codings do not show clinical significance, so there is no split into significant and insignificant errors
    expert = {"errors": sum(row[c] for c in CODED)}
    return [{key: row[key] for key in ("id", "study", "prediction", "reference")} | {"expert": expert}]


PAIRS = DatasetPart(
    pa.schema(
        {
            **dict.fromkeys(("id", "study", "heuristic", "reference", "prediction"), pa.string()),
            **dict.fromkeys(CODED, pa.int64()),
        }
    ),
    ("train", "validation", "test"),
    bench=_rated,
)
