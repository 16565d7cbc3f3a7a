"""The bar at the top of every page: links to the other Spaces, which take the pair on the page with them.

A link leads to the Space on the Hub; page.js turns it into one of this server, if it serves all Spaces, and adds
the pair after its `#`.
"""

from __future__ import annotations

from radeval_core.html_text import text
from radeval_core.registry import metric_names
from radeval_core.ui.space_page import hub_org, spaces_folder

#: pages that come first; others follow by name
_FIRST = ("workbench", "file_page", "leaderboard")


def navigation(own: str) -> str:
    """Return the bar of one Space as HTML.

    Args:
        own: the name of the Space.
    """
    pages = {file.parent.name for file in spaces_folder().glob("*/app.py")}
    ordered = sorted(pages, key=lambda name: (name not in _FIRST, _FIRST.index(name) if name in _FIRST else 0, name))
    links = "".join(_link(name, own) for name in ordered)
    metrics = "".join(f"<li>{_link(name, own)}</li>" for name in metric_names())
    here = f": {text(own)}" if own in metric_names() else ""
    return (
        f'<nav class="rv-nav" data-own="{text(own)}" aria-label="Spaces"><b>radeval</b>{links}'
        f"<details><summary>Metrics{here}</summary><ul>{metrics}</ul></details></nav>"
    )


def space_link(name: str, words: str, attributes: str = "") -> str:
    """Return a link to a Space as HTML."""
    address = f"https://huggingface.co/spaces/{hub_org()}/{name}"
    return f'<a href="{text(address)}" data-space="{text(name)}" target="_self"{attributes}>{text(words)}</a>'


def _link(name: str, own: str) -> str:
    here = ' aria-current="page"' if name == own else ""
    return space_link(name, name if name in metric_names() else name.replace("_", " ").capitalize(), here)
