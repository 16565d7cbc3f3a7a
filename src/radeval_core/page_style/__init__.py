"""The colours of every page, from one file of CSS variables: `colours.css`, with a light and a dark set.

A Gradio page gets the dark set where Gradio's theme is dark, a page that is one file where the reader's system is dark
or the reader chooses dark (`data-theme`). Paper is always light.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_SET = re.compile(r"/\* (light|dark) \*/\s*\{([^}]*)\}")
_VARIABLE = re.compile(r"(--[\w-]+):\s*([^;]+);")


@cache
def colour_sets() -> dict[str, dict[str, str]]:
    """Return the variables of the light and of the dark set."""
    return {name: dict(_VARIABLE.findall(body)) for name, body in _bodies().items()}


def app_colours() -> str:
    """Return the CSS of the colours for a Gradio page, which marks a dark theme with the class `dark`."""
    light, dark = _bodies()["light"], _bodies()["dark"]
    return f":root {{ color-scheme: light; {light} }}\n@media screen {{ .dark {{ color-scheme: dark; {dark} }} }}\n"


def file_colours() -> str:
    """Return the CSS of the colours for a page that is one file."""
    light, dark = _bodies()["light"], _bodies()["dark"]
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        "@media screen and (prefers-color-scheme: dark) { :root:not([data-theme=light]) "
        f"{{ color-scheme: dark; {dark} }} }}\n"
        f"@media screen {{ :root[data-theme=dark] {{ color-scheme: dark; {dark} }} }}\n"
    )


@cache
def _bodies() -> dict[str, str]:
    written = resources.files(__name__).joinpath("colours.css").read_text("utf-8")
    return {name: " ".join(body.split()) for name, body in _SET.findall(written)}
