"""The documentation builds into a site that needs no other host."""

import re

import pytest
from pages import DOCS, ROOT

pytestmark = pytest.mark.e2e

#: what a browser loads by itself, in HTML and in CSS; links that a reader clicks are not among them
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|embed)\b[^>]*?\bsrc=["']?([^"'\s>]+)"""
    r"""|<link\b(?![^>]*rel=["']?(?:next|prev|canonical))[^>]*?\bhref=["']?([^"'\s>]+)"""
    r"""|url\(["']?([^"')]+)|@import ["']([^"']+)""",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, with every warning an error."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def loaded(site):
    for path in site.rglob("*"):
        if path.suffix in (".html", ".css"):
            for match in LOADED.findall(path.read_text("utf-8")):
                yield path, next(filter(None, match))


def test_every_page_is_there(site):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {f"{page.stem}.html" for page in DOCS} <= built
    cards = {f"metric_cards/{card.parent.name}.html" for card in (ROOT / "metrics").glob("*/README.md")}
    assert len(cards) >= 11 and cards <= built


def test_no_page_loads_anything_from_another_host(site):
    found = list(loaded(site))
    assert len(found) > 100
    assert [(path.name, url) for path, url in found if re.match(r"(?:https?:)?//", url)] == []


def test_every_page_has_a_place_in_the_navigation(site):
    index = (site / "index.html").read_text("utf-8")
    for page in DOCS:
        assert f'href="{page.stem}.html"' in index or page.stem == "index"


def test_a_page_links_to_the_card_of_the_site(site):
    assert 'href="metric_cards/green.html"' in (site / "metrics.html").read_text("utf-8")
