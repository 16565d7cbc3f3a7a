"""Say why a server gave no answer: its status and a class of error. What the server wrote is never quoted.

An error message of a server may contain the question, and so the reports, or the key.
"""

from __future__ import annotations

from collections.abc import Iterator

from radeval_core.judges.backends.server_answers import NoAnswer

_STATUS = {
    400: "the server rejected the question",
    401: "the server does not accept the key",
    403: "the server does not accept the key",
    404: "the server has no such model or address",
    408: "the server timed out",
    413: "the question is too large for the server",
    422: "the server rejected the question",
    429: "too many requests",
    451: "the server refuses the question",
    503: "the server is busy",
    504: "the server timed out",
}
#: error codes of servers, quoted in our words
_CODES = {
    "insufficient_quota": "the quota of the account is used up",
    "context_length_exceeded": "the question is too long for the model",
    "model_not_found": "the server has no such model",
}
#: statuses that are about one question, not about the server
_ABOUT_THE_QUESTION = (400, 413, 422, 451)


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of a client's error, or None."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def is_timeout(error: BaseException) -> bool:
    """Return True if the server did not answer in time."""
    return any(isinstance(e, TimeoutError) or "Timeout" in type(e).__name__ for e in _causes(error))


def cannot_connect(error: BaseException) -> bool:
    """Return True if nothing at the server's address accepts a connection, or accepts it and stays silent."""
    return status_of(error) is None and (
        is_timeout(error) or any(type(e).__name__ == "ConnectError" for e in _causes(error))
    )


def is_about_question(error: BaseException) -> bool:
    """Return True if the server answers, but not this question."""
    return status_of(error) in _ABOUT_THE_QUESTION


def reason_of(error: BaseException, timeout: float) -> str:
    """Return why there is no answer, in our words.

    Args:
        error: what the client raised.
        timeout: seconds that it waited for an answer.
    """
    found = next((e for e in _causes(error) if isinstance(e, NoAnswer)), None)
    if found is not None:
        return str(found)
    status = status_of(error)
    if status is not None:
        return f"HTTP {status}: {_CODES.get(str(getattr(error, 'code', None))) or _status_text(status)}"
    if is_timeout(error):
        return f"no answer within {timeout:g} seconds"
    if cannot_connect(error):
        return "cannot connect to the server"
    if any(type(e).__name__ == "APIConnectionError" for e in _causes(error)):
        return "the connection to the server broke"
    return type(error).__name__


def _status_text(status: int) -> str:
    if 300 <= status < 400:
        return "the server redirects to another address, which is not followed"
    return _STATUS.get(status) or ("the server failed" if status >= 500 else "the server rejected the question")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__
