"""Notes for the user about a file: what was found in it and how it is read."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)


class Notes:
    """Logs each note once, however often the file is read."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, note: str) -> None:
        """Log a note, unless it was logged before."""
        if note not in self._said:
            self._said.add(note)
            log.warning("%s", note)
