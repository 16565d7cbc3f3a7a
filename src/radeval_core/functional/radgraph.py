"""RadGraph F1: do two reports make the same statements, as graphs of entities and relations?

Statements are compared as *sets*, so repeating one changes nothing. The three levels come from the `radgraph` package
(Delbrouck et al. 2022), the combined score from RadCliQ (Yu et al., Patterns 2023).
"""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from radeval_core.findings.types import RadGraph

#: what is compared of an entity: words and label; also whether it has a relation; also the relation and its target
LEVELS = ("simple", "partial", "complete")
Statements = frozenset[tuple[Hashable, ...]]


@dataclass(frozen=True, slots=True)
class GraphStatements:
    """The statements of a graph, one set per way of comparing.

    Attributes:
        simple: (words, label) of each entity.
        partial: (words, label, whether the entity is the source of a relation).
        complete: (words, label) of each entity that is no source; (words, label, relation, words of the target) of each
            relation.
        entities: (words, label), words as written.
        relations: ((words, label) of the source, (words, label) of the target, relation), words as written.
    """

    simple: Statements
    partial: Statements
    complete: Statements
    entities: Statements
    relations: Statements


def statements(graph: RadGraph, lowercase: bool = True) -> GraphStatements:
    """Return the statements of a graph.

    Args:
        graph: entities and relations of a report.
        lowercase: compare words in lower case at every level. If False, only the relations of level `complete` use
            lower case, as in version 0.1.18 of the `radgraph` package.
    """
    words = [entity.tokens.lower() if lowercase else entity.tokens for entity in graph.entities]
    labels = [entity.label for entity in graph.entities]
    lowered = [entity.tokens.lower() for entity in graph.entities]
    sources = {relation.source for relation in graph.relations}
    written = [(entity.tokens, entity.label) for entity in graph.entities]
    alone = {(words[i], labels[i]) for i in range(len(words)) if i not in sources}
    related = {(lowered[r.source], labels[r.source], r.kind, lowered[r.target]) for r in graph.relations}
    return GraphStatements(
        simple=frozenset(zip(words, labels, strict=True)),
        partial=frozenset((words[i], labels[i], i in sources) for i in range(len(words))),
        complete=frozenset(alone | related),
        entities=frozenset(written),
        relations=frozenset((written[r.source], written[r.target], r.kind) for r in graph.relations),
    )


def set_f1(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """Return F1 of two sets; 0 if they have nothing in common, even if both are empty."""
    common = len(one & other)
    return 2 * common / (len(one) + len(other)) if common else 0.0


def radgraph_f1(one: GraphStatements, other: GraphStatements) -> dict[str, float]:
    """Return F1 at each level, and `combined`: the mean of entity and relation F1, with words as written (RadCliQ)."""
    f1 = {level: set_f1(getattr(one, level), getattr(other, level)) for level in LEVELS}
    f1["combined"] = (set_f1(one.entities, other.entities) + set_f1(one.relations, other.relations)) / 2
    return f1
