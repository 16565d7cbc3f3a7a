"""Answers the visitors of the file page: each function gets the fields of the page and returns what changes on it.

What a visitor uploads is kept on a shelf in memory, under the key of the visitor's session.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import gradio as gr

from radeval_core.errors import InputError, RadevalError
from radeval_core.html_text import text
from radeval_core.io import PairColumns, Table
from radeval_core.ui.file_page import downloads
from radeval_core.ui.file_page.cases import DIFFER, WORST, case_page, one_case
from radeval_core.ui.file_page.run import ChosenFile, FileRun
from radeval_core.ui.file_page.sample import sample_tables
from radeval_core.ui.file_page.shelf import Shelf
from radeval_core.ui.file_page.visit import (
    ROW_NUMBERS,
    FileVisit,
    chosen_columns,
    describe,
    guessed_columns,
    metric_choices,
    take_table,
    total_words,
)
from radeval_core.ui.pair import page_error

log = logging.getLogger(__name__)
T = TypeVar("T")
EMPTY = (
    '<p class="fp-empty">No result yet. Upload a file, or press <b>Try the sample</b>; then choose metrics and press '
    "<b>Score</b>.</p>"
)
_GONE = "the server no longer has your file (it keeps a file for a limited time): upload it again"
_FAILED = "this file could not be scored"
SHELF: Shelf[FileVisit] = Shelf()


def take_first(path: str | None, request: gr.Request) -> tuple[Any, ...]:
    """Read the file of the first system."""
    return _take(0, path, request)


def take_second(path: str | None, request: gr.Request) -> tuple[Any, ...]:
    """Read the file of the second system."""
    return _take(1, path, request)


def take_sample(request: gr.Request) -> tuple[Any, ...]:
    """Take both sample files."""
    tables = sample_tables()
    SHELF.put(_key(request), FileVisit(list(tables)))
    return EMPTY, *(field for table in tables for field in _dropdowns(table))


def remove_second(request: gr.Request) -> list[Any]:
    """Forget the file of the second system."""
    visit = _visit(request)
    visit.tables[1] = None
    return _dropdowns(None)


def check(request: gr.Request, *columns: str | None) -> tuple[Any, ...]:
    """Describe both files under the chosen columns; offer to leave out rows that cannot be read."""
    visit = SHELF.get(_key(request)) or FileVisit()
    words, unreadable = [], False
    for table, own in zip(visit.tables, _columns(columns), strict=True):
        described = describe(ChosenFile(table, own)) if table else ""
        unreadable = unreadable or 'class="fp-problem"' in described
        words.append(described)
    return *words, gr.Checkbox(visible=unreadable, value=False), gr.Button(visible=visit.tables[1] is not None)


def estimate(request: gr.Request, *columns: str | None) -> Any:
    """Measure how long each metric takes for the files, and write it onto the chips."""
    visit = SHELF.get(_key(request)) or FileVisit()
    visit.estimate(_columns(columns))
    # only the labels change: the visitor may have chosen other metrics in the meantime
    return gr.CheckboxGroup(choices=metric_choices(visit.estimates))


def total(metrics: Sequence[str], request: gr.Request) -> str:
    """Return how long the chosen metrics take together."""
    visit = SHELF.get(_key(request))
    return total_words(visit.estimates if visit else {}, metrics)


def score(
    request: gr.Request,
    metrics: Sequence[str],
    leave_out: bool,
    progress: gr.Progress = gr.Progress(),  # noqa: B008
    *columns: str | None,
) -> tuple[Any, ...]:
    """Score the files, and show the result or what is wrong."""
    visit = SHELF.get(_key(request)) or FileVisit()
    run, problem = _tried(lambda: visit.score(_columns(columns), metrics, leave_out, progress))
    if run is None:
        return _problem(problem), gr.Column(visible=False), *(gr.skip() for _ in range(8))
    SHELF.put(_key(request), visit)
    names = list(run.systems)
    letters = [(f"{letter}: {name}", name) for letter, name in zip("AB", names, strict=False)]
    order = gr.Dropdown([WORST, DIFFER], value=DIFFER if run.other else WORST, visible=run.other is not None)
    metric = visit.first_metric
    return (
        _done(run),
        gr.Column(visible=True),
        gr.Radio(letters, value=names[0], visible=run.other is not None),
        order,
        *_overview(visit, names[0], metric),
        *_cases(visit, names[0], metric, DIFFER if run.other else WORST, 0),
    )


def show_system(system: str, metric: str, order: str, request: gr.Request) -> tuple[Any, ...]:
    """Show the other system."""
    visit = _scored(request)
    return *_overview(visit, system, metric), *_cases(visit, system, metric, order, 0)


def first_cases(system: str, metric: str, order: str, request: gr.Request) -> tuple[Any, ...]:
    """Show the first cases in the chosen order."""
    return _cases(_scored(request), system, metric, order, 0)


def next_cases(system: str, metric: str, order: str, page: int, request: gr.Request) -> tuple[Any, ...]:
    """Show the next cases."""
    return _cases(_scored(request), system, metric, order, page + 1)


def earlier_cases(system: str, metric: str, order: str, page: int, request: gr.Request) -> tuple[Any, ...]:
    """Show the cases before."""
    return _cases(_scored(request), system, metric, order, page - 1)


def open_pair(system: str, metric: str, order: str, request: gr.Request, clicked: gr.EventData) -> tuple[Any, ...]:
    """Show the pair whose id was clicked."""
    visit = _scored(request)
    run = _run(visit)
    chosen, place = run.system(system), getattr(clicked, "place", None)
    if not isinstance(place, int) or not 0 <= place < len(chosen.pairs):
        raise page_error("no such pair")
    html = one_case(run, chosen, metric, place, visit.overview(run, chosen).options)
    # the next step leads to the first page of cases
    return html, -1, "One pair. Next shows the list of cases again."


def search(words: str, system: str, request: gr.Request) -> list[int] | None:
    """Return the places of the pairs that contain the words; None for all pairs."""
    return _scored(request).search(system, words or "")


def save_csv(system: str, request: gr.Request) -> dict[str, str]:
    """Return the scores as CSV."""
    return _saved(request, downloads.scores_csv)


def save_jsonl(system: str, request: gr.Request) -> dict[str, str]:
    """Return the scores with details as JSONL."""
    return _saved(request, downloads.details_jsonl)


def save_html(system: str, request: gr.Request) -> dict[str, str]:
    """Return the page of the shown system as one HTML file."""
    return _saved(request, lambda run: downloads.report_html(run, system))


def forget(request: gr.Request) -> tuple[Any, ...]:
    """Forget everything of this visitor."""
    SHELF.drop(_key(request))
    done = '<p class="fp-empty" role="status">Your files and results are deleted from this server.</p>'
    return done, gr.Column(visible=False), "", "", *_dropdowns(None), *_dropdowns(None)


def leave(request: gr.Request) -> None:
    """Forget a visitor who leaves the page."""
    SHELF.drop(_key(request))


def _take(side: int, path: str | None, request: gr.Request) -> tuple[Any, ...]:
    if path is None:  # the field was emptied
        return None, gr.skip(), *(gr.skip() for _ in range(3))
    table, problem = _tried(lambda: take_table(path))
    if table is None:
        return None, _problem(problem), *(gr.skip() for _ in range(3))
    visit = SHELF.get(_key(request)) or FileVisit()
    visit.tables[side] = table
    SHELF.put(_key(request), visit)
    return None, EMPTY, *_dropdowns(table)


def _dropdowns(table: Table | None) -> list[Any]:
    """Return the dropdowns of a file, with the likely columns chosen; hidden without a file."""
    if table is None:
        return [gr.Dropdown([], value=None, visible=False) for _ in range(3)]
    columns = list(table.columns)
    choices = (columns, columns, [ROW_NUMBERS, *columns])
    return [
        gr.Dropdown(own, value=guess, visible=True) for own, guess in zip(choices, guessed_columns(table), strict=True)
    ]


def _columns(fields: Sequence[str | None]) -> list[PairColumns]:
    return [chosen_columns(*fields[:3]), chosen_columns(*fields[3:6])]


def _overview(visit: FileVisit, system: str, metric: str) -> tuple[Any, ...]:
    run = _run(visit)
    shown = visit.overview(run, run.system(system))
    names = list(run.system(system).scores.results)
    return shown.sections, shown.index, gr.Dropdown(names, value=metric if metric in names else names[0])


def _cases(visit: FileVisit, system: str, metric: str, order: str, page: int) -> tuple[Any, ...]:
    run = _run(visit)
    chosen = run.system(system)
    options = visit.overview(run, chosen).options
    found = case_page(run, chosen, metric, order, page, options)
    return found.html, found.page, f"{found.words} · page {found.page + 1:,} of {found.pages:,}"


def _saved(request: gr.Request, make: Callable[[FileRun], downloads.Download]) -> dict[str, str]:
    run = _run(_scored(request))
    file, problem = _tried(lambda: make(run))
    if file is None:
        raise page_error(problem)
    return {"name": file.name, "kind": file.kind, "text": file.text}


def _done(run: FileRun) -> str:
    counts = {len(system.pairs) for system in run.systems.values()}
    notes = "".join(f"<p>{text(note)}</p>" for note in run.notes)
    what = f"{max(counts):,} pairs, {len(next(iter(run.systems.values())).scores.results)} metrics"
    return f'<div class="fp-done" role="status"><b>Scored: {what}.</b>{notes}</div>'


def _problem(words: str) -> str:
    return f'<div class="fp-problem" role="alert"><b>This did not work:</b> {text(words)}</div>'


def _tried(work: Callable[[], T]) -> tuple[T | None, str]:
    """Return the result of some work, or what is wrong in words. A message that may quote a report is not shown."""
    try:
        return work(), ""
    except RadevalError as error:
        return None, str(error)
    except Exception as error:  # log only the type
        log.error("file_page: failed with %s", type(error).__name__)
        return None, _FAILED


def _key(request: gr.Request) -> str:
    return str(request.session_hash)


def _visit(request: gr.Request) -> FileVisit:
    found = SHELF.get(_key(request))
    if found is None:
        raise page_error(_GONE)
    return found


def _scored(request: gr.Request) -> FileVisit:
    found = _visit(request)
    if found.run is None:
        raise page_error("nothing is scored yet: press Score")
    return found


def _run(visit: FileVisit) -> FileRun:
    if visit.run is None:
        raise InputError("nothing is scored yet")
    return visit.run
