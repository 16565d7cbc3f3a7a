"""A sentence and the findings it mentions, while it is being read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from radeval_core.findings.context import Context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import Match

#: words that join the members of a list
JOINS = frozenset({"and", "or", "&", "/", "plus"})
#: cues that end the stretch before a finding in which its adjectives stand
_BLOCKING = frozenset({"negate", "normal", "doubt", "affirm"})


@dataclass(slots=True)
class Mention:
    """A finding in the making.

    Attributes:
        start: first token.
        end: token after the last.
        head: the token whose polarity counts.
        finding: its name.
        side: the side its own form contains.
        regions: places said inside the mention itself.
    """

    start: int
    end: int
    head: int
    finding: str
    side: str = ""
    regions: list[str] = field(default_factory=list)
    laterality: str | None = None
    anatomy: list[str] = field(default_factory=list)
    severity: str | None = None
    change: str | None = None
    measurements: tuple[float, ...] = ()
    #: side, severity and places of one more finding in the same words: `small left and moderate right effusions`
    twin: tuple[str, str | None, list[str]] | None = None


@dataclass(slots=True)
class Scene:
    """One sentence, ready to be asked what stands in a stretch of tokens."""

    words: Sequence[str]
    plural: Sequence[bool]
    matches: Sequence[Match]
    context: Context
    lexicon: Lexicon
    #: tokens of cues that end the stretch before a finding
    blocked: set[int] = field(init=False)
    #: phrases that modify: token after the last -> first token
    phrases: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.blocked, self.phrases = set(), {}
        for m in self.matches:
            graded = m.roles.severity or m.roles.change
            if graded or m.roles.side:
                self.phrases[m.end] = m.start
            if not graded and not _BLOCKING.isdisjoint(m.roles.cues):
                self.blocked.update(range(m.start, m.end))

    def within(self, start: int, end: int) -> list[Match]:
        return [m for m in self.matches if m.start >= start and m.end <= end]
