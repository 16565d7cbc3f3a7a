"""How much a server takes: per request, and at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from radeval_core.errors import InputError, RadevalError


class TooLargeError(InputError):
    """A request is larger than the server takes: status 413."""


class BusyError(RadevalError):
    """There is no room for a request now: status 429.

    Attributes:
        wait: seconds after which to try again.
    """

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


@dataclass(frozen=True)
class Limits:
    """How much a server takes.

    Attributes:
        request_bytes: bytes of one request.
        pairs: pairs, or reports to parse, of one request.
        characters: characters of one text.
        waiting_pairs: pairs that wait for one worker; then requests are refused until some are done.
        batch_pairs: pairs that are scored at once; a larger request is scored alone.
        open_bytes: bytes of all requests that are being read or answered.
        body_seconds: time for the body of a request to arrive.
    """

    request_bytes: int = 8_000_000
    pairs: int = 2_000
    characters: int = 50_000
    waiting_pairs: int = 8_000
    batch_pairs: int = 512
    open_bytes: int = 64_000_000
    body_seconds: float = 60.0

    def __post_init__(self) -> None:
        for name in ("request_bytes", "pairs", "characters", "waiting_pairs", "batch_pairs"):
            if getattr(self, name) < 1:
                raise InputError(f"the limit of {name.replace('_', ' ')} must be at least 1, got {getattr(self, name)}")
        if self.waiting_pairs < self.pairs:
            raise InputError(
                f"{self.waiting_pairs} waiting pairs are fewer than the {self.pairs} pairs of one request: raise one "
                "or lower the other"
            )


class OpenBytes:
    """Counts the bytes of all open requests, so that many large ones do not fill the memory."""

    def __init__(self, limits: Limits) -> None:
        self._most = max(limits.open_bytes, limits.request_bytes)
        self._open = 0

    @contextmanager
    def reserved(self, size: int) -> Iterator[None]:
        """Count a request while the block runs; raise `BusyError` if there is no room for it."""
        if self._open + size > self._most:
            raise BusyError("too many large requests at once: try again", 1.0)
        self._open += size
        try:
            yield
        finally:
            self._open -= size
