"""Where submissions and outcomes are kept: one layout over two kinds of files, a local folder or Hub dataset repos.

    requests/<benchmark>/<submission>.json            what was submitted
    claims/<benchmark>/<version>/<submission>.json    who scores it now
    results/<benchmark>/<version>/<submission>.json   what became of it

Names are hashes and the benchmark's name, never a submitter's words.
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
from radeval_core.leaderboard.outcome import Outcome, from_json
from radeval_core.leaderboard.submission import Submission

_SAFE = re.compile(r"[a-z0-9][a-z0-9-]*")


class Claim(Protocol):
    """The right to score one submission, held by one scorer at a time."""

    #: how often scoring was begun, this time included
    attempt: int

    def renew(self) -> None:
        """Say that the holder still works."""

    def still_held(self) -> bool:
        """Whether nobody else has taken it over."""


class Files(Protocol):
    """What a kind of files must be able to do. Paths are those of the layout above."""

    def names(self, folder: str) -> list[str]:
        """Paths of the files below a folder, in order; none if it does not exist."""

    def read(self, path: str) -> bytes | None:
        """The contents, or None if there is no such file."""

    def read_all(self, folder: str) -> dict[str, bytes]:
        """The contents of all files below a folder, by path."""

    def create(self, path: str, data: bytes, replace: bool = False) -> bool:
        """Write a file in one step; False, and nothing written, if it exists and is not to be replaced."""

    def claim(self, path: str) -> AbstractContextManager[Claim | None]:
        """Hold the claim of that name, or get None if someone else does."""


@dataclass(frozen=True)
class Store:
    """The submissions and outcomes of all benchmarks."""

    files: Files

    def submit(self, submission: Submission, benchmark: Benchmark, date: str) -> bool:
        """Keep a submission; False if the same one is there already."""
        kept = self.submissions(benchmark.name)
        if submission.id in kept:
            return False
        if len(kept) >= benchmark.limits.submissions:
            raise InputError(f"{benchmark.name} takes no more submissions: it has {len(kept)}, the limit")
        record = {**submission.as_dict(), "date": date}
        data = json.dumps(record, ensure_ascii=False, indent=1).encode()
        return self.files.create(_path("requests", benchmark.name, submission.id), data)

    def submissions(self, benchmark: str) -> list[str]:
        """Ids of all submissions."""
        return [_stem(name) for name in self.files.names(f"requests/{benchmark}")]

    def request(self, benchmark: str, submission: str) -> Mapping[str, Any]:
        """A submission as it was kept."""
        data = self.files.read(_path("requests", benchmark, submission))
        if data is None:
            raise unknown_name("submission", submission, self.submissions(benchmark))
        try:
            record = json.loads(data)
        except ValueError as error:
            raise RadevalError(f"submission {submission} in the store cannot be read: {error}") from error
        if not isinstance(record, dict):
            raise RadevalError(f"submission {submission} in the store is no JSON object")
        return record

    def outcome(self, benchmark: str, version: str, submission: str) -> Outcome | None:
        """What became of a submission under one version of the metrics."""
        data = self.files.read(_path("results", benchmark, version, submission))
        return None if data is None else from_json(data)

    def finished(self, benchmark: str, version: str) -> list[str]:
        """Ids of the submissions that have an outcome under one version."""
        return [_stem(name) for name in self.files.names(f"results/{benchmark}/{version}")]

    def outcomes(self, benchmark: str) -> list[Outcome]:
        """All outcomes, of every version."""
        return [from_json(data) for data in self.files.read_all(f"results/{benchmark}").values()]

    def keep(self, outcome: Outcome, replace: bool = False) -> bool:
        """Keep an outcome; False if there is one already."""
        path = _path("results", outcome.benchmark, outcome.version, outcome.submission)
        return self.files.create(path, outcome.to_json(), replace)

    def claim(self, benchmark: str, version: str, submission: str) -> AbstractContextManager[Claim | None]:
        """Hold the right to score a submission."""
        return self.files.claim(_path("claims", benchmark, version, submission))


def open_store(folder: str | Path | None = None, hub: str | None = None) -> Store:
    """The store in a local folder, or in the dataset repos of a user or organisation on the Hub."""
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
            raise InputError(f"not a name of this store: {part[:100]!r}")
    return "/".join(parts) + ".json"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")
