"""Renders the parts of the leaderboard page: table, notes, a system, its worst cases. All text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.leaderboard.board import Board, with_interval
from radeval_core.leaderboard.cases import Case, error_totals
from radeval_core.leaderboard.ranking import Ranked
from radeval_core.leaderboard.submission import SHOWN
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value
from radeval_core.ui.views.marks import bar, plural, table

#: style of links inside text
LINK = "color:var(--rv-link);text-decoration:underline;padding:0;margin:0"


def ranking_table(rows: Sequence[Ranked], metrics: Sequence[str]) -> dict[str, Any]:
    """Return the table for `gr.Dataframe`: numbers to sort by, and the text to display instead."""
    headers = ["Rank", "System", *(f"{name} {metric_value(name).arrow}" for name in metrics), "Submission", "Scored"]
    data, shown = [], []
    for row in rows:
        outcome = row.outcome
        end = [outcome.submission[:12], outcome.date[:10]]
        data.append([row.rank, outcome.system.name, *(outcome.metrics[name]["score"] for name in metrics), *end])
        cells = [_score(outcome.metrics[name]) for name in metrics]
        shown.append(["–" if row.rank is None else str(row.rank), outcome.system.name, *cells, *end])
    return {"headers": headers, "data": data, "metadata": {"display_value": shown, "styling": None}}


def _score(values: Mapping[str, Any]) -> str:
    """Return a score with its interval, formatted so that a narrow cell does not break inside the interval."""
    return with_interval(values).replace("–", "\u2060–\u2060")


def notes(board: Board) -> str:
    """Render what is not in the table: waiting and failed submissions, and results of other versions."""
    parts = []
    if board.waiting:
        parts.append(f"<p>{plural(board.waiting, 'submission')} waiting to be scored.</p>")
    for group in board.others:
        systems = table(
            ["System", *group.signatures],
            [
                [text(o.system.name), *(text(_score(o.metrics[name])) for name in group.signatures)]
                for o in group.outcomes
            ],
        )
        about = f"core {group.core}, studies {group.revision}, {plural(len(group.outcomes), 'system')}"
        parts.append(
            f"<details><summary>Other version {text(group.version)}: {text(about)}. Not ranked with the systems above."
            f"</summary>{systems}{_signatures(group.signatures)}</details>"
        )
    if board.failed:
        rows = [[text(o.system.name), text(o.submission[:12]), text(o.reason)] for o in board.failed]
        parts.append(f"<h4>Failed</h4>{table(['System', 'Submission', 'Reason'], rows)}")
    if board.withdrawn:
        parts.append(f"<p>{plural(board.withdrawn, 'submission')} withdrawn by their owners.</p>")
    if board.skipped:
        parts.append(f"<p class='note'>{plural(len(board.skipped), 'file')} in the store skipped as unreadable.</p>")
    return f'<div class="rv">{"".join(parts)}</div>' if parts else ""


def system_view(outcome: SubmissionResult, row: Ranked | None) -> str:
    """Render a system: its name, link, training data, scores, and errors by category."""
    system = outcome.system
    scores = [
        [
            f"{text(name)} {metric_value(name).arrow}",
            text(_score(values)),
            text(f"{values['n']}" + (f" ({values['unscored']} unscored)" if values["unscored"] else "")),
        ]
        for name, values in outcome.metrics.items()
    ]
    totals = error_totals(outcome)
    most = max(totals.values(), default=1)
    studies = len(outcome.ids)
    errors = [
        [text(in_words(key)), bar(count / most, f"{count} ({count / studies:.2f} per study)")]
        for key, count in totals.items()
    ]
    rank = "" if row is None or row.rank is None else f"Rank {row.rank} by {next(iter(outcome.metrics))} · "
    return (
        f'<div class="rv"><p class="facts">{rank}{text(system.name)}</p>'
        f'<p><a href="{text(system.link)}" target="_blank" rel="nofollow noopener noreferrer ugc" '
        f'style="{LINK}">{text(system.link)}</a>'
        f"<br><b>Training data, as stated:</b> {text(system.training_data)}<br>"
        f'<span class="note">Submission {text(outcome.submission)}, scored {text(outcome.date)} with core '
        f"{text(outcome.core)} on studies {text(outcome.revision)}</span></p>"
        f"{table(['Metric', 'Score (95 % interval)', 'Studies'], scores)}"
        + (f"<h4>Errors by category</h4>{table(['Category', 'Errors'], errors)}" if errors else "")
        + f"<details><summary>Signatures</summary>{_signatures(outcome.signatures)}</details></div>"
    )


def _signatures(signatures: Mapping[str, str]) -> str:
    return f'<p class="note">{"<br>".join(text(s) for s in signatures.values())}</p>'


def cases_view(cases: Sequence[Case]) -> str:
    """Render the worst cases, each with the system's report."""
    if not cases:
        return '<div class="rv"><p class="none">No study has an error of this kind.</p></div>'
    return f'<div class="rv">{"".join(_case(case) for case in cases)}</div>'


def _case(case: Case) -> str:
    given = " · ".join(f"{key}: {value}" for key, value in case.given.items())
    errors = ", ".join(f"{count} × {in_words(key)}" for key, count in case.errors.items()) or "no errors"
    scores = ", ".join(f"{name} {'–' if value is None else f'{value:.2f}'}" for name, value in case.scores.items())
    return (
        f"<h4>{text(case.study)}</h4><p class='note'>{text(given)}</p>"
        f"<p><b>{text(errors)}</b><br><span class='note'>{text(scores)}</span></p>"
        f'<p class="report" style="margin-bottom:18px">{text(case.prediction)}</p>'
    )


def problems_view(problems: Sequence[str]) -> str:
    """Render the problems of a submission."""
    items = "".join(f"<li>{text(problem)}</li>" for problem in problems[:SHOWN])
    more = f"<p>and {len(problems) - SHOWN} more</p>" if len(problems) > SHOWN else ""
    return (
        f'<div class="rv" role="alert"><p class="facts wrong">✗ {plural(len(problems), "problem")}</p>'
        f'<ul style="list-style:disc;padding-left:20px">{items}</ul>{more}</div>'
    )


def fine_view(headline: str, facts: Mapping[str, str]) -> str:
    """Render a success message with facts."""
    rows = "<br>".join(f"<b>{text(key)}:</b> {text(value)}" for key, value in facts.items())
    return f'<div class="rv" role="status"><p class="facts right">✓ {text(headline)}</p><p>{rows}</p></div>'
