"""A Space that is built when it is first asked for, so that a server of many Spaces starts at once.

Requests of several visitors share one build. A browser that would wait for more than a second gets a page that says so
and opens the Space when it is ready; a program just waits. If the build fails, every visitor is told why, and the next
visit after a while tries again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from radeval_core.errors import RadevalError
from radeval_core.html_text import text
from radeval_core.page_style import file_colours

#: seconds that a browser waits before it gets the page that says "loading"
PATIENCE = 1.0
#: seconds until a Space that could not be built is tried again
RETRY_AFTER = 20.0
_LOG = logging.getLogger(__name__)

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>{head}<style>{colours}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--rv-ink); background: var(--rv-paper); max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.4rem; }} a {{ color: var(--rv-link); }} p {{ overflow-wrap: anywhere; }} progress {{ width: 100%; height: 10px; accent-color: var(--rv-metric); }}
</style></head><body><main><h1>{title}</h1>{body}<p><a href="../">All Spaces</a></p></main></body></html>
"""  # noqa: E501
_NO_SCRIPT = '<noscript><meta http-equiv="refresh" content="2"></noscript>'
#: a request that does not ask for HTML is answered when the Space is ready; a reload keeps what follows the `#`
_WAIT = (
    '<p role="status">Its models and examples are loaded once; then the page is quick. It opens by itself.</p>'
    '<progress aria-label="loading"></progress>'
    "<script>fetch(location.pathname, {headers: {accept: '*/*'}, cache: 'no-store'})"
    ".finally(() => location.reload());</script>"
)


class Builds:
    """Lets one Space be built at a time: Gradio keeps the page under construction in a global variable."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.spaces: list[LazySpace] = []

    @asynccontextmanager
    async def running(self, ahead: bool) -> AsyncIterator[None]:
        """Keep the Spaces alive until the server stops; with `ahead`, build them before anybody asks."""
        early = asyncio.create_task(self._all()) if ahead else None
        try:
            yield
        finally:
            if early:
                early.cancel()
            await asyncio.gather(*(space.close() for space in self.spaces))

    async def _all(self) -> None:
        for space in self.spaces:
            await space.ready()


@dataclass(eq=False)
class LazySpace:
    """An ASGI app that builds another one on its first request.

    Attributes:
        name: the name of the Space.
        build: builds it, in a thread; the app serves it under its name.
        builds: what it shares with the other Spaces.
        problem: why it could not be built; empty if it could.
    """

    name: str
    build: Callable[[], FastAPI]
    builds: Builds
    problem: str = ""
    _app: FastAPI | None = None
    _task: asyncio.Task[None] | None = None
    _done: asyncio.Event = field(default_factory=asyncio.Event)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: float = 0.0

    def __post_init__(self) -> None:
        self.builds.spaces.append(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = dict(scope.get("headers", ())).get(b"accept", b"")
        browser = scope["type"] == "http" and scope["method"] == "GET" and b"text/html" in accepted
        answer: Response | None = None
        if not await self.ready(PATIENCE if browser else None):
            answer = _page(f"Loading {self.name}", _WAIT, head=_NO_SCRIPT)
        elif self._app is None:
            said = f"The Space {self.name} could not be loaded"
            body = f"<p role='alert'>{text(self.problem)}</p>"
            answer = _page(said, body, 503) if browser else PlainTextResponse(f"{said}: {self.problem}", 503)
        if answer is not None:
            await answer(scope, receive, send)
            return
        assert self._app is not None
        # the app has the name in its own routes
        await self._app({**scope, "root_path": scope.get("app_root_path", "")}, receive, send)

    async def ready(self, patience: float | None = None) -> bool:
        """Build the Space unless that was done, and return True if it ended, well or not, within some seconds."""
        if self._task is None or (self.problem and time.monotonic() - self._failed > RETRY_AFTER):
            self._done.clear()
            self._task = asyncio.create_task(self._live())
        if not self._done.is_set():
            try:
                await asyncio.wait_for(self._done.wait(), patience)
            except TimeoutError:
                return False
        return True

    async def close(self) -> None:
        """End the Space."""
        self._stop.set()
        if self._task is not None:
            await self._task

    async def _live(self) -> None:
        """Build the app and keep it alive: its lifespan must begin and end in the same task."""
        self.problem = ""
        try:
            async with self.builds.turn:
                if self._stop.is_set():
                    return
                app = await asyncio.to_thread(self.build)
            async with app.router.lifespan_context(app):
                self._app = app
                self._done.set()
                await self._stop.wait()
        except Exception as error:
            self._app, self._failed = None, time.monotonic()
            known = isinstance(error, RadevalError)
            self.problem = str(error) if known else f"{type(error).__name__}; the log of the server says more"
            _LOG.error("the Space %s could not be loaded: %s", self.name, self.problem, exc_info=not known)
        finally:
            self._done.set()


def _page(title: str, body: str, status: int = 200, head: str = "") -> HTMLResponse:
    page = _PAGE.format(title=text(title), colours=file_colours(), body=body, head=head)
    return HTMLResponse(page, status, {"cache-control": "no-store"})
