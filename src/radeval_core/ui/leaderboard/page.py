"""Builds the leaderboard page: ranking, systems, submission, method.

With a local store the page scores submissions; with a Hub store it only queues them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import gradio as gr

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import DEFAULT, Benchmark, load_benchmark
from radeval_core.leaderboard.board import Board, read_board
from radeval_core.leaderboard.cases import worst_cases
from radeval_core.leaderboard.hub_files import HubFiles
from radeval_core.leaderboard.owners import new_secret, with_account, with_secret
from radeval_core.leaderboard.queue import score_waiting, utc_now
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.leaderboard.submission import Submission, SubmissionError, check_submission
from radeval_core.ui.demo import page_options
from radeval_core.ui.html_block import html_block
from radeval_core.ui.leaderboard.plot import distribution_plot
from radeval_core.ui.leaderboard.texts import instructions, method
from radeval_core.ui.leaderboard.view import (
    cases_view,
    fine_view,
    notes,
    problems_view,
    ranking_table,
    system_view,
)
from radeval_core.ui.leaderboard.withdraw import Withdrawal
from radeval_core.ui.navigation import navigation
from radeval_core.ui.page import DELETE_UPLOADS
from radeval_core.ui.page_head import describe_page
from radeval_core.ui.pair import guarded
from radeval_core.ui.upload_field import only_uploads
from radeval_core.ui.uploads import remove_upload

READING = (
    "Scores with 95 % intervals; ↑ higher is better, ↓ lower is better. Systems with the **same rank do not differ "
    "significantly** in a paired test. Sort with ⋮ in a column heading; filter with the search field."
)
_DESCRIPTION = (
    "Systems that write radiology reports, ranked only where a paired test tells them apart, with signatures, "
    "intervals and their worst cases."
)
_NOT_SCORED = "this submission could not be scored"
_NO_CATEGORY = "all errors (worst score first)"


def build_leaderboard(store: Store | None = None, benchmark: Benchmark | None = None) -> gr.Blocks:
    """Build the page, with the endpoints `/leaderboard`, `/check`, `/submit` and `/withdraw`.

    By default the store is the Hub organisation in RADEVAL_LEADERBOARD_HUB, or the default folder if that is not set.
    The first visit to an empty folder adds the benchmark's baselines.
    """
    page = _Page(
        store or open_store(hub=os.environ.get("RADEVAL_LEADERBOARD_HUB")),
        benchmark or load_benchmark(os.environ.get("RADEVAL_BENCHMARK", DEFAULT)),
    )
    return page.build()


def leaderboard_options() -> dict[str, Any]:
    """Return the options to serve the page with: the shared ones plus the leaderboard's style."""
    style = resources.files(__package__).joinpath("style.css").read_text("utf-8")
    shared = page_options()
    return {**shared, "css": shared["css"] + style}


class _Page:
    """The event handlers of the page."""

    def __init__(self, store: Store, benchmark: Benchmark) -> None:
        self.store, self.benchmark = store, benchmark
        self.withdrawal = Withdrawal(store, benchmark)
        # with a Hub store other machines score: the page needs neither their time nor their models
        self.scores_here = not isinstance(store.files, HubFiles)

    def build(self) -> gr.Blocks:
        metrics = list(self.benchmark.metrics)
        describe_page(
            "leaderboard", "radeval: leaderboard", "Leaderboard of radiology report generators · radeval", _DESCRIPTION
        )
        with gr.Blocks(title="radeval: leaderboard", analytics_enabled=False, delete_cache=DELETE_UPLOADS) as demo:
            html_block(navigation("leaderboard"))
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
                    kinds = [(_NO_CATEGORY, ""), *((in_words(key), key) for key in CATEGORIES)]
                    category = gr.Dropdown(kinds, value="", label="Worst cases by", elem_id="category")
                    cases = gr.HTML(elem_id="cases")
                with gr.Tab("Submit", id="submit"):
                    gr.HTML(instructions(self.benchmark))
                    file = only_uploads(
                        gr.File(
                            label="Your submission: .jsonl or .json",
                            file_types=[".jsonl", ".json"],
                            height=140,
                            elem_id="submission",
                        )
                    )
                    secret = gr.Textbox(
                        label="Secret of the system's name; leave it empty for a new name",
                        type="password",
                        max_lines=1,
                        elem_id="secret",
                    )
                    verdict = gr.HTML(elem_id="verdict")
                    button = gr.Button("Submit", variant="primary", interactive=False, elem_id="submit-button")
                    unwanted, owner_secret, take_off, answer = self.withdrawal.add_fields()
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
                [file, metric, system, secret],
                [file, verdict, button, *ranking],
                api_visibility="private",
                concurrency_limit=1,
                concurrency_id="scoring",
                show_progress_on=[verdict],
            )
            take_off.click(self.withdrawal.show, [unwanted, owner_secret], [answer], api_visibility="private").then(
                self.refresh, [metric, system], ranking, api_visibility="private"
            )
            self._endpoints(file, metric, secret, unwanted)
        return demo

    def _endpoints(self, file: gr.File, metric: gr.Dropdown, secret: gr.Textbox, unwanted: gr.Textbox) -> None:
        """Add the endpoints, which return plain values to programs, on hidden buttons."""
        answer = gr.JSON(visible=False)
        gr.Button(visible=False).click(self.leaderboard, [metric], [answer], api_name="leaderboard")
        gr.Button(visible=False).click(self.check, [file], [answer], api_name="check")
        gr.Button(visible=False).click(
            self.submit, [file, secret], [answer], api_name="submit", concurrency_limit=1, concurrency_id="scoring"
        )
        gr.Button(visible=False).click(self.withdrawal.withdraw, [unwanted, secret], [answer], api_name="withdraw")

    # endpoints for programs

    def leaderboard(self, metric: str) -> dict[str, Any]:
        """Return the ranked systems.

        Args:
            metric: the metric of the benchmark to rank by.

        Returns:
            Systems with rank, scores, intervals and signatures; unranked versions; failed submissions.
        """
        return guarded("leaderboard", lambda: self._board().as_dict(metric), "the leaderboard could not be read")

    def check(self, file: str) -> dict[str, Any]:
        """Check a submission without keeping it.

        Args:
            file: JSONL or JSON.

        Returns:
            `ok`, and either the id the submission would get or all problems.
        """
        try:
            return {"ok": True, "submission": self._take(file).id, "problems": []}
        except SubmissionError as error:
            return {"ok": False, "submission": None, "problems": error.problems}

    def submit(self, file: str, secret: str = "", request: gr.Request | None = None) -> dict[str, Any]:
        """Submit a system. It is scored at once if this page scores, else queued.

        Args:
            file: JSONL or JSON.
            secret: the secret of the system's name; empty for a new name.
            request: set by Gradio.

        Returns:
            `ok`, the submission's id, whether it is scored, all problems, and the secret of a new name.
        """
        try:
            submission = self._take(file)
        except SubmissionError as error:
            return {"ok": False, "submission": None, "scored": False, "problems": error.problems, "secret": ""}
        entry = guarded("leaderboard", lambda: self._enter(submission, secret, request), _NOT_SCORED)
        return {
            "ok": not entry.reason,
            "submission": submission.id,
            "scored": entry.scored,
            "problems": [entry.reason] if entry.reason else [],
            "secret": entry.secret,
        }

    # handlers of the page

    def refresh(self, metric: str, system: str | None) -> tuple[Any, ...]:
        """Update the table, plot, notes and list of systems."""
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
        """Show a system and its worst cases."""
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
        """Check an upload and show the result; delete it if it cannot be submitted."""
        try:
            submission = self._take(file, keep=True)
        except SubmissionError as error:
            remove_upload(Path(file))
            return None, problems_view(error.problems), gr.Button(interactive=False)
        facts = {"System": submission.system.name, "Link": submission.system.link,
                 "Training data": submission.system.training_data}  # fmt: skip
        headline = f"The file is valid: {len(submission.predictions)} predictions. Press Submit to enter it."
        return gr.skip(), fine_view(headline, facts), gr.Button(interactive=True)

    def show_submit(
        self,
        file: str | None,
        metric: str,
        system: str | None,
        secret: str = "",
        progress: gr.Progress = gr.Progress(),  # noqa: B008
        request: gr.Request | None = None,
    ) -> tuple[Any, ...]:
        """Enter the submission and show it in the ranking."""
        progress(0.0, desc="checking")
        try:
            submission = self._take(file)
        except SubmissionError as error:
            return None, problems_view(error.problems), gr.Button(interactive=False), *([gr.skip()] * 4)
        progress(0.2, desc="scoring" if self.scores_here else "queueing")
        entry = guarded("leaderboard", lambda: self._enter(submission, secret, request), _NOT_SCORED)
        done = "scored; see the tabs Ranking and Systems" if entry.scored else "in the queue"
        facts = {"Submission": submission.id, "System": submission.system.name}
        if entry.secret:
            facts["Secret of this name"] = f"{entry.secret} (keep it: you need it to submit under this name again)"
        verdict = problems_view([entry.reason]) if entry.reason else fine_view(f"Submitted and {done}.", facts)
        return None, verdict, gr.Button(interactive=False), *self.refresh(metric, submission.id)

    # shared by both

    def _board(self) -> Board:
        return read_board(self.store, self.benchmark, seed_if_empty=self.scores_here)

    def _take(self, file: str | None, keep: bool = False) -> Submission:
        """Read and check an upload up to the size limit, and delete it unless `keep` is set."""
        if not file:
            raise SubmissionError(["no file: choose a .jsonl or .json file"])
        path = Path(file)
        try:
            if path.stat().st_size > self.benchmark.limits.file_bytes:
                raise SubmissionError(
                    [f"the file is larger than the limit of {self.benchmark.limits.file_bytes:,} bytes"]
                )
            data = path.read_bytes()
        except OSError:
            raise SubmissionError(["the upload no longer exists: choose the file again"]) from None
        finally:
            if not keep:
                remove_upload(path)
        return check_submission(data, self.benchmark)

    def _enter(self, submission: Submission, secret: str, request: gr.Request | None) -> _Entry:
        """Store a submission and score it if this page scores."""
        account = getattr(request, "username", None)
        made = "" if account or secret else new_secret()
        try:
            submitter = with_account(account) if account else with_secret((secret or "").strip() or made)
            first = self.store.owner(self.benchmark.name, submission.system.name) is None
            new = self.store.submit(submission, self.benchmark, utc_now().isoformat(timespec="seconds"), submitter)
        except InputError as error:
            return _Entry(False, str(error), "")
        shown = made if new and first else ""
        if not self.scores_here:
            return _Entry(False, "", shown)
        score_waiting(self.store, self.benchmark, only=submission.id)
        board = self._board()
        failed = [o.reason for o in board.failed if o.submission == submission.id]
        # if another scorer is working on it, it is neither scored nor failed: it is in the queue
        scored = any(o.submission == submission.id for o in board.current)
        return _Entry(scored, failed[0] if failed else "", shown)


@dataclass(frozen=True)
class _Entry:
    """What became of a submission.

    Attributes:
        scored: True if it has scores.
        reason: why it was refused or could not be scored.
        secret: the secret of a new name, shown once.
    """

    scored: bool
    reason: str
    secret: str
