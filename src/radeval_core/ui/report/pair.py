"""Write the card of one pair: its errors in one line and, when it is opened, both reports with what each metric saw.

The views of a pair are stored compressed, in a script element that no browser runs. The page unpacks them when a reader
opens the pair, so a page with hundreds of pairs stays small and opens fast.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.ui.report.content import Content, ShownPair
from radeval_core.ui.report.errors import ErrorCount
from radeval_core.ui.sheet import draw_pair, read_sheet
from radeval_core.ui.views import draw
from radeval_core.ui.views.marks import report_panel

#: key of the marked-up report among the views of a pair; no metric has an empty name
SHEET = ""


def shown_score(value: float) -> str:
    """Return a score as the page writes it."""
    return "unscored" if math.isnan(value) else f"{value:.3f}"


def pair_card(shown: ShownPair, content: Content) -> str:
    """Return the card of a pair."""
    reference, candidate = shown.pair.reference, shown.pair.prediction
    sheet = draw_pair(reference, read_sheet(reference, candidate, read=content.read), f"p{shown.place}")
    views = {
        name: "".join(_view(name, shown, {**content.options[name], "read": content.read})) for name in content.names
    }
    errors = "".join(f"<li{_kind(e)}>{text(_error_words(e))}</li>" for e in shown.errors)
    score = f"{content.first} {shown_score(shown.values[content.first])}"
    return (
        f'<details class="pair" id="pair-{shown.place}"><summary><span class="rank"></span>'
        f'<bdi class="id">{text(shown.pair.id)}</bdi><span class="now">{text(score)}</span>'
        f'<ul class="tags">{errors}</ul></summary>'
        f'<script type="text/plain">{pack({SHEET: sheet, **views})}</script></details>\n'
    )


def _kind(error: ErrorCount) -> str:
    return ' class="significant"' if error.significant else ""


def _error_words(error: ErrorCount) -> str:
    """Return `✗ missing finding ×2` for significant errors, `△ …` if all of them are insignificant."""
    number = error.significant or error.insignificant
    return f"{'✗' if error.significant else '△'} {in_words(error.category)}{f' ×{number}' if number > 1 else ''}"


def pack(views: Mapping[str, str]) -> str:
    """Return the views by metric as the page stores them: JSON, compressed with zlib, in base64."""
    return base64.b64encode(zlib.compress(json.dumps(views).encode(), 9)).decode()


def _view(name: str, shown: ShownPair, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the view of a metric; for an unscored pair the reason."""
    pair, detail = shown.pair, shown.details[name]
    if math.isnan(shown.values[name]):
        reason = detail.get("reason") or "the details do not say why"
        unscored = f'<p class="summary">Not scored: {text(reason)}</p>'
        yield f'<div class="rv">{unscored}{_understood(detail)}</div>'
        return
    if _understood(detail):
        yield f'<div class="rv">{_understood(detail)}</div>'
    yield draw(name, detail, pair.reference, pair.prediction, options)
    if len(pair.references) > 1:
        others = "".join(report_panel(text(reference)) for reference in pair.references[1:])
        yield f'<div class="rv"><h4>Further references; the marks compare with the first</h4>{others}</div>'


def _understood(detail: Mapping[str, Any]) -> str:
    """Return how much of both reports the findings parser understood; empty if the metric does not use it."""
    if "coverage" not in detail:
        return ""
    theirs, ours = (detail["coverage"][side]["share"] for side in ("reference", "prediction"))
    return (
        f'<p class="note">The findings parser understood {theirs:.0%} of the content words of the reference and '
        f"{ours:.0%} of the candidate's.</p>"
    )
