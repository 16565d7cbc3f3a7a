"""A sentence and the findings it mentions, while the parser reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from radeval_core.findings.context import Context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch

#: words that join the members of a list
JOINS = frozenset({"and", "or", "&", "/", "plus"})
#: longest heading of a field in tokens: `Lungs, pleura and airways:`
_HEADING = 6
#: cues that a finding's modifiers to the left do not reach across
_BLOCKING = frozenset({"negate", "normal", "doubt", "affirm"})


@dataclass(slots=True)
class Mention:
    """A finding that is still being read.

    Attributes:
        start: first token.
        end: token after the last.
        head: the token whose polarity counts.
        finding: its name.
        side: the side that its form contains, or empty.
        regions: places named inside the mention itself.
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
    number: str | None = None
    #: side, severity and places of a second finding in the same words: `small left and moderate right effusions`
    twin: tuple[str, str | None, list[str]] | None = None


@dataclass(slots=True)
class Scene:
    """One sentence with the lexicon forms found in it."""

    words: Sequence[str]
    plural: Sequence[bool]
    matches: Sequence[FormMatch]
    context: Context
    lexicon: Lexicon
    #: tokens of cues that a finding's modifiers to the left do not reach across
    blocked: set[int] = field(init=False)
    #: phrases that modify a finding: token after the last -> first token
    phrases: dict[int, int] = field(init=False)
    #: the colon after the heading that the sentence begins with, or 0: `LUNGS: Clear`
    heading: int = field(init=False)

    def __post_init__(self) -> None:
        self.blocked, self.phrases = set(), {}
        for m in self.matches:
            graded = m.roles.severity or m.roles.change
            if graded or m.roles.side:
                self.phrases[m.end] = m.start
            if not graded and not _BLOCKING.isdisjoint(m.roles.cues):
                self.blocked.update(range(m.start, m.end))
        self.heading = self._heading() if ":" in self.words[1 : _HEADING + 1] else 0

    def _heading(self) -> int:
        """Return the first colon if only places and sides are named before it and no place phrase begins there."""
        colon = list(self.words).index(":", 1)
        if self.words[0] in self.lexicon.words["locate"] or any(m.roles.finding for m in self.within(0, colon)):
            return 0
        return colon

    def around(
        self, mention: Mention, left: int, right: int
    ) -> tuple[list[FormMatch], list[FormMatch], list[FormMatch]]:
        """Return the forms before, inside and after a mention, from the token `left` to the token `right`."""
        start, end = mention.start, mention.end
        before: list[FormMatch] = []
        inside: list[FormMatch] = []
        after: list[FormMatch] = []
        for m in self.matches:
            if m.start >= end:
                if m.end <= right:
                    after.append(m)
            elif m.start >= start:
                if m.end <= end:
                    inside.append(m)
            elif m.start >= left and m.end <= start:
                before.append(m)
        return before, inside, after

    def within(self, start: int, end: int) -> list[FormMatch]:
        """Return the forms that lie between two tokens."""
        return [m for m in self.matches if m.start >= start and m.end <= end]
