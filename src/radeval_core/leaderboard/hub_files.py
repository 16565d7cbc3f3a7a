"""A store in two private dataset repos on the Hub: `<org>/leaderboard-requests` and `<org>/leaderboard-results`.

Every write is one commit on top of the commit that was read (`parent_commit`). If two writers collide, the Hub refuses
one of them, which then reads again and decides again. A claim is a file with a lease that its holder renews; others
may take over an expired lease.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from huggingface_hub import CommitOperationAdd, HfApi, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import HFValidationError, get_session, hf_raise_for_status, validate_repo_id
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random_exponential

from radeval_core import __version__
from radeval_core.errors import InputError, RadevalError
from radeval_core.hub.refusal import refusal
from radeval_core.leaderboard.queue import HEARTBEAT, utc_now
from radeval_core.leaderboard.store import Change, Lease

log = logging.getLogger(__name__)
T = TypeVar("T")
#: a scorer without a heartbeat for this long counts as dead
LEASE = timedelta(seconds=6 * HEARTBEAT)
#: how far the clocks of two scorers may differ
_CLOCK_ERROR = timedelta(minutes=5)
#: tries per step
TRIES = 8
#: seconds between two tries: a random time between half a wait and a full wait, which doubles from 0.25 to 20
_WAIT = wait_exponential(0.125, max=10) + wait_random_exponential(0.125, max=10)
#: someone else committed first (409, 412), or the Hub is busy
_TRY_AGAIN = (409, 412, 429, 500, 502, 503, 504)
#: number of file contents kept in memory
_KEPT = 4000


def _api() -> HfApi:
    return HfApi(library_name="radeval_core", library_version=__version__)


@dataclass
class HubFiles:
    """Files in the dataset repos of an organisation.

    Attributes:
        org: user or organisation.
        api: the Hub client.
        clock: returns the current time, for leases.
        sleep: called to wait between tries.
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
            raise InputError(f"--hub {self.org!r}: not a valid user or organisation on the Hub: {error}") from error

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
                return True  # an earlier try succeeded, but its response was lost
            if before is not None and not replace:
                return False
            self._commit(path, data, head)
            return True

        return self._patiently(write)

    def change(self, plan: Callable[[], Change | None]) -> bool:
        sent: dict[str, bytes] = {}

        def write() -> bool:
            head, tree = self._look("requests", make=True)
            if sent and all(path in tree and self._blob(path, head, tree[path]) == data for path, data in sent.items()):
                return True  # an earlier try succeeded, but its response was lost
            sent.clear()
            wanted = plan()
            if wanted is None:
                return False
            longer = {path: (self.read(path) or b"") + data for path, data in wanted.append.items()}
            files = {**longer, **wanted.create}
            sent.update(wanted.create)
            self._commit_files(files, head)
            return True

        return self._patiently(write)

    def account(self) -> str:
        """Return the name of the account that the token belongs to."""
        return self._patiently(lambda: str(self.api.whoami()["name"]))

    def tidy(self) -> None:
        """Do nothing: a commit is whole or absent."""

    @contextmanager
    def claim(self, path: str) -> Iterator[Lease | None]:
        token = f"{random.SystemRandom().getrandbits(64):016x}"

        def take() -> HeldLease | None:
            head, before = self._contents(path, make=True)
            lease = _lease(before)
            if lease.token == token:  # an earlier try succeeded, but its response was lost
                return HeldLease(self, path, token, lease.attempt)
            # an end further away than a lease lasts comes from a clock that is ahead, and would lock it for that long
            if lease.until and self.clock() < lease.until <= self.clock() + LEASE + _CLOCK_ERROR:
                return None
            held = HeldLease(self, path, token, lease.attempt + 1)
            self._commit(path, held.data(LEASE), head)
            return held

        held = self._patiently(take)
        try:
            yield held
        finally:
            if held is not None:  # release it now instead of waiting until the lease expires
                held.extend(timedelta(0))

    # each of these methods tries once; `_patiently` handles their errors

    def _repo(self, path: str) -> str:
        """Return the repo of a path: results are in one repo, requests and claims in the other."""
        return f"{self.org}/leaderboard-{'results' if path.startswith('results') else 'requests'}"

    def _look(self, path: str, make: bool = False) -> tuple[str, dict[str, str]]:
        """Return the newest commit of a path's repo and the blob id of every file; both empty without a repo."""
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
        """Return the newest commit of a path's repo, and the file's contents in it."""
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
        self._commit_files({path: data}, parent)

    def _commit_files(self, files: Mapping[str, bytes], parent: str) -> None:
        """Write files of one repo in one commit; the last one names it."""
        path = list(files)[-1]
        kind, _, rest = path.partition("/")
        self.api.create_commit(
            self._repo(path),
            [CommitOperationAdd(name, data) for name, data in files.items()],
            commit_message=f"{kind}: {rest.removesuffix('.json')}",
            parent_commit=parent,
            repo_type="dataset",
        )

    def _patiently(self, step: Callable[[], T]) -> T:
        """Run a step. Repeat it from its first read while the Hub is busy or another writer was faster."""
        tries = Retrying(
            retry=retry_if_exception(_passes),
            wait=_WAIT,
            stop=stop_after_attempt(TRIES),
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return tries(step)
        except (HTTPError, OSError) as error:
            if isinstance(error, HfHubHTTPError) and not _passes(error):
                why = refusal(error, f"use the repos of {self.org!r}", "--hub")
                raise RadevalError(f"leaderboard of {self.org}: {why}") from error
            raise RadevalError(
                f"leaderboard of {self.org}: gave up after {TRIES} tries ({type(error).__name__}: {error}); "
                "check the network and HF_ENDPOINT, then type the same command again"
            ) from error


@dataclass
class HeldLease:
    """A claim on the Hub."""

    files: HubFiles
    path: str
    token: str
    attempt: int

    def data(self, lease: timedelta) -> bytes:
        """Return the content of the claim's file."""
        until = (self.files.clock() + lease).isoformat()
        return json.dumps({"token": self.token, "attempt": self.attempt, "until": until}).encode()

    def still_held(self) -> bool:
        data = self.files.read(self.path)
        return _lease(data).token == self.token

    def renew(self) -> None:
        self.extend(LEASE)

    def extend(self, lease: timedelta) -> None:
        """Move the end of the lease; if the Hub is unreachable, retry at the next heartbeat."""

        def write() -> None:
            head, before = self.files._contents(self.path)
            if _lease(before).token == self.token:
                self.files._commit(self.path, self.data(lease), head)

        try:
            self.files._patiently(write)
        except RadevalError as error:
            log.warning("a claim could not be renewed: %s", error)


@dataclass(frozen=True)
class _LeaseFile:
    """The content of a claim's file.

    Attributes:
        token: who holds it.
        attempt: number of times scoring was started.
        until: end of the lease.
    """

    token: str = ""
    attempt: int = 0
    until: datetime | None = None


def _lease(data: bytes | None) -> _LeaseFile:
    """Read a claim's file. A damaged one counts as no claim; its content stays in the history of the repo."""
    try:
        fields = json.loads(data) if data else {}
        if not fields:
            return _LeaseFile()
        until = datetime.fromisoformat(fields["until"])
        return _LeaseFile(str(fields["token"]), int(fields["attempt"]), until.replace(tzinfo=until.tzinfo or UTC))
    except (ValueError, TypeError, KeyError, OverflowError):
        log.warning("a claim cannot be read: it counts as free")
        return _LeaseFile()


def _passes(error: BaseException) -> bool:
    """Return True if another try may succeed."""
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in _TRY_AGAIN
    return isinstance(error, (HTTPError, OSError))
