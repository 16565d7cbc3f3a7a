"""The lexicon in memory: findings, regions, and a tree of all surface forms with their roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from radeval_core.errors import InputError
from radeval_core.findings.spelling import Speller
from radeval_core.findings.text import normalise_form


@dataclass(frozen=True, slots=True)
class Region:
    """A place in the body, see lexicon/README.md."""

    name: str
    sided: bool
    parent: str
    imagenome: str
    excludes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """A finding, device or procedure, see lexicon/README.md."""

    name: str
    kind: str
    significance: str
    regions: tuple[str, ...]
    parents: tuple[str, ...]


@dataclass(slots=True)
class Roles:
    """The roles of one surface form. It can have several: `upper limit of normal` describes a heart and is mild."""

    finding: str = ""
    region: str = ""
    form_side: str = ""
    side: str = ""
    severity: str = ""
    change: str = ""
    cues: set[str] = field(default_factory=set)
    #: (regions, finding): next to one of these regions, the form means that finding
    describes: list[tuple[frozenset[str], str]] = field(default_factory=list)

    @property
    def modifies(self) -> bool:
        """Return whether the form gives a place, a side, a severity or a change."""
        return bool(self.region or self.side or self.form_side or self.severity or self.change or self.describes)


@dataclass(slots=True)
class Node:
    """A node in the tree of forms: the roles of the form that ends here, and the words that may follow."""

    roles: Roles | None = None
    next: dict[str, Node] = field(default_factory=dict)


@dataclass(eq=False)
class Lexicon:
    """The compiled lexicon. It caches relations between its own names, never words of a report.

    Attributes:
        fingerprint: hash of the files it was read from.
        entries: findings by name.
        regions: regions by name.
        tree: all forms, as a tree of words.
        words: single-token cues, looked up by token (`verb`, `locate`, `restart`).
        apart: (adjective finding, noun finding) to the finding they make together in one phrase, with words between.
        within: finding to (region, special finding): `edema` without a place in a chest report is pulmonary edema.
        elsewhere: finding to the finding its words mean outside its part of the body; empty if they mean none.
        special: finding to (regions, special finding): a cyst in the kidney is a renal cyst.
    """

    fingerprint: str = ""
    entries: dict[str, LexiconEntry] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)
    tree: dict[str, Node] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    apart: dict[tuple[str, str], str] = field(default_factory=dict)
    within: dict[str, tuple[str, str]] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    special: dict[str, list[tuple[frozenset[str], str]]] = field(default_factory=dict)
    _surface: dict[tuple[str, ...], Roles] = field(default_factory=dict)
    _ancestors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _more_general: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _related: dict[tuple[str, str], bool] = field(default_factory=dict)

    @cached_property
    def speller(self) -> Speller:
        """Return the spelling corrector for the words of this lexicon."""
        return Speller(word for tokens in self._surface for word in tokens)

    def related(self, one: str, other: str) -> bool:
        """Return whether two findings are the same, or one is a kind of the other."""
        if one == other:
            return True
        if (one, other) not in self._related:
            self._related[one, other] = other in self.more_general(one) or one in self.more_general(other)
        return self._related[one, other]

    def one_place(self, some: Iterable[str], others: Iterable[str]) -> bool:
        """Return whether two sets of regions can be the same place: a region equals, or lies in, one of the other set.

        An empty set can be anywhere.
        """
        first, second = tuple(some), tuple(others)
        if not first or not second:
            return True
        return any(self._inside(x, y) or self._inside(y, x) for x in first for y in second)

    def _inside(self, small: str, large: str) -> bool:
        return small == large or (small in self.regions and large in self.ancestors(small))

    def ancestors(self, region: str) -> tuple[str, ...]:
        """Return the larger regions a region belongs to, nearest first."""
        known = self._ancestors.get(region)
        if known is None:
            chain, at = [], self.regions[region].parent
            while at and at not in chain:
                chain.append(at)
                at = self.regions[at].parent
            known = self._ancestors[region] = tuple(chain)
        return known

    def more_general(self, finding: str) -> tuple[str, ...]:
        """Return all findings that a finding is a kind of, nearest first."""
        known = self._more_general.get(finding)
        if known is not None:
            return known
        if finding not in self.entries:
            return ()
        found: list[str] = []
        todo = list(self.entries[finding].parents)
        while todo:
            name = todo.pop(0)
            if name not in found:
                found.append(name)
                todo.extend(self.entries[name].parents)
        self._more_general[finding] = tuple(found)
        return tuple(found)

    def surfaces(self) -> Iterable[Roles]:
        """Return the roles of every form."""
        return self._surface.values()

    def names(self) -> Iterator[str]:
        """Yield the words of every form that names a finding, a region or a normal state."""
        for tokens, roles in self._surface.items():
            if roles.finding or roles.region or "normal" in roles.cues:
                yield " ".join(tokens)

    def surface(self, tokens: tuple[str, ...]) -> Roles | None:
        """Return the roles of exactly these tokens, or None if the lexicon does not have them."""
        return self._surface.get(tokens)

    def roles(self, form: str) -> Roles:
        """Return the roles of a surface form; add the form if it is new."""
        tokens = normalise_form(form)
        if not tokens:
            raise InputError(f"lexicon: form {form!r} contains no word")
        return self._surface.setdefault(tokens, Roles())

    def compile(self) -> Lexicon:
        """Build the tree of surface forms that the parser reads."""
        self.tree, self._ancestors, self._more_general, self._related = {}, {}, {}, {}
        for tokens, roles in self._surface.items():
            node = self.tree.setdefault(tokens[0], Node())
            for token in tokens[1:]:
                node = node.next.setdefault(token, Node())
            node.roles = roles
        self.special = self._special_forms()
        return self

    def _special_forms(self) -> dict[str, list[tuple[frozenset[str], str]]]:
        """Return what findings become in a place.

        If `cyst` near a kidney means a renal cyst, so does any other word for a cyst.
        """
        found: dict[str, list[tuple[frozenset[str], str]]] = {}
        for roles in self._surface.values():
            for rule in roles.describes if roles.finding else ():
                for name in self.more_general(rule[1]):
                    kind_of = roles.finding in (name, *self.more_general(name))
                    if kind_of and rule not in found.setdefault(name, []):
                        found[name].append(rule)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the lexicon without its tree, as JSON data."""
        return {
            "entries": [[e.name, e.kind, e.significance, e.regions, e.parents] for e in self.entries.values()],
            "regions": [[r.name, r.sided, r.parent, r.imagenome, r.excludes] for r in self.regions.values()],
            "apart": [[*pair, name] for pair, name in self.apart.items()],
            "within": self.within,
            "elsewhere": self.elsewhere,
            "words": {key: sorted(words) for key, words in self.words.items()},
            "forms": [
                [tokens, r.finding, r.region, r.form_side, r.side, r.severity, r.change, sorted(r.cues),
                 [[sorted(regions), finding] for regions, finding in r.describes]]
                for tokens, r in self._surface.items()
            ],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Lexicon:
        """Return the lexicon from data that `to_json` wrote."""
        lexicon = cls()
        for name, kind, significance, regions, parents in data["entries"]:
            lexicon.entries[name] = LexiconEntry(name, kind, significance, tuple(regions), tuple(parents))
        for name, sided, parent, imagenome, excludes in data["regions"]:
            lexicon.regions[name] = Region(name, sided, parent, imagenome, tuple(excludes))
        lexicon.apart = {(first, second): name for first, second, name in data["apart"]}
        lexicon.within = {name: (region, finding) for name, (region, finding) in data["within"].items()}
        lexicon.elsewhere = dict(data["elsewhere"])
        lexicon.words = {key: frozenset(words) for key, words in data["words"].items()}
        for tokens, finding, region, form_side, side, severity, change, cues, describes in data["forms"]:
            rules = [(frozenset(places), name) for places, name in describes]
            lexicon._surface[tuple(tokens)] = Roles(
                finding, region, form_side, side, severity, change, set(cues), rules
            )
        return lexicon
