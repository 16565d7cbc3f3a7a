"""Render the ranking as an HTML table: ranked systems, then baselines and oracles, apart and without a rank.

A header button ranks by its metric. Every row carries its values for the CSV file that leaderboard.js writes. All text
is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from radeval_core.html_text import text
from radeval_core.leaderboard.ranking import Ranked
from radeval_core.registry import metric_value
from radeval_core.ui.leaderboard.address import Address
from radeval_core.ui.score_header import direction

#: what the kinds without a rank are called on the page
KINDS = {"baseline": "baseline", "oracle": "oracle: saw the answer"}
_END = ("Submission", "Scored")
NO_SYSTEM = "No system has been submitted yet. Yours can be the first: open the tab Submit."


def ranking_table(rows: Sequence[Ranked], apart: Sequence[Ranked], metrics: Sequence[str], by: str) -> str:
    """Return the table.

    Args:
        rows: the ranked systems in their order.
        apart: baselines and oracles, in the order to show.
        metrics: all metrics of the benchmark.
        by: the metric that ranks; its column comes first.
    """
    order = [by, *(name for name in metrics if name != by)]
    best = {name: _best(rows, name) for name in order}
    width = 2 + len(order) + len(_END)
    head = "".join(_metric_head(name, name == by) for name in order)
    head += "".join(f'<th scope="col">{name}</th>' for name in _END)
    ranked = "".join(_row(row, order, best) for row in rows)
    if not rows:
        ranked = f'<tr><td colspan="{width}" class="lb-empty"><span>{NO_SYSTEM}</span></td></tr>'
    parts = [f"<tbody>{ranked}</tbody>"]
    if apart:
        title = "Not ranked: yardsticks to read the scores by"
        parts.append(
            f'<tbody class="lb-apart"><tr class="lb-group"><th colspan="{width}" scope="rowgroup">'
            f"<span>{title}</span></th></tr>{''.join(_row(row, order, {}) for row in apart)}</tbody>"
        )
    parts.append(
        f'<tbody class="lb-none" hidden><tr><td colspan="{width}"><span>No system matches this filter.</span> '
        '<button type="button" data-clear>Show all</button></td></tr></tbody>'
    )
    columns = ["rank", "kind", "system", "link", *(f"{n}{end}" for n in order for end in ("", " low", " high"))]
    return (
        f'<div class="lb-scroll" role="region" tabindex="0" aria-label="Systems, ranked by {text(by)}">'
        f'<table class="lb" data-columns="{_values([*columns, "submission", "scored"])}">'
        f'<thead><tr><th scope="col" class="lb-rank">Rank</th><th scope="col" class="lb-name">System</th>{head}</tr>'
        f"</thead>{''.join(parts)}</table></div>"
    )


def safe_link(link: str) -> str:
    """Return the address of a system if a browser may open it; else an empty text."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    return link if parts.scheme in ("http", "https") and parts.hostname else ""


def outside_link(link: str, words: str = "") -> str:
    """Return a link to another site, which gets no credit from this page; only the words if it cannot be opened."""
    shown = text(words or link)
    if not safe_link(link):
        return shown
    return (
        f'<a class="lb-out" href="{text(link)}" target="_blank" rel="nofollow noopener noreferrer ugc">{shown}'
        '<span aria-hidden="true"> ↗</span><span class="rs-hidden"> (opens a new page)</span></a>'
    )


def score_and_interval(values: Mapping[str, Any], best: bool = False) -> str:
    """Return the cell of a score: the number, below it the interval."""
    if values["score"] is None:
        return '<span class="lb-no">–<span class="rs-hidden"> not scored</span></span>'
    shown = f"{values['score']:.3f}"
    if best:
        shown = f'<strong>{shown}</strong><span class="rs-hidden"> best</span>'
    low_high = values["ci95"]
    return shown + (f"<small>{low_high[0]:.3f} – {low_high[1]:.3f}</small>" if low_high else "")


def kind_label(kind: str) -> str:
    """Return the label of a baseline or an oracle; empty for a system."""
    return f'<span class="lb-kind">{KINDS[kind]}</span>' if kind in KINDS else ""


def _best(rows: Sequence[Ranked], metric: str) -> float | None:
    scores = [row.outcome.metrics[metric]["score"] for row in rows]
    known = [score for score in scores if score is not None]
    return (max if metric_value(metric).higher_is_better else min)(known, default=None)


def _metric_head(name: str, ranks: bool) -> str:
    value = metric_value(name)
    order = "descending" if value.higher_is_better else "ascending"
    kind = f' class="lb-by" aria-sort="{order}"' if ranks else ""
    return (
        f'<th scope="col"{kind}><button type="button" data-go="{text(Address(metric=name).link())}" '
        f'title="Rank by {text(name)}: {text(direction(value))}">{text(name)} '
        f'<span aria-hidden="true">{value.arrow}</span></button></th>'
    )


def _row(row: Ranked, order: Sequence[str], best: Mapping[str, float | None]) -> str:
    outcome = row.outcome
    cells = []
    values: list[Any] = [row.rank or "", row.kind, outcome.system.name, outcome.system.link]
    for place, name in enumerate(order):
        summary = outcome.metrics[name]
        is_best = summary["score"] is not None and summary["score"] == best.get(name)
        kind = ' class="lb-by"' if place == 0 else ""
        cells.append(f"<td{kind}>{score_and_interval(summary, is_best)}</td>")
        values += [summary["score"], *(summary["ci95"] or (None, None))]
    values += [outcome.submission, outcome.date]
    go = text(Address(tab="systems", system=outcome.submission[:12]).link())
    host = urlsplit(safe_link(outcome.system.link)).hostname or ""
    link = outside_link(outcome.system.link, host) if host else ""
    return (
        f'<tr data-values="{_values(values)}"><td class="lb-rank">{"–" if row.rank is None else row.rank}</td>'
        f'<th scope="row" class="lb-name"><a href="{go}" data-go="{go}">{text(outcome.system.name)}</a>'
        f"{kind_label(row.kind)}{link}</th>{''.join(cells)}"
        f"<td><code>{text(outcome.submission[:12])}</code></td><td>{text(outcome.date[:10])}</td></tr>"
    )


def _values(values: Sequence[Any]) -> str:
    """Return values as JSON for an attribute."""
    return text(json.dumps(values, ensure_ascii=False))
