"""Shows pairs as marked-up sheets, a few at a time: the worst first, or those on which two systems differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.html_text import text
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult
from radeval_core.ui.file_page.run import FileRun, SystemRun
from radeval_core.ui.report.content import worst_first
from radeval_core.ui.report.pair import shown_score
from radeval_core.ui.sheet import draw_pair, draw_sheet, read_sheet
from radeval_core.ui.views import draw

#: cases on one page
PER_PAGE = 3
WORST, DIFFER = "The worst first", "Where A and B differ most"


@dataclass(frozen=True)
class CasePage:
    """A few cases.

    Attributes:
        html: the cases.
        page: the number of this page, from 0.
        pages: the number of pages.
        words: which cases these are, in words.
    """

    html: str
    page: int
    pages: int
    words: str


def differ_most(first: MetricResult, second: MetricResult) -> list[int]:
    """Return the places of the pairs that both systems have a score for, the largest difference first."""
    gaps = [abs(b - a) for a, b in zip(first.scores.tolist(), second.scores.tolist(), strict=True)]
    return sorted((i for i, gap in enumerate(gaps) if not math.isnan(gap)), key=lambda i: (-gaps[i], i))


def case_order(run: FileRun, system: SystemRun, metric: str, order: str) -> Sequence[int]:
    """Return the places of all cases, in the chosen order."""
    if order == DIFFER and run.other:
        first, second = (one.scores.results[metric] for one in run.systems.values())
        return differ_most(first, second)
    return worst_first(system.scores.results[metric])


def case_page(
    run: FileRun, system: SystemRun, metric: str, order: str, page: int, options: Mapping[str, Mapping[str, Any]]
) -> CasePage:
    """Return one page of cases.

    Args:
        run: the scored files.
        system: the system whose reports are shown; with `DIFFER` both are.
        metric: the metric that orders the cases.
        order: WORST or DIFFER.
        page: the page, from 0; the nearest one if there is no such page.
        options: options of the metrics' views.
    """
    places = case_order(run, system, metric, order)
    pages = max(1, math.ceil(len(places) / PER_PAGE))
    page = min(max(page, 0), pages - 1)
    start = page * PER_PAGE
    both = order == DIFFER and run.other is not None
    shown = [
        _case(run, system, metric, place, f"{rank}.", both, options)
        for rank, place in enumerate(places[start : start + PER_PAGE], start + 1)
    ]
    last = start + len(shown)
    words = f"Cases {start + 1:,} to {last:,} of {len(places):,}" if shown else "No pair has a score of both systems."
    return CasePage("".join(shown), page, pages, words)


def one_case(run: FileRun, system: SystemRun, metric: str, place: int, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a single case; with both systems if there are two."""
    return _case(run, system, metric, place, "", run.other is not None, options)


def _case(
    run: FileRun,
    system: SystemRun,
    metric: str,
    place: int,
    rank: str,
    both: bool,
    options: Mapping[str, Mapping[str, Any]],
) -> str:
    shown = list(run.systems.values()) if both else [system]
    first = shown[0]
    pair = first.pairs[place]
    letters = dict(zip(run.systems, "AB", strict=False))
    titles = [f"{letters[one.name]}: {one.name}" if run.other else "Candidate" for one in shown]
    scores = " · ".join(
        f"{f'{letters[one.name]} ' if both else ''}{text(metric)} <b>{_score(one, metric, place)}</b>" for one in shown
    )
    sheets = draw_pair(pair.reference, _sheet(pair), f"c{place}", titles[0])
    for one, title in zip(shown[1:], titles[1:], strict=True):
        sheets += draw_sheet(_sheet(one.pairs[place]), f"c{place}-b", title)
    why = "".join(_why(one, title, metric, place, options) for one, title in zip(shown, titles, strict=True))
    return (
        f'<article class="fp-case"><h3><span class="fp-rank">{rank}</span> <bdi>{text(pair.id)}</bdi> '
        f'<span class="fp-score">{scores}</span></h3><div class="fp-sheets">{sheets}</div>'
        f"{_numbers(shown, titles, place)}{why}</article>"
    )


def _sheet(pair: Pair) -> Any:
    return read_sheet(pair.reference, pair.prediction, pair.context)


def _score(system: SystemRun, metric: str, place: int) -> str:
    return shown_score(float(system.scores.results[metric].scores[place]))


def _numbers(shown: Sequence[SystemRun], titles: Sequence[str], place: int) -> str:
    """Return what every metric says about the case, folded."""
    head = "".join(f'<th scope="col">{text(title)}</th>' for title in titles)
    rows = "".join(
        f'<tr><th scope="row">{text(name)} {result.spec.arrow}</th>'
        f"{''.join(f'<td>{_score(one, name, place)}</td>' for one in shown)}</tr>"
        for name, result in shown[0].scores.results.items()
    )
    return (
        f'<details><summary>Every metric</summary><div class="scroll" tabindex="0" role="region" aria-label="Every '
        f'metric"><table><thead><tr><th scope="col">Metric</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        "</details>"
    )


def _why(system: SystemRun, title: str, metric: str, place: int, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the metric's own view of the case, folded; for an unscored one the reason."""
    pair, detail = system.pairs[place], system.details[place][metric]
    score = _score(system, metric, place)
    if score == "unscored":
        reason = detail.get("reason") or "the details do not say why"
        body = f'<div class="rv"><p class="summary">Not scored: {text(reason)}</p></div>'
    else:
        body = draw(metric, detail, pair.reference, pair.prediction, options.get(metric, {}))
    whose = f" of {title}" if title != "Candidate" else ""
    return f"<details><summary>Why {text(metric)}{text(whose)} is {score}</summary>{body}</details>"
