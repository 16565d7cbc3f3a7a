"""What the page shows to a visitor: a ranking, a system, a comparison, or whatever a link names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import gradio as gr

from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.board import Board, read_board
from radeval_core.leaderboard.cases import worst_cases
from radeval_core.leaderboard.comparison import compare_entries
from radeval_core.leaderboard.facets import mean_is_headline
from radeval_core.leaderboard.hub_files import HubFiles
from radeval_core.leaderboard.store import Store
from radeval_core.ui.leaderboard.address import Address, read_address
from radeval_core.ui.leaderboard.case_view import cases_view
from radeval_core.ui.leaderboard.citation import citation_view
from radeval_core.ui.leaderboard.comparison_view import comparison_view
from radeval_core.ui.leaderboard.part import Part, parts_of, restricted
from radeval_core.ui.leaderboard.plot import distribution_plot
from radeval_core.ui.leaderboard.ranking_table import KINDS, ranking_table
from radeval_core.ui.leaderboard.seeding import Seeding
from radeval_core.ui.leaderboard.system_view import system_view
from radeval_core.ui.leaderboard.view import message, notes, part_note, problems_view
from radeval_core.ui.pair import guarded

_UNREAD = "the leaderboard could not be read"
#: views of systems and comparisons that are kept, of about 50 kB each
_DRAWN = 200
#: what `arrive`, `follow` and `reload` return, in this order
OUTPUTS = (
    *("tabs", "tab", "metric", "part", "system", "first", "second"),
    *("table", "plot", "notes", "citation", "about", "cases", "comparison"),
)


class Visits:
    """Renders the board of a store; the handlers of the page."""

    def __init__(self, store: Store, benchmark: Benchmark) -> None:
        self.store, self.benchmark = store, benchmark
        # with a Hub store other machines score: the page needs neither their time nor their models
        self.scores_here = not isinstance(store.files, HubFiles)
        self.seeding = Seeding(store, benchmark)
        # paired tests and sheets take half a second; they change only with the board
        self._drawn_system = lru_cache(maxsize=_DRAWN)(self._draw_system)
        self._drawn_comparison = lru_cache(maxsize=_DRAWN)(self._draw_comparison)

    def board(self) -> Board:
        """Read the board; an empty local store first gets the baselines."""
        if self.scores_here:
            self.seeding.wait()
        return read_board(self.store, self.benchmark)

    def leaderboard(self, metric: str) -> dict[str, Any]:
        """Return the ranked systems.

        Args:
            metric: the metric of the benchmark to rank by.

        Returns:
            Systems with rank, scores, intervals and signatures; baselines and oracles, which have no rank; other
            versions; failed submissions.
        """
        return guarded("leaderboard", lambda: self.board().as_dict(metric), _UNREAD)

    async def arrive(self, address: str) -> AsyncIterator[tuple[Any, ...]]:
        """Show what a link names; while the baselines of a new board are scored, show how far that is."""
        if self.scores_here:
            async for progress in self.seeding.progress():
                yield tuple(progress if name == "table" else gr.skip() for name in OUTPUTS)
        yield await asyncio.to_thread(self._show, read_address(address), "ranking")

    def follow(self, tab: str, category: str, by: str, event: gr.EventData) -> tuple[Any, ...]:
        """Show what a link on the page names; `tab` is the open one."""
        return self._show(read_address(getattr(event, "address", "")), tab, category, by)

    def reload(self, tab: str, metric: str, part: str, *systems: str | None) -> tuple[Any, ...]:
        """Show the same again after a change of the board; a system that is gone gives way to the first."""
        return self._show(Address(tab, metric, part, *(system or "" for system in systems)), tab)

    def rank(self, metric: str, part: str) -> tuple[str, str, str]:
        """Return the table, the plot and the notes."""
        return guarded("leaderboard", lambda: self._ranking(self.board(), metric, self._part(part)), _UNREAD)

    def system(self, system: str | None, category: str) -> tuple[str, str]:
        """Return a system and its worst cases."""
        if not system:
            return message("No system has been scored yet."), ""
        return guarded(
            "leaderboard",
            lambda: self._drawn_system(self._state(), system, category or ""),
            "this system could not be shown",
        )

    def compare(self, first: str | None, second: str | None, by: str) -> str:
        """Return the comparison of two systems, with the studies that differ most by a metric."""
        if not first or not second or first == second:
            return message("Choose two different systems." if first else "No system has been scored yet.")
        return guarded(
            "leaderboard",
            lambda: self._drawn_comparison(self._state(), first, second, by),
            "these systems could not be compared",
        )

    def result(self, submission: str, metric: str, part: str) -> tuple[Any, ...]:
        """Show a submission that was just scored: its result, and the board with it."""
        if not submission:
            return ("", *(gr.skip() for _ in range(6)))

        def show() -> tuple[Any, ...]:
            board = self.board()
            choices, chosen = self._systems(board, Address(system=submission))
            lists = [gr.Dropdown(choices, value=value) for value in chosen]
            return (system_view(board, board.find(submission)), *lists, *self._ranking(board, metric, self._part(part)))

        return guarded("leaderboard", show, _UNREAD)

    def _show(self, wanted: Address, current: str, category: str = "", by: str = "") -> tuple[Any, ...]:
        """Return everything on the page, in the order of `OUTPUTS`.

        A tab that a link opens draws itself when it is selected; only the one that is open already is drawn here.
        """

        def show() -> tuple[Any, ...]:
            board = self.board()
            metric = wanted.metric if wanted.metric in self.benchmark.metrics else self.benchmark.main_metric
            part = self._part(wanted.part)
            tab = wanted.tab or "ranking"
            choices, (system, first, second) = self._systems(board, wanted)
            lists = [gr.Dropdown(choices, value=value) for value in (system, first, second)]
            about = self.system(system, category) if tab == current == "systems" else (gr.skip(), gr.skip())
            compared = self.compare(first, second, by) if tab == current == "compare" else gr.skip()
            ranking = self._ranking(board, metric, part)
            chosen = (tab, metric, part.key if part else "", *lists)
            return (gr.Tabs(selected=tab), *chosen, *ranking, citation_view(board), *about, compared)

        return guarded("leaderboard", show, _UNREAD)

    def _ranking(self, whole: Board, metric: str, part: Part | None) -> tuple[str, str, str]:
        board = restricted(whole, part)
        ranked, apart = board.ranked(metric), board.unranked(metric)
        table = ranking_table(ranked, apart, list(self.benchmark.metrics), metric)
        if part:
            other = [name for name in self.benchmark.metrics if not mean_is_headline(name)]
            table = part_note(part, len(self.benchmark.studies), other) + table
        if self.seeding.problem:
            table = problems_view([f"the baselines could not be scored: {self.seeding.problem}"]) + table
        return table, distribution_plot([*ranked, *apart], metric), notes(board)

    def _systems(self, board: Board, wanted: Address) -> tuple[list[tuple[str, str]], tuple[str | None, ...]]:
        """Return all systems for lists, and the three that a link names: to show, and to compare; else the first."""
        rows = [*board.ranked(), *board.unranked()]
        choices = [
            (
                f"{row.outcome.system.name}{f' ({KINDS[row.kind]})' if row.kind in KINDS else ''}"
                f" · {row.outcome.submission[:6]}",
                row.outcome.submission,
            )
            for row in rows
        ]
        ids = [row.outcome.submission for row in rows]

        def found(start: str) -> str | None:
            return next((each for each in ids if start and each.startswith(start)), None)

        system = found(wanted.system) or (ids[0] if ids else None)
        first = found(wanted.a) or next((each for each in ids if each != found(wanted.b)), None)
        second = found(wanted.b) or next((each for each in ids if each != first), None)
        return choices, (system, first, second)

    def _state(self) -> tuple[str, ...]:
        """Return what the views of systems depend on: the version and the submissions on the board."""
        board = self.board()
        return (board.version, *(outcome.submission for outcome in board.current))

    def _draw_system(self, _: tuple[str, ...], system: str, category: str) -> tuple[str, str]:
        board = self.board()
        outcome = board.find(system)
        worst = worst_cases(outcome, self.benchmark, self._predictions(system), category)
        return system_view(board, outcome), cases_view(worst, self.benchmark)

    def _draw_comparison(self, _: tuple[str, ...], first: str, second: str, by: str) -> str:
        board = self.board()
        one, other = board.find(first), board.find(second)
        found = compare_entries(one, other, self.benchmark, by)
        sides = [(outcome, self._predictions(outcome.submission)) for outcome in (one, other)]
        return comparison_view(found, sides[0], sides[1], self.benchmark)

    def _part(self, key: str) -> Part | None:
        return parts_of(self.benchmark).get(key or "")

    def _predictions(self, submission: str) -> dict[str, str]:
        found: dict[str, str] = self.store.request(self.benchmark.name, submission)["predictions"]
        return found
