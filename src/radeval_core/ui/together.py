"""All Spaces of a checkout behind one local page: every folder with an `app.py` that exposes `demo`.

An app may also expose `page_options`, a dict of options for `gr.mount_gradio_app` that go before the shared ones.
Models are loaded once, since all demos live in one process.
"""

from __future__ import annotations

import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response

from radeval_core.errors import InputError
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.demo import page_options
from radeval_core.ui.headline import direction
from radeval_core.ui.views.marks import text

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>radeval: Spaces</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }} ul {{ list-style: none; padding: 0; }}
li {{ border: 1px solid #d6dbe3; border-radius: 8px; margin: .5rem 0; }}
a {{ display: block; padding: .6rem .9rem; text-decoration: none; color: inherit; }}
a:hover, a:focus {{ background: #f0f5fa; outline: 2px solid #0072B2; border-radius: 8px; }} b {{ color: #004f80; }}
</style></head><body><h1>radeval: Spaces</h1><p>Pages that run on this machine; reports do not leave it.</p>
<ul>{links}</ul></body></html>
"""  # noqa: E501


@dataclass(frozen=True)
class Space:
    """One demo.

    Attributes:
        name: its folder, and its path on the server.
        about: one line.
        demo: its page.
        options: its own options for mounting.
    """

    name: str
    about: str
    demo: gr.Blocks
    options: dict[str, Any]


def find_spaces(folder: Path) -> list[Space]:
    """Every Space of a folder, those that are no metric first."""
    apps = sorted(folder.glob("*/app.py"), key=lambda app: (app.parent.name in metric_names(), app.parent.name))
    if not apps:
        raise InputError(f"{folder} has no folder with an app.py: give the folder spaces of a checkout")
    return [_space(app) for app in apps]


def together(folder: Path) -> FastAPI:
    """One app with the page of links at / and each Space under its name."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    spaces = find_spaces(folder)
    links = "".join(f'<li><a href="{text(s.name)}/"><b>{text(s.name)}</b><br>{text(s.about)}</a></li>' for s in spaces)

    @app.get("/", response_class=HTMLResponse)
    def index() -> str:
        return _PAGE.format(links=links)

    @app.get("/favicon.ico", include_in_schema=False)
    def favicon() -> Response:
        return Response(status_code=204)

    for space in spaces:
        app = gr.mount_gradio_app(app, space.demo, f"/{space.name}", **{**page_options(), **space.options})
    return app


def serve(folder: Path, host: str = "127.0.0.1", port: int = 7860) -> None:
    """Serve all Spaces until stopped."""
    app = together(folder)
    print(f"all Spaces: http://{host}:{port}/  (stop with Ctrl-C)", flush=True)
    uvicorn.run(app, host=host, port=port, log_level="warning")


def _space(app: Path) -> Space:
    name = app.parent.name
    module = runpy.run_path(str(app))
    if not isinstance(module.get("demo"), gr.Blocks):
        raise InputError(f"{app} must expose `demo`, a gr.Blocks")
    about = (module.get("__doc__") or "").strip().partition("\n")[0]
    if name in metric_names():
        spec = get_spec(name)
        about = f"{spec.measures} ({spec.range_text}, {direction(spec)})"
    return Space(name, about, module["demo"], dict(module.get("page_options") or {}))
