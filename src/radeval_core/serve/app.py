"""The routes of the service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from radeval_core import __version__
from radeval_core.serve.gate import Gate
from radeval_core.serve.limits import TooLargeError
from radeval_core.serve.page import api_page
from radeval_core.serve.problems import answer_to, trace_of
from radeval_core.serve.requests import CompareBody, ParseBody, ScoreBody
from radeval_core.serve.service import Service
from radeval_core.web import discard_body, read_body, refusal

log = logging.getLogger(__name__)
_BODIES = (ScoreBody, CompareBody, ParseBody)
_SCHEMAS = "#/components/schemas/"
_ERRORS = {
    401: "no valid token",
    413: "too many bytes or pairs, or a text that is too long",
    415: "the body is not application/json",
    422: "a field is wrong; the message names it and quotes nothing",
    429: "too much is waiting; Retry-After says when to try again",
    503: "the server is stopping, or out of memory",
}


def make_app(service: Service, token: str | None, local: bool) -> Gate:
    """Return the app.

    Args:
        service: what scores; it must be started before the first request.
        token: what clients must send; None for no token.
        local: True if only this machine can reach the server.
    """
    app = FastAPI(title="radeval", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)

    def post(path: str, kind: type[BaseModel], about: str, work: Callable[[bytes], Awaitable[bytes]]) -> None:
        async def route(request: Request) -> Response:
            return await _answer(request, service, work)

        body, answers = _body_of(kind), _responses()
        app.add_api_route(path, route, methods=["POST"], summary=about, openapi_extra=body, responses=answers)

    post("/v1/score", ScoreBody, "score pairs: summary as `radeval score --json`, rows as --out", service.score)
    post("/v1/compare", CompareBody, "compare systems: summary as `radeval compare --json`", service.compare)
    post("/v1/parse", ParseBody, "read the findings of reports: rows as `radeval parse --out`", service.parse)

    @app.get("/v1/metrics", summary="metrics, configs and options that clients may choose, and the limits")
    async def offered() -> JSONResponse:
        limits = service.limits
        sizes = {"request_bytes": limits.request_bytes, "pairs": limits.pairs, "characters": limits.characters}
        return JSONResponse({"version": __version__, "metrics": service.offer.listing(), "limits": sizes})

    @app.get("/healthz", summary="200 if the server scores; needs no token")
    async def health() -> Response:
        return JSONResponse({"status": "ok"}) if service.healthy else refusal(503, "a worker is gone: start again")

    @app.get("/metrics", summary="counts for Prometheus")
    async def counts() -> Response:
        return Response(service.counters.text(), media_type=service.counters.content_type)

    @app.get("/openapi.json", summary="this description as OpenAPI")
    async def openapi() -> JSONResponse:
        return JSONResponse(description(app))

    @app.get("/docs", summary="this description as a page")
    async def docs() -> HTMLResponse:
        return HTMLResponse(api_page(description(app)))

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        reason = {404: "no such path; see /docs", 405: "another method is needed; see /docs"}
        return refusal(error.status_code, reason.get(error.status_code, "refused"))

    return Gate(app, service, token, local)


async def _answer(request: Request, service: Service, work: Callable[[bytes], Awaitable[bytes]]) -> Response:
    """Read the body of a request, do its work, and return the answer; end the work if the client leaves."""
    most = service.limits.request_bytes
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    stated = request.headers.get("content-length", "")
    try:
        if kind != "application/json":  # a web page cannot send this without asking first
            await discard_body(request.receive)
            return refusal(415, "the body must be application/json: send the header 'Content-Type: application/json'")
        size = int(stated) if stated.isdigit() else most
        if size > most:
            await discard_body(request.receive)
            raise _too_large(most)
        with service.open_bytes.reserved(size):
            try:
                async with asyncio.timeout(service.limits.body_seconds):
                    body = await read_body(request.receive, most)
            except TimeoutError:
                return refusal(408, f"the body did not arrive in {service.limits.body_seconds:g} seconds")
            if body is None:
                raise _too_large(most)
            return Response(await _unless_gone(request, work(body)), media_type="application/json")
    except _Gone:
        return Response(status_code=499)
    except Exception as error:
        answer = answer_to(error)
        if answer.status_code >= 500:
            log.error("%s: %s", request.url.path, trace_of(error))
        return answer


class _Gone(Exception):
    """The client closed the connection."""


async def _unless_gone(request: Request, work: Awaitable[bytes]) -> bytes:
    """Return what the work returns; cancel it if the client closes the connection first."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    doing, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((doing, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise _Gone
        return doing.result()
    finally:
        doing.cancel()
        leaving.cancel()


def _too_large(most: int) -> TooLargeError:
    return TooLargeError(f"the request has more than {most:,} bytes: send fewer pairs at once")


def description(app: FastAPI) -> dict[str, Any]:
    """Return the routes as OpenAPI, with the schemas of their bodies."""
    _, schemas = models_json_schema([(kind, "validation") for kind in _BODIES], ref_template=_SCHEMAS + "{model}")
    return {**app.openapi(), "components": {"schemas": schemas["$defs"]}}


def _body_of(kind: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a body. It stands in the route: FastAPI's own check would quote the request."""
    schema = {"$ref": _SCHEMAS + kind.__name__}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _responses() -> dict[int | str, dict[str, Any]]:
    return {status: {"description": about} for status, about in _ERRORS.items()}
