"""Turn readings into the rows that `radeval bench`, `radeval fit` and `radeval data build reader_study` read.

Only finished readings count. An export is a folder:

    rated.jsonl         one row per candidate; each measure is a list with one number per reader, null if not read
    corrections.jsonl   one row per candidate and reader, if corrections were asked for; the layout of ReFiSco
    comments.jsonl      one row per comment, if there are any
    export.json         readers in the order of the lists, questions, pre-filling, counts
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core import __version__
from radeval_core.corrections.apply import apply_corrections, sentence
from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import DELETE, INSERT, SEVERITY, Correction
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.io import write_jsonl, write_text
from radeval_core.io.folders import check_folder, replacing_folder
from radeval_core.judges.fineradscore.schema import NO_ERROR
from radeval_core.reading.answers import SAME, CandidateReading, Reading, check_reading
from radeval_core.reading.cases import COMMENT, CORRECTIONS, ERRORS, PREFERENCE, RATING, Candidate, Case
from radeval_core.reading.store_files import utc_now
from radeval_core.reading.study import Study

Row = dict[str, Any]
RATED, CORRECTED, COMMENTS, ABOUT = "rated.jsonl", "corrections.jsonl", "comments.jsonl", "export.json"
FILES = (RATED, CORRECTED, COMMENTS, ABOUT)
KEEP = "keep"


@dataclass(frozen=True)
class Readings:
    """All finished readings of a study.

    Attributes:
        study: the store.
        by_reader: the finished readings by case, of each reader who finished one; readers by name.
    """

    study: Study
    by_reader: Mapping[str, Mapping[str, Reading]]

    @property
    def names(self) -> list[str]:
        """The readers, in the order of the lists in every row."""
        return list(self.by_reader)


@dataclass(frozen=True)
class Export:
    """The rows of an export.

    Attributes:
        rated: one row per candidate that somebody read.
        corrections: one row per candidate and reader.
        comments: one row per comment.
        about: what the export is made of.
    """

    rated: list[Row]
    corrections: list[Row]
    comments: list[Row]
    about: Row = field(default_factory=dict)


def finished_readings(study: Study) -> Readings:
    """Return the finished readings of every reader who finished at least one."""
    found: dict[str, dict[str, Reading]] = {}
    for reader in study.readers():
        latest = study.journal(reader.name).readable().latest
        done = {
            key: check_reading(latest[key]["reading"], case)
            for key, case in study.cases.items()
            if key in latest and latest[key]["reading"].get("done")
        }
        if done:
            found[reader.name] = done
    return Readings(study, found)


def export_rows(readings: Readings) -> Export:
    """Return all rows; those of candidates that nobody finished are left out and counted."""
    study = readings.study
    if not readings.by_reader:
        raise InputError(f"--store {study.folder}: no reader has finished a case yet, so there is nothing to export")
    read = [case for case in study.cases.values() if any(case.key in of for of in readings.by_reader.values())]
    numbered = [_rated(readings, case, i) for case in read for i in range(len(case.candidates))]
    rated = [row for row in numbered if row["expert"]]  # none if only corrections are asked for
    corrections = [
        _corrected(readings, case, i, name)
        for case in read
        for i in range(len(case.candidates))
        for name, of_reader in readings.by_reader.items()
        if CORRECTIONS in study.asked and case.key in of_reader
    ]
    comments = [
        {"study": case.study, "ids": [c.id for c in case.candidates], "reader": name, "comment": comment}
        for case in read
        for name, of_reader in readings.by_reader.items()
        if COMMENT in study.asked and case.key in of_reader and (comment := of_reader[case.key].comment.strip())
    ]
    about = {
        "readers": readings.names,
        "finished": {name: len(of) for name, of in readings.by_reader.items()},
        "cases": len(study.cases),
        "cases_nobody_finished": len(study.cases) - len(read),
        "ask": list(study.asked),
        "prefilled_by": study.prefilled_by,
        "pairs_sha256": study.about["pairs"],
        "began": study.about["created"],
        "exported": utc_now(),
        "core": __version__,
    }
    return Export(rated, corrections, comments, about)


def check_export_folder(out: Path) -> Path:
    """Return the folder if it is new, empty or an earlier export; refuse one with anything else in it."""
    target = check_folder(out, ABOUT)
    if target.exists() and any(target.iterdir()):
        if not (target / ABOUT).is_file():
            raise InputError(f"{out} is not empty and not an earlier export; give another folder")
        for path in sorted(target.iterdir()):
            if path.name not in FILES:
                raise InputError(f"{out} contains {path.name}, which is not of an export: move it")
    return target


def write_export(export: Export, target: Path) -> None:
    """Write the files of an export, readable only for their owner, in place of an earlier one."""
    with replacing_folder(target, last=ABOUT, private=True) as folder:
        for name, rows in ((RATED, export.rated), (CORRECTED, export.corrections), (COMMENTS, export.comments)):
            if rows:
                write_jsonl(folder / name, rows)
        write_text(folder / ABOUT, json.dumps(export.about, indent=1) + "\n", private=True)


def _rated(readings: Readings, case: Case, number: int) -> Row:
    study, candidate = readings.study, case.candidates[number]
    all_of_case = [of.get(case.key) for of in readings.by_reader.values()]
    mine = [reading and reading.candidates[number] for reading in all_of_case]
    expert: Row = {}
    if ERRORS in study.asked:
        expert["errors"] = [given and given.total() for given in mine]
        expert["significant_errors"] = [given and given.total("significant") for given in mine]
    if RATING in study.asked:
        expert["rating"] = [given and given.rating for given in mine]
    if PREFERENCE in study.asked and len(case.candidates) == 2:
        expert["preferred"] = [reading and _preferred(reading, number) for reading in all_of_case]
        expert["confidence"] = [reading and reading.confidence for reading in all_of_case]
    if ERRORS in study.asked:
        expert["categories"] = {
            category: {kind: [given and given.count(category, kind) for given in mine] for kind in _KINDS}
            for category in CATEGORIES
        }
    prefilled = {"prefilled_by": study.prefilled_by} if study.prefilled_by else {}
    return {**_pair(case, candidate), "expert": expert, **prefilled}


_KINDS = ("significant", "insignificant")


def _preferred(reading: Reading, number: int) -> float | None:
    """Return 1 for the preferred candidate, 0 for the other one, and 0.5 for both if there is no difference."""
    if reading.preferred is None:
        return None
    return 0.5 if reading.preferred == SAME else float(reading.preferred == number)


def _pair(case: Case, candidate: Candidate) -> Row:
    references = list(case.references)
    named = {} if candidate.name is None else {"candidate": candidate.name}
    texts = {"prediction": candidate.text, "reference": references if len(references) > 1 else references[0]}
    return {"id": str(candidate.id), "study": str(case.study), **named, **texts}


def _corrected(readings: Readings, case: Case, number: int, name: str) -> Row:
    """Return the row of one reader's corrections of one candidate, as `data/refisco.py` describes it."""
    candidate = case.candidates[number]
    given = readings.by_reader[name][case.key].candidates[number]
    lines = _read_lines(candidate.text, given)
    prefilled = {"prefilled_by": readings.study.prefilled_by} if readings.study.prefilled_by else {}
    return {
        "id": f"{candidate.id}-{name}",
        "study": str(case.study),
        "source": candidate.name or "",
        "section": "",
        "annotator": name,
        "prediction": candidate.text,
        "reference": apply_corrections(candidate.text, _corrections(candidate.text, given)),
        "paraphrase": None,
        "lines": lines,
        "severity_sum": sum(line["severity"] for line in lines),
        "severity_max": max((line["severity"] for line in lines), default=0),
        **prefilled,
    }


def _corrections(text: str, given: CandidateReading) -> list[Correction]:
    lines = {line.number: line.text for line in split_lines(text)}
    return [
        Correction(
            c.line, c.action, lines.get(-1 if c.line is None else c.line, ""), c.corrected, c.rating or "", (), ""
        )
        for c in given.corrections
    ]


def _read_lines(text: str, given: CandidateReading) -> list[Row]:
    """Return every line of a report with what the reader did to it, then the insertions."""
    by_line = {c.line: c for c in given.corrections if c.action != INSERT}
    found: list[Row] = []
    for line in split_lines(text):
        start = line.start + len(text[line.start : line.end]) - len(text[line.start : line.end].lstrip())
        place = {"line": line.number, "text": line.text, "start": start, "end": start + len(line.text)}
        correction = by_line.get(line.number)
        if correction is None:
            found.append(_line(place, KEEP, line.text, NO_ERROR, 0, ""))
        else:
            new = "" if correction.action == DELETE else sentence(correction.corrected)
            found.append(_line(place, correction.action, new, correction.rating or "", None, correction.comment))
    nowhere = {"line": None, "text": "", "start": None, "end": None}
    for c in given.corrections:
        if c.action == INSERT:
            found.append(_line(nowhere, INSERT, sentence(c.corrected), c.rating or "", None, c.comment))
    return found


def _line(place: Row, action: str, corrected: str, rating: str, severity: int | None, comment: str) -> Row:
    return {
        "line": place["line"],
        "action": action,
        "text": place["text"],
        "corrected": corrected,
        "start": place["start"],
        "end": place["end"],
        "severity": SEVERITY[rating] if severity is None else severity,
        "rating": rating,
        "comment": comment,
    }
