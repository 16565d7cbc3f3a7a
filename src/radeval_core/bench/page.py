"""One page with the plots and tables of a benchmark.

One file of plain HTML, CSS and SVG: it loads nothing and runs nothing. Every text in it is escaped, and no report is
on it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from radeval_core.bench.expert_data import CATEGORIES, MEASURES
from radeval_core.bench.plots import dot_plot, scatter
from radeval_core.bench.run import Outcome
from radeval_core.bench.tables import Table, extra_tables, main_table, metrics_of, words

#: tables with a column of words, whose cells may wrap
_WORDS = frozenset({"failure-tests", "published", "differences", "counts"})
_INTERVAL = re.compile(r" (\(-?[\d.]+ to -?[\d.]+\))")
_HOW_TO_READ = (
    "Kendall's tau-b is 1 where a metric puts pairs of reports in the experts' order, 0 where it knows nothing of it, "
    "and negative where it reverses it. All signs are turned so that positive is agreement, whether a high score means "
    "a good report or a bad one.",
    "A bar is the 95 % interval over resamples of whole studies. Two bars that overlap may still belong to "
    "metrics that differ: the table of differences compares them on the same resamples.",
    "Metrics with config `embedded` are not the published models: the signatures at the end say what ran.",
)
_CEILING = (
    "The dashed line is what one radiologist reaches against the mean of the others: a metric cannot be expected to do "
    "better."
)


def bench_page(outcome: Outcome) -> str:
    """The page of one benchmark."""
    result = outcome.result
    first, tables = main_table(result), extra_tables(result)
    sections = [_section(first, _agreement_plots(result)), _scatter_section(outcome)]
    sections += [_section(table, _heat(result, table)) for table in tables]
    title = f"Which metric to trust: {_source(result['data'])}"
    links = [(t.key, t.title) for t in (first, *tables)]
    if outcome.expert:
        links.insert(1, ("scatter", "Scores against experts"))
    links += [("provenance", "Provenance")]
    how = "".join(f"<p>{_prose(x)}</p>" for x in (*_HOW_TO_READ, *([_CEILING] if result.get("experts") else [])))
    nav = "".join(f'<a href="#{key}">{_text(name)}</a>' for key, name in links)
    style = Path(__file__).with_name("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>\n{style}</style></head>\n<body>\n<h1>{_text(title)}</h1>\n"
        f'<p class="note">{_text(_facts(result))}</p>\n'
        f"<nav>{nav}</nav>\n"
        f"<details open><summary>How to read this page</summary>{how}</details>\n"
        f"{''.join(sections)}{_provenance(result)}</body></html>\n"
    )


def _agreement_plots(result: Mapping[str, Any]) -> str:
    """A dot plot a measure, with the experts' line; for triads and preferences with the line of chance."""
    names = metrics_of(result)
    ceilings = {f"kendall_{m}": result.get("experts", {}).get(f"kendall_{m}") for m in MEASURES}
    figures = []
    for key in (*ceilings, "preference_accuracy", "accuracy"):
        rows = {name: result[name].get(key) for name in names}
        if key in ceilings:
            ceiling = ceilings[key]
            line, named = (ceiling["value"], "experts") if ceiling else (None, "")
        else:
            line, named = 0.5, "chance"
        label = words(key.replace("kendall", "tau with experts'"))
        if plot := dot_plot(rows, label, line, named):
            figures.append(f"<figure><figcaption><b>{_text(label)}</b></figcaption>{plot}</figure>")
    return f'<div class="plots">{"".join(figures)}</div>'


def _scatter_section(outcome: Outcome) -> str:
    measure = next((m for m in MEASURES if m in outcome.expert), None)
    if measure is None:
        return ""
    label = f"experts' {words(measure)}"
    figures = "".join(
        f"<figure><figcaption><b>{_text(name)}</b></figcaption>{plot}</figure>"
        for name, scores in outcome.scores.items()
        if (plot := scatter(outcome.expert[measure], scores, label, name))
    )
    return (
        f'<section id="scatter"><h2>Scores against experts</h2><p class="note">A dot a pair, larger where several fall '
        f"together; upwards the score, to the right the {_text(label)}.</p>"
        f'<div class="small">{figures}</div></section>\n'
    )


def _heat(result: Mapping[str, Any], table: Table) -> str | None:
    """A table of categories with coloured cells, or None for other tables."""
    if table.key == "categories":
        shown = {n: result[n]["kendall_categories"] for n in metrics_of(result) if "kendall_categories" in result[n]}
        rows = {name: [by[c]["value"] for c in CATEGORIES] for name, by in shown.items()}
    elif table.key.startswith("failure-") and table.key != "failure-tests":
        means = result["failure_modes"]["means"][table.key.removeprefix("failure-")]
        rows = {name: [by[c] for c in CATEGORIES] for name, by in means.items()}
    else:
        return None
    most = max((abs(v) for values in rows.values() for v in values if v is not None), default=0) or 1.0
    body = "".join(
        f"<tr><td>{_text(name)}</td>{''.join(_heat_cell(v, most) for v in values)}</tr>"
        for name, values in rows.items()
    )
    return _table(table.header, body, "")


def _heat_cell(value: float | None, most: float) -> str:
    """A number on a ground of blue (positive) or orange (negative), paler towards zero."""
    if value is None:
        return "<td>-</td>"
    colour = "heat" if value >= 0 else "cold"
    return f'<td style="background: rgba(var(--{colour}), {0.5 * abs(value) / most:.2f})">{value:.3f}</td>'


def _section(table: Table, plot: str | None = None) -> str:
    """A heading, a plot and a table; a heat map is already the table."""
    kind = "words" if table.key in _WORDS else ""
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    whole = _table(table.header, body, kind)
    shown = whole if plot is None else plot if plot.startswith('<div class="scroll">') else plot + whole
    return (
        f'<section id="{table.key}"><h2>{_text(table.title)}</h2><p class="note">{_prose(table.note)}</p>'
        f"{shown}</section>\n"
    )


def _table(header: list[str], body: str, kind: str) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in header)
    return f'<div class="scroll"><table class="{kind}"><tr>{head}</tr>{body}</table></div>'


def _cell(cell: str) -> str:
    return _INTERVAL.sub(r' <span class="ci">\1</span>', _text(cell))


def _provenance(result: Mapping[str, Any]) -> str:
    facts = {**result["data"], "seed": result["seed"], "resamples": result["resamples"], **result["versions"]}
    rows = "".join(f"<dt>{_text(words(str(k)))}</dt><dd><code>{_text(str(v))}</code></dd>" for k, v in facts.items())
    signed = "".join(
        f"<dt>{_text(n)}</dt><dd><code>{_text(result[n]['signature'])}</code></dd>" for n in metrics_of(result)
    )
    return (
        f'<section id="provenance"><h2>Provenance</h2><dl>{rows}</dl><h3>Signatures</h3><dl>{signed}</dl></section>\n'
    )


def _source(data: Mapping[str, Any]) -> str:
    if "dataset" in data:
        return " ".join(str(data[key]) for key in ("dataset", "config", "split") if key in data)
    return str(data.get("file", "benchmark"))


def _facts(result: Mapping[str, Any]) -> str:
    names = metrics_of(result)
    rows = result["data"].get("rows")
    counted = f"{rows} rows, " if rows is not None else ""
    return f"{counted}{len(names)} metrics, 95 % intervals from {result['resamples']} resamples, seed {result['seed']}"


def _prose(text: str) -> str:
    """Our own sentences, names in them as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", _text(text))


def _text(text: str) -> str:
    return html.escape(text, quote=True)
