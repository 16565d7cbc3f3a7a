"""A block of our own HTML on a page, without the styles that Gradio gives to text."""

from __future__ import annotations

from typing import Any

import gradio as gr


def html_block(value: str = "", **options: Any) -> gr.HTML:
    """Return a block of HTML that only our style sheets style. Report text in it must be escaped."""
    return gr.HTML(value, apply_default_css=False, **options)
