"""ReFiSco: chest X-ray reports that radiologists corrected line by line, rating the severity of each error.

The source is the publishers' files:

- v0: `refisco-v0.csv` (PhysioNet refisco 0.0, and github.com/rajpurkarlab/ReFiSco-v0, whose README and notebook explain
  the columns): `id, indication, impression_original, impression_edited, score, annotator, source`. Each row is one line
  of a report. Rows with the same id, annotator and source are one reading. A blank original is an insertion;
  `[no edit]` keeps the line and `[delete]` deletes it.
- v1: `refisco-v1.csv` (columns as in the header file of github.com/rajpurkarlab/FineRadScore): `data_id, subject_id,
  study_id, report_type, report_text, original_line, corrected_line, error_clinical_severity, comments, annotator_id`.
  A blank correction keeps the line. The optional `refisco-v1-paraphrased.csv` has a paraphrase of the candidate for
  some reports (`data_id, report_type, corrected_paraphrase`).

A bench row (kind `corrections`) is one reading of one report by one radiologist:

    {"id": "p1s1-XREM-0", "study": "p1s1", "source": "XREM", "section": "impression", "annotator": "0",
     "prediction": "Heart is large. Lungs are clear.",      # the candidate, lines joined by a space
     "reference": "Heart is normal. Small left effusion.",  # the candidate as the radiologist corrected it
     "paraphrase": None,                                    # a paraphrase of the candidate, or None
     "lines": [                                             # in the order of the reading
       {"line": 0, "action": "rewrite", "text": "Heart is large.", "corrected": "Heart is normal.",
        "start": 0, "end": 15, "severity": 2, "rating": "Actionable nonurgent error", "comment": ""},
       {"line": 1, "action": "delete", …, "corrected": "", "severity": 1, …},
       {"line": None, "action": "insert", "text": "", "corrected": "Small left effusion.", "start": None, "end": None,
        "severity": 3, …}],
     "severity_sum": 6, "severity_max": 3}

`action` is `keep`, or `delete`, `rewrite` or `insert` as in `corrections.types`. A kept line has severity 0
unless the radiologist rated it without changing it. `start` and `end` are the line's position in `prediction`. A judge
numbers lines by `split_lines(prediction)`, which usually but not always finds the same lines, so compare a judge's line
with the annotated lines it overlaps. Readings whose ids differ only in the annotator are of the same report; they
measure the agreement between radiologists (v0 only). The radiologists gave no error category.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from radeval_core.corrections.apply import sentence
from radeval_core.corrections.types import DELETE, INSERT, REWRITE, SEVERITY
from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import csv_rows, find_file, string
from radeval_core.errors import InputError
from radeval_core.judges.fineradscore.schema import DELETE_MARK, NO_ERROR

KEEP = "keep"
_NO_EDIT = "[no edit]"
_RATINGS = {NO_ERROR: 0, **SEVERITY}
_V0_COLUMNS = ("id", "indication", "impression_original", "impression_edited", "score", "annotator", "source")
_V1_COLUMNS = (
    "data_id", "subject_id", "study_id", "report_type", "report_text", "original_line", "corrected_line",
    "error_clinical_severity", "comments", "annotator_id",
)  # fmt: skip
_PARAPHRASES = "refisco-v1-paraphrased.csv"

_LINE = pa.struct(
    [
        ("line", pa.int64()),
        ("action", pa.string()),
        ("text", pa.string()),
        ("corrected", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("severity", pa.int64()),
        ("rating", pa.string()),
        ("comment", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("study", pa.string()),
        ("source", pa.string()),
        ("section", pa.string()),
        ("annotator", pa.string()),
        ("indication", pa.string()),
        ("prediction", pa.string()),
        ("reference", pa.string()),
        ("paraphrase", pa.string()),
        ("lines", pa.list_(_LINE)),
        ("severity_sum", pa.int64()),
        ("severity_max", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class _Edit:
    """One row of the source: a line and its correction. Either can be empty."""

    before: str
    action: str
    after: str
    rating: str
    severity: int
    comment: str


def read_v0(source: Path | None) -> Tables:
    """Read ReFiSco-v0 from `refisco-v0.csv` or the folder that contains it."""
    path = find_file(_given(source), ("refisco-v0.csv", "datasets/refisco-v0.csv"))
    readings: dict[str, tuple[Row, list[_Edit]]] = {}
    for where, row in csv_rows(path, _V0_COLUMNS):
        study, annotator, maker = (string(where, row, column) for column in ("id", "annotator", "source"))
        about: Row = {"id": f"{study}-{maker}-{annotator}", "study": study, "source": maker, "section": "impression"}
        about |= {"annotator": annotator, "indication": row["indication"], "paraphrase": None}
        if row["impression_original"].strip() and not row["impression_edited"].strip():
            raise InputError(f"{where}: 'impression_edited' is empty; expected a text, {_NO_EDIT} or {DELETE_MARK}")
        edit = _edit(where, row["impression_original"], row["impression_edited"], row["score"], "")
        readings.setdefault(about["id"], (about, []))[1].extend(edit)
    return _tables(path, readings.values())


def read_v1(source: Path | None) -> Tables:
    """Read ReFiSco-v1 from `refisco-v1.csv` or its folder, with the paraphrases if their file is next to it."""
    path = find_file(_given(source), ("refisco-v1.csv", "datasets/refisco-v1.csv"))
    paraphrases = dict(_paraphrases(path.parent / _PARAPHRASES))
    readings: dict[str, tuple[Row, list[_Edit]]] = {}
    reports = set()
    for where, row in csv_rows(path, _V1_COLUMNS):
        report, annotator = _v1_report(where, row), string(where, row, "annotator_id")
        reports.add(report)
        about: Row = {"id": f"{report}-{annotator}", "study": string(where, row, "study_id"), "source": "ClsGen"}
        about |= {"section": row["report_type"], "annotator": annotator, "indication": ""}
        about |= {"paraphrase": paraphrases.get(report)}
        line, corrected, rating = row["original_line"], row["corrected_line"], row["error_clinical_severity"]
        edit = _edit(where, line, corrected, rating, row["comments"].strip())
        readings.setdefault(about["id"], (about, []))[1].extend(edit)
    if unknown := sorted(paraphrases.keys() - reports):
        raise InputError(f"{path.parent / _PARAPHRASES}: report {unknown[0]!r} is not in {path}")
    return _tables(path, readings.values())


def bench_row(row: Row) -> list[Row]:
    """Return the bench row described at the top of this module."""
    return [{key: value for key, value in row.items() if key != "indication"}]


def _given(source: Path | None) -> Path:
    if source is None:
        raise InputError("ReFiSco needs the publisher's file; give it with --source")
    return source


def _v1_report(where: str, row: Row) -> str:
    """Return the name of a report, such as `12-findings`, as in the paper's scripts and paraphrase file."""
    section, name = string(where, row, "report_type"), string(where, row, "data_id")
    return name if name.endswith(f"-{section}") else f"{name}-{section}"


def _paraphrases(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_file():
        for where, row in csv_rows(path, ("data_id", "report_type", "corrected_paraphrase")):
            yield _v1_report(where, row), string(where, row, "corrected_paraphrase").strip()


def _edit(where: str, original: str, edited: str, rating: str, comment: str) -> list[_Edit]:
    """Return the edit of a row, in a list; an empty list for a blank row, such as those between reports."""
    before, after, rating = original.strip(), edited.strip(), rating.strip()
    if not before and not after and rating.lower() in ("", NO_ERROR.lower()):
        return []
    if DELETE_MARK in after:
        action, after = DELETE, ""
    elif after in ("", _NO_EDIT, before):
        action, after = KEEP, before
    else:
        action = REWRITE if before else INSERT
    if not before and action != INSERT:
        raise InputError(f"{where}: no line and no text to insert, only {edited.strip() or rating!r}")
    if not rating and action == KEEP:
        rating = NO_ERROR
    known = next((name for name in _RATINGS if _letters(name) == _letters(rating)), None)
    if known is None:
        raise InputError(f"{where}: unknown severity {rating!r}; expected one of {', '.join(_RATINGS)}")
    return [_Edit(before, action, after, known, _RATINGS[known], comment)]


def _letters(rating: str) -> str:
    """Return only the letters of a rating: `Actionable non-urgent error` is `Actionable nonurgent error`."""
    return re.sub("[^a-z]", "", rating.lower())


def _tables(path: Path, readings: Iterable[tuple[Row, list[_Edit]]]) -> Tables:
    rows = [_reading(about, edits) for about, edits in readings if edits]
    if not rows:
        raise InputError(f"{path}: has a header but no rows")
    return {"corrections": {"test": rows}}


def _reading(about: Row, edits: list[_Edit]) -> Row:
    """Return the report, its corrected form, and the lines with their positions.

    A line without a full stop gets one, because full stops separate the candidate's lines.
    """
    lines: list[Row] = []
    prediction = ""
    number = 0
    for edit in edits:
        line: int | None = None
        start = end = None
        if edit.before:
            line, number = number, number + 1
            start = len(prediction) + bool(prediction)
            prediction = f"{prediction} {sentence(edit.before)}".strip()
            end = len(prediction)
        lines.append(
            {
                "line": line,
                "action": edit.action,
                "text": "" if line is None else prediction[start:end],
                "corrected": sentence(edit.after),
                "start": start,
                "end": end,
                "severity": edit.severity,
                "rating": edit.rating,
                "comment": edit.comment,
            }
        )
    severities = [edit.severity for edit in edits]
    reference = " ".join(line["corrected"] for line in lines if line["corrected"])
    totals = {"severity_sum": sum(severities), "severity_max": max(severities)}
    return {**about, "prediction": prediction, "reference": reference, "lines": lines, **totals}


_PARTS = {"corrections": DatasetPart(SCHEMA, ("test",), bench_row, "corrections")}
_TERMS = "PhysioNet credentialed health data licence (made from MIMIC-CXR): may not be published"
DATASETS = (
    Dataset(
        name="refisco_v0",
        about="60 chest X-ray studies, three reports each, corrected line by line by four radiologists",
        source="refisco-v0.csv of PhysioNet refisco 0.0, or its folder",
        terms=_TERMS,
        configs=_PARTS,
        read=read_v0,
        default_bench=("corrections", "test"),
    ),
    Dataset(
        name="refisco_v1",
        about="findings and impressions generated for 100 chest X-ray studies, corrected line by line by radiologists",
        source="refisco-v1.csv (and refisco-v1-paraphrased.csv next to it) of the FineRadScore authors, or its folder",
        terms=_TERMS,
        configs=_PARTS,
        read=read_v1,
        default_bench=("corrections", "test"),
    ),
)
