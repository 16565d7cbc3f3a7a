"""The leaderboard's page: ranking, systems, submission, method. With a local store it scores; on a Hub it queues."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Any

import gradio as gr

from radeval_core.leaderboard.benchmark import DEFAULT, Benchmark, load_benchmark
from radeval_core.leaderboard.board import Board, read_board
from radeval_core.leaderboard.cases import worst_cases
from radeval_core.leaderboard.hub_files import HubFiles
from radeval_core.leaderboard.queue import score_waiting, utc_now
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.leaderboard.submission import Submission, SubmissionError, check_submission
from radeval_core.ui.batch import remove_upload
from radeval_core.ui.demo import page_options
from radeval_core.ui.leaderboard_plot import distribution_plot
from radeval_core.ui.leaderboard_texts import instructions, method
from radeval_core.ui.leaderboard_view import (
    CATEGORIES,
    cases_view,
    fine_view,
    notes,
    problems_view,
    ranking_table,
    system_view,
)
from radeval_core.ui.page import DELETE_UPLOADS
from radeval_core.ui.pair import guarded

READING = (
    "Scores with their 95 % interval; ↑ higher is better, ↓ lower is better. "
    "Systems with the **same rank cannot be told apart** by a paired test. Sort and filter with ⋮ in a column."
)
_NOT_SCORED = "this submission could not be scored"
_NO_CATEGORY = "all errors (worst score first)"


def build_leaderboard(store: Store | None = None, benchmark: Benchmark | None = None) -> gr.Blocks:
    """The page, with the endpoints `/leaderboard`, `/check` and `/submit`.

    Without a store: the Hub repos of RADEVAL_LEADERBOARD_HUB if that is set, else the default folder. The first visit
    to an empty folder fills it with the benchmark's baselines.
    """
    page = _Page(
        store or open_store(hub=os.environ.get("RADEVAL_LEADERBOARD_HUB")),
        benchmark or load_benchmark(os.environ.get("RADEVAL_BENCHMARK", DEFAULT)),
    )
    return page.build()


def leaderboard_options() -> dict[str, Any]:
    """How the page is served: as every page of the collection, with a style of its own after the shared one."""
    style = resources.files(__package__).joinpath("leaderboard.css").read_text("utf-8")
    shared = page_options()
    return {**shared, "css": shared["css"] + style}


class _Page:
    """The handlers of the page and what they share."""

    def __init__(self, store: Store, benchmark: Benchmark) -> None:
        self.store, self.benchmark = store, benchmark
        # on a Hub others score: a page there must not need their time or their models
        self.scores_here = not isinstance(store.files, HubFiles)

    def build(self) -> gr.Blocks:
        metrics = list(self.benchmark.metrics)
        with gr.Blocks(title="radeval: leaderboard", analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
            gr.Markdown(f"# Leaderboard: {self.benchmark.title}\n{self.benchmark.summary}")
            with gr.Tabs():
                with gr.Tab("Ranking", id="ranking"):
                    metric = gr.Dropdown(metrics, value=metrics[0], label="Rank by", elem_id="metric")
                    gr.Markdown(READING)
                    table = gr.Dataframe(
                        headers=ranking_table([], metrics)["headers"],
                        datatype=["number", "str", *["number"] * len(metrics), "str", "str"],
                        column_widths=["58px", "145px", *["140px"] * len(metrics), "125px", "105px"],
                        interactive=False,
                        show_search="filter",
                        pinned_columns=2,
                        wrap=True,
                        label="Systems",
                        elem_id="ranking-table",
                    )
                    plot = gr.HTML(elem_id="plot")
                    others = gr.HTML(elem_id="notes")
                with gr.Tab("Systems", id="systems"):
                    system = gr.Dropdown([], label="System", elem_id="system")
                    about = gr.HTML(elem_id="about-system")
                    kinds = [(_NO_CATEGORY, ""), *((words, key) for key, words in CATEGORIES.items())]
                    category = gr.Dropdown(kinds, value="", label="Worst cases by", elem_id="category")
                    cases = gr.HTML(elem_id="cases")
                with gr.Tab("Submit", id="submit"):
                    gr.HTML(instructions(self.benchmark))
                    file = gr.File(label="Your submission: .jsonl or .json", file_types=[".jsonl", ".json"], height=140,
                                   elem_id="submission")  # fmt: skip
                    verdict = gr.HTML(elem_id="verdict")
                    button = gr.Button("Submit", variant="primary", interactive=False, elem_id="submit-button")
                with gr.Tab("Method", id="method"):
                    gr.Markdown(method(self.benchmark, self.scores_here))
            ranking = [table, plot, others, system]
            demo.load(self.refresh, [metric, system], ranking, api_visibility="private", show_progress_on=[table])
            metric.change(self.refresh, [metric, system], ranking, api_visibility="private")
            system.change(self.show_system, [system, category], [about, cases], api_visibility="private")
            category.change(self.show_system, [system, category], [about, cases], api_visibility="private")
            file.upload(self.show_check, [file], [file, verdict, button], api_visibility="private")
            file.clear(lambda: ("", gr.Button(interactive=False)), None, [verdict, button], api_visibility="private")
            button.click(
                self.show_submit,
                [file, metric, system],
                [file, verdict, button, *ranking],
                api_visibility="private",
                concurrency_limit=1,
                concurrency_id="scoring",
                show_progress_on=[verdict],
            )
            self._endpoints(file, metric)
        return demo

    def _endpoints(self, file: gr.File, metric: gr.Dropdown) -> None:
        """Plain values for programs: hidden buttons carry the endpoints."""
        answer = gr.JSON(visible=False)
        gr.Button(visible=False).click(self.leaderboard, [metric], [answer], api_name="leaderboard")
        gr.Button(visible=False).click(self.check, [file], [answer], api_name="check")
        gr.Button(visible=False).click(
            self.submit, [file], [answer], api_name="submit", concurrency_limit=1, concurrency_id="scoring"
        )

    # what programs call

    def leaderboard(self, metric: str) -> dict[str, Any]:
        """The ranked systems.

        Args:
            metric: a metric of the benchmark to rank by.

        Returns:
            Systems with rank, scores, intervals and signatures; versions that are not ranked; failures.
        """
        return guarded("leaderboard", lambda: self._board().as_dict(metric), "the leaderboard could not be read")

    def check(self, file: str) -> dict[str, Any]:
        """Check a submission and keep nothing.

        Args:
            file: JSONL or JSON.

        Returns:
            `ok`, and either the id it would get or all problems.
        """
        try:
            return {"ok": True, "submission": self._take(file).id, "problems": []}
        except SubmissionError as error:
            return {"ok": False, "submission": None, "problems": error.problems}

    def submit(self, file: str) -> dict[str, Any]:
        """Submit a system; it is scored at once where the page scores, and queued elsewhere.

        Args:
            file: JSONL or JSON.

        Returns:
            `ok`, the submission's id, whether it is scored, and all problems.
        """
        try:
            submission = self._take(file)
        except SubmissionError as error:
            return {"ok": False, "submission": None, "scored": False, "problems": error.problems}
        scored, reason = guarded("leaderboard", lambda: self._enter(submission), _NOT_SCORED)
        return {
            "ok": not reason,
            "submission": submission.id,
            "scored": scored,
            "problems": [reason] if reason else [],
        }

    # what the page calls

    def refresh(self, metric: str, system: str | None) -> tuple[Any, ...]:
        """Table, plot, notes and the list of systems."""
        board = guarded("leaderboard", self._board, "the leaderboard could not be read")
        rows = guarded("leaderboard", lambda: board.ranked(metric), "the leaderboard could not be ranked")
        choices = [
            (f"{row.outcome.system.name} · {row.outcome.submission[:6]}", row.outcome.submission) for row in rows
        ]
        known = [value for _, value in choices]
        chosen = system if system in known else (known[0] if known else None)
        table = ranking_table(rows, list(self.benchmark.metrics))
        return table, distribution_plot(rows, metric), notes(board), gr.Dropdown(choices, value=chosen)

    def show_system(self, system: str | None, category: str) -> tuple[str, str]:
        """A system and its worst cases."""
        if not system:
            return "", ""

        def show() -> tuple[str, str]:
            board = self._board()
            outcome = board.find(system)
            row = next(r for r in board.ranked() if r.outcome.submission == outcome.submission)
            predictions = self.store.request(self.benchmark.name, outcome.submission)["predictions"]
            worst = worst_cases(outcome, self.benchmark, predictions, category)
            return system_view(outcome, row), cases_view(worst)

        return guarded("leaderboard", show, "this system could not be shown")

    def show_check(self, file: str) -> tuple[Any, ...]:
        """The checker's verdict; the upload stays only if it can be submitted."""
        try:
            submission = self._take(file, keep=True)
        except SubmissionError as error:
            remove_upload(Path(file))
            return None, problems_view(error.problems), gr.Button(interactive=False)
        facts = {"System": submission.system.name, "Link": submission.system.link,
                 "Training data": submission.system.training_data}  # fmt: skip
        headline = f"The file is fine: {len(submission.predictions)} predictions. Press Submit to enter it."
        return gr.skip(), fine_view(headline, facts), gr.Button(interactive=True)

    def show_submit(
        self,
        file: str | None,
        metric: str,
        system: str | None,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> tuple[Any, ...]:
        """Enter the submission and show it in the ranking."""
        progress(0.0, desc="checking")
        try:
            submission = self._take(file)
        except SubmissionError as error:
            return None, problems_view(error.problems), gr.Button(interactive=False), *([gr.skip()] * 4)
        progress(0.2, desc="scoring" if self.scores_here else "queueing")
        scored, reason = guarded("leaderboard", lambda: self._enter(submission), _NOT_SCORED)
        done = "scored; see the tabs Ranking and Systems" if scored else "in the queue"
        facts = {"Submission": submission.id, "System": submission.system.name}
        verdict = problems_view([reason]) if reason else fine_view(f"Submitted and {done}.", facts)
        return None, verdict, gr.Button(interactive=False), *self.refresh(metric, submission.id)

    # behind both

    def _board(self) -> Board:
        return read_board(self.store, self.benchmark, seed_if_empty=self.scores_here)

    def _take(self, file: str | None, keep: bool = False) -> Submission:
        """A checked submission; no more than the limit is read, and the upload is deleted after."""
        if not file:
            raise SubmissionError(["no file: choose a .jsonl or .json file"])
        path = Path(file)
        try:
            if path.stat().st_size > self.benchmark.limits.file_bytes:
                raise SubmissionError(
                    [f"the file is larger than {self.benchmark.limits.file_bytes:,} bytes, the limit"]
                )
            data = path.read_bytes()
        except OSError:
            raise SubmissionError(["the upload is gone: choose the file again"]) from None
        finally:
            if not keep:
                remove_upload(path)
        return check_submission(data, self.benchmark)

    def _enter(self, submission: Submission) -> tuple[bool, str]:
        """Keep a submission and, where this page scores, score it: whether it has scores, or why it failed."""
        self.store.submit(submission, self.benchmark, utc_now().isoformat(timespec="seconds"))
        if not self.scores_here:
            return False, ""
        score_waiting(self.store, self.benchmark, only=submission.id)
        board = self._board()
        failed = [o.reason for o in board.failed if o.submission == submission.id]
        # neither, if another scorer holds it at this moment: then it is in the queue
        return any(o.submission == submission.id for o in board.current), failed[0] if failed else ""
