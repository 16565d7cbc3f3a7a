"""Check that a changed report, parsed again, differs from the original as intended and in nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from radeval_core.findings.types import Finding, ParsedReport


class Key(NamedTuple):
    """The content of a finding, without its offsets."""

    finding: str
    polarity: str
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    change: str | None
    measurements: tuple[float, ...]


#: takes the findings before and after a change, and returns whether they differ as intended
Check = Callable[[Counter[Key], Counter[Key]], bool]

#: number of leading fields of a key that give the finding, its place and its degree
_PLAIN = 5


def said(report: ParsedReport) -> Counter[Key]:
    """Return the findings a report states."""
    return Counter(map(_key, report.stated))


def said_beside(report: ParsedReport, target: Finding) -> Counter[Key]:
    """Return the findings that the sentence of `target` states."""
    return Counter(_key(f) for f in report.stated if f.sentence_start == target.sentence_start)


def same_findings(before: Counter[Key], after: Counter[Key]) -> bool:
    """Return whether both state the same findings; how often, and with which size or change, does not matter."""
    return {key[:_PLAIN] for key in before} == {key[:_PLAIN] for key in after}


def same(before: Counter[Key], after: Counter[Key]) -> bool:
    """Return whether nothing changed."""
    return before == after


def only(fields: Sequence[str], old: Finding, goal: dict[str, object], within: Counter[Key] | None = None) -> Check:
    """Return a check that only these fields of a finding changed, and that they now have the values of `goal`.

    With `within`, other findings of the same sentence may change in the same fields: a list shares negation and side.
    """

    def masked(keys: Counter[Key]) -> Counter[tuple[object, ...]]:
        kept = [i for i, name in enumerate(Key._fields) if name not in fields]
        return Counter(tuple(key[i] for i in kept) for key in keys.elements())

    def fits(before: Counter[Key], after: Counter[Key]) -> bool:
        removed, added = before - after, after - before
        if within is None and (removed.total(), added.total()) != (1, 1):
            return False
        if within is not None and removed - within:
            return False
        if masked(removed) != masked(added):
            return False
        if _key(old) not in removed:
            return False
        return all(all(getattr(k, name) == value for name, value in goal.items()) for k in added)

    return fits


def only_gone(gone: Counter[Key]) -> Check:
    """Return a check that exactly these findings are gone, and nothing else changed."""
    return lambda before, after: before - after == gone and not after - before


def only_new(name: str) -> Check:
    """Return a check that one finding with this name is newly present, and nothing else changed."""

    def fits(before: Counter[Key], after: Counter[Key]) -> bool:
        added = list((after - before).elements())
        return not before - after and [(k.finding, k.polarity) for k in added] == [(name, "present")]

    return fits


def _key(f: Finding) -> Key:
    anatomy = tuple(sorted(f.anatomy))
    return Key(f.finding, f.polarity, anatomy, f.laterality, f.severity, f.change, f.measurements)
