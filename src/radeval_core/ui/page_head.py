"""The head of every page: its own title, description, icon and social card, in place of Gradio's.

Pages say what they are when they are built. The guard writes it into the HTML that a browser or a crawler gets, and
serves the card, which is drawn once, when it is first asked for. Nothing is loaded from another server.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from radeval_core.html_text import text
from radeval_core.page_style import colour_sets
from radeval_core.ui.icon import icon_address

#: the last part of the address of a card
CARD = "social-card.png"
_GRADIO = re.compile(rb'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>\s*')
_TITLE = re.compile(rb"<title>.*?</title>\s*", re.DOTALL)
_APP = re.compile(rb'<meta property="og:title" content="(radeval[^"]*)"')
_HOST = re.compile(r"[\w.\-]+(?::\d+)?")
#: width and height of a card
_SIZE = (1200, 630)


@dataclass(frozen=True)
class PageFacts:
    """What a page is.

    Attributes:
        name: the name of its Space.
        app: the title of its Gradio app.
        title: its title for browsers and search engines.
        description: one sentence about it.
    """

    name: str
    app: str
    title: str
    description: str


_PAGES: dict[str, PageFacts] = {}


def describe_page(name: str, app: str, title: str, description: str) -> None:
    """Say what the page of a Space is; see `PageFacts`."""
    _PAGES[name] = PageFacts(name, app, title, " ".join(description.split()))


def page_of(path: str) -> PageFacts | None:
    """Return the page at a path of the server; a server with one page has it at every path."""
    parts = [part for part in path.split("/") if part]
    named = next((part for part in reversed(parts) if part in _PAGES), None)
    return _PAGES[named] if named else next(iter(_PAGES.values())) if len(_PAGES) == 1 else None


def _titled(html: bytes) -> PageFacts | None:
    """Return the page whose app has the title that Gradio writes into the HTML."""
    found = _APP.search(html)
    return next((facts for facts in _PAGES.values() if found and facts.app == found[1].decode()), None)


def with_head(html: bytes, path: str, host: str, secure: bool) -> bytes:
    """Return a page of Gradio with its own title, description, icon and card.

    Args:
        html: the page.
        path: its path, which ends in a slash.
        host: the host that the browser asked for; only a plain name is used.
        secure: True if it was asked for over HTTPS.
    """
    facts = page_of(path) or _titled(html)
    if facts is None or b"window.gradio_config" not in html:
        return html
    where = f"{'https' if secure else 'http'}://{host}{path}" if _HOST.fullmatch(host) else ""
    about = {
        "og:title": facts.title,
        "og:description": facts.description,
        "og:type": "website",
        **({"og:url": where, "og:image": f"{where}{CARD}"} if where else {}),
        "twitter:card": "summary_large_image",
    }
    metas = "".join(f'<meta property="{key}" content="{text(value)}">' for key, value in about.items())
    head = (
        f'<title>{text(facts.title)}</title><meta name="description" content="{text(facts.description)}">'
        f'{metas}<link rel="icon" type="image/svg+xml" href="{icon_address()}">'
    )
    cleaned = _TITLE.sub(b"", _GRADIO.sub(b"", html), 1)
    return cleaned.replace(b"<head>", b"<head>" + head.encode(), 1)


@lru_cache(maxsize=64)
def social_card(facts: PageFacts) -> bytes:
    """Return the card of a page as a PNG file."""
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    colours = {name.removeprefix("--rv-"): value for name, value in colour_sets()["light"].items()}
    folder = Path(get_data_path()) / "fonts" / "ttf"
    large, small, serif = (
        ImageFont.truetype(str(folder / f"DejaVu{name}.ttf"), size)
        for name, size in (("Sans-Bold", 76), ("Sans", 34), ("Serif", 40))
    )
    image = Image.new("RGB", _SIZE, colours["sheet"])
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 22, _SIZE[1]), fill=colours["s4"])
    draw.text((80, 70), "radeval", font=small, fill=colours["soft"])
    draw.text((80, 120), facts.title.partition(" · ")[0], font=large, fill=colours["ink"])
    for line, words in enumerate(_lines(facts.description, small, _SIZE[0] - 160)[:4]):
        draw.text((80, 250 + 50 * line), words, font=small, fill=colours["strong"])
    x = 80.0
    for words, colour, struck in (
        ("Moderate", "ink", False),
        ("left", "s4", True),
        ("right", "s4", False),
        ("apical pneumothorax.", "ink", False),
    ):
        width = serif.getlength(words)
        draw.text((x, 510), words, font=serif, fill=colours[colour])
        if struck:
            draw.line((x, 537, x + width, 537), fill=colours["s4"], width=5)
        x += width + 14
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _lines(words: str, font: object, width: float) -> list[str]:
    """Return words in lines of at most this width."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width:  # type: ignore[attr-defined]
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
