"""What stands before every route: who may enter, how it is counted and logged, and what a failure looks like."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from radeval_core.serve.access import has_token, names_this_machine
from radeval_core.serve.problems import answer_to, trace_of
from radeval_core.serve.service import Service
from radeval_core.web import discard_body, refusal

log = logging.getLogger(__name__)
#: one line per request
access = logging.getLogger("radeval_core.serve.access")
#: routes by their paths, for counts and logs; what a client typed as another path is not repeated
ROUTES = ("/v1/score", "/v1/parse", "/v1/compare", "/v1/metrics", "/healthz", "/metrics", "/openapi.json", "/docs")
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)


@dataclass
class Gate:
    """ASGI middleware around the whole app.

    Attributes:
        app: what is behind it.
        service: what is asked.
        token: what clients must send; None for no token.
        local: True if only this machine can reach the server.
    """

    app: ASGIApp
    service: Service
    token: str | None
    local: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # closes a web socket
        route = scope["path"] if scope["path"] in ROUTES else "other"
        status = 500
        started = time.perf_counter()
        begun = False

        async def answer(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                begun, status = True, message["status"]
                message = {**message, "headers": [*message["headers"], *_HEADERS]}
            await send(message)

        self.service.open += 1
        try:
            refused = self._refused(scope, route)
            if refused:
                await discard_body(receive)
            await (refused or self.app)(scope, receive, answer)
        except asyncio.CancelledError:  # a second signal ends the server at once
            if not begun:
                await refusal(503, "the server was ended before it answered: nothing was scored")(
                    scope, receive, answer
                )
            raise
        except Exception as error:
            log.error("%s %s: %s", scope["method"][:10], route, trace_of(error))
            if not begun:
                await answer_to(error)(scope, receive, answer)
        finally:
            self.service.open -= 1
            seconds = time.perf_counter() - started
            self.service.counters.requests.labels(route, str(status)).inc()
            self.service.counters.seconds.labels(route).observe(seconds)
            access.info("%s %s %d %.3f s", scope["method"][:10], route, status, seconds)

    def _refused(self, scope: Scope, route: str) -> ASGIApp | None:
        """Return the answer to a request that may not enter; None if it may."""
        if self.token is None and self.local and not names_this_machine(scope):
            return refusal(403, "this server answers only requests to 127.0.0.1 or localhost; set a token for others")
        if self.service.stopping and route != "/metrics":
            return refusal(503, "the server is stopping: ask another one, or try again later", 5)
        if self.token is not None and route != "/healthz" and not has_token(scope, self.token):
            denied = refusal(401, "no valid token: send the header 'Authorization: Bearer TOKEN'")
            denied.headers["WWW-Authenticate"] = "Bearer"
            return denied
        return None
