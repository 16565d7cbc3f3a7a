"""Write the head of the page: the table of headlines, the signatures, the distributions and the kinds of errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.ui.report.content import Content
from radeval_core.ui.report.errors import JUDGES
from radeval_core.ui.report.histogram import histogram
from radeval_core.ui.report.tables import bar, folded, section, table
from radeval_core.ui.score_header import direction


def summary_section(content: Content) -> str:
    """Return the headlines with intervals, counts, directions and signatures."""
    summary = content.scores.summary()
    covered = any("coverage" in row for row in summary.values())
    head = ["Metric", "Score", "95 % interval", "Pairs", "Unscored", *(["Coverage"] if covered else []), "Better"]
    rows = [_headline_row(content, name, row, covered) for name, row in summary.items()]
    signed = "".join(
        f"<dt>{text(name)}</dt><dd><code>{text(row['signature'])}</code></dd>" for name, row in summary.items()
    )
    return section(
        "summary",
        "Summary",
        table(head, rows, "headlines")
        + folded("Signatures: quote them with the scores", f'<dl class="signatures">{signed}</dl>')
        + _further(content),
    )


def _headline_row(content: Content, name: str, row: Mapping[str, Any], covered: bool) -> Sequence[str]:
    spec = content.results[name].spec
    low, high = row["ci95"] or (None, None)
    return [
        f'<b title="{text(f"{spec.measures}; range: {spec.range_text}")}">{text(name)}</b>',
        "–" if row["score"] is None else f"<b>{row['score']:.4f}</b>",
        "–" if low is None else f"{low:.4f} to {high:.4f}",
        f"{row['n']:,}",
        f"{row['unscored']:,}" if row["unscored"] else "0",
        *([f"{row['coverage']['mean']:.0%}" if "coverage" in row else "–"] if covered else []),
        f"{spec.arrow} {direction(spec).split()[0]}",
    ]


def _further(content: Content) -> str:
    """Return the further numbers of each metric, folded."""
    rows = [
        [text(name), text(in_words(key)), f"{value:.4f}"]
        for name, result in content.results.items()
        for key, value in result.extras.items()
    ]
    return folded("Further numbers of each metric", table(["Metric", "Number", "Value"], rows)) if rows else ""


def distribution_section(content: Content) -> str:
    """Return one small histogram per metric, over all scored pairs."""
    figures = "".join(
        f"<figure><figcaption><b>{text(name)}</b> {result.spec.arrow} {direction(result.spec)}</figcaption>"
        f"{histogram(result.scores, result.spec)}</figure>"
        for name, result in content.results.items()
    )
    about = '<p class="note">Number of pairs by score. The line is the median.</p>'
    return section("distributions", "Distributions", f'{about}<div class="figures">{figures}</div>')


def error_section(content: Content) -> str:
    """Return the number of errors of each kind, with a button that shows the pairs; empty without a judge."""
    judge = next((name for name in JUDGES if name in content.results), None)
    if judge is None:
        return ""
    counted = {
        category: [e for p in content.pairs for e in p.errors if e.category == category] for category in CATEGORIES
    }
    most = max(1, *(len(found) for found in counted.values()))
    rows = [
        [
            text(in_words(category).capitalize()),
            bar(len(found), most),
            f"{sum(e.significant for e in found):,}",
            f"{sum(e.insignificant for e in found):,}",
            f'<button type="button" data-show="{category}" aria-label="Show the pairs">Show</button>' if found else "",
        ]
        for category, found in counted.items()
    ]
    about = f'<p class="note">Errors as {text(judge)} counts them in {content.where}.</p>'
    listed = table(["Kind of error", "Pairs", "Significant", "Insignificant", ""], rows)
    return section("errors", "What goes wrong", about + listed)
