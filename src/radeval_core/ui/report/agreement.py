"""Show how far the metrics of a run agree on its pairs, as a table with a number and a tint per two metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from radeval_core.html_text import text
from radeval_core.runner import MetricResult
from radeval_core.stats.metric_agreement import AgreementMatrix, agreement_matrix
from radeval_core.ui.report.tables import section

_ABOUT = (
    "Kendall's tau-b between the scores of the pairs, turned so that higher is better in every metric: 1 means the "
    "same order of the pairs, 0 no common order, below 0 opposite orders."
)


def agreement_section(results: Mapping[str, MetricResult]) -> str:
    """Return the agreement of every two metrics; empty with fewer than two metrics or pairs."""
    if len(results) < 2 or len(next(iter(results.values())).scores) < 2:
        return ""
    matrix = agreement_matrix(
        {name: result.scores for name, result in results.items()},
        {name: result.spec.higher_is_better for name, result in results.items()},
    )
    return section(
        "agreement", "Agreement between metrics", f'<p class="note">{_ABOUT}</p>{_extremes(matrix)}{_table(matrix)}'
    )


def _extremes(matrix: AgreementMatrix) -> str:
    """Return the two metrics that agree most, and the two that agree least, in words."""
    upper = [(i, j) for i in range(len(matrix.names)) for j in range(i) if not math.isnan(matrix.values[i, j])]
    if not upper:
        return "<p>No two metrics can be compared: their scores do not vary.</p>"
    ordered = sorted(upper, key=lambda at: matrix.values[at])
    said = [
        f"{text(matrix.names[j])} and {text(matrix.names[i])} ({matrix.values[i, j]:.2f})"
        for i, j in (ordered[-1], ordered[0])
    ]
    least = f"; least: <b>{said[1]}</b>" if len(ordered) > 1 else ""
    return f"<p>Agree most: <b>{said[0]}</b>{least}.</p>"


def _table(matrix: AgreementMatrix) -> str:
    means = matrix.mean_with_others()
    head = "".join(f'<th scope="col"><span>{text(name)}</span></th>' for name in (*matrix.names, "mean with others"))
    rows = "".join(
        f'<tr><th scope="row">{text(name)}</th>{"".join(_cell(matrix, i, j) for j in range(len(matrix.names)))}'
        f"<td><b>{_number(means[i])}</b></td></tr>"
        for i, name in enumerate(matrix.names)
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Agreement between metrics">'
        f'<table class="agreement"><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _cell(matrix: AgreementMatrix, i: int, j: int) -> str:
    value = float(matrix.values[i, j])
    if i == j:
        return '<td class="own">–</td>'
    if math.isnan(value):
        return '<td title="the scores of one of them do not vary">n/a</td>'
    kind = ' class="below"' if value < 0 else ""
    pairs = f"{int(matrix.counts[i, j]):,} pairs"
    return f'<td{kind} style="--much:{abs(value):.2f}" title="{pairs}">{_number(value)}</td>'


def _number(value: float) -> str:
    """Return a correlation with two digits and a real minus sign."""
    if np.isnan(value):
        return "n/a"
    return f"{value:.2f}".replace("-", "\u2212")
