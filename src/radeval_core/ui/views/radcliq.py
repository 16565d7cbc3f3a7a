"""`radcliq`: the four parts, and how much each adds to the sum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, table

_NAMES = {
    "radgraph": "RadGraph F1 (combined)",
    "bertscore": "BERTScore (rescaled)",
    "semb": "CheXbert similarity",
    "bleu": "BLEU-2",
}
#: the published version used as the headline by default
_VERSION = "v1"
#: half the width of a bar, in SVG units
_HALF = 100


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw one bar per part; a bar to the left lowers the score, which is better."""
    *_, fitted = versions = detail["contributions"]  # weights from a file are the last ones
    version = options.get("weights") or _VERSION
    contributions = versions[version if version in versions else fitted]
    largest = max(1.0, *(abs(value) for value in contributions.values()))
    rows = [
        [text(_NAMES[part]), f"{detail['parts'][part]:.3f}", _diverging(value / largest), f"{value:+.3f}"]
        for part, value in contributions.items()
    ]
    rows.append(["<b>Sum</b>", "", "", f"<b>{sum(contributions.values()):+.3f}</b>"])
    return (
        legend(("better", "◀ better: fewer errors expected"), ("worse", "worse: more errors expected ▶"))
        + table(("Part", "Value", "Contribution", ""), rows, "bars")
        + '<p class="note">0 is the average of the reports used to fit the weights. '
        + ("BLEU-2 has almost no weight in version 1.</p>" if version == _VERSION else "</p>")
    )


def _diverging(share: float) -> str:
    """Draw a bar from the middle: to the left if negative, to the right if positive."""
    width = max(abs(share) * _HALF, 0.5)
    left = _HALF - width if share < 0 else _HALF
    kind, words = ("better", "lowers the score") if share < 0 else ("worse", "raises the score")
    return (
        f'<svg viewBox="0 0 {2 * _HALF} 16" preserveAspectRatio="none" role="img" aria-label="{words}">'
        f'<rect width="{2 * _HALF}" height="16" class="track"/>'
        f'<rect x="{left:.1f}" width="{width:.1f}" y="2" height="12" class="{kind}"/>'
        f'<line x1="{_HALF}" x2="{_HALF}" y1="0" y2="16" class="middle"/></svg>'
    )
