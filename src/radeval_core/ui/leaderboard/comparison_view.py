"""Render the comparison of two systems: differences with intervals, where they differ, and on which studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radeval_core.error_categories import in_words
from radeval_core.html_text import text
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.cases import Case
from radeval_core.leaderboard.comparison import Comparison, MetricDifference, PartDifference
from radeval_core.leaderboard.submission_result import SubmissionResult
from radeval_core.registry import metric_value
from radeval_core.ui.leaderboard.case_view import about_references, both_reports, study_head
from radeval_core.ui.views.marks import table

#: a system of the comparison: its result and its reports by study
Side = tuple[SubmissionResult, Mapping[str, str]]


def comparison_view(found: Comparison, first: Side, second: Side, benchmark: Benchmark) -> str:
    """Render a comparison; `first` is system A, `second` system B."""
    names = (f"A: {first[0].system.name}", f"B: {second[0].system.name}")
    return (
        f'<div class="rv"><p class="lb-big">{text(names[0])}<br>{text(names[1])}</p>{_summary(found)}'
        f"{_metrics(found)}{_parts(found)}{_errors(found)}"
        f"<h4>Studies that differ most by {text(found.ranked_by)}</h4>{about_references(benchmark)}"
        f"{_cases(found, first, second, benchmark, names)}</div>"
    )


def _summary(found: Comparison) -> str:
    said = []
    for side, letter in (("first", "A"), ("second", "B")):
        metrics = ", ".join(d.metric for d in found.metrics if d.better == side)
        said += [f"{letter} is significantly better in {metrics}."] if metrics else []
    return f'<p class="facts">{text(" ".join(said) or "No metric tells them apart significantly.")}</p>'


def _metrics(found: Comparison) -> str:
    rows = [
        [
            f"{text(d.metric)} {metric_value(d.metric).arrow}",
            _number(d.first),
            _number(d.second),
            _difference(d.difference, d.ci95) + ("" if d.is_headline else " <small>mean over studies</small>"),
            f"{_verdict(d)} <small>{_p(d.p_holm)}</small>",
        ]
        for d in found.metrics
    ]
    head = ["Metric", "A", "B", "Difference A − B", "Result"]
    return (
        f"<h4>Scores</h4>{table(head, rows, 'stack')}"
        '<p class="note">Paired over the same studies, with 95 % bootstrap intervals. p: approximate randomisation, '
        "two-sided, after Holm's correction over the metrics; significant below 0.05.</p>"
    )


def _parts(found: Comparison) -> str:
    if not found.facets:
        return ""
    rows = [_part_row(f"{p.name}: {p.value}", p) for p in found.facets]
    head = ["Studies", "Number", f"{found.ranked_by}: A − B", "Interval without 0"]
    note = "Not corrected for the number of parts: it says where to look, not what is proven."
    return (
        f"<details><summary>{text(found.ranked_by)} by part of the studies</summary>{table(head, rows, 'stack')}"
        f'<p class="note">{note}</p></details>'
    )


def _errors(found: Comparison) -> str:
    if not found.errors:
        return ""
    rows = [_part_row(in_words(p.value), p) for p in found.errors]
    head = ["Category", "Studies", "Errors per study: A − B", "Interval without 0"]
    return f"<details><summary>Errors by category</summary>{table(head, rows, 'stack')}</details>"


def _part_row(words: str, part: PartDifference) -> list[str]:
    return [text(words), str(part.n), _difference(part.difference, part.ci95), _better(part.better)]


def _cases(found: Comparison, first: Side, second: Side, benchmark: Benchmark, names: tuple[str, str]) -> str:
    if not found.cases:
        return f'<p class="none">They have the same {text(found.ranked_by)} on every study.</p>'
    shown = []
    for number, case in enumerate(found.cases, 1):
        cases = [_case(side, benchmark, case.study) for side in (first, second)]
        reference = benchmark.studies[case.study].reference if benchmark.show_references else None
        reports = both_reports(reference, dict(zip(names, cases, strict=True)), f"differ-{number}")
        scores = f"{found.ranked_by}: A {case.first:.2f}, B {case.second:.2f}"
        shown.append(
            f'<section class="lb-case">{study_head(cases[0])}<p class="facts">{text(scores)}</p>{reports}</section>'
        )
    return "".join(shown)


def _case(side: Side, benchmark: Benchmark, study: str) -> Case:
    outcome, predictions = side
    place = outcome.ids.index(study)
    return Case(
        study,
        benchmark.studies[study].given,
        outcome.errors[place] if outcome.errors else {},
        {name: values[place] for name, values in outcome.scores.items()},
        predictions[study],
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _difference(value: float | None, interval: Sequence[float] | None) -> str:
    if value is None:
        return "–"
    ends = f"<small>{_signed(interval[0])} to {_signed(interval[1])}</small>" if interval else ""
    return _signed(value) + ends


def _signed(value: float) -> str:
    """Return a number with its sign; a rounded zero has none."""
    rounded = f"{value:+.3f}".replace("-", "−")
    return "0.000" if rounded in ("+0.000", "−0.000") else rounded


def _verdict(difference: MetricDifference) -> str:
    return _better(difference.better) or '<span class="lb-same">= no significant difference</span>'


def _better(side: str) -> str:
    words = {"first": ("lb-a", "A is better"), "second": ("lb-b", "B is better")}
    return f'<span class="{words[side][0]}">{words[side][1]}</span>' if side else ""


def _p(value: float) -> str:
    return "p &lt; 0.001" if value < 0.001 else f"p = {value:.3f}"
