"""Escape text for HTML. Every page escapes report text, names and numbers with this one function."""

from __future__ import annotations

import html

#: characters that page templates could read as code; written as numeric entities they are always text
_TEMPLATE_SIGNS = {ord(sign): f"&#{ord(sign)};" for sign in "${}`"}


def text(content: object) -> str:
    """Return the content as HTML that no browser and no page template can read as markup or code."""
    return html.escape(str(content), quote=True).translate(_TEMPLATE_SIGNS)
