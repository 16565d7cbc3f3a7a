"""Read the pairs of several systems, and put them into the order of the first.

Pairs belong together by id, compared as text: `7` in a JSONL file is `7` in a CSV file. Rows without ids are numbered,
so such files belong together by position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.io import PairColumns, open_pairs
from radeval_core.io.formats import format_of
from radeval_core.pairs import Pair

#: ids listed in an error
_LISTED = 3


def systems_from(texts: Sequence[str]) -> dict[str, Path]:
    """Return the file of each system, by name, from `NAME=FILE` or `FILE`.

    Without a name, a system is named after its file, or after file and folder if two files have the same name.
    """
    named: list[tuple[str, Path]] = []
    for text in texts:
        name, equals, file = text.partition("=")
        whole = not equals or Path(text).exists()
        if not whole and not (name.strip() and file):
            raise InputError(f"expected FILE or NAME=FILE, got {text!r}")
        named.append(("", Path(text)) if whole else (name.strip(), Path(file)))
    stems = Counter(_stem(path) for path in {path for name, path in named if not name})
    systems: dict[str, Path] = {}
    for name, path in named:
        own = name or (_stem(path) if stems[_stem(path)] == 1 else f"{path.absolute().parent.name}/{_stem(path)}")
        if not name and systems.get(own) == path:
            own = f"{own} ({sum(other == path for other in systems.values()) + 1})"  # the same file again
        if own in systems:
            raise InputError(f"two systems are named {own!r}: {systems[own]} and {path}; give names: NAME={path}")
        systems[own] = path
    return systems


def read_systems(
    systems: Mapping[str, str | Path], columns: PairColumns | None = None, further: tuple[str, ...] = ()
) -> dict[str, list[Pair]]:
    """Read the files of the systems and return their pairs, all in the order of the first.

    Args:
        systems: the file of each system, by name.
        columns: names of the columns in all files, if not our own.
        further: columns that a metric reads besides the reports, such as `image` or `age`.
    """
    read = {name: list(open_pairs(path, columns=columns, further=further)) for name, path in systems.items()}
    return align(read, {name: str(path) for name, path in systems.items()})


def align(systems: Mapping[str, Sequence[Pair]], files: Mapping[str, str] | None = None) -> dict[str, list[Pair]]:
    """Return the pairs of each system in the order of the first; raise an error if ids, references or patients differ.

    Args:
        systems: the pairs of each system, by name.
        files: what errors call each system, if not by its name.
    """
    places = {name: (files or {}).get(name, name) for name in systems}
    for name, rows in systems.items():
        if not rows:
            raise InputError(f"{places[name]}: no pairs to score")
    first, expected = next(iter(systems.items()))
    ids = [str(pair.id) for pair in expected]
    aligned: dict[str, list[Pair]] = {}
    for name, rows in systems.items():
        if [str(pair.id) for pair in rows] != ids:
            rows = _in_order(ids, rows, places[first], places[name])
        differ = [one.id for one, other in zip(expected, rows, strict=True) if one.references != other.references]
        if differ:
            raise InputError(f"the references of {_listed(differ)} differ between {places[first]} and {places[name]}")
        differ = [one.id for one, other in zip(expected, rows, strict=True) if one.context != other.context]
        if differ:
            raise InputError(f"the patients of {_listed(differ)} differ between {places[first]} and {places[name]}")
        aligned[name] = list(rows)
    return aligned


def _in_order(ids: Sequence[str], rows: Sequence[Pair], first: str, where: str) -> list[Pair]:
    """Return the rows in the order of the ids."""
    for place, found in ((first, ids), (where, [str(pair.id) for pair in rows])):
        if repeated := [name for name, count in Counter(found).items() if count > 1]:
            raise InputError(f"{place}: {_listed(repeated)} occur more than once, so pairs cannot be matched by id")
    by_id = {str(pair.id): pair for pair in rows}
    missing = [name for name in ids if name not in by_id]
    known = set(ids)
    extra = [name for name in by_id if name not in known]
    if missing or extra:
        sides = [
            f"{_listed(found)} of {one} {'is' if len(found) == 1 else 'are'} not in {other}"
            for found, one, other in ((missing, first, where), (extra, where, first))
            if found
        ]
        raise InputError(f"the systems need the same ids: {'; '.join(sides)}")
    return [by_id[name] for name in ids]


def _listed(ids: Iterable[str | int]) -> str:
    """Return how many ids there are, and the first few."""
    ids = list(ids)
    shown = ", ".join(repr(name) for name in ids[:_LISTED]) + ", …" * (len(ids) > _LISTED)
    return f"1 id ({shown})" if len(ids) == 1 else f"{len(ids)} ids ({shown})"


def _stem(path: Path) -> str:
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    return name[: -len(format_of(path))] if format_of(path) and name.lower().endswith(format_of(path)) else name
