"""What a metric saw in a pair of reports, as HTML: one module a metric, each with one function, `draw`.

A view is given the metric's `details` of the pair and both texts, and gives a fragment that runs nothing and loads
nothing: everything a report says is escaped. Its look stands in `views.css`.
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
    """The view of one pair.

    Args:
        name: the metric.
        detail: one entry of `details`, as `compute(..., detailed=True)` gives it.
        reference: the reference report.
        candidate: the candidate report.
        options: options the metric was computed with.

    Returns:
        HTML, or nothing for a metric that has no view yet.
    """
    module = f"{__name__}.{name}"
    if find_spec(module) is None:
        return ""
    body: str = import_module(module).draw(detail, reference, candidate, options or {})
    return f'<div class="rv rv-{name}">{body}</div>'


@cache
def stylesheet() -> str:
    """The look of all views, to be put into a page once."""
    return resources.files(__name__).joinpath("views.css").read_text("utf-8")
