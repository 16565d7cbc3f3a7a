"""Limits per visitor of a page: requests per minute, and requests at once."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import Scope

#: visitors remembered; the one not seen for longest is forgotten
_REMEMBERED = 10_000


@dataclass(frozen=True)
class VisitorLimits:
    """What one visitor may do.

    Attributes:
        per_minute: requests per minute in the long run; 0 for no limit.
        burst: requests that may arrive at once.
        at_once: requests that may be open at the same time, streams of results included; 0 for no limit.
    """

    per_minute: float = 600
    burst: float = 120
    at_once: int = 32


def limits_from_environment() -> VisitorLimits:
    """Return the limits, with RADEVAL_VISITOR_RATE requests per minute if it is set; 0 switches the limits off."""
    rate = os.environ.get("RADEVAL_VISITOR_RATE")
    if rate is None:
        return VisitorLimits()
    per_minute = float(rate)
    return VisitorLimits(per_minute, max(1.0, per_minute / 5), VisitorLimits.at_once if per_minute else 0)


@dataclass
class _Seen:
    allowance: float
    at: float
    open: int = 0


@dataclass
class Visitors:
    """The visitors of a server, by address."""

    limits: VisitorLimits
    clock: Callable[[], float] = time.monotonic
    _seen: OrderedDict[str, _Seen] = field(default_factory=OrderedDict, repr=False)

    def enter(self, visitor: str) -> float:
        """Count a request. Return 0, or the seconds to wait if it is one too many; then it is not counted."""
        now, limits = self.clock(), self.limits
        seen = self._seen.setdefault(visitor, _Seen(limits.burst, now))
        self._seen.move_to_end(visitor)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        seen.allowance = min(limits.burst, seen.allowance + (now - seen.at) * limits.per_minute / 60)
        seen.at = now
        if limits.at_once and seen.open >= limits.at_once:
            return 1.0
        if limits.per_minute and seen.allowance < 1:
            return (1 - seen.allowance) * 60 / limits.per_minute
        seen.allowance -= 1
        seen.open += 1
        return 0.0

    def leave(self, visitor: str) -> None:
        """End a request that was counted."""
        if seen := self._seen.get(visitor):
            seen.open = max(0, seen.open - 1)


def visitor_of(scope: Scope) -> str:
    """Return the address of a visitor.

    Behind proxies, set RADEVAL_PROXIES to their number: each adds the address it was called from to the header
    X-Forwarded-For. Everything before could be forged by the visitor. A Space on the Hub has one proxy.
    """
    proxies = int(os.environ.get("RADEVAL_PROXIES") or ("1" if os.environ.get("SPACE_ID") else "0"))
    if proxies:
        header = ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == b"x-forwarded-for")
        addresses = [part.strip() for part in header.split(",") if part.strip()]
        if len(addresses) >= proxies:
            return addresses[-proxies]
    client = scope.get("client")
    return client[0] if client else "unknown"
