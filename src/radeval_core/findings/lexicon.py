"""The lexicon in memory: findings, regions, and one tree of all surface forms with what each can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from radeval_core.errors import InputError
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
class Entry:
    """A finding, device or procedure, see lexicon/README.md."""

    name: str
    kind: str
    significance: str
    regions: tuple[str, ...]
    parents: tuple[str, ...]


@dataclass(slots=True)
class Roles:
    """What one surface form can be. Several at once: `upper limit of normal` describes a heart and is mild."""

    finding: str = ""
    region: str = ""
    form_side: str = ""
    side: str = ""
    severity: str = ""
    change: str = ""
    cues: set[str] = field(default_factory=set)
    #: (regions, finding): beside one of these regions it makes that finding
    describes: list[tuple[frozenset[str], str]] = field(default_factory=list)

    @property
    def modifies(self) -> bool:
        """Whether it says where, on which side, how severe, or how changed."""
        return bool(self.region or self.side or self.form_side or self.severity or self.change or self.describes)


@dataclass(slots=True)
class Node:
    """A place in the tree of forms: what a form that ends here is, and which words may follow."""

    roles: Roles | None = None
    next: dict[str, Node] = field(default_factory=dict)


@dataclass
class Lexicon:
    """The compiled lexicon.

    Attributes:
        entries: findings by name.
        regions: regions by name.
        tree: all forms, word by word from the first.
        words: single-token cues that are asked for by token (`verb`, `locate`, `restart`).
        apart: (adjective finding, noun finding) that together, apart in one phrase, are a third finding.
        within: what a finding without a place is in a report about a region: `edema` in a chest is pulmonary edema.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    regions: dict[str, Region] = field(default_factory=dict)
    tree: dict[str, Node] = field(default_factory=dict)
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    apart: dict[tuple[str, str], str] = field(default_factory=dict)
    within: dict[str, tuple[str, str]] = field(default_factory=dict)
    _surface: dict[tuple[str, ...], Roles] = field(default_factory=dict)
    _ancestors: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def ancestors(self, region: str) -> tuple[str, ...]:
        """The larger regions a region belongs to, nearest first."""
        if region not in self._ancestors:
            chain, at = [], self.regions[region].parent
            while at and at not in chain:
                chain.append(at)
                at = self.regions[at].parent
            self._ancestors[region] = tuple(chain)
        return self._ancestors[region]

    def more_general(self, finding: str) -> tuple[str, ...]:
        """All findings a finding is a kind of, nearest first."""
        found: list[str] = []
        todo = list(self.entries[finding].parents) if finding in self.entries else []
        while todo:
            name = todo.pop(0)
            if name not in found:
                found.append(name)
                todo.extend(self.entries[name].parents)
        return tuple(found)

    def surfaces(self) -> Iterable[Roles]:
        """The roles of every form."""
        return self._surface.values()

    def vocabulary(self) -> set[str]:
        """Every word of every form."""
        return {word for tokens in self._surface for word in tokens}

    def surface(self, tokens: tuple[str, ...]) -> Roles | None:
        """The roles of exactly these tokens, if the lexicon knows them."""
        return self._surface.get(tokens)

    def roles(self, form: str) -> Roles:
        """The roles of a surface form, made if new."""
        tokens = normalise_form(form)
        if not tokens:
            raise InputError(f"lexicon: form {form!r} has no word")
        return self._surface.setdefault(tokens, Roles())

    def compile(self) -> Lexicon:
        """Sort the surface forms into the tree the parser reads."""
        self.tree = {}
        for tokens, roles in self._surface.items():
            node = self.tree.setdefault(tokens[0], Node())
            for token in tokens[1:]:
                node = node.next.setdefault(token, Node())
            node.roles = roles
        return self

    def to_json(self) -> dict[str, Any]:
        """Everything but the tree, as JSON takes it."""
        return {
            "entries": [[e.name, e.kind, e.significance, e.regions, e.parents] for e in self.entries.values()],
            "regions": [[r.name, r.sided, r.parent, r.imagenome, r.excludes] for r in self.regions.values()],
            "apart": [[*pair, name] for pair, name in self.apart.items()],
            "within": self.within,
            "words": {key: sorted(words) for key, words in self.words.items()},
            "forms": [
                [tokens, r.finding, r.region, r.form_side, r.side, r.severity, r.change, sorted(r.cues),
                 [[sorted(regions), finding] for regions, finding in r.describes]]
                for tokens, r in self._surface.items()
            ],
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Lexicon:
        """The lexicon `to_json` wrote."""
        lexicon = cls()
        for name, kind, significance, regions, parents in data["entries"]:
            lexicon.entries[name] = Entry(name, kind, significance, tuple(regions), tuple(parents))
        for name, sided, parent, imagenome, excludes in data["regions"]:
            lexicon.regions[name] = Region(name, sided, parent, imagenome, tuple(excludes))
        lexicon.apart = {(first, second): name for first, second, name in data["apart"]}
        lexicon.within = {name: (region, finding) for name, (region, finding) in data["within"].items()}
        lexicon.words = {key: frozenset(words) for key, words in data["words"].items()}
        for tokens, finding, region, form_side, side, severity, change, cues, describes in data["forms"]:
            rules = [(frozenset(places), name) for places, name in describes]
            lexicon._surface[tuple(tokens)] = Roles(
                finding, region, form_side, side, severity, change, set(cues), rules
            )
        return lexicon
