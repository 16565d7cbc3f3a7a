"""What every server of ours does with a request: read its body within a limit, and refuse it in JSON."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

#: how much of a refused request is still read
_DISCARDED_BYTES = 32_000_000
_DISCARDED_SECONDS = 10.0


async def refuse(
    status: int, reason: str, scope: Scope, receive: Receive, send: Send, wait: float | None = None
) -> None:
    """Answer with an error.

    Args:
        status: the HTTP status.
        reason: what is wrong and what to do; it quotes nothing of the request.
        scope: the request.
        receive: gives its body.
        send: takes the answer.
        wait: seconds after which to try again, for the header Retry-After.
    """
    await refusal(status, reason, wait)(scope, receive, send)


def refusal(status: int, reason: str, wait: float | None = None) -> JSONResponse:
    """Return the answer of `refuse`."""
    headers = {} if wait is None else {"Retry-After": str(max(1, round(wait)))}
    return JSONResponse({"error": reason, "detail": reason}, status, headers)


async def read_body(receive: Receive, most: int) -> bytes | None:
    """Return the body of a request, or None if it has more than this many bytes."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            return None
        parts.append(part)
        more = message["type"] == "http.request" and message.get("more_body", False)
    return b"".join(parts)


async def discard_body(receive: Receive) -> None:
    """Read the body of a refused request, within limits: else its client could lose the answer while it sends."""
    left, more = _DISCARDED_BYTES, True
    with suppress(TimeoutError):
        async with asyncio.timeout(_DISCARDED_SECONDS):
            while more and left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)
