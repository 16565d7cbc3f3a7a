"""Explains a metric's score of a pair as HTML: one module per metric, each with a function `draw`.

A view receives the metric's `details` of the pair and both texts, and returns an HTML fragment that runs no script
and loads nothing. All report text is escaped. The styles are in `views.css`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any


def draw(
    name: str, detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any] | None = None
) -> str:
    """Draw the view of one pair.

    Args:
        name: the metric.
        detail: one entry of the `details` that `compute(..., detailed=True)` returns.
        reference: the reference report.
        candidate: the candidate report.
        options: the options used to compute the metric.

    Returns:
        HTML, or "" for a metric without a view.
    """
    module = f"{__name__}.{name}"
    if find_spec(module) is None:
        return ""
    body: str = import_module(module).draw(detail, reference, candidate, options or {})
    return f'<div class="rv rv-{name}">{body}</div>'


@cache
def stylesheet() -> str:
    """Return the CSS of all views; a page needs it once."""
    return resources.files(__name__).joinpath("views.css").read_text("utf-8")
