"""Ask a model behind an API: many questions at once, with retries if the server is slow, busy or drops a connection.

The first question is asked alone. If the server does not answer it, or fails many times in a row later, the remaining
questions are not sent; `circuit.py` says when.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any

from radeval_core.errors import InputError, RadevalError
from radeval_core.judges.backends.api_clients import AnthropicDialect, Dialect, OpenAIDialect
from radeval_core.judges.backends.base import Answer, Request
from radeval_core.judges.backends.circuit import Circuit
from radeval_core.judges.backends.failures import cannot_connect, is_about_question, reason_of, status_of
from radeval_core.judges.backends.retry import Sleep, patiently
from radeval_core.judges.backends.server_address import server_name, warn_if_readable

log = logging.getLogger(__name__)
#: decoding of a server that refuses the parameter temperature
_SERVER_DECODING = "default"


@dataclass
class Usage:
    """What a backend has used so far in this process. Answers from a cache do not count.

    Attributes:
        answers: number of answers.
        prompt_tokens: tokens of the prompts, as the server counts them.
        answer_tokens: tokens of the answers, as the server counts them.
        cost: in the currency of the given prices; None without prices.
    """

    answers: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class _Done:
    """An answer on its way from the event loop to the caller."""

    place: int
    answer: Answer
    taken: asyncio.Future[None]

    def take(self) -> None:
        """Mark the answer as used; the caller runs in another thread."""
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self.taken.get_loop().call_soon_threadsafe(self._taken)

    def _taken(self) -> None:
        if not self.taken.done():
            self.taken.set_result(None)


class HttpBackend:
    """Gets answers from a server.

    Args:
        model: the model's name on the server.
        dialect: the kind of API.
        concurrency: number of questions open at the same time.
        timeout: seconds to wait for a whole answer.
        retries: attempts per question, including the first.
        deadline: seconds from the first question to the end of the run; later ones are not asked. None for no end.
        price_in: price of a million tokens of questions. With both prices, the cost is logged.
        price_out: price of a million tokens of answers.
        sleep: called to wait between tries.
    """

    def __init__(
        self,
        model: str,
        dialect: Dialect,
        concurrency: int = 8,
        timeout: float = 120,
        retries: int = 6,
        deadline: float | None = None,
        price_in: float | None = None,
        price_out: float | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        above_0 = {"concurrency": concurrency, "timeout": timeout, "retries": retries, "deadline": deadline}
        for name, value in above_0.items():
            if value is not None and not value > 0:  # also refuses NaN
                raise InputError(f"option {name} must be more than 0, got {value}")
        for name, price in {"price_in": price_in, "price_out": price_out}.items():
            if price is not None and not price >= 0:
                raise InputError(f"option {name} must be the price of a million tokens, 0 or more, got {price}")
        if (price_in is None) != (price_out is None):
            raise InputError("options price_in and price_out must be given together")
        self.model = model
        self.dialect = dialect
        self.concurrency = int(concurrency)
        self.timeout = float(timeout)
        self.retries = int(retries)
        self.deadline = deadline
        self.prices = None if price_in is None or price_out is None else (price_in, price_out)
        self.usage = Usage()
        self._sleep = sleep
        #: called with what the backend waits for, about once a second
        self.on_wait: Callable[[str], None] = lambda text: None
        self._without: set[str] = set()
        self._circuit = Circuit(2 * self.concurrency)
        self._ends: float | None = None
        self._open: dict[int, float] = {}
        warn_if_readable(dialect.address)

    @property
    def identity(self) -> str:
        return f"{self.dialect.kind}|{self._name}|temperature:0"

    @property
    def fields(self) -> dict[str, object]:
        return {"backend": self.dialect.kind, "model": self._name, "dtype": "server", "decoding": "temperature-0"}

    @property
    def address(self) -> str:
        """Return the server's host, port and path, without anything secret."""
        return server_name(self.dialect.address)

    @property
    def _name(self) -> str:
        """Return model and server: two servers may run different models of one name."""
        return f"{self.model}@{self.address}"

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        done: SimpleQueue[_Done | BaseException | None] = SimpleQueue()
        stop = threading.Event()
        if self._ends is None and self.deadline is not None:
            self._ends = time.monotonic() + self.deadline

        def run() -> None:
            try:
                asyncio.run(self._ask_all(requests, done, stop))
            except BaseException as error:
                done.put(error)
            finally:
                done.put(None)

        # in a separate thread, because the caller may already run an event loop, as notebooks do
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            while (item := done.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item.place, item.answer
                item.take()
        finally:
            stop.set()
            thread.join()
        self._log_usage()

    async def _ask_all(self, requests: Sequence[Request], done: SimpleQueue[Any], stop: threading.Event) -> None:
        todo = iter(enumerate(requests))
        alone = asyncio.Lock()

        async def worker(client: Any) -> None:
            for place, request in todo:
                if stop.is_set():
                    return
                item = _Done(place, await self._ask(client, request, alone), asyncio.get_running_loop().create_future())
                done.put(item)
                # a question stays open until the caller has stored its answer: a kill loses only open questions
                await item.taken

        async def watch(workers: asyncio.Future[Any]) -> None:
            told = time.monotonic()
            while not stop.is_set():
                await asyncio.sleep(0.1)
                if time.monotonic() - told >= 1:
                    told = time.monotonic()
                    self.on_wait(self._waiting())
            workers.cancel()  # nobody is waiting for the answers now

        async with self.dialect.client(self.timeout) as client:
            workers = asyncio.gather(*(worker(client) for _ in range(min(self.concurrency, len(requests)))))
            watcher = asyncio.create_task(watch(workers))
            try:
                await workers
            except asyncio.CancelledError:
                if not stop.is_set():
                    raise
            finally:
                watcher.cancel()

    async def _ask(self, client: Any, request: Request, alone: asyncio.Lock) -> Answer:
        """Return an answer, or the reason why it is missing."""
        async with self._turn(alone) as is_alone:
            if self._circuit.given_up:
                return Answer(None, self._circuit.given_up)
            if self._seconds_left() <= 0:
                return Answer(None, self._too_late)
            tries = 1 if self._circuit.one_try else self.retries
            self._open[id(request)] = time.monotonic()
            try:
                answer: Answer = await patiently(tries, self._pause)(self._ask_adapting, client, request)
            except RadevalError:
                raise
            except Exception as error:
                return Answer(None, self._reason(error, is_alone))
            finally:
                self._open.pop(id(request), None)
        self._circuit.answered()
        self._count(answer)
        return answer

    @contextlib.asynccontextmanager
    async def _turn(self, alone: asyncio.Lock) -> AsyncIterator[bool]:
        """Wait until a question may be sent. Yield True if it is the only one."""
        async with contextlib.AsyncExitStack() as held:
            if self._circuit.careful:
                await held.enter_async_context(alone)
            if not self._circuit.careful:  # the server has answered meanwhile
                await held.aclose()
            elif self._circuit.pause and not self._circuit.given_up:
                await self._pause(self._circuit.pause)
            yield self._circuit.careful

    async def _pause(self, seconds: float) -> None:
        """Wait between two tries, but not beyond the deadline."""
        await self._sleep(max(0.0, min(seconds, self._seconds_left())))

    def _seconds_left(self) -> float:
        return float("inf") if self._ends is None else self._ends - time.monotonic()

    @property
    def _too_late(self) -> str:
        return f"not answered within the deadline of {self.deadline:g} seconds for all pairs"

    def _waiting(self) -> str:
        """Return what the backend waits for, for a progress bar."""
        if not self._open:
            return f"waiting to ask {self._name} again"
        longest = time.monotonic() - min(self._open.values())
        answers = "1 answer" if len(self._open) == 1 else f"{len(self._open)} answers"
        return f"waiting for {answers} of {self._name}, for {longest:.0f} s"

    async def _ask_adapting(self, client: Any, request: Request) -> Answer:
        """Ask once. Drop parameters that the server refuses, permanently once it answers without them."""
        without = set(self._without)
        while True:
            try:
                async with asyncio.timeout(max(0.0, min(self.timeout, self._seconds_left()))):
                    answer = await self.dialect.ask(client, request, without)
            except Exception as error:
                refused = self._refused(error, request, without)
                if refused is None:
                    raise
                without.add(refused)
                continue
            for name in sorted(without - self._without):
                self._without.add(name)
                log.warning("%s refuses the parameter %s: continuing without it", self._name, name)
            return replace(answer, decoding=_SERVER_DECODING) if "temperature" in without else answer

    def _refused(self, error: Exception, request: Request, without: set[str]) -> str | None:
        """Return the optional parameter that the server complains about, or None."""
        if status_of(error) not in (400, 422):
            return None
        left = [name for name in self.dialect.optional if name not in without]
        schema = self.dialect.optional[0]
        if request.schema is None and schema in left:
            left.remove(schema)
        named = [name for name in left if name in str(error)]
        # servers refuse a schema with many different messages
        return named[0] if named else (schema if schema in left else None)

    def _reason(self, error: Exception, alone: bool) -> str:
        """Return why there is no answer, and count the failure. Raise an error if no question can be answered."""
        status = status_of(error)
        if self.usage.answers == 0 and status is not None:
            if status in (401, 403):
                raise InputError(f"{self._name} does not accept the key in the environment (HTTP {status})") from None
            if status == 404:
                raise InputError(f"{self._name}: the server has no such model or address (HTTP 404)") from None
            if 300 <= status < 400:
                raise InputError(
                    f"{self._name} redirects to another address (HTTP {status}): reports are sent only to the address "
                    "you give. If you trust the other one, set it as the server's address"
                ) from None
        if self._seconds_left() <= 0:
            return self._too_late
        reason = reason_of(error, self.timeout)
        if not is_about_question(error):
            self._circuit.failed(reason, alone, cannot_connect(error))
        return reason

    def _count(self, answer: Answer) -> None:
        self.usage.answers += 1
        self.usage.prompt_tokens += answer.prompt_tokens
        self.usage.answer_tokens += answer.answer_tokens
        if self.prices is not None:
            price_in, price_out = self.prices
            spent = self.usage.prompt_tokens * price_in + self.usage.answer_tokens * price_out
            self.usage.cost = spent / 1e6

    def _log_usage(self) -> None:
        cost = "" if self.usage.cost is None else f", cost {self.usage.cost:.4f}"
        log.log(
            logging.WARNING if cost else logging.INFO,  # users who set prices want to see the cost
            "%s: %d answers so far, %d tokens in, %d tokens out%s",
            self._name, self.usage.answers, self.usage.prompt_tokens, self.usage.answer_tokens, cost,
        )  # fmt: skip


def openai_backend(model: str, **options: Any) -> HttpBackend:
    """Return a backend for the OpenAI-compatible server in OPENAI_BASE_URL, with the key in OPENAI_API_KEY."""
    return HttpBackend(model, OpenAIDialect(model), **options)


def anthropic_backend(model: str, **options: Any) -> HttpBackend:
    """Return a backend for Anthropic's API, with the key in ANTHROPIC_API_KEY."""
    return HttpBackend(model, AnthropicDialect(model), **options)
