"""The part of the leaderboard page where a system is submitted: check the file, enter it, show what became of it.

With a local store the page scores submissions; with a Hub store it only queues them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from radeval_core.errors import InputError
from radeval_core.leaderboard.owners import new_secret, with_account, with_secret
from radeval_core.leaderboard.queue import score_waiting, utc_now
from radeval_core.leaderboard.submission import Submission, SubmissionError, check_submission
from radeval_core.ui.leaderboard.texts import instructions
from radeval_core.ui.leaderboard.view import fine_view, problems_view
from radeval_core.ui.leaderboard.visits import Visits
from radeval_core.ui.pair import guarded
from radeval_core.ui.upload_field import only_uploads
from radeval_core.ui.uploads import remove_upload

_NOT_SCORED = "this submission could not be scored"


@dataclass(frozen=True)
class Entry:
    """What became of a submission.

    Attributes:
        scored: True if it has scores.
        reason: why it was refused or could not be scored.
        secret: the secret of a new name, shown once.
    """

    scored: bool
    reason: str
    secret: str


class Submitting:
    """Takes submissions to a board, for the page and for programs."""

    def __init__(self, visits: Visits) -> None:
        self.store, self.benchmark, self.scores_here = visits.store, visits.benchmark, visits.scores_here
        self.board = visits.board

    def add_fields(self) -> tuple[gr.File, gr.Textbox, gr.HTML, gr.Button]:
        """Add the fields of the form; return file, secret, verdict and button."""
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
        return file, secret, verdict, button

    # endpoints for programs

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
        secret: str = "",
        progress: gr.Progress = gr.Progress(),  # noqa: B008
        request: gr.Request | None = None,
    ) -> tuple[Any, ...]:
        """Enter the submission; return the emptied file field, the verdict, the button, and the id if it is scored."""
        progress(0.0, desc="checking")
        try:
            submission = self._take(file)
        except SubmissionError as error:
            return None, problems_view(error.problems), gr.Button(interactive=False), ""
        progress(0.2, desc="scoring" if self.scores_here else "queueing")
        entry = guarded("leaderboard", lambda: self._enter(submission, secret, request), _NOT_SCORED)
        done = "scored" if entry.scored else "in the queue"
        facts = {"Submission": submission.id, "System": submission.system.name}
        if entry.secret:
            facts["Secret of this name"] = f"{entry.secret} (keep it: you need it to submit under this name again)"
        verdict = problems_view([entry.reason]) if entry.reason else fine_view(f"Submitted and {done}.", facts)
        return None, verdict, gr.Button(interactive=False), submission.id if entry.scored else ""

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

    def _enter(self, submission: Submission, secret: str, request: gr.Request | None) -> Entry:
        """Store a submission and score it if this page scores."""
        account = getattr(request, "username", None)
        made = "" if account or secret else new_secret()
        try:
            submitter = with_account(account) if account else with_secret((secret or "").strip() or made)
            first = self.store.owner(self.benchmark.name, submission.system.name) is None
            new = self.store.submit(submission, self.benchmark, utc_now().isoformat(timespec="seconds"), submitter)
        except InputError as error:
            return Entry(False, str(error), "")
        shown = made if new and first else ""
        if not self.scores_here:
            return Entry(False, "", shown)
        score_waiting(self.store, self.benchmark, only=submission.id)
        board = self.board()
        failed = [o.reason for o in board.failed if o.submission == submission.id]
        # if another scorer is working on it, it is neither scored nor failed: it is in the queue
        scored = any(o.submission == submission.id for o in board.current)
        return Entry(scored, failed[0] if failed else "", shown)
