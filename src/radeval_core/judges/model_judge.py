"""A model as a judge: ask a backend, read its answers, ask again after an unreadable one, and cache what it said.

The instructions write the questions and read the answers; the backend answers. A pair without a readable answer gets a
verdict with the reason, and does not affect the other pairs.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from radeval_core.engine.cache import DiskCache
from radeval_core.engine.processes import Processes, running_processes
from radeval_core.errors import RadevalError
from radeval_core.judges.backends.base import Answer, Backend, Request
from radeval_core.judges.backends.processes import share
from radeval_core.judges.verdict import Case, Instructions, UnreadableAnswer, Verdict

log = logging.getLogger(__name__)
A = TypeVar("A")


@dataclass(frozen=True)
class _Question:
    """A pair without a verdict yet, and the next question about it.

    Attributes:
        place: index of the pair.
        case: the pair.
        request: the next question.
        tries: number of the question, from 1.
        unread: the earlier questions by their keys, with their unreadable answers.
    """

    place: int
    case: Case
    request: Request
    tries: int = 1
    unread: tuple[tuple[str, Answer], ...] = ()

    @property
    def key(self) -> str:
        """Return the content of the question and its try: a server may answer a repeated question differently."""
        return json.dumps({**asdict(self.request), "try": self.tries}, sort_keys=True)


@dataclass(frozen=True)
class ModelJudge(Generic[A]):
    """A model that follows instructions.

    Attributes:
        instructions: write the questions and read the answers.
        backend: answers the questions. If it fails for one request, only that pair has no analysis.
        cache: optional store that gets each readable answer as soon as it arrives. Answers in it are not requested
            again, so a killed run continues where it stopped. A pair without a readable answer is asked about again.
    """

    instructions: Instructions[A]
    backend: Backend
    cache: DiskCache | None = None
    _decodings: set[str] = field(default_factory=set, repr=False, compare=False)

    @property
    def fields(self) -> dict[str, object]:
        """Return the judge's fields of a signature."""
        fields = {**self.backend.fields, "prompt": self.instructions.identity}
        if self._decodings:  # of the answers, fresh or kept: a server may decode otherwise than asked
            fields["decoding"] = "+".join(sorted(d or str(fields.get("decoding", "")) for d in self._decodings))
        return fields

    @property
    def asks(self) -> str:
        """Return the model that is asked, with its server."""
        return str(self.backend.fields.get("model", ""))

    def watch(self, on_wait: Callable[[str], None]) -> None:
        """Call a function with what the backend waits for, if it can say so."""
        if hasattr(self.backend, "on_wait"):
            self.backend.on_wait = on_wait

    def shown(self, report: str) -> str:
        """Return a report as the model sees it."""
        return self.instructions.shown(report).text

    def asked(self, reference: str, candidate: str, verdict: Verdict[A]) -> dict[str, Any]:
        """Return what the model was shown of each report, and what it answered."""
        sides = {"prediction": self.instructions.shown(candidate), "reference": self.instructions.shown(reference)}
        return {
            "answer": verdict.answer,
            "tries": verdict.tries,
            "cut": {side: report.cut for side, report in sides.items()},
            "neutralised": {side: report.neutralised for side, report in sides.items()},
        }

    def verdicts(self, cases: Sequence[Case | tuple[str, str]]) -> Iterator[tuple[int, Verdict[A]]]:
        """Yield the index and verdict of every case as the answers arrive."""
        questions: list[_Question] = []
        for place, case in enumerate(Case(*given) for given in cases):
            settled = self.instructions.settled(case.reference, case.candidate)
            if settled is not None:
                yield place, settled
            else:
                questions.append(_Question(place, case, self.instructions.request(*case)))
        source = _Source(self.backend, f"{self.backend.identity}|judge:{self.instructions.identity}", self.cache)
        while questions:
            unreadable: list[_Question] = []
            for question, answer in source.answers(questions):
                verdict = self._settle(question, answer)
                if isinstance(verdict, _Question):
                    unreadable.append(verdict)
                    continue
                if verdict.analysis is not None:
                    self._decodings.add(answer.decoding)
                    source.keep((*question.unread, (question.key, answer)))
                yield question.place, verdict
            # sort by pair, because several processes must ask in the same order and answers arrive in any order
            questions = sorted(unreadable, key=lambda q: q.place)

    def _settle(self, question: _Question, answer: Answer) -> Verdict[A] | _Question:
        """Return the verdict of an answer, or the next question if the answer is unreadable."""
        if answer.text is None:
            reason = answer.reason or "no answer"
            return Verdict(None, reason, "", question.tries, reason)
        try:
            analysis = self.instructions.read(question.case.reference, question.case.candidate, answer.text)
            return Verdict(analysis, "", answer.text, question.tries)
        except UnreadableAnswer as error:
            problem = str(error)
        except Exception as error:  # an answer is untrusted input: whatever it breaks, go on with the other pairs
            log.warning("reading an answer failed: %s", type(error).__name__)  # its message may quote a report
            problem = f"reading the answer failed: {type(error).__name__}"
        if question.tries < self.instructions.tries:
            request = self.instructions.again(question.request, answer.text, problem)
            unread = (*question.unread, (question.key, answer))
            return replace(question, request=request, tries=question.tries + 1, unread=unread)
        why = f" ({answer.reason})" if answer.reason else ""
        # the problem may quote the answer, and the answer a report
        return Verdict(None, f"{problem}{why}", answer.text, question.tries, "the answer is unreadable")


@dataclass
class _Source:
    """Gets answers from the cache, and those not in it from the backend.

    Attributes:
        backend: answers questions.
        identity: identity of the backend and the instructions together.
        cache: optional answers of earlier runs.
        processes: the other processes of this run, or None.
    """

    backend: Backend
    identity: str
    cache: DiskCache | None
    processes: Processes | None = field(default_factory=running_processes)
    _kept: set[str] = field(default_factory=set)

    def answers(self, questions: Sequence[_Question]) -> Iterator[tuple[_Question, Answer]]:
        """Yield each question with its answer, in any order."""
        by_key: dict[str, list[_Question]] = {}
        for question in questions:
            by_key.setdefault(question.key, []).append(question)
        known = self._known(list(by_key))
        self._kept.update(known)
        for key, answer in known.items():
            yield from ((question, answer) for question in by_key[key])
        missing = [key for key in by_key if key not in known]
        for place, answer in self._ask([by_key[key][0].request for key in missing]):
            yield from ((question, answer) for question in by_key[missing[place]])

    def _ask(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        ask = partial(every_answer, self.backend)
        return share(ask, requests, self.processes) if self.processes else ask(requests)

    def _known(self, keys: list[str]) -> dict[str, Answer]:
        found = self.cache.get(self.identity, keys) if self.cache is not None else {}
        if self.processes:  # one process may have read the cache before another wrote to it
            found = self.processes.agree(found)
        return {key: Answer(**json.loads(data)) for key, data in found.items()}

    def keep(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Write answers to the cache at once. What is not written is asked for again in the next run."""
        new = {key: answer for key, answer in answers if key not in self._kept}
        self._kept.update(new)
        if self.cache is not None and new:
            self.cache.put(self.identity, {key: json.dumps(asdict(answer)).encode() for key, answer in new.items()})


def answers_to(
    requests: Sequence[Request],
    backend: Backend,
    identity: str,
    cache: DiskCache | None = None,
    readable: Callable[[str], bool] = bool,
) -> list[Answer]:
    """Return the answer to each request, in order. Equal requests are asked once.

    Args:
        requests: the questions.
        backend: answers them.
        identity: name and version of the instructions.
        cache: optional store of answers.
        readable: tells whether an answer can be used; others are not kept, so the next run asks again.
    """
    source = _Source(backend, f"{backend.identity}|judge:{identity}", cache)
    questions = [_Question(place, Case("", ""), request) for place, request in enumerate(requests)]
    found: dict[int, Answer] = {}
    for question, answer in source.answers(questions):
        found[question.place] = answer
        if answer.text is not None and readable(answer.text):
            source.keep([(question.key, answer)])
    return [found[place] for place in range(len(requests))]


def every_answer(backend: Backend, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
    """Yield exactly one answer per request. If the backend fails, ask for the rest one by one."""
    missing = dict.fromkeys(range(len(requests)))
    if not requests:
        return
    try:
        for place, answer in backend.answers(requests):
            if place in missing:
                del missing[place]
                yield place, answer
    except RadevalError:  # the user has to change something; trying again would not help
        raise
    except Exception as error:
        log.warning("the backend failed (%s): asking for %d answers one by one", type(error).__name__, len(missing))
        for place in missing:
            yield place, _single(backend, requests[place])
        return
    for place in missing:
        yield place, Answer(None, "the backend gave no answer")


def _single(backend: Backend, request: Request) -> Answer:
    try:
        return next((answer for _, answer in backend.answers([request])), Answer(None, "the backend gave no answer"))
    except RadevalError:
        raise
    except Exception as error:
        return Answer(None, f"the backend failed: {type(error).__name__}")
