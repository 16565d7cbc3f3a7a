"""How two findings relate: kinds of the lexicon, and the table relations.yaml (same, sign of, looks like)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.open_match import compare_names, is_open, near_open

RELATIONS_FILE = Path(__file__).with_name("relations.yaml")
#: the relations, closest first
EQUAL, KIND_OF, SAME, SIGN_OF, LOOKS_LIKE = "equal", "kind-of", "same", "sign-of", "looks-like"
#: how alike two findings of a relation are, for the assignment of claims to each other
LIKENESS = {EQUAL: 1.0, KIND_OF: 0.8, SAME: 0.6, SIGN_OF: 0.55, LOOKS_LIKE: 0.5}


@dataclass(frozen=True, slots=True)
class Relation:
    """How a second finding relates to a first one.

    Attributes:
        kind: equal, kind-of, same, sign-of or looks-like.
        vaguer: 1 if the second one is vaguer (a more general name, the sign of the first), -1 if it says more, else 0.
    """

    kind: str
    vaguer: int = 0

    @property
    def likeness(self) -> float:
        """Return how alike the two are, from 0 to 1."""
        return LIKENESS[self.kind]

    @property
    def as_good(self) -> bool:
        """Return whether either name is as good as the other."""
        return not self.vaguer and self.kind != LOOKS_LIKE


_EQUAL, _MORE_GENERAL, _MORE_SPECIFIC = Relation(EQUAL), Relation(KIND_OF, 1), Relation(KIND_OF, -1)
#: a kind of the other, but the name is no vaguer to a reader: an enlarged cardiac silhouette for cardiomegaly
_KIND_AND_SAME = Relation(KIND_OF)
_CONFUSED = Relation(LOOKS_LIKE)


@cache
def _table() -> Mapping[str, Mapping[str, Relation]]:
    """Return the relations of relations.yaml by both names, in both directions; the closest one counts."""
    table: dict[str, dict[str, Relation]] = {}

    def add(one: str, other: str, kind: str, vaguer: int) -> None:
        if one != other:
            table.setdefault(one, {}).setdefault(other, Relation(kind, vaguer))
            table.setdefault(other, {}).setdefault(one, Relation(kind, -vaguer))

    content = _read()
    for kind, rows in ((SAME, content["same"]), (SIGN_OF, content["sign_of"]), (LOOKS_LIKE, content["looks_like"])):
        for row in rows:
            firsts = row.get("names") or row.get("either") or row["of"]
            seconds = row.get("sign") or row.get("vague") or firsts
            for one in firsts:
                for other in seconds:
                    add(one, other, kind, 1 if seconds is not firsts else 0)
    return table


def _read() -> dict[str, list[dict[str, Any]]]:
    content: dict[str, list[dict[str, Any]]] = yaml.safe_load(RELATIONS_FILE.read_text("utf-8"))
    return content


def relation(one: str, other: str, lexicon: Lexicon) -> Relation | None:
    """Return how `other` relates to `one`, or None. Two kinds of one thing look like each other."""
    return _listed_relation(one, other, lexicon) or open_relation(one, other, lexicon)


def open_relation(one: str, other: str, lexicon: Lexicon) -> Relation | None:
    """Return how two names relate by their words, if the lexicon does not list one of them; else None.

    The result is not remembered here, because an encoder may take part.
    """
    if not is_open(one, lexicon.entries) and not is_open(other, lexicon.entries):
        return None
    found = compare_names(one, other)
    return Relation(EQUAL if found.value == 1.0 else KIND_OF, found.vaguer) if found.value else None


@lru_cache(maxsize=65_536)
def _listed_relation(one: str, other: str, lexicon: Lexicon) -> Relation | None:
    if one == other:
        return _EQUAL
    found = _table().get(one, {}).get(other)
    if lexicon.related(one, other):
        if found is not None and found.kind == SAME:
            return _KIND_AND_SAME
        return _MORE_GENERAL if other in lexicon.more_general(one) else _MORE_SPECIFIC
    found = found or _inherited(one, other, lexicon)
    if found is not None:
        return found
    entries = lexicon.entries
    if one in entries and other in entries and set(entries[one].parents) & set(entries[other].parents):
        return _CONFUSED
    return None


def _inherited(one: str, other: str, lexicon: Lexicon) -> Relation | None:
    """Return the relation to a vaguer name that a kind has from its more general finding: a hilar mass is a mass."""
    for general in lexicon.more_general(one):
        found = _table().get(general, {}).get(other)
        if found is not None and found.vaguer == 1:
            return found
    for general in lexicon.more_general(other):
        found = _table().get(one, {}).get(general)
        if found is not None and found.vaguer == -1:
            return found
    return None


def one_side(a: str | None, b: str | None) -> bool:
    """Return whether two sides can be the same; an unknown side can be either."""
    return a is None or b is None or a == b


def near_names(names: Iterable[str], lexicon: Lexicon) -> dict[str, set[str]]:
    """Return for each finding those of the same list that `relation` relates to it, and itself.

    The work grows with the list, not with its square: a long report names many findings, and few are near each other.
    """
    here = dict.fromkeys(names)
    near = {name: {name} | (_near(name, lexicon) & here.keys()) for name in here}
    for name, other in near_open(here, lexicon.entries):
        near[name].add(other)
        near[other].add(name)
    return near


@lru_cache(maxsize=4096)
def _near(name: str, lexicon: Lexicon) -> frozenset[str]:
    """Return all findings of the lexicon and the table that `relation` relates to a finding."""
    kinds, table = _kinds(lexicon), _table()
    general = lexicon.more_general(name)
    parents = lexicon.entries[name].parents if name in lexicon.entries else ()
    near = {*general, *kinds.get(name, ()), *(kind for parent in parents for kind in kinds.get(parent, ()))}
    for one in (name, *general):
        for other in table.get(one, ()):
            near.update((other, *kinds.get(other, ())))
    return frozenset(other for other in near if other != name and relation(name, other, lexicon) is not None)


@lru_cache(maxsize=8)
def _kinds(lexicon: Lexicon) -> Mapping[str, tuple[str, ...]]:
    """Return the kinds of each finding: the findings it is more general than."""
    kinds: dict[str, list[str]] = {}
    for name in lexicon.entries:
        for general in lexicon.more_general(name):
            kinds.setdefault(general, []).append(name)
    return {general: tuple(found) for general, found in kinds.items()}
