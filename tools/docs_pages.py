"""Bring pages from outside `docs/` into the documentation site, and point links at them.

A hook of MkDocs, named in mkdocs.yml. The cards of metrics and datasets, CONTRIBUTING, SECURITY and CHANGELOG are
written for readers of the repository; the site shows the same files, so nothing is written twice. Links between files
keep the form that works in the repository (`../metrics/green/README.md`); here they become pages of the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def cards(folder: str, place: str) -> dict[str, str]:
    """Return the cards of a folder: path in the repository to path in the site."""
    found = sorted((ROOT / folder).glob("*/README.md"))
    return {f"{folder}/{card.parent.name}/README.md": f"{place}/{card.parent.name}.md" for card in found}


#: groups of the navigation, and the pages in them: path in the repository to path in the site
GROUPS = {
    "Metric cards": cards("metrics", "metric_cards"),
    "Dataset cards": cards("datasets_cards", "dataset_cards"),
    "Project": {
        "CONTRIBUTING.md": "contributing.md",
        "SECURITY.md": "security_policy.md",
        "src/radeval_core/findings/lexicon/README.md": "lexicon.md",
        "CHANGELOG.md": "changelog.md",
    },
}
PAGES = {source: target for pages in GROUPS.values() for source, target in pages.items()}
SOURCES = {target: source for source, target in PAGES.items()}


def on_config(config: Any) -> Any:
    """Add the pages to the navigation."""
    for group, pages in GROUPS.items():
        names = [{Path(target).stem: target} if "/" in target else target for target in pages.values()]
        config.nav.append({group: names})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages to the site."""
    for source, target in PAGES.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links to files of the repository at the pages that show them."""
    here = page.file.src_uri
    source = SOURCES.get(here, f"docs/{here}")

    def point(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        shown = PAGES.get(target, target.removeprefix("docs/"))
        return f"]({posixpath.relpath(shown, posixpath.dirname(here) or '.')}{link[2] or ''})"

    return LINK.sub(point, markdown)
