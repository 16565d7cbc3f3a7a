"""The parts that sections of the page share: a section, a table that scrolls, a folded part, a small bar."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.html_text import text


def section(name: str, title: str, body: str) -> str:
    """Return a section of the page; `body` is HTML."""
    return f'<section id="{name}"><h2>{text(title)}</h2>{body}</section>\n'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """Return a table whose cells are HTML and whose headings are text; the first cell of a row is its heading."""
    columns = "".join(f'<th scope="col">{text(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>' for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(head[0])}"><table class="{kind}">'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def folded(title: str, body: str) -> str:
    """Return a part that a reader opens."""
    return f"<details><summary>{text(title)}</summary>{body}</details>"


def bar(count: int, most: int) -> str:
    """Return a number with a bar whose length shows it."""
    return f'<span class="count"><i style="width:{100 * count / most:.0f}%"></i></span>{count:,}'
