"""`radgraph_f1`: the graphs of both reports side by side, with their shared entities marked.

Each graph is drawn as trees: an entity is placed under the target of its first relation, so lines never cross and the
order of the report is kept. Further relations, which a tree cannot show, are written beside the entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, two_columns

#: sizes in pixels: row height, indent per level, box height, letter width inside and beside a box
_ROW, _INDENT, _HEIGHT, _LETTER, _SMALL_LETTER = 38, 26, 26, 7.6, 6.9
#: text of each label, and the CSS class of its box
_LABELS = {
    "ANAT-DP": ("anatomy", "anatomy"),
    "OBS-DP": ("present", "observation"),
    "OBS-DA": ("absent", "absent"),
    "OBS-U": ("uncertain", "uncertain"),
}
_SIGNS = {"shared": "✓", "linked": "≈", "alone": "✗"}


class _Node(NamedTuple):
    """An entity in its tree: its depth, the row of its parent, the relation to the parent, other relations."""

    entity: int
    depth: int
    parent_row: int | None
    relation: str
    others: tuple[str, ...]


class _Box(NamedTuple):
    """The position and size of an entity's box, and the text in and beside it."""

    x: int
    y: int
    width: float
    name: str
    beside: str

    @classmethod
    def of(cls, row: int, node: _Node, entity: Mapping[str, Any]) -> _Box:
        name = entity["tokens"] if len(entity["tokens"]) <= 24 else f"{entity['tokens'][:23]}…"
        status = _LABELS.get(entity["label"], (entity["label"], ""))[0]
        beside = " · ".join(filter(None, (status, node.relation.replace("_", " "), *node.others)))
        return cls(6 + node.depth * _INDENT, 6 + row * _ROW, _LETTER * len(name) + 36, name, beside)

    @property
    def right(self) -> float:
        return self.x + self.width + 12 + _SMALL_LETTER * len(self.beside)


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw both graphs."""
    matched = detail["matched"]
    return (
        legend(
            ("shared", "✓ in both graphs"),
            ("linked", "≈ in both, but with a relation in only one"),
            ("alone", "✗ only here"),
        )
        + two_columns(
            ("Reference", _graph(detail["reference"], matched)), ("Candidate", _graph(detail["prediction"], matched))
        )
        + '<p class="note">Square boxes are anatomy, round boxes are observations. A dashed border means absent, '
        "a dotted one uncertain. A line leads from an entity up to the one it modifies, is located at, or suggests.</p>"
    )


def _graph(graph: Mapping[str, Any], matched: Mapping[str, Sequence[Any]]) -> str:
    if not graph["entities"]:
        return '<p class="none">No entity found.</p>'
    entities = graph["entities"]
    sources = {relation["source"] for relation in graph["relations"]}
    drawn: list[str] = []
    width = 0.0
    for row, node in enumerate(_rows(len(entities), graph["relations"], [e["tokens"] for e in entities])):
        entity = entities[node.entity]
        box = _Box.of(row, node, entity)
        drawn += _drawn(node, box, entity, _state(entity, node.entity in sources, matched))
        width = max(width, box.right)
    height = len(entities) * _ROW + 6
    words = f"Graph of {len(entities)} entities and {len(graph['relations'])} relations"
    return (
        f'<div class="graph-box" tabindex="0" role="region" aria-label="{words}">'
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img" '
        f'aria-label="{words}">{"".join(drawn)}</svg></div>'
    )


def _rows(count: int, relations: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[_Node]:
    """Return the entities in drawing order: each tree from its root down, roots in the order of the report."""
    outgoing: dict[int, list[Mapping[str, Any]]] = {i: [] for i in range(count)}
    for relation in relations:
        outgoing[relation["source"]].append(relation)
    # place an entity under the target of its first relation, unless that would form a cycle
    parent: dict[int, tuple[int, str]] = {}
    extra: dict[int, list[str]] = {i: [] for i in range(count)}
    for source, found in outgoing.items():
        for relation in found:
            if source not in parent and not _leads_to(parent, relation["target"], source):
                parent[source] = (relation["target"], relation["relation"])
            else:
                extra[source].append(f"{relation['relation']} → {names[relation['target']]}")
    children: dict[int, list[int]] = {i: [] for i in range(count)}
    for child, (above, _) in parent.items():
        children[above].append(child)
    nodes: list[_Node] = []
    waiting: list[tuple[int, int, int | None]] = [(i, 0, None) for i in reversed(range(count)) if i not in parent]
    while waiting:
        entity, depth, parent_row = waiting.pop()
        row = len(nodes)
        nodes.append(_Node(entity, depth, parent_row, parent.get(entity, (0, ""))[1], tuple(extra[entity])))
        waiting += [(child, depth + 1, row) for child in reversed(children[entity])]
    return nodes


def _leads_to(parent: Mapping[int, tuple[int, str]], start: int, goal: int) -> bool:
    place: int | None = start
    while place is not None and place != goal:
        place = parent[place][0] if place in parent else None
    return place == goal


def _drawn(node: _Node, box: _Box, entity: Mapping[str, Any], state: str) -> Iterator[str]:
    if node.parent_row is not None:
        x, y = box.x - _INDENT + 12, 6 + node.parent_row * _ROW + _HEIGHT
        yield f'<path class="edge" d="M{x} {y}V{box.y + _HEIGHT / 2}H{box.x}"/>'
    shape = _LABELS.get(entity["label"], ("", "observation"))[1]
    radius = 3 if shape == "anatomy" else 13
    yield (
        f'<rect class="node {state} {shape}" x="{box.x}" y="{box.y}" width="{box.width:.0f}" height="{_HEIGHT}" '
        f'rx="{radius}"/><text x="{box.x + 9}" y="{box.y + 18}">{_SIGNS[state]} {text(box.name)}</text>'
        f'<text class="beside" x="{box.x + box.width + 7:.0f}" y="{box.y + 18}">{text(box.beside)}</text>'
    )


def _state(entity: Mapping[str, Any], has_relation: bool, matched: Mapping[str, Sequence[Any]]) -> str:
    """Return "shared" if the headline counts the entity as matched, "linked" if only words and label match."""
    for words in (entity["tokens"].lower(), entity["tokens"]):
        if [words, entity["label"], has_relation] in matched["partial"]:
            return "shared"
        if [words, entity["label"]] in matched["simple"]:
            return "linked"
    return "alone"
