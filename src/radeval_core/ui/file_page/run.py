"""Scores one or two systems with several metrics, and compares two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core import api
from radeval_core.bench.compare_systems import Comparison, compare_scores
from radeval_core.bench.system_pairs import align
from radeval_core.engine.devices import one_thread
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, Table
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec
from radeval_core.shown_values import shown_value
from radeval_core.spool import DetailSpool
from radeval_core.ui.file_page.timing import Stopwatch, about, work_of
from radeval_core.ui.pair import MAX_CHARACTERS, demo_options

#: pairs per step of the progress bar
_STEP = 32
#: called with (pairs done, all pairs) and a description
Progress = Callable[..., Any]


@dataclass(frozen=True)
class SystemRun:
    """One scored system.

    Attributes:
        name: its name: that of its file.
        pairs: its pairs.
        scores: their scores.
        details: what is behind the scores, by place of the pair.
        options: options of the metrics.
    """

    name: str
    pairs: list[Pair]
    scores: api.Scores
    details: DetailSpool
    options: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class FileRun:
    """A scored file, or two of them.

    Attributes:
        systems: the systems by name, that of the first file first.
        comparison: the comparison of two systems; None if there is one.
        notes: what a reader must know first: rows that were left out, how pairs were matched.
    """

    systems: dict[str, SystemRun]
    comparison: Comparison | None
    notes: tuple[str, ...]

    def system(self, name: str | None) -> SystemRun:
        """Return a system by name, or the first one."""
        return self.systems.get(name or "") or next(iter(self.systems.values()))

    @property
    def other(self) -> SystemRun | None:
        """Return the second system, or None."""
        return list(self.systems.values())[1] if len(self.systems) > 1 else None


@dataclass(frozen=True)
class ChosenFile:
    """A table and the columns that its visitor chose.

    Attributes:
        table: the rows.
        columns: the columns of prediction, reference and id; an empty id numbers the rows.
    """

    table: Table
    columns: PairColumns

    def pairs(self) -> tuple[list[Pair], list[str]]:
        """Return its pairs, and the place and reason of each row that cannot be scored."""
        for role in ("prediction", "reference"):
            if not getattr(self.columns, role):
                raise InputError(f"{self.table.name}: choose the column of the {role}s")
        pairs, problems = self.table.pairs(self.columns, bool(self.columns.id))
        short = [pair for pair in pairs if _longest(pair) <= MAX_CHARACTERS]
        problems += [
            f"{_named(pair)}: a report has {_longest(pair):,} characters; the maximum here is {MAX_CHARACTERS:,}"
            for pair in pairs
            if _longest(pair) > MAX_CHARACTERS
        ]
        return short, [*self.table.refused, *problems]


def _longest(pair: Pair) -> int:
    return max(map(len, (pair.prediction, *pair.references)))


def _named(pair: Pair) -> str:
    return f"row {pair.id + 1}" if isinstance(pair.id, int) else f"id {pair.id}"


def matched_systems(files: Sequence[ChosenFile], leave_out: bool) -> tuple[dict[str, list[Pair]], list[str]]:
    """Return the pairs of each file by the name of its system, in one order, and notes about them.

    Args:
        files: one or two files.
        leave_out: leave out rows that cannot be read; else they are an error.
    """
    notes: list[str] = []
    found: list[list[Pair]] = []
    for file in files:
        pairs, problems = file.pairs()
        if problems and not leave_out:
            raise InputError(
                f"{file.table.name}: {_rows(len(problems))} cannot be read ({problems[0]}): correct the file, or tick "
                "the box that leaves such rows out"
            )
        if problems:
            notes.append(f"{file.table.name}: {_rows(len(problems))} left out: {'; '.join(problems[:3])}")
        if not pairs:
            raise InputError(f"{file.table.name}: no pairs to score")
        found.append(pairs)
    names = _system_names([file.table.name for file in files])
    if len(files) < 2:
        return dict(zip(names, found, strict=True)), notes
    if leave_out and any("left out" in note for note in notes):
        common = set.intersection(*({str(pair.id) for pair in pairs} for pairs in found))
        found = [[pair for pair in pairs if str(pair.id) in common] for pairs in found]
    by_id = [bool(file.columns.id) for file in files]
    if by_id[0] != by_id[1]:
        raise InputError("one file has a column of ids and the other has none: choose ids for both files, or for none")
    systems = align(dict(zip(names, found, strict=True)), {n: f.table.name for n, f in zip(names, files, strict=True)})
    how = f"by their ids ({files[0].columns.id})" if by_id[0] else "by their order: row 1 with row 1, and so on"
    return systems, [*notes, f"The pairs of both files are matched {how}."]


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _system_names(files: Sequence[str]) -> list[str]:
    """Return the names of the files without their endings; with a number if they are the same."""
    stems = [file.rpartition(".")[0] or file for file in files]
    return stems if len(set(stems)) == len(stems) else [f"{stem} ({i})" for i, stem in enumerate(stems, 1)]


def score_files(files: Sequence[ChosenFile], metrics: Sequence[str], leave_out: bool, progress: Progress) -> FileRun:
    """Score one or two files.

    Args:
        files: the files; the second is another system on the same references.
        metrics: names of metrics.
        leave_out: leave out rows that cannot be read; else they are an error.
        progress: receives how many pairs are done, with the estimated rest.
    """
    if not metrics:
        raise InputError("no metric is chosen: choose at least one")
    one_thread()
    systems, notes = matched_systems(files, leave_out)
    watch = Stopwatch([work for pairs in systems.values() for work in work_of(pairs)])
    progress((0, len(watch.work)), desc="loading", unit="pairs")

    def tick() -> None:
        watch.step()
        if watch.done % _STEP == 0 or watch.done == len(watch.work):
            left = watch.remaining or 0.0
            words = f"{about(left)} left" if watch.done < len(watch.work) else "drawing"
            progress((watch.done, len(watch.work)), desc=words, unit="pairs")

    scored = {name: _score(name, pairs, metrics, tick) for name, pairs in systems.items()}
    compared = None
    if len(scored) > 1:
        compared = compare_scores(
            {name: system.scores for name, system in scored.items()}, [shown_value(name) for name in metrics]
        )
    return FileRun(scored, compared, tuple(notes))


def _score(name: str, pairs: list[Pair], metrics: Sequence[str], tick: Callable[[], None]) -> SystemRun:
    details = DetailSpool(in_memory=True)

    def keep(row: Mapping[str, Any]) -> None:
        details.add(row)
        tick()

    # a file is a test set to count words in; a single pair is not
    single = {m: demo_options(get_spec(m)) for m in metrics} if len(pairs) == 1 else {}
    options = {metric: chosen for metric, chosen in single.items() if chosen}
    scores = api.score(pairs, list(metrics), options=options, chunk_pairs=_STEP, on_details=keep)
    return SystemRun(name, pairs, scores, details, options)
