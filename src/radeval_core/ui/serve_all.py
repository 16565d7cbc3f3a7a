"""Serve all Spaces on one local server, or one Space alone.

The folder of a metric's Space has a `space.yaml`. Every other folder has an `app.py` that defines `demo` and
optionally `page_options`, a dict of options for `gr.mount_gradio_app` that override the shared ones; or `app`, if its
page is not made with Gradio. All demos run in one process, so models are loaded once, and each one when it is needed:
see `lazy_space`.
"""

from __future__ import annotations

import ast
import runpy
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from radeval_core.errors import InputError, unknown_name
from radeval_core.html_text import text
from radeval_core.page_style import file_colours
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.demo import SESSIONS, build_demo, launch, page_options
from radeval_core.ui.guard import Guard
from radeval_core.ui.icon import icon
from radeval_core.ui.lazy_space import Builds, LazySpace
from radeval_core.ui.reading_room.space import serve_space
from radeval_core.ui.score_header import direction
from radeval_core.ui.space_page import FILE, read_page

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>radeval: Spaces</title><link rel="icon" href="favicon.svg" type="image/svg+xml"><style>{colours}
body {{ font: 16px/1.5 system-ui, sans-serif; color: var(--rv-ink); background: var(--rv-paper); max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.6rem; margin: 0 0 .3rem; }} h2 {{ font-size: 1.1rem; margin: 1.6rem 0 .4rem; }} p {{ margin: 0 0 1rem; color: var(--rv-soft); }}
ul {{ list-style: none; padding: 0; margin: 0; display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }}
li {{ border: 1px solid var(--rv-border); border-radius: 8px; background: var(--rv-card); }} ul.pages li:first-child {{ grid-column: 1 / -1; border-left: 6px solid var(--rv-metric); }}
a {{ display: block; padding: .6rem .9rem; text-decoration: none; color: inherit; height: 100%; }} ul.pages li:first-child a {{ padding: 1rem 1.2rem; font-size: 1.1rem; }}
a:hover, a:focus {{ background: var(--rv-metric-tint); outline: 2px solid var(--rv-metric); border-radius: 8px; }} b {{ color: var(--rv-link); }}
</style></head><body><main><h1>radeval: Spaces</h1><p>These pages run on this machine. They never ask a remote judge.</p>
<ul class="pages">{pages}</ul>{metrics}</main></body></html>
"""  # noqa: E501
#: the page that visitors should open first
_FIRST = ("workbench",)
#: pages that have a new name
_MOVED = {"playground": "workbench"}


@dataclass(frozen=True)
class Space:
    """One demo.

    Attributes:
        name: its folder, and its path on the server.
        about: one line that describes it.
        home: its folder.
    """

    name: str
    about: str
    home: Path

    def load(self) -> tuple[gr.Blocks | ASGIApp, dict[str, Any]]:
        """Build its page, an app of its own if it is not made with Gradio; return it and its options for mounting."""
        if (self.home / FILE).is_file():
            return build_demo(self.name, read_page(self.home / FILE)), {}
        app = self.home / "app.py"
        module = runpy.run_path(str(app))
        if callable(module.get("app")):
            return module["app"], {}
        if not isinstance(module.get("demo"), gr.Blocks):
            raise InputError(f"{app} must define `demo`, a gr.Blocks, or `app`")
        return module["demo"], dict(module.get("page_options") or {})

    def mounted(self) -> FastAPI:
        """Build its page and return an app that serves it under its name."""
        demo, options = self.load()
        app = _bare_app()
        if not isinstance(demo, gr.Blocks):
            app.mount(f"/{self.name}", demo)
            return app
        # Gradio checks the paths of files only on a page that was launched, which mounting one does not count as
        demo.has_launched = True
        demo.state_session_capacity = SESSIONS
        return gr.mount_gradio_app(app, demo, f"/{self.name}", **{**page_options(), **options})


def find_spaces(folder: Path) -> list[Space]:
    """Return all Spaces in a folder, those of metrics last. Their pages are not built, but their files are checked."""
    return [_space(home) for home in _homes(folder)]


def together(folder: Path, ahead: bool = False) -> FastAPI:
    """Return one app with a page of links at / and each Space under its name.

    Args:
        folder: the folder of the Spaces.
        ahead: build every Space as soon as the server has started, in the background. Otherwise a Space is built when
            somebody first asks for it.
    """
    builds = Builds()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with builds.running(ahead):
            yield

    app = _bare_app(lifespan=lifespan)
    spaces = find_spaces(folder)
    links = {s.name: f'<li><a href="{text(s.name)}/"><b>{text(s.name)}</b><br>{text(s.about)}</a></li>' for s in spaces}
    known = set(metric_names())
    pages, metrics = ("".join(links[n] for n in links if (n in known) is wanted) for wanted in (False, True))
    listed = f"<h2>Metrics</h2><ul>{metrics}</ul>" if metrics else ""
    page = _PAGE.format(colours=file_colours(), pages=pages, metrics=listed)

    @app.get("/", response_class=HTMLResponse)
    def index() -> str:
        return page

    @app.get("/favicon.ico", include_in_schema=False)
    @app.get("/favicon.svg", include_in_schema=False)
    def favicon() -> Response:
        return Response(icon(), media_type="image/svg+xml")

    for old, new in _MOVED.items():
        if new in links:
            app.add_route(f"/{old}/", partial(_moved, f"/{new}/"))

    app.add_middleware(Guard)
    for space in spaces:
        app.mount(f"/{space.name}", LazySpace(space.name, space.mounted, builds))
    return app


def _bare_app(**options: Any) -> FastAPI:
    return FastAPI(docs_url=None, redoc_url=None, openapi_url=None, **options)


async def _moved(address: str, _: Request) -> Response:
    return RedirectResponse(address, 308)


def serve(folder: Path, host: str = "127.0.0.1", port: int = 7860) -> None:
    """Serve all Spaces until stopped."""
    app = together(folder, ahead=True)
    print(f"all Spaces: http://{host}:{port}/  (stop with Ctrl-C)", flush=True)
    uvicorn.run(app, host=host, port=port, log_level="warning")


def serve_one(folder: Path, name: str, host: str = "127.0.0.1", port: int = 7860) -> None:
    """Serve one Space of a folder until stopped."""
    homes = {home.name: home for home in _homes(folder)}
    name = _MOVED.get(name, name)
    if name not in homes:
        raise unknown_name("Space", name, homes)
    demo, options = _space(homes[name]).load()
    if not isinstance(demo, gr.Blocks):
        serve_space(demo, host, port)
        return
    launch(demo, server_name=host, server_port=port, **options)


def _homes(folder: Path) -> list[Path]:
    """Return the folders of all Spaces, the workbench first and those of metrics last."""
    homes = {file.parent for pattern in (f"*/{FILE}", "*/app.py") for file in folder.glob(pattern)}
    if not homes:
        raise InputError(f"{folder} has no folder with a {FILE} or an app.py: give the `spaces` folder of a checkout")
    return sorted(homes, key=lambda home: ((home / FILE).is_file(), home.name not in _FIRST, home.name))


def _space(home: Path) -> Space:
    name = home.name
    if (home / FILE).is_file():
        spec = get_spec(name)
        read_page(home / FILE)
        return Space(name, f"{spec.measures} ({spec.range_text}, {direction(spec)})", home)
    app = home / "app.py"
    try:
        about = ast.get_docstring(ast.parse(app.read_text("utf-8"))) or ""
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{app} is not Python: {error}") from error
    return Space(name, about.partition("\n")[0], home)
