"""Errors as answers: a status, and a sentence that quotes neither reports nor ids. Traces without messages for logs."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from starlette.responses import JSONResponse

from radeval_core.errors import InputError, MissingDependencyError, RadevalError, is_out_of_memory
from radeval_core.serve.limits import BusyError, TooLargeError
from radeval_core.web import refusal

#: what a message quotes: everything from its first quotation mark to its last one of the same kind
_QUOTED = re.compile(r"""(["']).*\1""", re.DOTALL)
#: frames of a trace to show
_FRAMES = 12


def answer_to(error: BaseException) -> JSONResponse:
    """Return the answer to a request that failed."""
    if isinstance(error, BusyError):
        return refusal(429, str(error), error.wait)
    if isinstance(error, TooLargeError):
        return refusal(413, str(error))
    if isinstance(error, (InputError, MissingDependencyError)):
        return refusal(422, str(error))
    if is_out_of_memory(error):
        return refusal(503, "out of memory: send fewer or shorter pairs at once", 10)
    if isinstance(error, RadevalError):
        return refusal(500, without_quotes(error))
    return refusal(500, f"the server failed with {type(error).__name__}: its log has the place")


def without_quotes(error: Exception) -> str:
    """Return the message of an error on one line, with … for what it quotes: that could be part of a report."""
    return _QUOTED.sub("'…'", " ".join(str(error).split()))


def trace_of(error: BaseException) -> str:
    """Return where an error was raised, and its class, without its message and without values."""
    parts = []
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        places = " > ".join(f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames)
        parts.append(f"{type(error).__name__} at {places or 'unknown place'}")
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return "; caused by ".join(parts)
