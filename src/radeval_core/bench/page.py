"""Write one page with the plots and tables of a benchmark.

The page is one file of plain HTML and CSS with its pictures inside. It loads nothing and runs nothing. All text is
escaped. It contains no report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from radeval_core.bench.discrimination_tables import discrimination_points
from radeval_core.bench.expert_data import MEASURES
from radeval_core.bench.plots import action_plot, discrimination_plot, dot_plot, scatter, severity_plot
from radeval_core.bench.run import BenchResult
from radeval_core.bench.tables import Table, extra_tables, main_table, metrics_of, words
from radeval_core.error_categories import CATEGORIES
from radeval_core.html_text import text
from radeval_core.page_style import file_colours
from radeval_core.pictures import img

#: tables with a column of text, whose cells may wrap
_WORDS = frozenset({"failure-tests", "published", "differences", "counts"})
_INTERVAL = re.compile(r" (\(-?[\d.]+ to -?[\d.]+\))")
_HOW_TO_READ = (
    "Kendall's tau-b is 1 if a metric sorts the reports as the experts do, 0 if its order is unrelated to theirs, and "
    "negative if it reverses their order. Positive always means agreement, whether a high score means a good report or "
    "a bad one.",
    "A bar is the 95 % interval over resamples of whole studies. Metrics whose bars overlap may still differ: the "
    "table of differences compares them on the same resamples.",
    "Metrics with config `embedded` are not the published models: the signatures at the end show what ran.",
)
_CEILING = (
    "The dashed line is the agreement of one radiologist with the mean of the others: do not expect a metric to do "
    "better."
)


def bench_page(outcome: BenchResult) -> str:
    """Return the page of one benchmark as HTML."""
    result = outcome.result
    first, tables = main_table(result), extra_tables(result)
    sections = [_section(first, _agreement_plots(result)), _scatter_section(outcome)]
    sections += [_section(table, _heat(result, table) or _plot_above(result, table)) for table in tables]
    title = f"Which metric to trust: {_source(result['data'])}"
    links = [(t.key, t.title) for t in (first, *tables)]
    if outcome.expert:
        links.insert(1, ("scatter", "Scores against experts"))
    links += [("provenance", "Provenance")]
    how = "".join(f"<p>{_prose(x)}</p>" for x in (*_HOW_TO_READ, *([_CEILING] if result.get("experts") else [])))
    nav = "".join(f'<a href="#{key}">{text(name)}</a>' for key, name in links)
    style = file_colours() + Path(__file__).with_name("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style></head>\n<body>\n<h1>{text(title)}</h1>\n"
        f'<p class="note">{text(_facts(result))}</p>\n'
        f"<nav>{nav}</nav>\n"
        f"<details open><summary>How to read this page</summary>{how}</details>\n"
        f"{''.join(sections)}{_provenance(result)}</body></html>\n"
    )


def _agreement_plots(result: Mapping[str, Any]) -> str:
    """Return one dot plot per measure, with a line for experts; for triads and preferences, with a line for chance."""
    ceilings = {f"kendall_{m}": result.get("experts", {}).get(f"kendall_{m}") for m in MEASURES}
    figures = []
    for key in (*ceilings, "preference_accuracy", "accuracy"):
        found = {name: result[name].get(key) for name in metrics_of(result)}
        rows = {name: row for name, row in found.items() if row and row["value"] is not None}
        if not rows:
            continue
        ceiling = ceilings.get(key) or {}
        line, named = (ceiling.get("value"), "experts") if key in ceilings else (0.5, "chance")
        label = words(key.replace("kendall", "tau with experts'"))
        values = ", ".join(f"{name} {row['value']:.3f}" for name, row in rows.items())
        seen = f"{label}: {values}" + (f"; {named} {line:.2f}" if line is not None else "")
        figures.append(_figure(label, img(dot_plot(rows, line, named), seen)))
    return f'<div class="plots">{"".join(figures)}</div>'


def _plot_above(result: Mapping[str, Any], table: Table) -> str | None:
    """Return the plot above a table: figures 2 and 6 of FineRadScore, errors against rewording; None for others."""
    found = result.get("corrections", {})
    if table.key == "correction-severity":
        gaps = {s: row["severity"]["differences"] for s, row in found.items() if row and "severity" in row}
        exact = ", ".join(f"{words(s)} {by['0']} of {sum(by.values())} exact" for s, by in gaps.items())
        shown = img(severity_plot(gaps), f"severity of the judge minus the radiologist's: {exact}")
    elif table.key == "correction-actions":
        actions = found["actions"]
        said = ", ".join(f"{actions[key]} lines {key}" for key in ("keep", "delete", "rewrite"))
        shown = img(action_plot(actions), f"{said}; {actions['reports_with_insertion']} reports with an insertion")
    elif table.key == "noticed":
        points = discrimination_points(result["discrimination"])
        said = ", ".join(f"{name} notices {y:.0%}, takes off {x:.0%}" for name, (x, y) in points.items())
        shown = img(discrimination_plot(points), said)
    else:
        return None
    return f'<div class="plots">{_figure(table.title, shown)}</div>'


def _scatter_section(outcome: BenchResult) -> str:
    measure = next((m for m in MEASURES if m in outcome.expert), None)
    if measure is None:
        return ""
    expert, label = outcome.expert[measure], f"experts' {words(measure)}"
    figures = "".join(
        _figure(name, img(scatter(expert, scores, label), f"{name} against {label}"))
        for name, scores in outcome.scores.items()
        if not np.isnan(expert + scores).all()
    )
    return (
        '<section id="scatter"><h2>Scores against experts</h2><p class="note">One dot per pair, larger if several '
        f"coincide. Vertical axis: score. Horizontal axis: {text(label)}.</p>"
        f'<div class="small">{figures}</div></section>\n'
    )


def _figure(caption: str, image: str) -> str:
    return f"<figure><figcaption><b>{text(caption)}</b></figcaption>{image}</figure>"


def _heat(result: Mapping[str, Any], table: Table) -> str | None:
    """Return a table of categories with coloured cells, or None for other tables."""
    if table.key == "categories":
        shown = {n: result[n]["kendall_categories"] for n in metrics_of(result) if "kendall_categories" in result[n]}
        rows = {name: [by[c]["value"] for c in CATEGORIES] for name, by in shown.items()}
    elif table.key.startswith("failure-") and table.key != "failure-tests":
        kind = table.key.removeprefix("failure-")
        means = result["failure_modes"]["means"][kind]
        rows = {name: [by[c] for c in (*CATEGORIES, "total")] for name, by in means.items()}
        published = result["failure_modes"].get("published", ())
        rows |= {f"{row['candidate']}, published": row["means"] for row in published if row["measure"] == kind}
    else:
        return None
    most = max((abs(v) for values in rows.values() for v in values if v is not None), default=0) or 1.0
    body = "".join(
        f"<tr><td>{text(name)}</td>{''.join(_heat_cell(v, most) for v in values)}</tr>" for name, values in rows.items()
    )
    return _table(table.header, body, "")


def _heat_cell(value: float | None, most: float) -> str:
    """Return a cell with a number on blue (positive) or orange (negative), paler towards zero."""
    if value is None:
        return "<td>-</td>"
    colour = "heat" if value >= 0 else "cold"
    return f'<td class="{colour}" style="--share: {abs(value) / most:.2f}">{value:.3f}</td>'


def _section(table: Table, plot: str | None = None) -> str:
    """Return a heading, a plot and a table; a heat map replaces the table."""
    kind = "words" if table.key in _WORDS else ""
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    whole = _table(table.header, body, kind)
    shown = whole if plot is None else plot if plot.startswith('<div class="scroll">') else plot + whole
    return (
        f'<section id="{table.key}"><h2>{text(table.title)}</h2><p class="note">{_prose(table.note)}</p>'
        f"{shown}</section>\n"
    )


def _table(header: list[str], body: str, kind: str) -> str:
    head = "".join(f"<th>{text(name)}</th>" for name in header)
    return f'<div class="scroll"><table class="{kind}"><tr>{head}</tr>{body}</table></div>'


def _cell(cell: str) -> str:
    return _INTERVAL.sub(r' <span class="ci">\1</span>', text(cell))


def _provenance(result: Mapping[str, Any]) -> str:
    facts = {**result["data"], "seed": result["seed"], "resamples": result["resamples"], **result["versions"]}
    rows = "".join(f"<dt>{text(words(str(k)))}</dt><dd><code>{text(str(v))}</code></dd>" for k, v in facts.items())
    signed = "".join(
        f"<dt>{text(n)}</dt><dd><code>{text(result[n]['signature'])}</code></dd>" for n in metrics_of(result)
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


def _prose(sentences: str) -> str:
    """Return our own sentences as HTML, with the names between backquotes as code."""
    plain_and_code = map(text, sentences.split("`"))
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(plain_and_code))
