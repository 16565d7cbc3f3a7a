"""How the scores of every system are spread over the studies, as one strip a system: HTML with inline SVG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from radeval_core.html_text import text
from radeval_core.leaderboard.ranking import Ranked
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import get_spec, metric_value

_WIDTH, _HEIGHT, _EDGE = 1000.0, 36.0, 16.0
#: strips on the page; more would not be read
MOST = 25


def distribution_plot(rows: Sequence[Ranked], metric: str) -> str:
    """A strip a system, in the order of the table: studies as dots, middle half as a box, score and interval."""
    value = metric_value(metric)
    shown = [row for row in rows if row.outcome.metrics[metric]["score"] is not None][:MOST]
    if not shown:
        return '<div class="rv"><p class="none">No scores yet.</p></div>'
    low, high = _scale([row.outcome for row in shown], metric)
    strips = "".join(_strip(row, metric, low, high) for row in shown)
    better = "right" if value.higher_is_better else "left"
    return (
        f'<div class="rv"><h4>{text(metric)} {value.arrow}: every study of every system; {better} is better</h4>'
        f"{strips}"
        f'<p style="display:flex;justify-content:space-between;margin:0 0 6px" class="note">'
        f"<span>{low:g}</span><span>{(low + high) / 2:g}</span><span>{high:g}</span></p>"
        '<p class="note"><b style="color:var(--rv-metric)">•</b> a study &nbsp; ▭ the middle half of the studies, with '
        'the median &nbsp; <b style="color:var(--rv-s2)">–●–</b> the score of the system with its 95 % interval</p>'
        "</div>"
    )


def _scale(outcomes: Sequence[SubmissionResult], metric: str) -> tuple[float, float]:
    """From the lowest to the highest possible value; to the highest seen where there is no bound."""
    value = metric_value(metric)
    bounds = (None, None) if value.is_part else get_spec(metric).bounds  # a part may have others
    seen = [v for o in outcomes for v in o.scores[metric] if v is not None]
    ends = [v for o in outcomes for v in o.metrics[metric]["ci95"] or ()]
    low = bounds[0] if bounds[0] is not None else min(seen + ends)
    high = bounds[1] if bounds[1] is not None else float(np.ceil(max(seen + ends)))
    return low, high if high > low else low + 1.0


def _strip(row: Ranked, metric: str, low: float, high: float) -> str:
    outcome = row.outcome
    values = np.array([v for v in outcome.scores[metric] if v is not None])
    summary = outcome.metrics[metric]

    def x(value: float) -> float:
        return _EDGE + (_WIDTH - 2 * _EDGE) * (min(max(value, low), high) - low) / (high - low)

    # A dot is a line without length and with round ends: strokes keep their size on every screen (leaderboard.css).
    # The same place for the same study on every visit: neighbours in the list are spread over five lines.
    dots = "".join(f'<path class="study" d="M{x(v):.1f} {6 + 6 * (i * 2 % 5)}h.01"/>' for i, v in enumerate(values))
    first, median, third = (x(float(q)) for q in np.percentile(values, [25, 50, 75]))
    middle, start, end = (x(float(v)) for v in (summary["score"], *(summary["ci95"] or [summary["score"]] * 2)))
    box = f'<path class="half" d="M{first:.1f} 3H{third:.1f}V33H{first:.1f}z"/>'
    box += f'<path class="median" d="M{median:.1f} 3V33"/>'
    score = f'<path class="interval" d="M{start:.1f} 18H{end:.1f}"/><path class="rim" d="M{middle:.1f} 18h.01"/>'
    score += f'<path class="score" d="M{middle:.1f} 18h.01"/>'
    place = f"<i>{row.kind}</i>" if row.rank is None else f"<b>{row.rank}.</b>"
    words = f"{outcome.system.name}: {metric} {summary['score']:.3f}"
    return (
        f'<p style="margin:6px 0 0">{place} {text(outcome.system.name)} '
        f'<span class="note">{summary["score"]:.3f}</span></p>'
        f'<svg class="strip" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" preserveAspectRatio="none" role="img" '
        f'aria-label="{text(words)}">{dots}{box}{score}</svg>'
    )
