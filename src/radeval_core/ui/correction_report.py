"""Write a page that shows the corrections of reports line by line, coloured by severity.

The page is one file of plain HTML and CSS. It loads nothing and runs nothing, and all report text is escaped.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.html_text import text
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult

#: metrics whose details contain corrections of lines
METRICS = ("fineradscore",)
_SEVERITIES = {1: "not actionable", 2: "actionable, not urgent", 3: "urgent", 4: "emergent"}


def metric_with_report(names: Sequence[str]) -> str:
    """Return the first of these metrics that the page can show."""
    for name in names:
        if name in METRICS:
            return name
    raise InputError(f"--report: {', '.join(names)} has no report of corrections; add {METRICS[0]} to --metrics")


def correction_report(result: MetricResult, pairs: Iterable[Pair]) -> str:
    """Return the page of one run as HTML.

    Args:
        result: the metric's result, with details.
        pairs: the scored pairs, in the same order.
    """
    if result.details is None:
        raise InputError("a report of corrections needs the details of each pair: score with detailed=True")
    name = result.spec.name
    style = Path(__file__).with_suffix(".css").read_text("utf-8")
    facts = f"mean {result.score:.4f} ({result.spec.arrow} lower is better), {result.n} reports scored"
    if result.unscored:
        facts += f", {result.unscored} unscored"
    sections = [
        _section(pair, float(score), detail)
        for pair, score, detail in zip(pairs, result.scores, result.details, strict=True)
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}: corrections</title>\n<style>\n{style}</style></head>\n<body>\n"
        f"<h1>{name}: corrections line by line</h1>\n"
        f'<p class="facts">{facts}<br><code>{text(result.signature)}</code></p>\n'
        f"<p>{severity_legend()}</p>\n{''.join(sections)}</body></html>\n"
    )


def _section(pair: Pair, score: float, detail: dict[str, Any]) -> str:
    corrections = detail["corrections"]
    if corrections is None:
        points = f"unscored: {text(detail['reason'])}"
    else:
        points = f"score {score:g}, {_count(len(corrections), 'correction')}"
    return (
        f"<section>\n<header><h2>{text(str(pair.id))}</h2><b>{points}</b></header>\n"
        f'<p class="reference"><b>Reference</b> {text(pair.reference.strip()) or "(empty)"}</p>\n'
        f"{correction_table(detail)}</section>\n"
    )


def correction_table(detail: Mapping[str, Any]) -> str:
    """Return a table of a candidate's lines, each with its correction, and of the lines to insert."""
    corrections = detail["corrections"] or ()
    changed = {c["line"]: c for c in corrections if c["line"] is not None}
    rows = [_row(str(i), text, changed.get(i)) for i, text in enumerate(detail["lines"])]
    rows += [_row("new", "", c) for c in corrections if c["line"] is None]
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
    return " ".join(filter(None, pieces))


def _words(text: str) -> list[str]:
    return re.findall(r"\S+", text)


def _tag(name: str, words: Sequence[str]) -> str:
    return f"<{name}>{text(' '.join(words))}</{name}>" if words else ""


def _chip(severity: int, words: str) -> str:
    return f'<span class="chip s{severity}">{text(words)}</span>'


def _count(n: int, what: str) -> str:
    return f"{n or 'no'} {what}" if n == 1 else f"{n or 'no'} {what}s"
