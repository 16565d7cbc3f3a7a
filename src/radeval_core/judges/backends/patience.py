"""When to ask a server again, and how long to wait before."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Awaitable, Callable
from typing import Any

from radeval_core.errors import RadevalError, needs_extra
from radeval_core.judges.backends.dialects import NoAnswer

try:
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential
except ImportError as error:
    raise needs_extra("judges", "a model behind an API") from error

#: statuses that may pass: time-out, conflict, too early, too many requests; besides those of a server in trouble
_PASSING = {408, 409, 425, 429}
#: no server is waited for longer than this between two tries, whatever it asks for
_LONGEST_WAIT = 300.0
Sleep = Callable[[float], Awaitable[None]]


def patiently(tries: int, sleep: Sleep) -> AsyncRetrying:
    """Calls a function until it succeeds, fails for good, or has been tried so often; the last error is raised."""
    return AsyncRetrying(
        stop=stop_after_attempt(tries), wait=_wait, retry=retry_if_exception(_passing), sleep=sleep, reraise=True
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status an error of a client stands for, if any."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _passing(error: BaseException) -> bool:
    """Whether another try may succeed: not what the question itself, the key or the account is to blame for."""
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
    """As long as the server asks for, else twice as long each time, with jitter so that questions do not pile up."""
    error = state.outcome.exception() if state.outcome else None
    asked = _retry_after(getattr(getattr(error, "response", None), "headers", None) or {})
    jittered = wait_random_exponential(multiplier=0.5, max=60)(state)
    return min(jittered if asked is None else asked + min(jittered, 1.0), _LONGEST_WAIT)


def _retry_after(headers: Any) -> float | None:
    """Seconds that a server asks to wait: a number, or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
