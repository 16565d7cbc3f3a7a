"""Store submissions and results in a local folder or in dataset repos on the Hub. Both have the same layout.

    requests/<benchmark>/<submission>.json            the submission
    claims/<benchmark>/<version>/<submission>.json    the scorer working on it
    results/<benchmark>/<version>/<submission>.json   its result

File names consist of hashes and the benchmark's name, never of text from a submitter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from radeval_core.errors import InputError, RadevalError, unknown_name
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.submission import Submission
from radeval_core.leaderboard.submission_result import SubmissionResult, from_json

_SAFE = re.compile(r"[a-z0-9][a-z0-9-]*")


class Lease(Protocol):
    """The right to score one submission, held by one scorer at a time."""

    #: number of times scoring was started, including this time
    attempt: int

    def renew(self) -> None:
        """Show that the holder is still working."""

    def still_held(self) -> bool:
        """Return True if no one else has taken it over."""


class Files(Protocol):
    """The interface of a storage backend. Paths follow the layout above."""

    def names(self, folder: str) -> list[str]:
        """Return the sorted paths of the files in a folder; an empty list if it does not exist."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or None if it does not exist."""

    def read_all(self, folder: str) -> dict[str, bytes]:
        """Return the content of all files in a folder, by path."""

    def create(self, path: str, data: bytes, replace: bool = False) -> bool:
        """Write a file atomically. Return False and write nothing if it exists and `replace` is False."""

    def claim(self, path: str) -> AbstractContextManager[Lease | None]:
        """Hold a claim, or get None if someone else holds it."""


@dataclass(frozen=True)
class Store:
    """The submissions and results of all benchmarks."""

    files: Files

    def submit(self, submission: Submission, benchmark: Benchmark, date: str) -> bool:
        """Save a submission. Return False if the same one is already in the store."""
        known = self.submissions(benchmark.name)
        if submission.id in known:
            return False
        if len(known) >= benchmark.limits.submissions:
            raise InputError(f"{benchmark.name} accepts no more submissions: it has reached its limit of {len(known)}")
        record = {**submission.as_dict(), "date": date}
        data = json.dumps(record, ensure_ascii=False, indent=1).encode()
        return self.files.create(_path("requests", benchmark.name, submission.id), data)

    def submissions(self, benchmark: str) -> list[str]:
        """Return the ids of all submissions."""
        return [_stem(name) for name in self.files.names(f"requests/{benchmark}")]

    def request(self, benchmark: str, submission: str) -> Mapping[str, Any]:
        """Return a submission as saved."""
        data = self.files.read(_path("requests", benchmark, submission))
        if data is None:
            raise unknown_name("submission", submission, self.submissions(benchmark))
        try:
            record = json.loads(data)
        except ValueError as error:
            raise RadevalError(f"submission {submission} in the store cannot be read: {error}") from error
        if not isinstance(record, dict):
            raise RadevalError(f"submission {submission} in the store is not a JSON object")
        return record

    def outcome(self, benchmark: str, version: str, submission: str) -> SubmissionResult | None:
        """Return the result of a submission for one version of the metrics, or None."""
        data = self.files.read(_path("results", benchmark, version, submission))
        return None if data is None else from_json(data)

    def finished(self, benchmark: str, version: str) -> list[str]:
        """Return the ids of the submissions that have a result for one version."""
        return [_stem(name) for name in self.files.names(f"results/{benchmark}/{version}")]

    def outcomes(self, benchmark: str) -> list[SubmissionResult]:
        """Return all results of every version."""
        return [from_json(data) for data in self.files.read_all(f"results/{benchmark}").values()]

    def keep(self, outcome: SubmissionResult, replace: bool = False) -> bool:
        """Save a result. Return False if there is one already and `replace` is False."""
        path = _path("results", outcome.benchmark, outcome.version, outcome.submission)
        return self.files.create(path, outcome.to_json(), replace)

    def claim(self, benchmark: str, version: str, submission: str) -> AbstractContextManager[Lease | None]:
        """Claim the right to score a submission."""
        return self.files.claim(_path("claims", benchmark, version, submission))


def open_store(folder: str | Path | None = None, hub: str | None = None) -> Store:
    """Open the store in a local folder, or in the dataset repos of a user or organisation on the Hub."""
    if hub and folder:
        raise InputError("give --store DIR or --hub ORG, not both")
    if hub:
        from radeval_core.leaderboard.hub_files import HubFiles

        return Store(HubFiles(hub))
    from radeval_core.leaderboard.local_files import LocalFiles, default_folder

    return Store(LocalFiles(Path(folder) if folder else default_folder()))


def _path(*parts: str) -> str:
    for part in parts:
        if not _SAFE.fullmatch(part):
            raise InputError(f"not a valid name in this store: {part[:100]!r}")
    return "/".join(parts) + ".json"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")
