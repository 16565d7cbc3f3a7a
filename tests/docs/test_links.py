"""No link between the pages leads nowhere."""

import re
from urllib.parse import unquote

import pytest
from pages import PAGES, ROOT, name_of, prose

LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", flags=re.MULTILINE)


def targets(path):
    """Return the links of a page that stay in the repository."""
    found = [one or other for one, other in LINK.findall(re.sub(r"`[^`\n]*`", "code", prose(path)))]
    return [unquote(link) for link in found if not re.match(r"[a-z]+:", link)]


def anchors(path):
    """Return the anchors of a page, made from its headings as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), flags=re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path):
    for link in targets(path):
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists() and ROOT in (target, *target.parents), f"{link}: no such file"
        assert not anchor or anchor in anchors(target), f"{link}: no such heading"


def test_every_metric_named_in_the_readme_has_a_link():
    text = (ROOT / "README.md").read_text("utf-8")
    used, defined = set(re.findall(r"^\| (\[`\w+`\]) ", text, re.M)), set(re.findall(r"^(\[`\w+`\]): ", text, re.M))
    assert used == defined and len(used) >= 11


def test_there_are_links():
    assert sum(len(targets(path)) for path in PAGES) > 80


def test_pictures_are_small_and_described():
    for path in PAGES:
        for words, picture in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", prose(path)):
            assert len(words) > 20, f"{name_of(path)}: describe {picture} for people who cannot see it"
            assert (path.parent / picture).stat().st_size < 300_000
