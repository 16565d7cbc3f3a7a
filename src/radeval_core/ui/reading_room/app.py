"""The web app of a reader study: a static page, and an interface in JSON that only links with a secret open.

The page is HTML, CSS and a little JavaScript of our own, not Gradio: every key press must be saved at once and in
order, and the page must work with the keyboard alone. Texts are put into the page as text, never as markup, so the
content security policy allows no inline script, no `eval` and no other server.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from radeval_core.errors import InputError, RadevalError
from radeval_core.leaderboard.strict_json import decode, parse
from radeval_core.reading.access import NotAllowed, log_in, name_of
from radeval_core.reading.desk import ChangedElsewhere, Desk
from radeval_core.reading.study import OWNER, Study
from radeval_core.ui.guard import Guard
from radeval_core.ui.reading_room.owner import OwnerDesk
from radeval_core.ui.visitors import VisitorLimits, Visitors, limits_from_environment, visitor_of

log = logging.getLogger(__name__)
_STATIC = Path(__file__).parent / "static"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; object-src 'none'; "
    "frame-ancestors 'self' https://huggingface.co https://*.hf.space"
)
#: requests per address: a hospital's readers may share one, and typing saves up to seven times per second
_REQUESTS = VisitorLimits(per_minute=3000, burst=600, at_once=64)
#: attempts to log in, per address
_LOGINS = VisitorLimits(per_minute=60, burst=60, at_once=4)
#: visitors who can try the demo before it must be started again
_DEMO_READERS = 300
Answer = Mapping[str, Any] | Response


@dataclass
class ReadingRoom:
    """The interface of one study.

    Attributes:
        study: the store.
        demo: everybody may become a reader; the pairs are invented.
    """

    study: Study
    demo: bool = False
    _logins: Visitors = field(default_factory=lambda: Visitors(_LOGINS))
    _one_hash: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def routes(self) -> list[Route]:
        """Return what the server answers."""
        answers: list[tuple[str, str, Callable[[Request, Any], Answer]]] = [
            ("GET", "about", self.about),
            ("POST", "login", self.login),
            ("POST", "demo", self.join_demo),
            ("GET", "overview", self.overview),
            ("GET", "case/{position:int}", self.show_case),
            ("POST", "case/{position:int}", self.save_case),
            ("GET", "owner", self.owner),
            ("POST", "readers", self.add_reader),
            ("GET", "export/{file}", self.export),
        ]
        return [
            Route("/", _file("page.html"), methods=["GET"]),
            *(Route(f"/static/{path.name}", _file(path.name), methods=["GET"]) for path in sorted(_STATIC.iterdir())),
            *(Route(f"/reading_api/{path}", _endpoint(answer), methods=[method]) for method, path, answer in answers),
        ]

    def about(self, request: Request, body: Any) -> Answer:
        return {"demo": self.demo}

    def login(self, request: Request, body: Any) -> Answer:
        name, secret = _texts(body, "name", "secret")
        visitor = visitor_of(request.scope)
        if wait := self._logins.enter(visitor):
            return _refusal(
                429, "too many attempts to log in: wait a moment", {"Retry-After": str(max(1, round(wait)))}
            )
        try:
            with self._one_hash:  # a slow hash takes 16 MB
                token = log_in(self.study, name, secret)
        finally:
            self._logins.leave(visitor)
        return {"token": token, "name": name, "owner": name == OWNER}

    def join_demo(self, request: Request, body: Any) -> Answer:
        if not self.demo:
            raise NotAllowed("this study has links for its readers: ask its owner")
        with self._one_hash:
            count = len(self.study.readers())
            if count >= _DEMO_READERS:
                raise InputError("the demo is full: try again tomorrow, or run it on your machine")
            name = f"visitor-{count + 1}"
            return {"name": name, "secret": self.study.add_reader(name)}

    def overview(self, request: Request, body: Any) -> Answer:
        return self._desk(request).overview()

    def show_case(self, request: Request, body: Any) -> Answer:
        return self._desk(request).case(request.path_params["position"])

    def save_case(self, request: Request, body: Any) -> Answer:
        if not isinstance(body, dict) or not isinstance(body.get("revision"), int):
            raise InputError("expected an object with revision, save and reading")
        position = request.path_params["position"]
        desk = self._desk(request)
        try:
            return desk.save(position, body["revision"], body.get("save", ""), body.get("reading"))
        except ChangedElsewhere as error:
            return _json({"error": str(error), "case": desk.case(position)}, 409)

    def owner(self, request: Request, body: Any) -> Answer:
        return self._owner(request, demo=True).overview()

    def add_reader(self, request: Request, body: Any) -> Answer:
        (name,) = _texts(body, "name")
        return self._owner(request).link(name, again=bool(body.get("again")))

    def export(self, request: Request, body: Any) -> Answer:
        file = request.path_params["file"]
        headers = {"Content-Disposition": f'attachment; filename="{file}"'}
        data = self._owner(request).export(file)
        return Response(data, headers=headers, media_type="application/x-ndjson")

    def _desk(self, request: Request) -> Desk:
        name = self._name(request)
        if name == OWNER:
            raise NotAllowed("the owner has no cases to read: open a reader's link")
        return Desk(self.study, self.study.reader(name))

    def _owner(self, request: Request, demo: bool = False) -> OwnerDesk:
        """Return the owner's desk. In a demo everybody may see its numbers, but nobody what others wrote."""
        if not (demo and self.demo) and self._name(request) != OWNER:
            raise NotAllowed("only the owner of the study may do this")
        return OwnerDesk(self.study)

    def _name(self, request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return name_of(self.study, token if scheme.lower() == "bearer" else "")


def build_app(study: Study, demo: bool = False) -> ASGIApp:
    """Return the app of a study, with the guard of every page, and higher limits unless RADEVAL_VISITOR_RATE is set.

    Args:
        study: the store. Damaged files in it are an error now, not on a reader's click.
        demo: everybody may become a reader.
    """
    for reader in study.readers():
        study.journal(reader.name).readable()
    limits = limits_from_environment() if os.environ.get("RADEVAL_VISITOR_RATE") else _REQUESTS
    return Guard(Starlette(routes=ReadingRoom(study, demo).routes()), limits)


def _endpoint(answer: Callable[[Request, Any], Answer]) -> Callable[[Request], Any]:
    """Return an endpoint that reads JSON, answers in JSON, and turns errors into one line."""

    async def endpoint(request: Request) -> Response:
        data = await request.body() if request.method == "POST" else b""
        try:
            found = await run_in_threadpool(lambda: answer(request, parse(decode(data)) if data else {}))
        except NotAllowed as error:
            return _refusal(401, str(error))
        except InputError as error:
            return _refusal(400, str(error))
        except RadevalError as error:
            log.warning("%s", error)
            return _refusal(503, str(error))
        return found if isinstance(found, Response) else _json(found)

    return endpoint


def _refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return _json({"error": reason}, status, headers)


def _json(content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return JSON in ASCII: an error may quote half of a surrogate pair, which UTF-8 does not have."""
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return Response(json.dumps(content), status, kept, "application/json")


def _file(name: str) -> Callable[[Request], Any]:
    async def send(request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": _POLICY}
        return FileResponse(_STATIC / name, headers=headers)

    return send


def _texts(body: Any, *names: str) -> list[str]:
    values = [body.get(name) if isinstance(body, dict) else None for name in names]
    if not all(isinstance(value, str) for value in values):
        raise InputError(f"expected an object with {' and '.join(names)}")
    return [str(value) for value in values]
