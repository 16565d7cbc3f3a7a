"""What stands between the network and every page: limits per visitor, checked file paths, security headers, sweeping.

It wraps the app of a single Space and of the server of all Spaces alike.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from radeval_core.ui.page_head import CARD, page_of, social_card, with_head
from radeval_core.ui.uploads import is_upload, sweep, upload_folder
from radeval_core.ui.visitors import VisitorLimits, Visitors, limits_from_environment, visitor_of
from radeval_core.web import read_body, refuse

#: bytes of one request; an upload of 5 MB and its form fit in
MAX_REQUEST = 8_000_000
#: requests below these paths are counted: they make the server work
_COUNTED = ("/gradio_api/", "/reading_api/")
#: seconds between two sweeps of the upload folder
_SWEEP_EVERY = 5.0
#: a JSON object with a path and one of these is a file for Gradio
_FILE_KEYS = {"meta", "url", "orig_name"}
#: a text that Gradio takes for a file if a tool of an agent expects one
_MCP_FILE = re.compile(r"data:|https?://\S*\s*\Z", re.IGNORECASE)
_NO_MCP_FILES = (
    "a file cannot be given over MCP, neither as data nor as an address: give the reports as text, or upload the file "
    "on the page"
)
#: Gradio runs the `js` of an event and the templates of `gr.HTML` with `new Function`, so eval stays allowed. Inline
#: scripts are not, except those of the page itself, by their hashes. Its components set inline styles.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'{hashes}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)


class Guard:
    """ASGI middleware for the pages."""

    def __init__(self, app: ASGIApp, limits: VisitorLimits | None = None) -> None:
        self.app = app
        self.visitors = Visitors(limits or limits_from_environment())
        self._swept = float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _with_headers(send, scope)
        counted = any(part in scope["path"] for part in _COUNTED) and scope["method"] in ("GET", "POST")
        visitor = visitor_of(scope)
        if counted and (wait := self.visitors.enter(visitor)):
            await refuse(429, "too many requests: wait a moment and try again", scope, receive, answer, wait)
            return
        try:
            if scope["path"].endswith(f"/{CARD}") and (facts := page_of(scope["path"])):
                await Response(social_card(facts), media_type="image/png")(scope, receive, answer)
                return
            await self._checked(scope, receive, answer)
        finally:
            if counted:
                self.visitors.leave(visitor)
            self._sweep()

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is small enough and names no file that was not uploaded."""
        if scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if headers.get(b"content-type", b"").startswith(b"multipart/"):
            await self._limited(scope, receive, send, headers)
            return
        body = await read_body(receive, MAX_REQUEST)
        if body is None:
            await refuse(413, f"the request is larger than {MAX_REQUEST:,} bytes", scope, receive, send)
        elif "/mcp" in scope["path"] and any(isinstance(v, str) and _MCP_FILE.match(v) for v in _values(body)):
            # Gradio would write data to the upload folder twice and forget the first copy, and would fetch an address
            await refuse(403, _NO_MCP_FILES, scope, receive, send)
        elif any(not is_upload(path) for path in _file_paths(body)):
            await refuse(403, "a file of this request was not uploaded to this page", scope, receive, send)
        else:
            await self.app(scope, _replayed(body, receive), send)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, headers: dict[bytes, bytes]) -> None:
        """Pass an upload on if it states a size within the limit; the server stops reading at the stated size."""
        size = headers.get(b"content-length", b"")
        if not size.isdigit():
            await refuse(411, "an upload must state its size", scope, receive, send)
        elif int(size) > MAX_REQUEST:
            await refuse(413, f"the request is larger than {MAX_REQUEST:,} bytes", scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _sweep(self) -> None:
        now = time.monotonic()
        if now - self._swept >= _SWEEP_EVERY and "gradio" in sys.modules:  # the reading room has no uploads
            self._swept = now
            sweep(upload_folder())


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body again, and then what the client sends next."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _file_paths(body: bytes) -> Iterator[str]:
    """Return the path of every file object in a JSON body; Gradio reads such objects wherever they stand."""
    for value in _values(body):
        if isinstance(value, dict) and isinstance(value.get("path"), str) and _FILE_KEYS & set(value):
            yield value["path"]


def _values(body: bytes) -> Iterator[Any]:
    """Return every value in a JSON body; none if it is not JSON, which Gradio refuses."""
    try:
        waiting: list[Any] = [json.loads(body)] if body else []
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _with_headers(send: Send, scope: Scope) -> Send:
    """Return a `send` that adds the security headers. An HTML page is held back until its scripts are known."""
    start: Message | None = None
    parts: list[bytes] = []

    async def guarded(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            kinds = [value for key, value in message["headers"] if key.lower() == b"content-type"]
            encoded = any(key.lower() == b"content-encoding" for key, _ in message["headers"])
            if kinds and kinds[0].startswith(b"text/html") and not encoded:
                start = message
                return
            await send(_secured(message, ()))
        elif start is None:
            await send(message)
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                page = _own_head(b"".join(parts), scope)
                sized = [(k, v) for k, v in start["headers"] if k.lower() != b"content-length"]
                start = {**start, "headers": [*sized, (b"content-length", str(len(page)).encode())]}
                await send(_secured(start, script_hashes(page)))
                await send({"type": "http.response.body", "body": page, "more_body": False})

    return guarded


def _own_head(page: bytes, scope: Scope) -> bytes:
    headers = dict(scope["headers"])
    secure = headers.get(b"x-forwarded-proto", scope.get("scheme", "http").encode()) == b"https"
    return with_head(page, scope["path"], headers.get(b"host", b"").decode("latin-1"), secure)


def _secured(message: Message, hashes: tuple[str, ...]) -> Message:
    """Return the start of a response with the security headers. A page that states a policy of its own keeps it."""
    policy = _POLICY.format(hashes="".join(f" '{value}'" for value in hashes)).encode()
    own = [value for key, value in message["headers"] if key.lower() == b"content-security-policy"]
    added = {
        b"content-security-policy": own[0] if own else policy,
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"no-referrer",
    }
    kept = [(key, value) for key, value in message["headers"] if key.lower() not in added]
    return {**message, "headers": [*kept, *added.items()]}


@lru_cache(maxsize=64)
def script_hashes(page: bytes) -> tuple[str, ...]:
    """Return the hashes of the inline scripts of a page, as a content security policy names them."""
    found = _Scripts()
    found.feed(page.decode("utf-8", "replace"))
    digests = (hashlib.sha256(script.encode()).digest() for script in found.scripts)
    return tuple(dict.fromkeys(f"sha256-{base64.b64encode(digest).decode()}" for digest in digests))


class _Scripts(HTMLParser):
    """Collect the texts of the inline scripts of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and not any(key == "src" for key, _ in attrs)
        if self._inside:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data
