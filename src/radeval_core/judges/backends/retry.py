"""Decide when to ask a server again, and how long to wait before that."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Awaitable, Callable
from typing import Any

from radeval_core.errors import RadevalError, needs_extra
from radeval_core.judges.backends.failures import is_timeout, status_of
from radeval_core.judges.backends.server_answers import NoAnswer

try:
    from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt, wait_random_exponential
except ImportError as error:
    raise needs_extra("judges", "a model behind an API") from error

#: statuses worth a retry, besides 500 and above: time-out, conflict, too early, too many requests
_PASSING = {408, 409, 425, 429}
#: the longest wait between two tries in seconds, even if the server asks for more
_LONGEST_WAIT = 300.0
#: a question that the server did not answer in time is asked once more: a hung server costs two time-outs, not six
_TIMEOUTS = 2
Sleep = Callable[[float], Awaitable[None]]


def patiently(tries: int, sleep: Sleep) -> AsyncRetrying:
    """Return a retrier: it calls a function until it succeeds, fails permanently, or has had all its tries.

    It raises the last error.
    """
    return AsyncRetrying(stop=stop_after_attempt(tries), wait=_wait, retry=_again, sleep=sleep, reraise=True)


def _again(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    if error is None:
        return False
    return _passing(error) and not (is_timeout(error) and state.attempt_number >= _TIMEOUTS)


def _passing(error: BaseException) -> bool:
    """Return True if another try may succeed: the question, the key and the account are not the cause."""
    if isinstance(error, RadevalError) or not isinstance(error, Exception):
        return False
    status = status_of(error)
    if status is not None:
        return (status in _PASSING or status >= 500) and getattr(error, "code", None) != "insufficient_quota"
    return isinstance(error, (NoAnswer, ValueError, OSError)) or type(error).__name__ in (
        "APIConnectionError",
        "APITimeoutError",
        "APIResponseValidationError",
    )


def _wait(state: RetryCallState) -> float:
    """Return the seconds to wait: what the server asks for, else longer each time, with jitter to spread the load."""
    error = state.outcome.exception() if state.outcome else None
    asked = _retry_after(getattr(getattr(error, "response", None), "headers", None) or {})
    jittered = wait_random_exponential(multiplier=0.5, max=60)(state)
    return min(jittered if asked is None else asked + min(jittered, 1.0), _LONGEST_WAIT)


def _retry_after(headers: Any) -> float | None:
    """Return the seconds a server asks to wait, given as a number or as a date; None if it asks for nothing."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
