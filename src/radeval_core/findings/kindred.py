"""Relations between findings beyond the lexicon: what radiologists use interchangeably, see kindred.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import near_open


@cache
def listed(name: str) -> frozenset[str]:
    """Return the list `not_judged` or `no_change` of kindred.yaml."""
    return frozenset(_read()[name])


@cache
def _read() -> dict[str, list[str]]:
    content: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("kindred.yaml").read_text("utf-8"))
    return content


@cache
def _kindred() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(group) for group in _read()["kindred"])


@cache
def kin(one: str, other: str) -> bool:
    """Return whether radiologists use two findings interchangeably, see kindred.yaml."""
    return any(one in group and other in group for group in _kindred())


def one_side(a: str | None, b: str | None) -> bool:
    """Return whether two sides can be the same; an unknown side can be either."""
    return a is None or b is None or a == b


def near_names(names: Iterable[str], lexicon: Lexicon) -> dict[str, set[str]]:
    """Return for each finding those of the same list that are the same, a kind of the other, or its kin.

    The work grows with the list, not with its square: a long report names many findings, and few are near each other.
    """
    near: dict[str, set[str]] = {name: {name} for name in names}
    for name, found in near.items():
        for general in lexicon.more_general(name):
            if general in near:
                found.add(general)
                near[general].add(name)
    for group in _kindred():
        here = [name for name in group if name in near]
        for name in here:
            near[name].update(here)
    for name, other in near_open(near, lexicon.entries):
        near[name].add(other)
        near[other].add(name)
    return near
