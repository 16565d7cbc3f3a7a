"""The parts that views share: marked passages in both reports, tables, bars and legends.

Colours are Okabe and Ito's, which differ for every kind of colour vision. Colour is never the only difference: each
kind of mark also has a line style and a label in words or signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from radeval_core.findings.parser import parse
from radeval_core.html_text import text
from radeval_core.patient_context import read_context
from radeval_core.ui.sheet import draw_pair, read_sheet

#: characters of HTML above which a panel may be too small for a report
_SCROLLS = 900


@dataclass(frozen=True)
class Mark:
    """A passage to mark.

    Attributes:
        start: index of its first character in the report.
        end: index after its last character.
        kind: CSS class with colour and line style; if marks overlap, the first one in the list is shown.
        badge: a short label after the passage; may be empty.
        note: tooltip of the passage; may be empty.
    """

    start: int
    end: int
    kind: str
    badge: str = ""
    note: str = ""


def highlight(report: str, marks: Sequence[Mark]) -> str:
    """Return a report as HTML with its marked passages. Marks may overlap; parts beyond its end are cut off."""
    kept = [m for m in marks if 0 <= m.start < m.end and m.start < len(report)]
    cuts = sorted({0, len(report), *(m.start for m in kept), *(min(m.end, len(report)) for m in kept)})
    pieces = []
    for start, end in pairwise(cuts):
        covering = [m for m in kept if m.start <= start and end <= m.end]
        words = text(report[start:end])
        if covering:
            notes = "; ".join(dict.fromkeys(m.note for m in covering if m.note))
            title = f' title="{text(notes)}"' if notes else ""
            words = f'<mark class="{covering[0].kind}"{title}>{words}</mark>'
        ending = [m for m in kept if m.badge and min(m.end, len(report)) == end]
        badges = dict.fromkeys((m.kind, m.badge) for m in ending)
        pieces.append(words + "".join(f'<b class="badge {kind}">{text(badge)}</b>' for kind, badge in badges))
    return "".join(pieces)


def both_reports(reference: str, candidate: str, marks: tuple[Sequence[Mark], Sequence[Mark]]) -> str:
    """Return both reports side by side, the reference first, each with its marks."""
    return two_columns(
        ("Reference", report_panel(highlight(reference, marks[0]))),
        ("Candidate", report_panel(highlight(candidate, marks[1]))),
    )


def marked_pair(reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Return the reference and the marked-up candidate; empty on a page that shows the sheet of the pair elsewhere.

    `options["sheet"]` is the name of the sheet, `options["context"]` what is known about the patient, `options["read"]`
    the parser of the run, if it is not the built-in one.
    """
    if not options.get("sheet"):
        return ""
    context = read_context("context", options.get("context"))
    return draw_pair(reference, read_sheet(reference, candidate, context, options.get("read", parse)), options["sheet"])


def report_panel(body: str) -> str:
    """Return a panel with a report's HTML, or with `(empty report)`."""
    if not body.strip():
        return '<p class="report empty">(empty report)</p>'
    scrolls = ' tabindex="0"' if len(body) > _SCROLLS else ""  # for those who cannot use a mouse
    return f'<p class="report"{scrolls}>{body}</p>'


def two_columns(*columns: tuple[str, str]) -> str:
    """Return columns of HTML with titles; on a narrow screen they are below each other."""
    inner = "".join(f"<div><h4>{text(title)}</h4>{body}</div>" for title, body in columns)
    return f'<div class="columns">{inner}</div>'


def legend(*entries: tuple[str, str]) -> str:
    """Return a legend; each entry is a kind of mark and its meaning."""
    marks = "".join(f'<span><mark class="{kind}">{text(words)}</mark></span>' for kind, words in entries)
    return f'<p class="legend">{marks}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """Return a table of HTML cells. On a narrow screen each cell shows the name of its column beside it."""
    columns = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    lines = []
    for row in rows:
        cells = "".join(
            f'<td data-column="{text(name)}">{cell}</td>' for name, cell in zip(head[1:], row[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    return f'<table class="{kind}"><thead><tr>{columns}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def bar(share: float, words: str) -> str:
    """Return a value between 0 and 1 as a bar, with a label."""
    width = 100 * min(max(share, 0.0), 1.0)
    return f'<span class="bar"><i style="width:{width:.1f}%"></i></span> {text(words)}'


def plural(count: int, what: str) -> str:
    """Return a count with its noun: `1 finding`, `2 findings`, `no findings`."""
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"
