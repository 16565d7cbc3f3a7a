"""Render notes on the board, problems of a file, and messages. All text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radeval_core.html_text import text
from radeval_core.leaderboard.board import Board, with_interval
from radeval_core.leaderboard.submission import SHOWN
from radeval_core.ui.leaderboard.part import Part
from radeval_core.ui.views.marks import plural, table


def notes(board: Board) -> str:
    """Render what is not in the table: waiting and failed submissions, and results of other versions."""
    parts = []
    if board.waiting:
        parts.append(f"<p>{plural(board.waiting, 'submission')} waiting to be scored.</p>")
    for group in board.others:
        systems = table(
            ["System", *group.signatures],
            [
                [text(o.system.name), *(text(with_interval(o.metrics[name])) for name in group.signatures)]
                for o in group.outcomes
            ],
        )
        about = f"core {group.core}, studies {group.revision}, {plural(len(group.outcomes), 'system')}"
        parts.append(
            f"<details><summary>Other version {text(group.version)}: {text(about)}. Not ranked with the systems above."
            f"</summary>{systems}{signatures_note(group.signatures)}</details>"
        )
    if board.failed:
        rows = [[text(o.system.name), text(o.submission[:12]), text(o.reason)] for o in board.failed]
        parts.append(f"<h4>Failed</h4>{table(['System', 'Submission', 'Reason'], rows)}")
    if board.withdrawn:
        parts.append(f"<p>{plural(board.withdrawn, 'submission')} withdrawn by their owners.</p>")
    if board.skipped:
        parts.append(f"<p class='note'>{plural(len(board.skipped), 'file')} in the store skipped as unreadable.</p>")
    return f'<div class="rv">{"".join(parts)}</div>' if parts else ""


def signatures_note(signatures: Mapping[str, str]) -> str:
    """Render the signatures of a result's metrics."""
    return f'<p class="note">{"<br>".join(text(s) for s in signatures.values())}</p>'


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


def message(words: str) -> str:
    """Render one sentence in the place of a view."""
    return f'<div class="rv"><p class="none">{text(words)}</p></div>'


def part_note(part: Part, studies: int, other: Sequence[str]) -> str:
    """Say which studies the numbers are about, and which of them are not the numbers of the whole set."""
    names = text(", ".join(other))
    differ = f" {names}: means over studies, not the scores of a set; do not compare them with those." if other else ""
    return (
        f'<p class="lb-part" role="status"><b>{text(part.words)}</b>: {len(part.studies)} of {studies} studies. Means, '
        f"intervals and ranks are those of these studies.{differ}</p>"
    )
