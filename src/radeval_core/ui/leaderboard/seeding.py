"""Fill an empty store with the baselines of its benchmark, once for all visitors, and show how far that is."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator

from radeval_core.errors import RadevalError
from radeval_core.html_text import text
from radeval_core.leaderboard.baselines import seed
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.score_submission import current_version
from radeval_core.leaderboard.store import Store
from radeval_core.leaderboard.submission import read_submission

#: seconds between two looks at the progress
_LOOK = 0.25
_LOG = logging.getLogger(__name__)


class Seeding:
    """Scores the baselines of a store that has nothing else, in one thread."""

    def __init__(self, store: Store, benchmark: Benchmark) -> None:
        self.store, self.benchmark = store, benchmark
        self.done, self.total, self.problem = 0, len(benchmark.baselines) * len(benchmark.studies), ""
        self._thread: threading.Thread | None = None
        self._checked = False
        self._lock = threading.Lock()

    def start(self) -> bool:
        """Start if the store has no result yet; return True while the baselines are being scored."""
        with self._lock:
            if not self._checked and self._needed():
                self._thread = threading.Thread(target=self._run, daemon=True, name="baselines")
                self._thread.start()
            self._checked = True
        return self._thread is not None and self._thread.is_alive()

    def wait(self) -> None:
        """Wait until the baselines are scored, if they must be."""
        self.start()
        if self._thread is not None:
            self._thread.join()

    async def progress(self) -> AsyncIterator[str]:
        """Yield how far it is, as HTML, until it has ended; nothing if there is nothing to do."""
        while await asyncio.to_thread(self.start):
            yield self.view()
            await asyncio.sleep(_LOOK)

    def view(self) -> str:
        """Return how far it is as HTML."""
        studies = len(self.benchmark.studies)
        baselines = self.total // studies
        now = min(self.done // studies + 1, baselines)
        return (
            '<div class="lb-progress" role="status"><p><b>This board is new.</b> Scoring the baselines of '
            f"{text(self.benchmark.title)}: {now} of {baselines}, report {self.done} of {self.total}. "
            "Later visits are quick.</p>"
            f'<progress max="{self.total}" value="{self.done}" aria-label="reports scored"></progress></div>'
        )

    def _needed(self) -> bool:
        """Return True if the store has no submissions but baselines, and not all of them have a result."""
        entered = set(self.store.submissions(self.benchmark.name))
        baselines = {read_submission(path, self.benchmark).id for path in self.benchmark.baselines}
        if entered - baselines:
            return False
        return bool(baselines - set(self.store.finished(self.benchmark.name, current_version(self.benchmark))))

    def _run(self) -> None:
        try:
            seed(self.store, self.benchmark, on_progress=self._note)
        except Exception as error:
            known = isinstance(error, RadevalError)
            self.problem = str(error) if known else type(error).__name__
            _LOG.error("the baselines could not be scored: %s", self.problem)

    def _note(self, done: int, total: int) -> None:
        self.done, self.total = done, total
