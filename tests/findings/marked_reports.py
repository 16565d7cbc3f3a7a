"""Read the reports of open_reports_*.yaml: the text without marks, and the marked spans with polarity and side."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

_MARK = re.compile(r"\{([+?=-])(?:([LRB]):)?([^}]*)\}")
_POLARITY = {"+": "present", "-": "absent", "?": "uncertain", "=": "normal"}
_SIDE = {"L": "left", "R": "right", "B": "bilateral"}


@dataclass(frozen=True)
class Marked:
    """A marked statement: its offsets, `present`, `absent`, `uncertain` or `normal`, and its side."""

    start: int
    end: int
    polarity: str
    side: str | None


@dataclass(frozen=True)
class MarkedReport:
    """A report and the statements marked in it."""

    modality: str
    text: str
    marked: tuple[Marked, ...]


def read_marked(path: Path) -> list[MarkedReport]:
    """Return the reports of a file."""
    return [_report(entry) for entry in yaml.safe_load(path.read_text("utf-8"))]


def _report(entry: dict[str, str]) -> MarkedReport:
    text, marked, last = "", [], 0
    for match in _MARK.finditer(entry["text"]):
        text += entry["text"][last : match.start()]
        sign, side, words = match.groups()
        marked.append(Marked(len(text), len(text) + len(words), _POLARITY[sign], _SIDE.get(side or "")))
        text += words
        last = match.end()
    return MarkedReport(entry["modality"], text + entry["text"][last:], tuple(marked))
