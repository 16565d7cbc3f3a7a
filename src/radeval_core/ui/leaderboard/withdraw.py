"""The part of the leaderboard page where an owner takes a submission off the board."""

from __future__ import annotations

from typing import Any

import gradio as gr

from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.owners import with_account, with_secret
from radeval_core.leaderboard.queue import utc_now
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.withdrawal import find_submission, withdraw
from radeval_core.ui.leaderboard.view import fine_view, problems_view
from radeval_core.ui.pair import guarded

_ABOUT = (
    "Only its owner can withdraw a submission. It is no longer shown, ranked or scored; the name stays with its owner, "
    "and the log of the leaderboard records the withdrawal. The table under Ranking shows the id of each submission."
)
_FAILED = "this submission could not be withdrawn"


class Withdrawal:
    """Withdraws submissions of a store, for the page and for programs."""

    def __init__(self, store: Store, benchmark: Benchmark) -> None:
        self.store, self.benchmark = store, benchmark

    def add_fields(self) -> tuple[gr.Textbox, gr.Textbox, gr.Button, gr.HTML]:
        """Add the fields of the form; return submission, secret, button and answer."""
        with gr.Accordion("Withdraw a submission", open=False, elem_id="withdraw"):
            gr.Markdown(_ABOUT)
            submission = gr.Textbox(label="Id of the submission, or the start of it", max_lines=1, elem_id="unwanted")
            secret = gr.Textbox(
                label="Secret of the system's name", type="password", max_lines=1, elem_id="withdraw-secret"
            )
            button = gr.Button("Withdraw", variant="stop", elem_id="withdraw-button")
            answer = gr.HTML(elem_id="withdraw-answer")
        return submission, secret, button, answer

    def withdraw(self, submission: str, secret: str, request: gr.Request | None = None) -> dict[str, Any]:
        """Take a submission off the board.

        Args:
            submission: its id, the start of it, or the exact name of its system.
            secret: the secret of the system's name.
            request: set by Gradio.

        Returns:
            `ok`, the submission's id, whether it was on the board, and what was wrong.
        """
        return guarded("leaderboard", lambda: self._withdraw(submission, secret, request), _FAILED)

    def show(self, submission: str, secret: str, request: gr.Request | None = None) -> str:
        """Take a submission off the board and render the answer."""
        found = self.withdraw(submission, secret, request)
        if not found["ok"]:
            return problems_view(found["problems"])
        return fine_view("Withdrawn." if found["new"] else "Already withdrawn.", {"Submission": found["submission"]})

    def _withdraw(self, submission: str, secret: str, request: gr.Request | None) -> dict[str, Any]:
        account = getattr(request, "username", None)
        try:
            owner = with_account(account) if account else with_secret((secret or "").strip())
            found = find_submission(self.store, self.benchmark.name, (submission or "").strip())
            date = utc_now().isoformat(timespec="seconds")
            new = withdraw(self.store, self.benchmark.name, found, date, owner)
        except InputError as error:
            return {"ok": False, "submission": None, "new": False, "problems": [str(error)]}
        return {"ok": True, "submission": found, "new": new, "problems": []}
