"""`radgraph_f1`: the findings of both graphs side by side on their own words, differences first and matches folded.

A finding is a group of entities that relations connect. Groups of both reports are aligned by what they share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, plural, table

#: text of each label, and the CSS class of its line style
_LABELS = {
    "ANAT-DP": ("anatomy", "anatomy"),
    "OBS-DP": ("present", "observation"),
    "OBS-DA": ("absent", "absent"),
    "OBS-U": ("uncertain", "uncertain"),
}
_SIGNS = {"shared": "✓", "linked": "≈", "alone": "✗"}
#: characters between two entities that are shown; longer gaps become …
_GAP = 60
#: words between two entities of the same group; a longer way goes through other sentences
_NONE = '<span class="none">nothing like it</span>'


@dataclass(frozen=True)
class _Entity:
    """An entity of a graph: its place, its state, and what it modifies, is located at or suggests."""

    start: int
    end: int
    tokens: str
    label: str
    state: str
    relations: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.tokens.lower(), self.label


@dataclass(frozen=True)
class _Group:
    """Entities that relations connect, in the order of the text."""

    text: str
    entities: tuple[_Entity, ...]

    @property
    def agrees(self) -> bool:
        return all(entity.state == "shared" for entity in self.entities)


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the groups of both graphs, aligned."""
    matched = detail["matched"]
    theirs, ours = (_groups(detail[side], matched) for side in ("reference", "prediction"))
    rows = _aligned(theirs, ours)
    wrong = [row for row in rows if not all(group is not None and group.agrees for group in row)]
    right = [row for row in rows if row not in wrong]
    total = sum(len(group.entities) for group in (*theirs, *ours))
    if not total:
        return '<p class="none">No entity found in either report.</p>'
    return (
        _formula(theirs, ours)
        + legend(
            ("shared", "✓ in both graphs"),
            ("linked", "≈ in both, but with a relation in only one"),
            ("alone", "✗ only here"),
        )
        + (_table(wrong) if wrong else '<p class="summary">✓ The graphs agree.</p>')
        + (
            f"<details><summary>{plural(len(right), 'finding')} that agree</summary>{_table(right)}</details>"
            if right
            else ""
        )
        + '<p class="note">Each row is one finding with its entities. A solid border is a present observation, a thin '
        "one anatomy, a dashed one absent, a dotted one uncertain. The score counts words and label of an entity, and "
        "whether it has a relation. Each different entity counts once.</p>"
    )


def _formula(theirs: Sequence[_Group], ours: Sequence[_Group]) -> str:
    """Write the F1 with its numbers: different entities of each report, and those that both have."""
    sides = [{(e.key, bool(e.relations)): e.state for g in groups for e in g.entities} for groups in (theirs, ours)]
    there, here = map(len, sides)
    shared = sum(state == "shared" for state in sides[1].values())
    if not there + here:
        return ""
    score = 2 * shared / (there + here)
    return (
        '<p class="formula">radgraph_f1 = 2 · shared / (reference + candidate) = '
        f"2 · {shared} / ({there} + {here}) = <b>{score:.3f}</b></p>"
    )


def _groups(graph: Mapping[str, Any], matched: Mapping[str, Sequence[Any]]) -> list[_Group]:
    """Return the groups of a graph in the order of the text."""
    entities, relations = graph["entities"], graph["relations"]
    sources = {relation["source"] for relation in relations}
    parent = list(range(len(entities)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for relation in relations:
        parent[root(relation["source"])] = root(relation["target"])
    links: dict[int, list[str]] = {}
    for relation in relations:
        words = f"{relation['relation'].replace('_', ' ')} {entities[relation['target']]['tokens']}"
        links.setdefault(relation["source"], []).append(words)
    found: dict[int, list[_Entity]] = {}
    for i, e in enumerate(entities):
        state = _state(e, i in sources, matched)
        entity = _Entity(e["start"], e["end"], e["tokens"], e["label"], state, tuple(links.get(i, ())))
        found.setdefault(root(i), []).append(entity)
    ordered = (tuple(sorted(group, key=lambda e: e.start)) for group in found.values())
    return sorted((_Group(graph["text"], group) for group in ordered), key=lambda group: group.entities[0].start)


def _aligned(theirs: Sequence[_Group], ours: Sequence[_Group]) -> list[tuple[_Group | None, _Group | None]]:
    """Pair the groups that share most entities, observations before anatomy; the rest stays alone."""
    likeness = [
        (_alike(one, other), i, j) for i, one in enumerate(theirs) for j, other in enumerate(ours) if _alike(one, other)
    ]
    left, right = dict(enumerate(theirs)), dict(enumerate(ours))
    rows: list[tuple[_Group | None, _Group | None]] = []
    for _, i, j in sorted(likeness, key=lambda row: (-row[0], row[1], row[2])):
        if i in left and j in right:
            rows.append((left.pop(i), right.pop(j)))
    rows += [(group, None) for group in left.values()] + [(None, group) for group in right.values()]
    return sorted(rows, key=lambda row: (row[0] is None, (row[0] or row[1] or theirs[0]).entities[0].start))


def _alike(one: _Group, other: _Group) -> float:
    mine, yours = Counter(e.key for e in one.entities), Counter(e.key for e in other.entities)
    return sum(count * (1 if label == "ANAT-DP" else 2) for (_, label), count in (mine & yours).items())


def _table(rows: Sequence[tuple[_Group | None, _Group | None]]) -> str:
    return table(("Reference", "Candidate"), [[_cell(group) for group in row] for row in rows], "aligned")


def _cell(group: _Group | None) -> str:
    """Return the words of a group as written, with its entities marked, and its relations below."""
    if group is None:
        return _NONE
    pieces = [_mark(group.entities[0])]
    for before, entity in pairwise(group.entities):
        between = group.text[before.end : entity.start]
        pieces += [text(between) if 0 < len(between) <= _GAP else " … " if between else " ", _mark(entity)]
    relations = "; ".join(f"{e.tokens} {link}" for e in group.entities for link in e.relations)
    return "".join(pieces) + (f'<span class="behind">{text(relations)}</span>' if relations else "")


def _mark(entity: _Entity) -> str:
    words, shape = _LABELS.get(entity.label, (entity.label, "observation"))
    return (
        f'<mark class="entity {entity.state} {shape}" title="{text(words)}">{_SIGNS[entity.state]} '
        f"{text(entity.tokens)}</mark>"
    )


def _state(entity: Mapping[str, Any], has_relation: bool, matched: Mapping[str, Sequence[Any]]) -> str:
    """Return "shared" if the headline counts the entity as matched, "linked" if only words and label match."""
    for words in (entity["tokens"].lower(), entity["tokens"]):
        if [words, entity["label"], has_relation] in matched["partial"]:
            return "shared"
        if [words, entity["label"]] in matched["simple"]:
            return "linked"
    return "alone"
