"""Show the corrections of a report line by line, coloured by severity."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.html_text import text

#: lines of a candidate above which those without a correction are folded
_MOST_LINES = 30
_SEVERITIES = {1: "not actionable", 2: "actionable, not urgent", 3: "urgent", 4: "emergent"}


def correction_table(detail: Mapping[str, Any]) -> str:
    """Return a table of a candidate's lines, numbered from 1, with their corrections, and of the lines to insert."""
    corrections = detail["corrections"] or ()
    changed = {c["line"]: c for c in corrections if c["line"] is not None}
    rows = [_row(str(i + 1), text, changed.get(i)) for i, text in enumerate(detail["lines"])]
    new = [_row("new", "", c) for c in corrections if c["line"] is None]
    if len(rows) <= _MOST_LINES:
        return _table([*rows, *new])
    wrong = [row for i, row in enumerate(rows) if i in changed]
    right = [row for i, row in enumerate(rows) if i not in changed]
    folded = f"<details><summary>{len(right)} lines without a correction</summary>{_table(right)}</details>\n"
    return (_table([*wrong, *new]) if wrong or new else "") + (folded if right else "")


def _table(rows: Sequence[str]) -> str:
    head = '<table>\n<tr><th class="n">line</th><th>candidate</th><th class="why">why</th></tr>\n'
    return f"{head}{''.join(rows)}</table>\n"


def severity_legend() -> str:
    """Return the legend of the colours."""
    return " ".join(_chip(severity, f"{severity} {words}") for severity, words in _SEVERITIES.items())


def _row(number: str, line: str, correction: dict[str, Any] | None) -> str:
    if correction is None:
        return f'<tr><td class="n">{number}</td><td>{text(line)}</td><td></td></tr>\n'
    severity = int(correction["severity"])
    categories = "; ".join(correction["category"])
    why = f"{_chip(severity, correction['rating'])}{text(correction['comment'])}"
    if categories:
        why += f'\n<span class="label">{text(categories)}</span>'
    return (
        f'<tr class="s{severity}"><td class="n">{number}</td>'
        f"<td>{_marked(correction['before'], correction['after'])}</td><td>{why}</td></tr>\n"
    )


def _marked(before: str, after: str) -> str:
    """Return a line with its deleted and inserted words marked."""
    old, new = _words(before), _words(after)
    matcher = difflib.SequenceMatcher(
        None, [w.lower().strip(".,;") for w in old], [w.lower().strip(".,;") for w in new], autojunk=False
    )
    if matcher.ratio() < 0.5:  # few words in common: show the old line, then the new one
        return " ".join(filter(None, (_tag("del", old), _tag("ins", new))))
    pieces = []
    for kind, i, j, k, m in matcher.get_opcodes():
        pieces += [text(" ".join(new[k:m]))] if kind == "equal" else [_tag("del", old[i:j]), _tag("ins", new[k:m])]
    return re.sub(r" (?=[.,;:])", "", " ".join(filter(None, pieces)))


def _words(text: str) -> list[str]:
    return re.findall(r"\S+", text)


def _tag(name: str, words: Sequence[str]) -> str:
    return f"<{name}>{text(' '.join(words))}</{name}>" if words else ""


def _chip(severity: int, words: str) -> str:
    return f'<span class="chip s{severity}">{text(words)}</span>'
