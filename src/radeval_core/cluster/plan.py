"""Plan the parts of a job, find those that an earlier run has made, and join all of them into one result."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from radeval_core import api
from radeval_core.cluster.parts import MetricFacts, PartFacts, part_path, read_facts, read_part
from radeval_core.cluster.survey import Survey, joined_sections
from radeval_core.cluster.worker import PartPlan, Run
from radeval_core.errors import InputError, RadevalError
from radeval_core.io import write_text
from radeval_core.io.atomic import lock_file, sweep, writing
from radeval_core.metrics.base import Scorer
from radeval_core.runner import Collector, RunFacts, warn_of_unread
from radeval_core.shown_values import ShownValue
from radeval_core.signature import refs_text

#: runs per worker: fewer leave workers idle at the end, more read the beginning of a file more often
_RUNS_PER_WORKER = 8
_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class PlannedFile:
    """A file and its parts."""

    survey: Survey
    parts: tuple[PartPlan, ...]


@dataclass(frozen=True)
class Plan:
    """All parts of a job.

    Attributes:
        folder: the folder of the parts.
        job: digest of the job.
        files: the files, in the order of their pairs.
    """

    folder: Path
    job: str
    files: tuple[PlannedFile, ...]

    @property
    def pairs(self) -> int:
        return sum(file.survey.pairs for file in self.files)

    @property
    def parts(self) -> list[PartPlan]:
        return [part for file in self.files for part in file.parts]


def make_plan(folder: Path, job: str, surveys: Sequence[Survey]) -> Plan:
    """Number the parts of all files."""
    files: list[PlannedFile] = []
    number = first = 0
    for survey in surveys:
        parts: list[PartPlan] = []
        for size, digest in zip(survey.sizes, survey.digests, strict=True):
            parts.append(PartPlan(number, first, size, digest))
            number += 1
            first += size
        files.append(PlannedFile(survey, tuple(parts)))
    if not first:
        raise InputError(f"{surveys[0].path}: no pairs to score")
    return Plan(folder, job, tuple(files))


@contextmanager
def open_folder(folder: Path) -> Iterator[None]:
    """Create the folder of the parts, for its owner alone, and keep other runs out of it while the block runs."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, but the parts of the result are written to a folder of this name")
    manifest = folder / _MANIFEST
    if folder.is_dir() and any(folder.iterdir()) and not manifest.exists():
        raise InputError(f"{folder} contains other files: move them, or give --out another name")
    with writing(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chmod(folder, 0o700)
        manifest.touch(mode=0o600)
        handle = os.open(folder, os.O_RDONLY)
    try:
        if lock_file(handle) is False:
            raise InputError(f"another run writes to {folder}: wait for it, or give --out another name")
    except InputError:
        os.close(handle)
        raise
    try:
        yield
    finally:
        if not any(folder.glob("part-*")):  # nothing that the next run could use
            delete_folder(folder)
        os.close(handle)


def keep_usable_parts(plan: Plan) -> set[int]:
    """Write the manifest; delete what is not a whole part of this plan, and return the numbers of the parts there."""
    summary = {
        "job": plan.job,
        "pairs": plan.pairs,
        "parts": len(plan.parts),
        "files": [{"path": file.survey.path, "pairs": file.survey.pairs} for file in plan.files],
    }
    write_text(plan.folder / _MANIFEST, json.dumps(summary, indent=1) + "\n", private=True)
    done: set[int] = set()
    for part in plan.parts:
        path = part_path(plan.folder, part.number)
        sweep(path)  # half-written ones
        if path.exists():
            if _fits(read_facts(path), plan, part):
                done.add(part.number)
            else:
                path.unlink()
    last = len(plan.parts)
    for path in plan.folder.glob("part-*.parquet"):
        if int(path.stem.removeprefix("part-")) >= last:
            path.unlink()
    return done


def _fits(facts: PartFacts | None, plan: Plan, part: PartPlan) -> bool:
    return facts is not None and (facts.job, facts.pairs, facts.rows) == (plan.job, part.content, part.size)


def plan_runs(plan: Plan, done: set[int], workers: int) -> list[Run]:
    """Cut the parts that are to do into runs for the workers; parts of a run follow each other in one file."""
    todo = sum(part.number not in done for part in plan.parts)
    length = max(1, todo // (workers * _RUNS_PER_WORKER))
    runs: list[Run] = []
    for file in plan.files:
        waiting: list[PartPlan] = []
        for part in (*file.parts, None):
            if waiting and (part is None or part.number in done or len(waiting) == length):
                runs.append(Run(file.survey.path, waiting[0].first - file.parts[0].first, tuple(waiting)))
                waiting = []
            if part is not None and part.number not in done:
                waiting.append(part)
    return runs


def join_parts(plan: Plan, scorers: Sequence[Scorer], shown: tuple[ShownValue, ...], progress: bool) -> api.Scores:
    """Return the result of all parts, in the order of the pairs: as one process would have returned it."""
    facts: list[PartFacts] = []
    for part in plan.parts:
        found = read_facts(part_path(plan.folder, part.number))
        if found is None or not _fits(found, plan, part):
            raise RadevalError(f"{part_path(plan.folder, part.number)} is missing or damaged: start again")
        facts.append(found)
    collectors = {scorer.spec.name: Collector(scorer) for scorer in scorers}
    widths = {name: max(1, *(part.metrics[name].statistics for part in facts)) for name in collectors}
    ids: list[str | int] = []
    with tqdm(total=plan.pairs, desc="joining", unit="pair", disable=None if progress else True) as bar:
        for place, own in zip(plan.parts, facts, strict=True):
            read = read_part(part_path(plan.folder, place.number), own, widths)
            ids += read.ids
            for name, collector in collectors.items():
                collector.add(read.chunks[name])
            bar.update(place.size)
    warn_of_unread(collectors.values(), len(ids))
    counts = [file.survey.references for file in plan.files if file.survey.pairs]
    refs = refs_text(min(low for low, _ in counts), max(high for _, high in counts))
    results = {
        name: collector.result(refs, facts=_run_facts(collector.scorer, [part.metrics[name] for part in facts]))
        for name, collector in collectors.items()
    }
    return api.Scores(ids, results, shown, joined_sections([file.survey for file in plan.files]))


def _run_facts(scorer: Scorer, parts: Sequence[MetricFacts]) -> RunFacts:
    failures: Counter[str] = Counter()
    for part in parts:
        failures.update(part.failures)
    return RunFacts(
        scorer.joined_fields([part.fields for part in parts]),
        {},
        parts[0].asked,
        sum(part.judged for part in parts),
        dict(failures),
    )


def delete_folder(folder: Path) -> None:
    """Delete the parts once their result is written."""
    shutil.rmtree(folder, ignore_errors=True)
