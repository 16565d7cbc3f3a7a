"""The pairs that a teacher is asked about: read from a file, without repetitions, and balanced if asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.data.source_files import stable_order
from radeval_core.errors import InputError
from radeval_core.io import jsonl_rows, pair_of
from radeval_core.pairs import Pair, is_blank
from radeval_core.patient_context import CONTEXT_COLUMNS, context_of_row

#: reasons why a pair is not asked about
EMPTY, REPEATED, SURPLUS = "a report is empty", "repeats an earlier pair", "left out to balance the heuristics"


@dataclass(frozen=True)
class AskedPair:
    """A pair of a file.

    Attributes:
        study: the study of the reference.
        heuristic: how the candidate was made; empty if the file does not say.
        pair: the reports, the id and what is known about the patient.
    """

    study: str
    heuristic: str
    pair: Pair

    @property
    def id(self) -> str:
        """Return the id of the pair."""
        return str(self.pair.id)


@dataclass(frozen=True)
class Selection:
    """The pairs to ask about, and why others are left out.

    Attributes:
        pairs: the pairs.
        dropped: id and reason of each other pair of the file.
    """

    pairs: Sequence[AskedPair]
    dropped: Sequence[tuple[str, str]]

    @property
    def heuristics(self) -> dict[str, int]:
        """Return the number of pairs of each heuristic."""
        return dict(sorted(Counter(pair.heuristic or "not stated" for pair in self.pairs).items()))


def read_asked(path: str | Path) -> list[AskedPair]:
    """Read a JSONL file of pairs, as `radeval data pairs` writes it.

    A row has `reference`, `prediction` and optionally `id`, `study`, `heuristic` and the patient's context. Without a
    study, rows with the same reference are one study.

    Raises:
        InputError: a row has no reference or prediction, an id occurs twice, or the file is empty.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file: make one with `radeval data pairs`")
    if path.suffix.lower() != ".jsonl":
        raise InputError(f"{path}: expected a .jsonl file of pairs, as `radeval data pairs` writes it")
    found: list[AskedPair] = []
    ids: set[str] = set()
    for index, (where, row) in enumerate(jsonl_rows(path)):
        asked = _asked(where, row, index)
        if asked.id in ids:
            raise InputError(f"{where}: the id {asked.id!r} occurs twice")
        ids.add(asked.id)
        found.append(asked)
    if not found:
        raise InputError(f"{path}: the file has no pairs")
    return found


def select_pairs(given: Iterable[AskedPair], balance: bool = False, seed: int = 0) -> Selection:
    """Return the pairs to ask about: no empty report, and every pair of reports once.

    The GREEN paper has 20,000 pairs of each of five heuristics, all of them distinct (section 3.1.1). With `balance`,
    every heuristic of the file keeps as many pairs as the rarest one has, chosen by a hash of id and seed.

    Raises:
        InputError: `balance` is asked for, and a pair does not say its heuristic, or there is only one.
    """
    dropped: list[tuple[str, str]] = []
    kept: list[AskedPair] = []
    seen: set[tuple[object, ...]] = set()
    for asked in given:
        key = (asked.pair.reference, asked.pair.prediction, asked.pair.context)
        if is_blank(asked.pair.reference) or is_blank(asked.pair.prediction):
            dropped.append((asked.id, EMPTY))
        elif key in seen:
            dropped.append((asked.id, REPEATED))
        else:
            seen.add(key)
            kept.append(asked)
    if balance:
        chosen = _balanced(kept, seed)
        dropped += [(asked.id, SURPLUS) for asked in kept if asked.id not in chosen]
        kept = [asked for asked in kept if asked.id in chosen]
    return Selection(kept, dropped)


def _balanced(pairs: Sequence[AskedPair], seed: int) -> set[str]:
    groups: dict[str, list[str]] = {}
    for asked in pairs:
        if not asked.heuristic:
            raise InputError(f"--balance needs the heuristic of every pair; the pair {asked.id!r} has none")
        groups.setdefault(asked.heuristic, []).append(asked.id)
    if len(groups) < 2:
        raise InputError(f"--balance needs pairs of several heuristics, found only {', '.join(groups) or 'none'}")
    fewest = min(map(len, groups.values()))
    return {name for ids in groups.values() for name in sorted(ids, key=lambda i: stable_order(f"{seed}:{i}"))[:fewest]}


def _asked(where: str, row: Mapping[str, Any], index: int) -> AskedPair:
    pair = pair_of(where, row, index)
    if len(pair.references) != 1:
        raise InputError(f"{where}: expected one reference, got {len(pair.references)}")
    context = context_of_row(where, row, {name: name for name in CONTEXT_COLUMNS if name in row})
    study = _text(where, row, "study") or stable_order(pair.reference)[:16]
    pair = Pair(pair.prediction, pair.references, pair.id, context=context)
    return AskedPair(study, _text(where, row, "heuristic"), pair)


def _text(where: str, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int))):
        raise InputError(f"{where}: {name!r} must be a text or a whole number, got {type(value).__name__}")
    return "" if value is None else str(value).strip()
