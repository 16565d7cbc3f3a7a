"""What views share: escaped text, marked passages in both reports, bars and legends.

Colours are Okabe and Ito's, which are told apart with every kind of colour vision, and none stands alone: each kind of
mark also has a line style and a label in words or signs.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

#: signs that page templates could read as code; as numbered characters they are text everywhere
_TEMPLATE_SIGNS = {ord(sign): f"&#{ord(sign)};" for sign in "${}`"}


@dataclass(frozen=True)
class Mark:
    """A passage to mark.

    Attributes:
        start: where it begins in the report.
        end: where it ends.
        kind: CSS class that gives colour and line style; of marks over the same words the first in the list shows.
        badge: a short label that follows the passage; may be empty.
        note: what a reader sees when pointing at it; may be empty.
    """

    start: int
    end: int
    kind: str
    badge: str = ""
    note: str = ""


def text(content: object) -> str:
    """Anything as text that no browser and no page template can read as markup or code."""
    return html.escape(str(content), quote=True).translate(_TEMPLATE_SIGNS)


def highlight(report: str, marks: Sequence[Mark]) -> str:
    """A report with its marked passages. Marks may overlap; those that lie outside the report are cut to it."""
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
    """The two reports side by side, the reference first, each with its marks."""
    return two_columns(
        ("Reference", report_panel(highlight(reference, marks[0]))),
        ("Candidate", report_panel(highlight(candidate, marks[1]))),
    )


def report_panel(body: str) -> str:
    """A report whose HTML is given; an empty one says so."""
    return f'<p class="report">{body}</p>' if body.strip() else '<p class="report empty">(empty report)</p>'


def two_columns(*columns: tuple[str, str]) -> str:
    """Titled columns of HTML, one under the other on a narrow screen."""
    inner = "".join(f"<div><h4>{text(title)}</h4>{body}</div>" for title, body in columns)
    return f'<div class="columns">{inner}</div>'


def legend(*entries: tuple[str, str]) -> str:
    """What each kind of mark means: (kind, words)."""
    marks = "".join(f'<span><mark class="{kind}">{text(words)}</mark></span>' for kind, words in entries)
    return f'<p class="legend">{marks}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of HTML cells. Each cell knows the name of its column, which a narrow screen shows beside it."""
    columns = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    lines = []
    for row in rows:
        cells = "".join(
            f'<td data-column="{text(name)}">{cell}</td>' for name, cell in zip(head[1:], row[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    return f'<table class="{kind}"><thead><tr>{columns}</tr></thead><tbody>{"".join(lines)}</tbody></table>'


def bar(share: float, words: str) -> str:
    """A value between 0 and 1 as a bar, with its number."""
    width = 100 * min(max(share, 0.0), 1.0)
    return f'<span class="bar"><i style="width:{width:.1f}%"></i></span> {text(words)}'


def plural(count: int, what: str) -> str:
    """`1 finding`, `2 findings`, `no findings`."""
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"
