"""Pairs of reports through a judge: each distinct question asked once, every pair answered for, none lost.

A judge says what to ask and reads the answers, a backend answers; here is what lies between: equal pairs, finished
answers kept on disk, unreadable answers asked for again, and a verdict with a reason where there is no analysis.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TypeVar

from tqdm import tqdm

from radeval_core.engine.cache import DiskCache
from radeval_core.errors import RadevalError
from radeval_core.judges.backends.base import Answer, Backend, Request
from radeval_core.judges.backends.processes import Processes, running_processes, share
from radeval_core.judges.verdict import Judge, UnreadableAnswer, Verdict

log = logging.getLogger(__name__)
A = TypeVar("A")


@dataclass(frozen=True)
class _Question:
    """A pair that has no verdict yet, and what to ask about it next."""

    place: int
    reference: str
    candidate: str
    request: Request
    tries: int = 1

    @property
    def key(self) -> str:
        """The content of the question. A repeated one is another question: a server may answer it differently."""
        return json.dumps({**asdict(self.request), "try": self.tries}, sort_keys=True)


def judge_pairs(
    judge: Judge[A],
    backend: Backend,
    pairs: Sequence[tuple[str, str]],
    cache: DiskCache | None = None,
    progress: bool = True,
) -> list[Verdict[A]]:
    """One verdict a pair, in the order given.

    Args:
        judge: what to ask, and how to read an answer.
        backend: who answers. One that fails for a request leaves that pair without an analysis, and only that one.
        pairs: reference and candidate, in this order; equal pairs are asked about once.
        cache: where each answer is written as soon as it is there. What is in it is not asked again, so a run that
            was killed goes on where it was.
        progress: show a bar on a terminal.
    """
    places: dict[tuple[str, str], int] = {}
    inverse = [places.setdefault((reference, candidate), len(places)) for reference, candidate in pairs]
    questions = [_Question(i, *pair, judge.request(*pair)) for pair, i in places.items()]
    source = _Source(backend, f"{backend.identity}|judge:{judge.identity}", cache, running_processes())
    verdicts: dict[int, Verdict[A]] = {}
    with tqdm(
        total=len(questions), desc="judging", unit="pair", leave=False, disable=None if progress else True
    ) as bar:
        while questions:
            unreadable: list[_Question] = []
            for question, answer in source.of(questions):
                verdict, next_question = _settle(judge, question, answer)
                if next_question is not None:
                    unreadable.append(next_question)
                if verdict is not None:
                    verdicts[question.place] = verdict
                    bar.update()
            # in the order of the pairs, whichever answer came first: several processes must agree on it
            questions = sorted(unreadable, key=lambda q: q.place)
    unscored = sum(verdicts[i].analysis is None for i in inverse)
    if unscored:
        log.warning("%d of %d pairs are unscored: the details say why", unscored, len(pairs))
    return [verdicts[i] for i in inverse]


def _settle(judge: Judge[A], question: _Question, answer: Answer) -> tuple[Verdict[A] | None, _Question | None]:
    """The verdict an answer leads to, or the next question if it cannot be read."""
    if answer.text is None:
        return Verdict(None, answer.reason or "no answer", "", question.tries), None
    try:
        analysis = judge.read(question.reference, question.candidate, answer.text)
        return Verdict(analysis, "", answer.text, question.tries), None
    except UnreadableAnswer as error:
        problem = str(error)
    except Exception as error:  # an answer is outside input: whatever it breaks, the other pairs go on
        log.warning("reading an answer failed: %s", type(error).__name__)  # its message may quote a report
        problem = f"reading the answer failed: {type(error).__name__}"
    if question.tries < judge.tries:
        request = judge.again(question.request, answer.text, problem)
        return None, replace(question, request=request, tries=question.tries + 1)
    reason = f"{problem} ({answer.reason})" if answer.reason else problem
    return Verdict(None, reason, answer.text, question.tries), None


@dataclass
class _Source:
    """Where answers come from: the disk for what is known, else the backend.

    Attributes:
        backend: who answers.
        identity: of the backend and the judge together.
        cache: answers of earlier runs, if they are kept.
        processes: the other processes of this run, if there are any.
    """

    backend: Backend
    identity: str
    cache: DiskCache | None
    processes: Processes | None

    def of(self, questions: Sequence[_Question]) -> Iterator[tuple[_Question, Answer]]:
        """Each question with its answer, in any order."""
        by_key: dict[str, list[_Question]] = {}
        for question in questions:
            by_key.setdefault(question.key, []).append(question)
        known = self._known(list(by_key))
        for key, answer in known.items():
            yield from ((question, answer) for question in by_key[key])
        missing = [key for key in by_key if key not in known]
        for place, answer in self._ask([by_key[key][0].request for key in missing]):
            self._keep(missing[place], answer)
            yield from ((question, answer) for question in by_key[missing[place]])

    def _ask(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        ask = partial(every_answer, self.backend)
        return share(ask, requests, self.processes) if self.processes else ask(requests)

    def _known(self, keys: list[str]) -> dict[str, Answer]:
        found = self.cache.get(self.identity, keys) if self.cache is not None else {}
        if self.processes:  # one may have looked before another wrote
            found = self.processes.agree(found)
        return {key: Answer(**json.loads(data)) for key, data in found.items()}

    def _keep(self, key: str, answer: Answer) -> None:
        """Write an answer down at once; a failure is not an answer, the next run asks again."""
        if self.cache is not None and answer.text is not None:
            self.cache.put(self.identity, {key: json.dumps(asdict(answer)).encode()})


def every_answer(backend: Backend, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
    """Exactly one answer a request, even if the backend breaks down: what is left is then asked one by one."""
    missing = dict.fromkeys(range(len(requests)))
    if not requests:
        return
    try:
        for place, answer in backend.answers(requests):
            if place in missing:
                del missing[place]
                yield place, answer
    except RadevalError:  # says what the user has to change: no request would fare better
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
