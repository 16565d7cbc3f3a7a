"""Write the page of one run: one HTML file that loads nothing, for reading, sorting, filtering and printing.

A content security policy forbids every request and every script but the page's own. All report text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import resources
from typing import Any

from radeval_core import __version__
from radeval_core.api import Scores
from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.html_text import text
from radeval_core.page_style import file_colours
from radeval_core.pairs import Pair
from radeval_core.ui.report import MOST_PAIRS
from radeval_core.ui.report.agreement import agreement_section
from radeval_core.ui.report.content import Content, Details, gather
from radeval_core.ui.report.findings import finding_section
from radeval_core.ui.report.index import controls, index_table
from radeval_core.ui.report.pair import pair_card
from radeval_core.ui.report.summary import distribution_section, error_section, summary_section
from radeval_core.ui.sheet import sheet_style
from radeval_core.ui.views import stylesheet

#: name and title of a section, see `tables.section`
_SECTION = re.compile(r'<section id="(\w+)"><h2>(.*?)</h2>')


def report_page(
    scores: Scores,
    pairs: Iterable[Pair],
    details: Details,
    source: str = "",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    most: int = MOST_PAIRS,
    read: Callable[[str], ParsedReport] = parse,
    further: str = "",
) -> Iterator[str]:
    """Yield the page in pieces.

    Args:
        scores: the result of `radeval_core.score`.
        pairs: the scored pairs, in the same order; read once.
        details: what is behind the scores, by place of the pair and by metric, such as a `DetailSpool`.
        source: name of the scored file.
        options: options the metrics were computed with.
        most: the most pairs to show, the worst first. The summary covers all of them.
        read: parses a report for the marked-up sheets; give the parser of the run if it has a lexicon of its own.
        further: sections to put first, such as a comparison with another system, as escaped HTML.
    """
    content = gather(scores, pairs, details, source, options or {}, most, read)
    script = _file("script.js")
    title = f"Scores of {source}" if source else "Scores"
    yield _head(title, script)
    yield f"<header><h1>{text(title)}</h1>{_theme()}<p>{text(_facts(content))}</p>{_notes(content)}</header>\n"
    errors = error_section(content)
    parts = [
        f'<div class="beside">{summary_section(content)}{errors}</div>\n',
        distribution_section(content),
        finding_section((shown.pair for shown in content.pairs), content.where),
        agreement_section(content.results),
    ]
    yield f"{_nav(further, *parts)}<main>\n{further}"
    yield from parts
    yield f'<section id="pairs"><h2>Pairs</h2>\n{controls(content)}{index_table(content)}<div id="cards">\n'
    for shown in content.pairs:
        yield pair_card(shown, content)
    yield f"</div></section>\n</main>\n<script>{script}</script>\n</body></html>\n"


def _head(title: str, script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>\n{_style()}</style></head>\n<body>\n"
    )


def _style() -> str:
    """Return the styles; the dark colours hold for readers whose system is dark and for those who choose dark."""
    return f"{file_colours()}{section_style()}{_file('style.css')}{stylesheet()}{sheet_style()}"


def section_style() -> str:
    """Return the CSS of the sections and of the table of pairs, which other pages show too."""
    return _file("sections.css")


def _theme() -> str:
    choices = "".join(f"<option>{name}</option>" for name in ("System", "Light", "Dark"))
    return f'<label id="theme">Colours <select autocomplete="off">{choices}</select></label>'


def _facts(content: Content) -> str:
    total, metrics = len(content.scores.ids), len(content.results)
    facts = [f"{total:,} pair{'' if total == 1 else 's'}", f"{metrics} metric{'' if metrics == 1 else 's'}"]
    for count, side in zip(content.empty, ("prediction", "reference"), strict=True):
        if count:
            facts.append(f"{count:,} empty {side}{'' if count == 1 else 's'}")
    return " · ".join([*facts, f"radeval_core {__version__}"])


def _notes(content: Content) -> str:
    """Return what a reader must know first: the page quotes reports, and pairs may be left out."""
    notes = "<p>This page quotes the reports. Treat it as you treat them.</p>"
    if content.left_out:
        notes += (
            f'<p class="left-out">The page shows the {len(content.pairs):,} worst pairs by {text(content.first)} '
            f"and leaves out {content.left_out:,}. The summary covers all pairs.</p>"
        )
    return f"{notes}<noscript><p>Turn on scripts to sort and open the pairs.</p></noscript>"


def _nav(*parts: str) -> str:
    """Return links to the sections of the page."""
    named = [found for part in parts for found in _SECTION.findall(part)]
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title in (*named, ("pairs", "Pairs")))
    return f'<nav aria-label="Sections">{links}</nav>\n'


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
