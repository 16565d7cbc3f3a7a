"""Read reports that radiologists corrected line by line.

Each row is one reading: `{"id", "study", "prediction", "reference", "paraphrase", "annotator", "lines": [{"line",
"action", "corrected", "severity"}, …]}`. `reference` is the corrected report and `paraphrase` an optional paraphrase of
the candidate. `action` is keep, delete, rewrite or insert; `severity` is 0 to 4; `line` counts from 0 and is null for
an insertion. `start` and `end` can give the position of a line; otherwise lines are split as in FineRadScore.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from radeval_core.bench.expert_data import Place, study_of
from radeval_core.corrections.lines import ReportLine, split_lines
from radeval_core.corrections.types import ACTIONS, INSERT
from radeval_core.errors import InputError, unknown_name
from radeval_core.io import pair_of
from radeval_core.pairs import Pair, require_string

KEEP = "keep"
_KEYS = "line, action, corrected, severity"


@dataclass(frozen=True)
class ReadLine:
    """A radiologist's edit of one line.

    Attributes:
        action: keep, delete, rewrite or insert.
        start: start of the line in the candidate; 0 for an insertion.
        end: end of the line in the candidate; 0 for an insertion.
        corrected: the new text of a rewritten or inserted line.
        severity: 0 to 4.
    """

    action: str
    start: int
    end: int
    corrected: str
    severity: int


@dataclass(frozen=True)
class CorrectedReport:
    """One report corrected by one radiologist.

    Attributes:
        pair: the candidate and the corrected report.
        study: id of the study; its readings share it.
        report: key of the report; readings of the same report by several radiologists share it.
        lines: the edit of each line.
        paraphrase: a paraphrase of the candidate, if there is one.
    """

    pair: Pair
    study: str | int
    report: tuple[str | int, str]
    lines: tuple[ReadLine, ...]
    paraphrase: str | None

    @property
    def severity(self) -> int:
        """The highest severity; 0 if there is no error."""
        return max((line.severity for line in self.lines), default=0)

    @property
    def new_text(self) -> str:
        """All rewritten and inserted text."""
        return " ".join(line.corrected for line in self.lines if line.action not in (KEEP, "delete"))


@dataclass(frozen=True)
class CorrectionData:
    """Readings in the order of the file."""

    readings: list[CorrectedReport]
    provenance: dict[str, Any] = field(default_factory=dict)


def correction_rows(rows: Sequence[Place], source: str, provenance: Mapping[str, Any] | None = None) -> CorrectionData:
    """Check rows and convert them to readings. Each row comes with its location, for error messages."""
    readings: list[CorrectedReport] = []
    first_seen: dict[str | int, str] = {}
    for index, (where, row) in enumerate(rows):
        pair = pair_of(where, row, index)
        if pair.id in first_seen:
            raise InputError(f"{where}: duplicate id {pair.id!r}, already used in {first_seen[pair.id]}")
        first_seen[pair.id] = where.rpartition(": ")[2]
        paraphrase = row.get("paraphrase")
        if paraphrase is not None:
            require_string(f"{where}: column 'paraphrase'", paraphrase)
        entries = row.get("lines")
        if not isinstance(entries, list):
            raise InputError(f"{where}: column 'lines' must be a list of objects with {_KEYS}")
        cut = split_lines(pair.prediction)
        lines = tuple(_line(f"{where}: lines[{i}]", entry, pair.prediction, cut) for i, entry in enumerate(entries))
        study = study_of(where, row, pair)
        readings.append(CorrectedReport(pair, study, (study, pair.prediction), lines, paraphrase))
    if not readings:
        raise InputError(f"{source}: no rows")
    return CorrectionData(readings, dict(provenance or {}))


def _line(where: str, entry: Any, report: str, cut: Sequence[ReportLine]) -> ReadLine:
    if not isinstance(entry, dict):
        raise InputError(f"{where} must be an object with {_KEYS}")
    action = entry.get("action")
    if action not in (KEEP, *ACTIONS):
        raise InputError(f"{where}: {unknown_name('action', str(action), (KEEP, *ACTIONS))}")
    severity = entry.get("severity", 0)
    if isinstance(severity, bool) or not isinstance(severity, int) or not 0 <= severity <= 4:
        raise InputError(f"{where}: severity must be a whole number from 0 to 4, got {severity!r}")
    corrected = require_string(f"{where}: 'corrected'", entry.get("corrected") or "")
    if action == INSERT:
        return ReadLine(action, 0, 0, corrected, severity)
    start, end = entry.get("start"), entry.get("end")
    if start is None or end is None:
        number = entry.get("line")
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(cut):
            raise InputError(f"{where}: line must be a whole number from 0 to {len(cut) - 1}, got {number!r}")
        start, end = cut[number].start, cut[number].end
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(report)):
        raise InputError(f"{where}: start and end must be positions in the prediction, got {start!r} and {end!r}")
    return ReadLine(action, start, end, corrected, severity)
