"""A store in two private dataset repos on the Hub: `<org>/leaderboard-requests` and `<org>/leaderboard-results`.

Every write is one commit on top of the commit that was read (`parent_commit`), so of two writers one is refused, reads
again and decides anew. A claim is a file with a lease that its holder renews; a lease that ran out may be taken over.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import HFValidationError, get_session, hf_raise_for_status, validate_repo_id

from radeval_core import __version__
from radeval_core.errors import InputError, RadevalError
from radeval_core.leaderboard.queue import HEARTBEAT, utc_now
from radeval_core.leaderboard.store import Claim

log = logging.getLogger(__name__)
T = TypeVar("T")
#: a scorer that gave no sign of life for so long is taken for dead
LEASE = timedelta(seconds=6 * HEARTBEAT)
#: tries of one step, and the longest wait between two, in seconds
TRIES, LONGEST_WAIT = 8, 20.0
#: someone else committed first (409, 412), or the Hub is busy
_TRY_AGAIN = (409, 412, 429, 500, 502, 503, 504)
#: file contents kept in memory
_KEPT = 4000


def _api() -> HfApi:
    return HfApi(library_name="radeval_core", library_version=__version__)


@dataclass
class HubFiles:
    """Files in the dataset repos of an organisation.

    Attributes:
        org: user or organisation.
        api: the Hub client.
        clock: what leases are measured with.
        sleep: waits between tries.
    """

    org: str
    api: HfApi = field(default_factory=_api)
    clock: Callable[[], datetime] = utc_now
    sleep: Callable[[float], None] = time.sleep
    _trees: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict, repr=False)
    _blobs: dict[str, bytes] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        try:
            validate_repo_id(self._repo("requests"))
        except HFValidationError as error:
            raise InputError(f"--hub {self.org!r}: not a user or organisation on the Hub: {error}") from error

    def names(self, folder: str) -> list[str]:
        _, tree = self._patiently(lambda: self._look(folder))
        return sorted(path for path in tree if path.startswith(f"{folder}/") and path.endswith(".json"))

    def read(self, path: str) -> bytes | None:
        return self._patiently(lambda: self._contents(path)[1])

    def read_all(self, folder: str) -> dict[str, bytes]:
        def read() -> dict[str, bytes]:
            head, tree = self._look(folder)
            wanted = sorted(path for path in tree if path.startswith(f"{folder}/") and path.endswith(".json"))
            return {path: self._blob(path, head, tree[path]) for path in wanted}

        return self._patiently(read)

    def create(self, path: str, data: bytes, replace: bool = False) -> bool:
        tries = 0

        def write() -> bool:
            nonlocal tries
            tries += 1
            head, before = self._contents(path, make=True)
            if before is not None and before == data and tries > 1:
                return True  # an earlier try arrived although its answer was lost
            if before is not None and not replace:
                return False
            self._commit(path, data, head)
            return True

        return self._patiently(write)

    @contextmanager
    def claim(self, path: str) -> Iterator[Claim | None]:
        token = f"{random.SystemRandom().getrandbits(64):016x}"

        def take() -> HeldLease | None:
            head, before = self._contents(path, make=True)
            lease = json.loads(before) if before else {}
            if lease.get("token") == token:  # an earlier try arrived although its answer was lost
                return HeldLease(self, path, token, lease["attempt"])
            if lease and datetime.fromisoformat(lease["until"]) > self.clock():
                return None
            held = HeldLease(self, path, token, lease.get("attempt", 0) + 1)
            self._commit(path, held.data(LEASE), head)
            return held

        held = self._patiently(take)
        try:
            yield held
        finally:
            if held is not None:  # others may have it now, not only when the lease runs out
                held.extend(timedelta(0))

    # one try each; what goes wrong on the way is for `_patiently`

    def _repo(self, path: str) -> str:
        """Results live in one repo, requests and claims in the other."""
        return f"{self.org}/leaderboard-{'results' if path.startswith('results') else 'requests'}"

    def _look(self, path: str, make: bool = False) -> tuple[str, dict[str, str]]:
        """The newest commit of a path's repo and the blob of every file in it; both empty if there is no repo."""
        repo = self._repo(path)
        try:
            head = str(self.api.dataset_info(repo).sha)
        except RepositoryNotFoundError as error:
            if error.response.status_code != 404:
                raise
            if not make:
                return "", {}
            self.api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True)
            head = str(self.api.dataset_info(repo).sha)
        if self._trees.get(repo, ("",))[0] != head:
            entries = self.api.list_repo_tree(repo, recursive=True, revision=head, repo_type="dataset")
            self._trees[repo] = (head, {e.path: e.blob_id for e in entries if isinstance(e, RepoFile)})
        return head, self._trees[repo][1]

    def _contents(self, path: str, make: bool = False) -> tuple[str, bytes | None]:
        """The newest commit of a path's repo, and the file's contents in it."""
        head, tree = self._look(path, make)
        return head, self._blob(path, head, tree[path]) if path in tree else None

    def _blob(self, path: str, head: str, blob: str) -> bytes:
        if blob not in self._blobs:
            url = hf_hub_url(self._repo(path), path, repo_type="dataset", revision=head, endpoint=self.api.endpoint)
            answer = get_session().get(url, headers=self.api._build_hf_headers())
            hf_raise_for_status(answer)
            if len(self._blobs) >= _KEPT:
                self._blobs.clear()
            self._blobs[blob] = answer.content
        return self._blobs[blob]

    def _commit(self, path: str, data: bytes, parent: str) -> None:
        kind, _, rest = path.partition("/")
        self.api.create_commit(
            self._repo(path),
            [CommitOperationAdd(path, data)],
            commit_message=f"{kind}: {rest.removesuffix('.json')}",
            parent_commit=parent,
            repo_type="dataset",
        )

    def _patiently(self, step: Callable[[], T]) -> T:
        """Do a step again, from its reading on, while the Hub is busy or someone else was faster."""
        for attempt in range(TRIES):
            try:
                return step()
            except HfHubHTTPError as error:
                problem: Exception = error
                if error.response.status_code not in _TRY_AGAIN:
                    raise RadevalError(f"leaderboard of {self.org}: {_refusal(error, self.org)}") from error
            except (HTTPError, OSError) as error:
                problem = error
            if attempt < TRIES - 1:
                self.sleep(random.uniform(0.5, 1.0) * min(LONGEST_WAIT, 0.25 * 2**attempt))
        raise RadevalError(
            f"leaderboard of {self.org}: gave up after {TRIES} tries ({type(problem).__name__}: {problem}); "
            "check the network and HF_ENDPOINT, then type the same command again"
        ) from problem


@dataclass
class HeldLease:
    """A claim on the Hub."""

    files: HubFiles
    path: str
    token: str
    attempt: int

    def data(self, lease: timedelta) -> bytes:
        """The claim as a file."""
        until = (self.files.clock() + lease).isoformat()
        return json.dumps({"token": self.token, "attempt": self.attempt, "until": until}).encode()

    def still_held(self) -> bool:
        data = self.files.read(self.path)
        return data is not None and json.loads(data).get("token") == self.token

    def renew(self) -> None:
        self.extend(LEASE)

    def extend(self, lease: timedelta) -> None:
        """Move the end of the lease; a Hub that cannot be reached now is met again at the next sign of life."""

        def write() -> None:
            head, before = self.files._contents(self.path)
            if before is not None and json.loads(before).get("token") == self.token:
                self.files._commit(self.path, self.data(lease), head)

        try:
            self.files._patiently(write)
        except RadevalError as error:
            log.warning("a claim could not be renewed: %s", error)


def _refusal(error: HfHubHTTPError, org: str) -> str:
    """What the Hub's refusal means and what to type."""
    status = error.response.status_code
    if status == 401:
        return "the Hub does not accept your token; type: hf auth login"
    if status == 403:
        return f"your token may not use the repos of {org!r}; type: hf auth login, with a token that may, or give --hub"
    return f"the Hub refused with status {status}: {error.server_message or error}"
