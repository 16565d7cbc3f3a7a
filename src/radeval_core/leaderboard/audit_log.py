"""The log of a leaderboard: one JSON line per submission or withdrawal, each with the hash of the line before.

Lines are only added. A changed, removed or inserted line breaks the chain of hashes. Lines cut off at the end leave a
valid shorter chain: note the hash of the last line, and check later that it is still in the log.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

_START = "0" * 64
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class AuditLog:
    """The lines of a log.

    Attributes:
        data: the bytes of the file.
    """

    data: bytes

    def next_line(self, event: Mapping[str, Any]) -> bytes:
        """Return the line to add for an event. A line that a crash cut off gets its end first."""
        end = b"" if not self.data or self.data.endswith(b"\n") else b"\n"
        text = json.dumps({**event, "previous": self.last_hash}, ensure_ascii=True, sort_keys=True)
        return end + text.encode() + b"\n"

    @property
    def last_hash(self) -> str:
        """Return the hash of the last line."""
        lines = self._lines()
        return _hash(lines[-1]) if lines else _START

    def events(self) -> Iterator[dict[str, Any]]:
        """Return the events that can be read."""
        for line in self._lines():
            if isinstance(event := _event(line), dict):
                yield event

    def count(self, owner: str, date: str | None = None) -> int:
        """Count the submissions of an owner, withdrawn or not; with a date, only those of one day around it."""
        made = (e for e in self.events() if "submission" in e and e.get("owner") == owner)
        return sum(date is None or _near(e, date) for e in made)

    def new_names(self, date: str) -> int:
        """Count the names that were new within one day around a date."""
        return sum(bool(e.get("new_name")) and _near(e, date) for e in self.events())

    def submissions(self) -> set[str]:
        """Return the ids of the submissions in the log."""
        return {str(e["submission"]) for e in self.events() if "submission" in e}

    def withdrawals(self) -> set[str]:
        """Return the ids of the submissions that were withdrawn."""
        return {str(e["withdrawn"]) for e in self.events() if "withdrawn" in e}

    def problems(self) -> list[str]:
        """Return every line that breaks the chain or cannot be read; an empty list if the log is whole."""
        found, previous = [], _START
        for number, line in enumerate(self._lines(), 1):
            event = _event(line)
            if event is None:
                found.append(f"line {number}: cannot be read; the writer was stopped, or the line was changed")
            elif event.get("previous") != previous:
                found.append(f"line {number}: does not follow line {number - 1}: a line was changed, added or removed")
            previous = _hash(line)
        return found

    def contains(self, line_hash: str) -> bool:
        """Return True if a line has this hash: then nothing up to it was cut off."""
        return any(_hash(line) == line_hash for line in self._lines())

    def _lines(self) -> list[bytes]:
        return self.data.removesuffix(b"\n").split(b"\n") if self.data else []


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _near(event: Mapping[str, Any], date: str) -> bool:
    try:
        return abs(datetime.fromisoformat(str(event.get("date"))) - datetime.fromisoformat(date)) < _DAY
    except (ValueError, TypeError):  # an unreadable date counts, so that it frees nobody from a limit
        return True
