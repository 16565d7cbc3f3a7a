"""Store submissions and results in a local folder or in dataset repos on the Hub. Both have the same layout.

    requests/<benchmark>/<submission>.json            the submission
    claims/<benchmark>/<version>/<submission>.json    the scorer working on it
    results/<benchmark>/<version>/<submission>.json   its result
    owners/<benchmark>/<hash of the name>.json        who may submit under a name and all names that look like it
    withdrawn/<benchmark>/<submission>.json           a submission that its owner has withdrawn
    log/<benchmark>.jsonl                             every submission and withdrawal, in a chain of hashes
    damaged/…                                         results that could not be read and were scored again

File names consist of hashes and the benchmark's name, never of text from a submitter. A file that cannot be read, or
that does not belong here, is skipped with a note and never deleted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from radeval_core.errors import InputError, RadevalError, unknown_name
from radeval_core.leaderboard.audit_log import AuditLog
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.owners import KEEPER, Submitter, needed_proof
from radeval_core.leaderboard.submission import Submission
from radeval_core.leaderboard.submission_result import SubmissionResult, from_json
from radeval_core.leaderboard.system_names import look_alike_key

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

    def change(self, plan: Callable[[], Change | None]) -> bool:
        """Run `plan` and write what it returns, while no one else changes the files that it reads.

        Return False if it returns None. On the Hub, it runs again if someone else was faster.
        """

    def claim(self, path: str) -> AbstractContextManager[Lease | None]:
        """Hold a claim, or get None if someone else holds it."""

    def account(self) -> str:
        """Return the account of whoever uses these files; empty if there are no accounts."""

    def tidy(self) -> None:
        """Remove what writers that were killed left behind."""


@dataclass(frozen=True)
class Change:
    """Files to write in one step.

    Attributes:
        create: contents of new files by path.
        append: bytes to add to a file, by path.
    """

    create: Mapping[str, bytes]
    append: Mapping[str, bytes]


@dataclass(frozen=True)
class Store:
    """The submissions and results of all benchmarks."""

    files: Files

    def submit(self, submission: Submission, benchmark: Benchmark, date: str, submitter: Submitter = KEEPER) -> bool:
        """Save a submission. Return False if the same one is already in the store.

        Raises:
            InputError: if the name belongs to someone else, or a limit is reached.
        """

        def plan() -> Change | None:
            known = self.submissions(benchmark.name)
            if submission.id in self.withdrawn(benchmark.name):
                raise InputError(
                    "this submission was withdrawn: to enter again, change its predictions or its training_data"
                )
            if submission.id in known:
                return None
            if len(known) >= benchmark.limits.submissions:
                raise InputError(
                    f"{benchmark.name} accepts no more submissions: it has reached its limit of {len(known)}"
                )
            return self._change(submission, benchmark, date, submitter, known)

        return self.files.change(plan)

    def _change(
        self, submission: Submission, benchmark: Benchmark, date: str, submitter: Submitter, known: Sequence[str]
    ) -> Change:
        name, log = submission.system.name, self.log(benchmark.name)
        name_key = look_alike_key(name)
        new_name = self._check_owner(benchmark.name, name, submitter, set(known) - log.submissions())
        who = submitter.key(name_key)
        if submitter.kind != "keeper":
            _check_limits(log, who, benchmark, date, new_name)
        record = {**submission.as_dict(), "date": date, "owner": who}
        create = {store_path("requests", benchmark.name, submission.id): record_bytes(record)}
        if new_name:
            create = {
                store_path("owners", benchmark.name, name_key): record_bytes(submitter.record(name, date)),
                **create,
            }
        event = {"date": date, "submission": submission.id, "name": name, "owner": who, "new_name": new_name}
        return Change(create, {log_path(benchmark.name): log.next_line(event)})

    def _check_owner(self, benchmark: str, name: str, submitter: Submitter, unlogged: set[str]) -> bool:
        """Return True if the name is new. Raise an error if it belongs to someone else.

        Submissions from before there were owners keep their names; only the keeper can use those.
        """
        owner = self.owner(benchmark, name)
        if owner is None:
            key = look_alike_key(name)
            if submitter.kind != "keeper" and any(look_alike_key(n) == key for n in self._names(benchmark, unlogged)):
                raise InputError(f"the name {name!r} belongs to a submission without an owner: choose another name")
            return True
        if not submitter.owns(owner):
            taken = str(owner.get("name", ""))
            looks = "" if taken == name else f" looks like {taken!r}, which"
            raise InputError(
                f"the name {name!r}{looks} belongs to another submitter: use {needed_proof(owner)}, or choose another "
                "name"
            )
        return False

    def _names(self, benchmark: str, submissions: Iterable[str]) -> Iterator[str]:
        for submission in submissions:
            try:
                yield str(self.request(benchmark, submission)["system"]["name"])
            except (RadevalError, KeyError, TypeError):  # it has no name that could be taken
                continue

    def owner(self, benchmark: str, name: str) -> Mapping[str, Any] | None:
        """Return the record of who owns a name and its look-alikes, or None if the name is free."""
        data = self.files.read(store_path("owners", benchmark, look_alike_key(name)))
        if data is None:
            return None
        try:
            record = json.loads(data)
        except ValueError:
            record = None
        return record if isinstance(record, dict) else {"kind": "unreadable", "name": name}

    def log(self, benchmark: str) -> AuditLog:
        """Return the log of a benchmark's submissions."""
        return AuditLog(self.files.read(log_path(benchmark)) or b"")

    def submissions(self, benchmark: str) -> list[str]:
        """Return the ids of all submissions. Files with other names do not belong here and are left out."""
        found = self.files.names(f"requests/{benchmark}")
        return [_stem(path) for path in found if _belongs(path, "requests", benchmark)]

    def withdrawn(self, benchmark: str) -> set[str]:
        """Return the ids of the submissions that their owners have withdrawn. They are not scored, shown or ranked."""
        return {_stem(path) for path in self.files.names(f"withdrawn/{benchmark}")}

    def request(self, benchmark: str, submission: str) -> Mapping[str, Any]:
        """Return a submission as saved."""
        data = self.files.read(store_path("requests", benchmark, submission))
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
        data = self.files.read(store_path("results", benchmark, version, submission))
        return None if data is None else from_json(data)

    def finished(self, benchmark: str, version: str) -> list[str]:
        """Return the ids of the submissions that have a result for one version, readable or not."""
        return [_stem(name) for name in self.files.names(f"results/{benchmark}/{version}")]

    def outcomes(self, benchmark: str) -> list[SubmissionResult]:
        """Return all results of every version that can be read."""
        return self.read_outcomes(benchmark)[0]

    def read_outcomes(self, benchmark: str) -> tuple[list[SubmissionResult], list[str]]:
        """Return all results of every version, and a note for every file that is not a result of this benchmark."""
        found: dict[tuple[str, str], SubmissionResult] = {}
        notes = []
        for path, data in self.files.read_all(f"results/{benchmark}").items():
            try:
                outcome = from_json(data)
                key = (outcome.version, outcome.submission)
                if outcome.benchmark != benchmark or path.split("/")[2:-1] != [outcome.version] or key in found:
                    raise RadevalError("a result in the store is not in its place, or is there twice")
                found[key] = outcome
            except RadevalError as error:
                notes.append(f"{path}: {error}")
        foreign = (p for p in self.files.names(f"requests/{benchmark}") if not _belongs(p, "requests", benchmark))
        notes.extend(f"{path}: not the name of a submission" for path in foreign)
        return list(found.values()), notes

    def set_aside(self, benchmark: str, version: str, submission: str) -> None:
        """Copy a result that cannot be read to `damaged/`, before it is replaced."""
        path = store_path("results", benchmark, version, submission)
        data = self.files.read(path)
        try:
            from_json(data or b"")
        except RadevalError:
            if not data:
                return
            mark = hashlib.sha256(data).hexdigest()[:12]
            self.files.create(f"damaged/{path.removesuffix('.json')}-{mark}.json", data)

    def keep(self, outcome: SubmissionResult, replace: bool = False) -> bool:
        """Save a result. Return False if there is one already and `replace` is False."""
        path = store_path("results", outcome.benchmark, outcome.version, outcome.submission)
        return self.files.create(path, outcome.to_json(), replace)

    def claim(self, benchmark: str, version: str, submission: str) -> AbstractContextManager[Lease | None]:
        """Claim the right to score a submission."""
        return self.files.claim(store_path("claims", benchmark, version, submission))


def open_store(folder: str | Path | None = None, hub: str | None = None) -> Store:
    """Open the store in a local folder, or in the dataset repos of a user or organisation on the Hub."""
    if hub and folder:
        raise InputError("give --store DIR or --hub ORG, not both")
    if hub:
        from radeval_core.leaderboard.hub_files import HubFiles

        return Store(HubFiles(hub))
    from radeval_core.leaderboard.local_files import LocalFiles, default_folder

    return Store(LocalFiles(Path(folder) if folder else default_folder()))


def store_path(*parts: str) -> str:
    """Return a path of the layout above; refuse parts that could lead elsewhere."""
    for part in parts:
        if not _SAFE.fullmatch(part):
            raise InputError(f"not a valid name in this store: {part[:100]!r}")
    return "/".join(parts) + ".json"


def log_path(benchmark: str) -> str:
    """Return the path of a benchmark's log."""
    return store_path("log", benchmark) + "l"


def _belongs(path: str, *folders: str) -> bool:
    return path.rpartition("/")[0] == "/".join(folders) and bool(_SAFE.fullmatch(_stem(path)))


def record_bytes(record: Mapping[str, Any]) -> bytes:
    """Return the content of a file with a record."""
    return json.dumps(record, ensure_ascii=False, indent=1).encode()


def _check_limits(log: AuditLog, who: str, benchmark: Benchmark, date: str, new_name: bool) -> None:
    """Raise an error if a submitter has reached a limit."""
    limits = benchmark.limits
    if log.count(who) >= limits.per_submitter:
        raise InputError(f"you have reached the limit of {limits.per_submitter} submissions per submitter")
    if log.count(who, date) >= limits.per_submitter_per_day:
        raise InputError(
            f"at most {limits.per_submitter_per_day} submissions per day and submitter: try again tomorrow"
        )
    if new_name and log.new_names(date) >= limits.new_names_per_day:
        raise InputError(f"at most {limits.new_names_per_day} new names per day: try again tomorrow")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")
