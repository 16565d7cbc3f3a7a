"""What a worker does: read a run of pairs, score it part by part, write each part. It knows nothing of Ray.

A pair that makes a metric fail, or that ends the process again and again, is found by halving its part. It stays
unscored, with the reason; the other pairs are scored.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from radeval_core.cluster.job import ScoringJob, pairs_digest
from radeval_core.cluster.parts import MetricFacts, Part, PartFacts, joined_chunks, part_path, write_part
from radeval_core.cluster.survey import read_key, unseal
from radeval_core.errors import InputError, RadevalError, is_out_of_memory
from radeval_core.metrics.base import Scorer
from radeval_core.pairs import Pair
from radeval_core.runner import ScoredChunk, score_chunk

#: how often a process may end while it scores a whole part, or a single pair: once may be chance
_DEATHS = 2


@dataclass(frozen=True)
class PartPlan:
    """A part to make.

    Attributes:
        number: number of the part, from 0.
        first: place of its first pair among all pairs; rows without an id are numbered from here.
        size: number of pairs.
        digest: digest of the pairs.
    """

    number: int
    first: int
    size: int
    digest: str

    @property
    def content(self) -> str:
        """Return what the metadata of the part say of its pairs."""
        return f"{self.digest}@{self.first}"


@dataclass(frozen=True)
class Run:
    """Parts of one file that follow each other: what a worker does at a time.

    Attributes:
        path: the file.
        start: number of pairs of the file before the first part.
        parts: the parts.
    """

    path: str
    start: int
    parts: tuple[PartPlan, ...]

    @property
    def pairs(self) -> int:
        return sum(part.size for part in self.parts)


class Worker:
    """Scores runs with loaded metrics.

    Args:
        job: what to score.
        folder: the folder of the parts.
        digest: digest of the job, written into every part.
        observed: sealed results of the first pass, by metric; the key is in the folder.
    """

    def __init__(self, job: ScoringJob, folder: str, digest: str, observed: Mapping[str, bytes]) -> None:
        self._job, self._folder, self._digest = job, Path(folder), digest
        self._scorers = job.make_scorers()
        for scorer in self._scorers:
            if scorer.spec.name in observed:
                scorer.add_observed(unseal(observed[scorer.spec.name], read_key(self._folder)))
            scorer.warm_up()

    def do(self, run: Run) -> int:
        """Score and write the parts of a run that are not there yet; return the number of pairs."""
        pairs = iter(self._job.reader(run.path, self._scorers, run.start, run.pairs))
        cutter = self._scorers[0].resources.cutter
        cut = cutter.pairs(pairs) if cutter else pairs
        for plan in run.parts:
            chunk = list(islice(cut, plan.size))
            if len(chunk) != plan.size or pairs_digest(chunk) != plan.digest:
                raise InputError(f"{run.path} was changed while it was scored: start again")
            if not part_path(self._folder, plan.number).exists():  # a run that was cut short has written some
                self._make(plan, [p if p.id != "" else replace(p, id=i) for i, p in enumerate(chunk, plan.first)])
        return run.pairs

    def _make(self, plan: PartPlan, pairs: Sequence[Pair]) -> None:
        journal = Journal(self._folder / f"part-{plan.number:07d}.trying")
        chunks, reasons, facts = {}, {}, {}
        for scorer in self._scorers:
            name = scorer.spec.name
            judged, failures = scorer.judged, Counter(scorer.failures)
            chunk, reasons[name] = score_range(scorer, pairs, journal)
            chunks[name] = chunk
            facts[name] = MetricFacts(
                dict(scorer.signature_fields()),
                len(chunk.stats),
                scorer.asks,
                scorer.judged - judged,
                dict(Counter(scorer.failures) - failures + Counter(reasons[name].values())),
                dict(chunk.unread),
            )
        part = PartFacts(self._digest, plan.content, len(pairs), facts)
        write_part(self._folder, plan.number, Part(part, [pair.id for pair in pairs], chunks, reasons))
        journal.delete()


class Journal:
    """Remembers on disk which pairs are being scored, so that the next process knows what ended this one.

    Args:
        path: its file; one per part.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._deaths: Counter[tuple[Any, ...]] = Counter()
        if path.exists():
            lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.endswith("]")]
            started = Counter(tuple(line[1:]) for line in lines if line[0] == "start")
            self._deaths = started - Counter(tuple(line[1:]) for line in lines if line[0] == "end")

    def deaths(self, metric: str, start: int, end: int) -> int:
        """Return how often a process ended while it scored a range of pairs."""
        return self._deaths[metric, start, end]

    @contextmanager
    def trying(self, metric: str, start: int, end: int) -> Iterator[None]:
        """Note that a range is being scored while the block runs."""
        self._write(["start", metric, start, end])
        try:
            yield
        finally:
            self._write(["end", metric, start, end])

    def delete(self) -> None:
        """Delete the file: the part is written."""
        self._path.unlink(missing_ok=True)

    def _write(self, line: list[Any]) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, json.dumps(line).encode() + b"\n")
        finally:
            os.close(handle)


def score_range(scorer: Scorer, pairs: Sequence[Pair], journal: Journal) -> tuple[ScoredChunk, dict[int, str]]:
    """Score pairs; return also the reasons of those that cannot be scored, by their places.

    Raises:
        RadevalError: the user must change something; other pairs would fail too.
    """
    name, whole = scorer.spec.name, (0, len(pairs))
    found: list[tuple[int, int, ScoredChunk | None]] = []
    reasons: dict[int, str] = {}
    todo = [whole]
    while todo:
        start, end = todo.pop()
        reason = ""
        if deaths := journal.deaths(name, start, end):
            patient = (start, end) == whole or end - start == 1
            reason = f"the process ended {deaths} times" if deaths >= (_DEATHS if patient else 1) else ""
        if not reason:
            try:
                with journal.trying(name, start, end):
                    found.append((start, end, score_chunk(scorer, pairs[start:end])))
            except RadevalError:
                raise
            except Exception as error:  # its message may quote a report
                reason = "out of memory" if is_out_of_memory(error) else f"scoring failed: {type(error).__name__}"
        if reason and end - start == 1:
            reasons[start] = reason
            found.append((start, end, None))
        elif reason:
            middle = (start + end) // 2
            todo += [(middle, end), (start, middle)]
    return joined_chunks(found, scorer.value_names), reasons
