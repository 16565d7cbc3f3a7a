"""Whether a changed report, parsed again, differs from the first as intended and in nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from radeval_core.findings.structures import Finding, ParsedReport


class Key(NamedTuple):
    """What a finding says, without where it is written."""

    finding: str
    polarity: str
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    change: str | None
    measurements: tuple[float, ...]


#: whether what was said before and what is said after differ as intended
Check = Callable[[Counter[Key], Counter[Key]], bool]

#: how many fields of a key tell a finding, its place and its degree
_PLAIN = 5


def said(report: ParsedReport) -> Counter[Key]:
    """What a report states."""
    return Counter(map(_key, report.stated))


def said_beside(report: ParsedReport, target: Finding) -> Counter[Key]:
    """What the sentence of a finding states."""
    return Counter(_key(f) for f in report.stated if f.sentence_start == target.sentence_start)


def same_findings(before: Counter[Key], after: Counter[Key]) -> bool:
    """Whether the same is said, however often, and whatever size or change is told beside."""
    return {key[:_PLAIN] for key in before} == {key[:_PLAIN] for key in after}


def same(before: Counter[Key], after: Counter[Key]) -> bool:
    """Nothing changed."""
    return before == after


def only(fields: Sequence[str], old: Finding, goal: dict[str, object], within: Counter[Key] | None = None) -> Check:
    """The finding now has the values of the goal; nothing else changed but these fields.

    With `within`, other findings of the same sentence may change in the same fields: a list shares negation and side.
    """

    def masked(keys: Counter[Key]) -> Counter[tuple[object, ...]]:
        kept = [i for i, name in enumerate(Key._fields) if name not in fields]
        return Counter(tuple(key[i] for i in kept) for key in keys.elements())

    def fits(before: Counter[Key], after: Counter[Key]) -> bool:
        gone, come = before - after, after - before
        if within is None and (gone.total(), come.total()) != (1, 1):
            return False
        if within is not None and gone - within:
            return False
        if masked(gone) != masked(come):
            return False
        if _key(old) not in gone:
            return False
        return all(all(getattr(k, name) == value for name, value in goal.items()) for k in come)

    return fits


def only_gone(gone: Counter[Key]) -> Check:
    """These are gone, and nothing else changed."""
    return lambda before, after: before - after == gone and not after - before


def only_new(name: str) -> Check:
    """One finding of that name is stated to be present, and nothing else changed."""

    def fits(before: Counter[Key], after: Counter[Key]) -> bool:
        come = list((after - before).elements())
        return not before - after and [(k.finding, k.polarity) for k in come] == [(name, "present")]

    return fits


def _key(f: Finding) -> Key:
    anatomy = tuple(sorted(f.anatomy))
    return Key(f.finding, f.polarity, anatomy, f.laterality, f.severity, f.change, f.measurements)
