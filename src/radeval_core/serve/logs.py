"""Logs of a server: one line per request, and places of errors. No message of an unexpected error is written.

Such a message may quote what it was about, and that may be a report.
"""

from __future__ import annotations

import logging
import sys
import threading
from types import TracebackType
from typing import Any

from radeval_core.serve.problems import trace_of

#: loggers of the libraries that serve; what they log about a failed request goes through our formatter
_LIBRARIES = ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "fastapi", "starlette")


class PlaceFormatter(logging.Formatter):
    """Writes where an error was raised, instead of a trace with its message."""

    def format(self, record: logging.LogRecord) -> str:
        line = f"radeval: {self.formatTime(record)} {record.getMessage()}"
        error = record.exc_info[1] if record.exc_info else None
        return f"{line.splitlines()[0]}: {trace_of(error)}" if error else line


def set_up(quiet: bool) -> None:
    """Send the logs of a server to stderr.

    Args:
        quiet: leave out the line per request.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(PlaceFormatter())
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
    access = logging.getLogger("radeval_core.serve.access")
    access.handlers, access.propagate = [handler], False
    access.setLevel(logging.WARNING if quiet else logging.INFO)
    sys.excepthook = _crash
    threading.excepthook = _thread_crash


def _crash(_: type[BaseException], error: BaseException, __: TracebackType | None) -> None:
    print(f"radeval: crashed: {trace_of(error)}", file=sys.stderr)


def _thread_crash(crash: Any) -> None:
    print(f"radeval: a thread crashed: {trace_of(crash.exc_value)}", file=sys.stderr)
