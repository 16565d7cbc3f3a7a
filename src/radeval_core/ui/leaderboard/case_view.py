"""Render studies with systems' reports. The reference, and what quotes it, appear only if the owner allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.cases import Case
from radeval_core.ui.sheet import draw_pair, draw_sheet, read_sheet
from radeval_core.ui.views.marks import report_panel

HIDDEN = "The owner of this benchmark keeps the references private: pages show reports, scores and counts of errors."


def cases_view(cases: Sequence[Case], benchmark: Benchmark) -> str:
    """Render the worst cases of a system, each with its report, marked up if the references may be shown."""
    if not cases:
        return '<div class="rv"><p class="none">No study has an error of this kind.</p></div>'
    shown = "".join(_case(case, benchmark, f"case-{number}") for number, case in enumerate(cases, 1))
    return f'<div class="rv">{about_references(benchmark)}{shown}</div>'


def _case(case: Case, benchmark: Benchmark, name: str) -> str:
    report = report_panel(text(case.prediction))
    if benchmark.show_references:
        reference = benchmark.studies[case.study].reference
        report = draw_pair(reference, read_sheet(reference, case.prediction), name, "Report")
    return f'<section class="lb-case">{study_head(case)}<p>{counts_and_scores(case)}</p>{report}</section>'


def both_reports(reference: str | None, reports: Mapping[str, Case], name: str) -> str:
    """Render the reports of two systems on one study, as sheets below the reference if there is one.

    Args:
        reference: the reference; None if it may not be shown.
        reports: the case of each system, by its name.
        name: begins the ids of the marks; different for every study on a page.
    """
    columns = []
    for place, (system, case) in enumerate(reports.items(), 1):
        if reference is None:
            body = f"<h4>{text(system)}</h4>{report_panel(text(case.prediction))}"
        else:
            body = draw_sheet(read_sheet(reference, case.prediction), f"{name}-{place}", system)
        columns.append(f"<div><p>{counts_and_scores(case)}</p>{body}</div>")
    above = "" if reference is None else f"<h4>Reference</h4>{report_panel(text(reference))}"
    return f'{above}<div class="lb-two">{"".join(columns)}</div>'


def study_head(case: Case) -> str:
    """Render the id of a study and what a system was given."""
    given = " · ".join(f"{key}: {_words(value)}" for key, value in case.given.items() if value not in (None, "", []))
    return f"<h4>{text(case.study)}</h4><p class='note'>{text(given)}</p>"


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def counts_and_scores(case: Case) -> str:
    """Render the number of errors by category and the scores of a report."""
    errors = ", ".join(f"{count} × {in_words(key)}" for key, count in case.errors.items()) or "no errors"
    scores = ", ".join(f"{name} {'–' if value is None else f'{value:.2f}'}" for name, value in case.scores.items())
    return f"<b>{text(errors)}</b><br><span class='note'>{text(scores)}</span>"


def about_references(benchmark: Benchmark) -> str:
    """Say that the references are hidden, if they are."""
    return "" if benchmark.show_references else f'<p class="note">{HIDDEN}</p>'
