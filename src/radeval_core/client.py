"""A metric on another machine: the same `compute` as `load(…)`, by a server that `radeval serve` started.

The trainer needs no model, no GPU and none of the metric's packages.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

from radeval_core.errors import InputError, RadevalError
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import Pair, pairs_from_lists
from radeval_core.registry import get_spec

log = logging.getLogger(__name__)
#: environment variable with the token, for server and client
TOKEN_VARIABLE = "RADEVAL_SERVE_TOKEN"  # nosec B105 - a name
#: keys of a summary that `compute` does not return
_SUMMARY_ONLY = ("score", "ci95", "n", "higher_is_better", "coverage", "empty_predictions", "empty_references")
#: statuses after which the same request can succeed
_AGAIN = (429, 503)
_CONNECT_SECONDS = 10.0


class RemoteError(RadevalError, RuntimeError):
    """A scoring server cannot be reached, refused the request or failed. Nothing was scored."""


@dataclass
class RemoteMetric:
    """A metric of a scoring server. It can be shared by threads, copied, pickled and used after a fork.

    Attributes:
        url: address of the server, such as `http://127.0.0.1:8080`.
        metric: a metric that the server offers.
        config: one of its configs on the server; the server's default if not given.
        options: options that the server lets clients set.
        token: the server's token; by default that of the environment variable RADEVAL_SERVE_TOKEN.
        timeout: seconds to wait for one answer.
        patience: seconds to try again while the server is busy.
    """

    url: str
    metric: str
    config: str | None = None
    options: Mapping[str, Any] | None = None
    token: str | None = field(default=None, repr=False)
    timeout: float = 600.0
    patience: float = 600.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"url must be the address of a server, such as http://127.0.0.1:8080, got {self.url!r}")
        self.url = self.url.rstrip("/")
        self.token = self.token or os.environ.get(TOKEN_VARIABLE, "").strip() or None
        get_spec(self.metric)  # a mistyped name is an error here
        self._connect()

    def _connect(self) -> None:
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_client", "_process")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()

    @property
    def spec(self) -> MetricSpec:
        return get_spec(self.metric)

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        detailed: bool = False,
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> dict[str, Any]:
        """Score parallel lists and return plain Python values, as `LoadedMetric.compute` does.

        The numbers are those of the server, bit for bit. In `details`, None stands for NaN, as in files of details.

        Args:
            predictions: the generated reports.
            references: what each is compared with.
            detailed: also return the structures behind each score.
            contexts: what is known about each patient: mappings with `age`, `sex`, `indication`, `history`, or None.
        """
        pairs = pairs_from_lists(predictions, references, self.metric, self.spec.multi_reference, contexts=contexts)
        body = {
            "pairs": [_pair(pair) for pair in pairs],
            "metrics": [self.metric],
            "configs": {self.metric: self.config} if self.config else {},
            "options": {self.metric: dict(self.options)} if self.options else {},
            "details": detailed,
            "intervals": False,
        }
        answer = self._ask(body)
        if len(answer["rows"]) != len(pairs) or [row["id"] for row in answer["rows"]] != list(range(len(pairs))):
            raise RemoteError(f"{self.url} answered with {len(answer['rows'])} rows for {len(pairs)} pairs")
        return _result(self.metric, answer, detailed)

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        with self._lock:
            if self._client is not None and self._process == os.getpid():
                self._client.close()
            self._client = None

    def _ask(self, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request, again while the server is busy, and return the answer."""
        until = time.monotonic() + self.patience
        while True:
            response = self._send(body)
            if response.status_code == 200:
                return _json(response, self.url)
            wait = _retry_after(response)
            if response.status_code not in _AGAIN or wait is None or time.monotonic() + wait > until:
                raise self._refused(response)
            time.sleep(wait)

    def _send(self, body: dict[str, Any]) -> httpx2.Response:
        try:
            return self._connection().post("/v1/score", json=body)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise RemoteError(
                f"no scoring server at {self.url}: check the address, or start one there with `radeval serve` "
                f"({type(error).__name__})"
            ) from None
        except httpx2.TimeoutException:
            raise RemoteError(
                f"{self.url} did not answer in {self.timeout:g} seconds: send fewer pairs at once, or raise timeout="
            ) from None
        except httpx2.HTTPError as error:
            raise RemoteError(
                f"the scoring server at {self.url} went away before it answered ({type(error).__name__}); nothing was "
                "scored: start it again with `radeval serve` and repeat the call"
            ) from None

    def _connection(self) -> httpx2.Client:
        """Return the client of this process: a fork must not share the connections of its parent."""
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client = httpx2.Client(
                    base_url=self.url,
                    headers={"Authorization": f"Bearer {self.token}"} if self.token else {},
                    timeout=httpx2.Timeout(self.timeout, connect=_CONNECT_SECONDS),
                    follow_redirects=False,  # reports and token go to the address the user gave, nowhere else
                    trust_env=urlsplit(self.url).hostname not in ("127.0.0.1", "localhost", "::1"),
                )
                self._process = os.getpid()
            return self._client

    def _refused(self, response: httpx2.Response) -> RadevalError:
        """Return the error for an answer that is none."""
        status = response.status_code
        if status == 401:
            given = "the token is wrong" if self.token else "a token is needed"
            return RemoteError(f"{self.url}: {given}: give token=…, or set {TOKEN_VARIABLE} to the server's token")
        if status == 404:
            return RemoteError(f"{self.url} is no scoring server: give the address that `radeval serve` printed")
        reason = _reason(response)
        if status in (413, 422):
            return InputError(f"{self.url} refused the request: {reason}")
        return RemoteError(f"{self.url} answered with HTTP {status}: {reason}")


def _pair(pair: Pair) -> dict[str, Any]:
    body: dict[str, Any] = {"prediction": pair.prediction}
    body["reference"] = pair.reference if len(pair.references) == 1 else list(pair.references)
    return body | (pair.context.as_dict() if pair.context else {})


def _result(metric: str, answer: Mapping[str, Any], detailed: bool) -> dict[str, Any]:
    """Return what `compute` returns, from the answer of a server."""
    summary, rows = answer["summary"][metric], answer["rows"]
    columns = {key: [_number(row["scores"][key]) for row in rows] for key in rows[0]["scores"]}
    out: dict[str, Any] = {metric: _number(summary["score"]), "scores": columns.pop(metric)}
    out |= {f"{key.removeprefix(f'{metric}.')}_scores": column for key, column in columns.items()}
    out |= {key: _number(value) for key, value in summary.items() if key not in _SUMMARY_ONLY}
    if "coverage" in summary:
        out["coverage"] = [row["coverage"] for row in rows]
    if detailed:
        out["details"] = [row["details"][metric] for row in rows]
    return out


def _number(value: Any) -> Any:
    return math.nan if value is None else value


def _json(response: httpx2.Response, url: str) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or "rows" not in answer or "summary" not in answer:
        raise RemoteError(f"{url} is no scoring server: give the address that `radeval serve` printed")
    return answer


def _reason(response: httpx2.Response) -> str:
    """Return why a server refused a request, on one line."""
    try:
        reason = response.json().get("error", "")
    except (ValueError, AttributeError):
        reason = ""
    return " ".join(str(reason).split())[:500] or "no reason given"


def _retry_after(response: httpx2.Response) -> float | None:
    """Return the seconds to wait before the next try; None if the server names none."""
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else None
