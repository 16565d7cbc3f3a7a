"""An HTTP client that follows no redirect and stops reading a reply that is too large."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from radeval_core.judges.backends.server_answers import NoAnswer

#: bytes of a reply; the longest answers have some ten thousand
LARGEST_REPLY = 4 << 20
#: compressed replies are not accepted: a few bytes could unpack to any size
HEADERS = {"Accept-Encoding": "identity"}


def limited_client(default_client: Any, timeout: float) -> Any:
    """Return an HTTP client for an API client.

    Args:
        default_client: the API client's class of HTTP clients, which also reads the proxies of the environment.
        timeout: seconds to wait for each part of a reply.
    """
    library = import_module(_httpx(default_client))

    class Limited(library.AsyncByteStream):  # type: ignore[name-defined]
        """A reply's bytes, up to the limit."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in self._stream:
                size += len(chunk)
                if size > LARGEST_REPLY:
                    raise NoAnswer(f"the server's reply is larger than {LARGEST_REPLY >> 20} MB")
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def limit(response: Any) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise NoAnswer("the server's reply is compressed, although that was not asked for")
        response.stream = Limited(response.stream)

    # a redirect would send the reports, and maybe the key, to a server that the user did not choose
    return default_client(timeout=timeout, follow_redirects=False, event_hooks={"response": [limit]})


def _httpx(client: Any) -> str:
    """Return the package that a class of HTTP clients comes from: httpx, or a later one of the same interface."""
    base = next(kind for kind in client.__mro__ if kind.__name__ == "AsyncClient")
    return str(base.__module__).partition(".")[0]
