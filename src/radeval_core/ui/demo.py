"""Build and serve the demo of a metric: a page to try it, see the reasons for a score, and reproduce it.

Reports are patient data: nothing typed into the page is logged, kept in a history, sent to analytics or rendered as
HTML or Markdown.
"""

from __future__ import annotations

import inspect
import os
from importlib import resources
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from radeval_core.page_style import app_colours
from radeval_core.ui.batch import MAX_BYTES
from radeval_core.ui.examples import EXAMPLES, Example
from radeval_core.ui.guard import Guard
from radeval_core.ui.page import build_page as build_demo
from radeval_core.ui.pair import MAX_CHARACTERS, demo_options, python_line
from radeval_core.ui.sheet import sheet_style
from radeval_core.ui.views import stylesheet

# Gradio recomputes a traffic summary after every request, which slows down a busy page: do it less often
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "500")

#: sessions that Gradio keeps in memory, of about 60 kB each; its own default of 10,000 needs 600 MB
SESSIONS = 300

__all__ = [
    "EXAMPLES",
    "MAX_CHARACTERS",
    "Example",
    "build_demo",
    "demo_options",
    "launch",
    "page_options",
    "python_line",
]


def page_options() -> dict[str, Any]:
    """Return the options that every page is served with: style, limits, and features that are off.

    Fonts are those of the visitor's system, so a page contacts only its own server. Gradio's history of runs is off,
    because it would keep reports in the browser.
    """
    return {
        "theme": _theme(),
        "css": stylesheet(),
        # not in `css`: Gradio limits every rule there to elements inside its own frame
        "head": f"<style>{app_colours()}{sheet_style()}{_file('page.css')}</style>",
        "js": _file("page.js"),
        "run_history": False,
        "max_file_size": MAX_BYTES,
        "footer_links": ["api"],
        "ssr_mode": False,
    }


def _theme() -> gr.themes.Base:
    """Return Gradio's theme with our colours: labels without a ground, blue buttons and links."""
    theme = gr.themes.Soft(font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"])
    ours = {
        "block_title_text_color": "var(--rv-strong)",
        "block_title_background_fill": "transparent",
        "block_label_text_color": "var(--rv-strong)",
        "block_label_background_fill": "transparent",
        "button_primary_background_fill": "var(--rv-metric)",
        "button_primary_background_fill_hover": "var(--rv-link)",
        "button_primary_text_color": "var(--rv-card)",
        "button_primary_text_color_hover": "var(--rv-card)",
        "link_text_color": "var(--rv-link)",
        "link_text_color_hover": "var(--rv-metric)",
        "link_text_color_active": "var(--rv-link)",
        "link_text_color_visited": "var(--rv-link)",
        "body_text_color_subdued": "var(--rv-soft)",
        "input_placeholder_color": "var(--rv-soft)",
        "color_accent": "var(--rv-metric)",
        "checkbox_label_background_fill_selected": "var(--rv-metric)",
        "checkbox_label_text_color_selected": "var(--rv-card)",
    }
    return theme.set(
        **{
            f"{name}{dark}": value
            for name, value in ours.items()
            for dark in ("", "_dark")
            if f"{name}{dark}" in inspect.signature(theme.set).parameters
        }
    )


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def launch(demo: gr.Blocks | str, **options: Any) -> Any:
    """Serve a demo, given as page or as the name of a metric.

    Options go to `gr.Blocks.launch`. With `mcp_server=True`, or GRADIO_MCP_SERVER=true in the environment, the
    endpoints are also tools for agents.
    """
    page = build_demo(demo) if isinstance(demo, str) else demo
    app = options.pop("app_kwargs", {})
    guarded = {**app, "middleware": [Middleware(Guard), *app.get("middleware", [])]}
    return page.launch(**{**page_options(), "state_session_capacity": SESSIONS, **options, "app_kwargs": guarded})
