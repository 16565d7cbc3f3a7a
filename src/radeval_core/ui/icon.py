"""The icon of every page: a line of a report with a struck word and an insertion mark, drawn as SVG."""

from __future__ import annotations

from base64 import b64encode

from radeval_core.page_style import colour_sets


def icon() -> str:
    """Return the icon as an SVG file."""
    colours = colour_sets()["light"]
    page, ink, pen = colours["--rv-sheet"], colours["--rv-ink"], colours["--rv-s4"]
    lines = "".join(f'<path d="M22 {y}H{x}" stroke="{ink}" stroke-width="4"/>' for y, x in ((18, 50), (46, 44)))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="6" y="4" width="52" height="56" rx="5" '
        f'fill="{page}" stroke="{ink}" stroke-width="3"/><rect x="6" y="24" width="8" height="16" fill="{pen}"/>{lines}'
        f'<path d="M20 32H40" stroke="{pen}" stroke-width="5"/><path d="M44 38l4-8 4 8" fill="none" stroke="{pen}" '
        'stroke-width="4"/></svg>'
    )


def icon_address() -> str:
    """Return the icon as an address that contains it."""
    return f"data:image/svg+xml;base64,{b64encode(icon().encode()).decode('ascii')}"
