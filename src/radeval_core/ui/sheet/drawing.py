"""Render a sheet as HTML that runs no script and loads nothing. All text is escaped.

A mark and its entry in the list are links to each other, so they work with a mouse, a keyboard and a finger. Where the
pointer or the focus is on one of them, both are outlined (`:has` in the style).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import pairwise

from radeval_core.corrections.apply import heading_of
from radeval_core.corrections.lines import split_lines
from radeval_core.error_categories import in_words
from radeval_core.findings.types import Span
from radeval_core.html_text import text
from radeval_core.pairs import is_blank
from radeval_core.ui.sheet.marks import SEVERITIES, Edit, Mark, Sheet
from radeval_core.ui.sheet.rows import Placed, Row, page_rows

#: the sign of each severity, so that colour is never the only difference
SIGNS = {0: "~", 1: "·", 2: "!", 3: "!!", 4: "!!!"}
#: rows of a page above which it scrolls in itself
_LONG = 30
#: entries of the list that are outlined together with their marks; later ones are only linked
_LINKED = 60
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def draw_sheet(sheet: Sheet, name: str, title: str = "Candidate", listed: bool = True) -> str:
    """Render a sheet.

    Args:
        sheet: the marked-up report.
        name: begins the ids of its marks; different for every sheet of a page. Lower-case letters, digits and hyphens.
        title: heading above the page.
        listed: if False, leave the list of errors out.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"the name of a sheet begins ids: use lower-case letters, digits and hyphens, got {name!r}")
    page = _page(sheet, name, f"{title}: text")
    below = f"{_verdict(sheet)}{_error_list(sheet, name) if listed else ''}{_key(sheet)}"
    return (
        f'<div class="rs" id="{name}" role="group" aria-label="{text(title)}: marked-up report">'
        f'<div class="rs-top"><h4 class="rs-title">{text(title)}</h4><span class="rs-sum">{text(summary(sheet))}</span>'
        f"</div>{page}{below}</div>"
    )


def draw_pair(reference: str, sheet: Sheet, name: str, title: str = "Candidate") -> str:
    """Render a reference and, beside it, the sheet of a candidate."""
    plain = Sheet(reference, sentences=tuple((line.start, line.end) for line in split_lines(reference)))
    theirs = (
        '<div class="rs" role="group" aria-label="Reference"><div class="rs-top">'
        '<h4 class="rs-title">Reference</h4></div>'
        f"{_page(plain, name, 'Reference: text', ' rs-plain')}</div>"
    )
    return f'<div class="rs-pair">{theirs}{draw_sheet(sheet, name, title)}</div>'


def summary(sheet: Sheet) -> str:
    """Return the number of errors by severity, in words."""
    if sheet.problem:
        return "not compared"
    if not sheet.errors:
        return "no error found"
    counts = Counter(mark.severity for mark in sheet.errors)
    parts = [f"{counts[severity]} {SEVERITIES[severity]}" for severity in sorted(counts, reverse=True)]
    number = sum(counts.values())
    return f"{number} error{'' if number == 1 else 's'}: {', '.join(parts)}"


@cache
def sheet_style() -> str:
    """Return the CSS of sheets; a page needs it once, with the colours of `page_style`."""
    pairs = "".join(
        f'.rs:has([data-n="{n}"]:is(:hover, :focus-visible)) [data-n="{n}"],'.replace("\n", "")
        for n in range(1, _LINKED + 1)
    ).rstrip(",")
    linked = f"{pairs} {{ outline: 2px solid var(--pen); outline-offset: 1px; background: var(--tint); }}\n"
    return resources.files(__package__).joinpath("sheet.css").read_text("utf-8") + linked


def _page(sheet: Sheet, name: str, label: str, kind: str = "") -> str:
    """Return the text with its marks; a long one scrolls in itself, so that the list of errors stays near."""
    rows = list(page_rows(sheet))
    body = "".join(_row(row, sheet, name) for row in rows)
    if is_blank(sheet.text) and not sheet.marks:
        body = '<p class="rs-row"><span></span><span class="rs-empty">(empty report)</span></p>'
    # who cannot use a mouse scrolls it with the arrow keys
    scrolls = f' rs-long" tabindex="0" role="region" aria-label="{text(label)}' if len(rows) > _LONG else ""
    return f'<div class="rs-page{kind}{scrolls}">{body}</div>'


def _row(row: Row, sheet: Sheet, name: str) -> str:
    severity = max((sheet.marks[p.number - 1].severity for p in row.edits), default=-1)
    rail = f'<span class="rs-rail s{severity}" aria-hidden="true">{SIGNS[severity]}</span>' if severity >= 0 else ""
    gap = " rs-gap" if row.gap else ""
    return (
        f'<div class="rs-row{gap}">{rail or "<span class=rs-rail></span>"}'
        f'<p class="rs-text">{"".join(_pieces(row, sheet, name))}</p></div>'
    )


def _pieces(row: Row, sheet: Sheet, name: str) -> Iterator[str]:
    """Yield the text of a row with its marks."""
    at = row.start
    if heading := heading_of(sheet.text[row.start : row.end]).rstrip():
        at = min([row.start + len(heading), *(p.edit.start for p in row.edits)])
        yield f'<span class="rs-head">{text(sheet.text[row.start : at])}</span>'
    for placed in row.edits:
        yield _plain(sheet, at, placed.edit.start)
        yield _mark(placed, sheet, name)
        at = max(at, placed.edit.end)
    yield _plain(sheet, at, row.end)


def _plain(sheet: Sheet, start: int, end: int) -> str:
    """Return text without marks; what agrees with the reference and what was not read is underlined."""
    if end <= start:
        return ""
    kinds: list[tuple[str, Sequence[Span]]] = [("rs-ok", sheet.matched), ("rs-unread", sheet.unread)]
    cuts = sorted({start, end, *(edge for _, spans in kinds for span in spans for edge in span if start < edge < end)})
    pieces = []
    for a, b in pairwise(cuts):
        kind = next((kind for kind, spans in kinds if any(s <= a and b <= e for s, e in spans)), "")
        words = text(sheet.text[a:b])
        pieces.append(f'<span class="{kind}">{words}</span>' if kind else words)
    return "".join(pieces)


def _mark(placed: Placed, sheet: Sheet, name: str) -> str:
    mark, number, edit = sheet.marks[placed.number - 1], placed.number, placed.edit
    place = f' id="{name}-m{number}"' if placed.first else ""
    space = " " if edit.start == edit.end and edit.start and not sheet.text[edit.start - 1].isspace() else ""
    space = "" if edit.right[:1] in ",;" or _opens(placed, sheet) else space
    after = " " if edit.start == edit.end and edit.right[-1:].isalnum() and _letter(sheet.text, edit.end) else ""
    return (
        f'{space}<a class="rs-mark s{mark.severity}"{place} href="#{name}-e{number}" data-n="{number}">'
        f'<span class="rs-hidden">{text(_spoken(mark, edit, sheet.text))}</span>{_changed(edit, sheet.text)}'
        f'<span class="rs-n"><span class="rs-hidden">, mark </span>{number}</span></a>{after}'
    )


def _opens(placed: Placed, sheet: Sheet) -> bool:
    """Return whether an edit is a row of its own: a statement to insert."""
    return placed.edit.start == placed.edit.end and placed.edit.right[-1:] in (".", "!", "?")


def _letter(report: str, place: int) -> bool:
    return report[place : place + 1].isalnum()


def _changed(edit: Edit, report: str) -> str:
    wrong = report[edit.start : edit.end]
    struck = f"<del>{text(wrong)}</del>" if wrong.strip() else ""
    kind = "" if struck else ' class="rs-in"'
    return struck + (f"<ins{kind}>{text(edit.right.strip())}</ins>" if edit.right.strip() else "")


def _spoken(mark: Mark, edit: Edit, report: str) -> str:
    """Return what a screen reader says before the words of a mark."""
    wrong, right = report[edit.start : edit.end].strip(), edit.right.strip()
    what = "wrong words and right words" if wrong and right else "to strike" if wrong else "to insert"
    return f"{SEVERITIES[mark.severity]}, {in_words(mark.category)}, {what}: "


def _verdict(sheet: Sheet) -> str:
    if sheet.problem:
        return f'<p class="rs-problem">Nothing could be compared here: {text(sheet.problem)}</p>'
    if sheet.marks or is_blank(sheet.text):
        return ""
    rest = " Sentences with a dotted line were not read." if sheet.unread else ""
    return f'<p class="rs-clean">✓ No error found: what the candidate states agrees with the reference.{rest}</p>'


def _error_list(sheet: Sheet, name: str) -> str:
    """Return the errors, the most severe first; what is only vaguer is folded."""
    rows = [_entry(mark, number, sheet.text, name) for number, mark in enumerate(sheet.marks, 1)]
    errors, vaguer = rows[: len(sheet.errors)], rows[len(sheet.errors) :]
    listed = f'<ol class="rs-errors">{"".join(errors)}</ol>' if errors else ""
    if not vaguer:
        return listed
    count = f"{len(vaguer)} place{'' if len(vaguer) == 1 else 's'} where the reference says more (no error)"
    folded = f'<ol class="rs-errors" start="{len(errors) + 1}">{"".join(vaguer)}</ol>'
    return f'{listed}<details class="rs-more"><summary>{count}</summary>{folded}</details>'


def _entry(mark: Mark, number: int, report: str, name: str) -> str:
    words = "; ".join(filter(None, (_changed(edit, report) for edit in sorted(mark.edits, key=lambda e: e.start))))
    note = f' <span class="rs-what">({text(mark.note)})</span>' if mark.note else ""
    return (
        f'<li class="s{mark.severity}" id="{name}-e{number}"><a class="s{mark.severity}" href="#{name}-m{number}" '
        f'data-n="{number}"><span class="rs-n">{number}</span><span><b class="rs-sev">{SIGNS[mark.severity]} '
        f'{SEVERITIES[mark.severity]}</b> <span class="rs-what">{text(in_words(mark.category))}</span> '
        f'{text(mark.label)}{note}<span class="rs-words">{words}</span></span></a></li>'
    )


def _key(sheet: Sheet) -> str:
    """Explain the signs that the sheet uses."""
    keys = []
    if sheet.marks:
        keys += ["<del>struck</del>: wrong", "<ins>‸ inserted</ins>: right"]
    if sheet.matched:
        keys.append('<span class="rs-ok">underlined</span>: agrees with the reference')
    if sheet.unread:
        keys.append('<span class="rs-unread">dotted</span>: not read, nothing is said about it')
    return f'<p class="rs-note s3">{"".join(f"<span class=rs-key>{key}</span>" for key in keys)}</p>' if keys else ""
