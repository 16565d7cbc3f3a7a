"""Render the page of one system, which is also the result of its submission: rank, scores, neighbours, signatures."""

from __future__ import annotations

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.leaderboard.board import Board
from radeval_core.leaderboard.cases import error_totals
from radeval_core.leaderboard.comparison import Comparison
from radeval_core.leaderboard.entry_report import EntryReport, Neighbour, report_entry
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value
from radeval_core.ui.leaderboard.address import Address
from radeval_core.ui.leaderboard.ranking_table import KINDS, kind_label, outside_link, score_and_interval
from radeval_core.ui.leaderboard.view import signatures_note
from radeval_core.ui.views.marks import bar, plural, table

#: values of a facet that are named where a system is better or worse than a neighbour
_LISTED = 5


def system_view(board: Board, outcome: SubmissionResult, metric: str | None = None) -> str:
    """Render a system of the board; `metric` ranks it."""
    report = report_entry(board, outcome.submission, metric)
    sections = [
        _head(report, outcome),
        _scores(board, report),
        _neighbours(report),
        _parts(report),
        _errors(outcome),
        f"<details><summary>Signatures</summary>{signatures_note(outcome.signatures)}</details>",
    ]
    return f'<div class="rv">{"".join(sections)}</div>'


def rank_in_words(report: EntryReport) -> str:
    """Return the rank of a system as people say it."""
    if report.kind in KINDS:
        return f"not ranked ({KINDS[report.kind]})"
    if report.rank is None:
        return "not scored"
    shared = f", shared with {plural(report.shared, 'other')}" if report.shared else ""
    return f"rank {report.rank} of {plural(report.systems, 'system')}{shared}"


def _head(report: EntryReport, outcome: SubmissionResult) -> str:
    system = outcome.system
    link = text(Address(tab="systems", system=report.submission[:12]).link())
    return (
        f'<p class="lb-big">{text(system.name)}{kind_label(report.kind)}</p>'
        f'<p class="facts">By {text(report.ranked_by)}: {text(rank_in_words(report))}</p>'
        f"<p>{outside_link(system.link)}<br><b>Training data, as stated:</b> {text(system.training_data)}<br>"
        f'<span class="note">Submission {text(report.submission)}, scored {text(report.date)} with core '
        f"{text(report.core)} on studies {text(report.revision)} · "
        f'<a class="lb-out" href="{link}" data-go="{link}">link to this result</a></span></p>'
    )


def _scores(board: Board, report: EntryReport) -> str:
    rows = []
    for name, values in report.metrics.items():
        rank = next((r.rank for r in board.ranked(name) if r.outcome.submission == report.submission), None)
        studies = f"{values['n']}" + (f" ({values['unscored']} unscored)" if values["unscored"] else "")
        place = "–" if rank is None else str(rank)
        rows.append([f"{text(name)} {metric_value(name).arrow}", score_and_interval(values), place, text(studies)])
    return f"<h4>Scores with 95 % intervals</h4>{table(['Metric', 'Score', 'Rank', 'Studies'], rows)}"


def _neighbours(report: EntryReport) -> str:
    """Render where the system is better and worse than the next ones in the ranking."""
    cards = [
        _neighbour(report, words, neighbour)
        for words, neighbour in (("Next better", report.above), ("Next worse", report.below))
        if neighbour is not None
    ]
    if not cards:
        return ""
    note = "Metrics: significant in a paired test. Parts and errors: their intervals leave out 0, without a correction."
    return (
        f'<h4>Compared with its neighbours</h4><div class="lb-cards">{"".join(cards)}</div><p class="note">{note}</p>'
    )


def _neighbour(report: EntryReport, words: str, neighbour: Neighbour) -> str:
    found = neighbour.comparison
    go = text(Address(tab="compare", a=report.submission[:12], b=neighbour.submission[:12]).link())
    rank = "" if neighbour.rank is None else f", rank {neighbour.rank}"
    lines = [
        _line("lb-better", "▲ better", found, "first"),
        _line("lb-worse", "▼ worse", found, "second"),
    ]
    same = [d.metric for d in found.metrics if not d.better]
    if same:
        lines.append(f'<p><span class="lb-same">= no significant difference</span> in {text(", ".join(same))}</p>')
    return (
        f"<div><h4>{words}{text(rank)}: {text(neighbour.name)}</h4>{''.join(lines)}"
        f'<a class="lb-button" href="{go}" data-go="{go}">Compare the two</a></div>'
    )


def _line(kind: str, words: str, found: Comparison, side: str) -> str:
    """Render the metrics, and the parts of the studies, in which one side is better."""
    metrics = [d.metric for d in found.metrics if d.better == side]
    parts = [_listed(found, facet, side) for facet in dict.fromkeys(p.name for p in found.facets)]
    errors = [in_words(p.value) for p in found.errors if p.better == side]
    said = [
        f"in {', '.join(metrics)}" if metrics else "",
        f"{found.ranked_by} by {'; '.join(filter(None, parts))}" if any(parts) else "",
        f"{'fewer' if side == 'first' else 'more'} errors: {', '.join(errors)}" if errors else "",
    ]
    known = [text(part) for part in said if part]
    return f'<p><span class="{kind}">{words}</span> {"<br>".join(known)}</p>' if known else ""


def _listed(found: Comparison, facet: str, side: str) -> str:
    """Return the values of a facet on which one side is better, in a few words; empty if there are none."""
    every = [p for p in found.facets if p.name == facet]
    better = [p.value for p in every if p.better == side]
    if len(better) > _LISTED:
        return f"{facet}: {', '.join(better[:_LISTED])} and {len(better) - _LISTED} more of {len(every)}"
    return f"{facet}: {', '.join(better)}" if better else ""


def _parts(report: EntryReport) -> str:
    """Render the means of the parts of the studies, by the metric that ranks."""
    blocks = []
    for facet, scores in report.facets.items():
        rows = []
        for value, found in scores.items():
            cell = score_and_interval({"score": found.mean, "ci95": found.ci95})
            go = text(Address(tab="ranking", metric=report.ranked_by, part=f"{facet}:{value}").link())
            rows.append([f'<a class="lb-out" href="{go}" data-go="{go}">{text(value)}</a>', cell, str(found.studies)])
        blocks.append(f"<div>{table([facet, report.ranked_by, 'Studies'], rows)}</div>")
    if not blocks:
        return ""
    cards = f'<div class="lb-cards">{"".join(blocks)}</div>'
    return f"<details><summary>{text(report.ranked_by)} by part of the studies</summary>{cards}</details>"


def _errors(outcome: SubmissionResult) -> str:
    totals = error_totals(outcome)
    if not totals:
        return ""
    most, studies = max(totals.values()), len(outcome.ids)
    rows = [
        [text(in_words(key)), bar(count / most, f"{count} ({count / studies:.2f} per study)")]
        for key, count in totals.items()
    ]
    return f"<h4>Errors by category</h4>{table(['Category', 'Errors'], rows)}"
