"""Find the words of a sentence that are RadGraph entities, and whether each belongs to a place or is an observation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from radeval_core.findings.lexicon import Lexicon, Roles
from radeval_core.findings.match import find_forms
from radeval_core.findings.measurements import find_sizes
from radeval_core.findings.text import Tokens, normalise_form
from radeval_core.findings.types import Finding, Sentence
from radeval_core.findings.views.radgraph_habits import Habits

#: what a word is: a place, a position in it, an attribute of it, or an observation
PLACE, POSITION, ATTRIBUTE, OBSERVATION = "place", "position", "attribute", "observation"
#: `within` and `limits` in `within normal limits`: observations without relations
FRAME = "frame"


@dataclass(slots=True)
class WordPart:
    """A word or phrase that becomes an entity.

    Attributes:
        what: place, position, attribute, observation or frame.
        first: its first token.
        end: the token after its last.
        adjective: True for an observation that describes something; it may follow what it describes.
        status: present, absent or uncertain; empty if that depends on what it describes.
        index: its index in the list of parts.
        mention: where the finding it names begins in the report; -1 if it names none.
        generic: True for a word that names no particular observation: `abnormality`, `findings`.
    """

    what: str
    first: int
    end: int
    adjective: bool = False
    status: str = ""
    index: int = -1
    mention: int = -1
    generic: bool = False


@cache
def _forms() -> dict[str, frozenset[tuple[str, ...]]]:
    """Return the lists of radgraph.yaml, with each form as tokens."""
    lists = yaml.safe_load(Path(__file__).with_name("radgraph.yaml").read_text("utf-8"))
    return {name: frozenset(map(normalise_form, forms)) for name, forms in lists.items()}


def listed(word: str, name: str) -> bool:
    """Return whether a word is in a list of radgraph.yaml."""
    return (word,) in _forms()[name]


def find_parts(
    sentence: Sentence, tokens: Tokens, findings: Sequence[Finding], lexicon: Lexicon, habits: Habits
) -> list[WordPart]:
    """Return the parts of a sentence in the order of the text; `findings` are those of the sentence."""
    parts = _Reader(sentence, tokens, findings, lexicon, habits).parts()
    for index, part in enumerate(parts):
        part.index = index
    return parts


class _Reader:
    def __init__(
        self, sentence: Sentence, tokens: Tokens, findings: Sequence[Finding], lexicon: Lexicon, habits: Habits
    ) -> None:
        self.lexicon = lexicon
        self.habits = habits
        self.function_words = self.lexicon.words["verb"] | self.lexicon.words["locate"]
        self.sentence = sentence
        self.tokens = tokens
        self.words = tokens.words
        self.said = self._findings_at_tokens(findings)

    def parts(self) -> list[WordPart]:
        """Return the parts in the order of the text."""
        size = len(self.words)
        roles: list[Roles | None] = [None] * size
        for match in find_forms(self.words, self.lexicon):
            for i in range(match.start, match.end):
                roles[i] = match.roles
        parts: list[WordPart | None] = [None] * size
        skipped = self._skipped()
        for i in range(size):
            if i in skipped:
                continue
            self._frame(i, parts)
            if parts[i] is None:
                part = self._phrase(i) or self._word(i, roles[i])
                if part is not None:
                    parts[i : part.end] = [part] * (part.end - i)
        self._describing_words(parts, roles)
        self._hyphenated(parts)
        if self.habits.measurements:
            self._measured(parts)
        return list({id(part): part for part in parts if part is not None}.values())

    def _skipped(self) -> set[int]:
        """Return the tokens of phrases that are no entities."""
        tokens: set[int] = set()
        for form in self.habits.skipped:
            for i in range(len(self.words)):
                if self.words[i : i + len(form)] == form:
                    tokens.update(range(i, i + len(form)))
        return tokens

    def _frame(self, start: int, parts: list[WordPart | None]) -> None:
        """Mark the words around `normal` in `within normal limits`."""
        related = {"normal", "of"}
        if not self.habits.normal_singular and self.words[max(0, start - 1) : start + 1] == ("is", "within"):
            related = {"of"}
        for form in _forms()["normal_phrases"]:
            if self.words[start : start + len(form)] == form:
                for i in range(start, start + len(form)):
                    if self.words[i] not in related:
                        parts[i] = WordPart(FRAME, i, i + 1, status="present")

    def _phrase(self, start: int) -> WordPart | None:
        forms = _forms()
        observations = forms["observation_phrases"] | self.habits.phrases
        for phrases, what in ((observations, OBSERVATION), (forms["anatomy_phrases"], PLACE)):
            for form in phrases:
                if self.words[start : start + len(form)] == form:
                    return WordPart(what, start, start + len(form), adjective=True)
        return None

    def _word(self, i: int, roles: Roles | None) -> WordPart | None:
        """Return what a single word is, given the roles of the form it belongs to."""
        word = self.words[i]
        alone = self.lexicon.surface((word,)) or Roles()
        if not word[0].isalpha():
            return None
        if not self.habits.technique and self._is_technique(i):
            return None
        if listed(word, "positions") or (roles is not None and roles.side and alone.side):
            return WordPart(POSITION, i, i + 1)
        if listed(word, "never") or word in self.function_words:
            return None
        if listed(word, "attributes"):
            return WordPart(ATTRIBUTE, i, i + 1)
        if listed(word, "places"):
            return WordPart(PLACE, i, i + 1)
        finding = self.said[i]
        if roles is None:
            if finding is not None and finding.kind != "normality":  # a misspelt finding
                return WordPart(OBSERVATION, i, i + 1, status=finding.polarity, mention=finding.start)
            return WordPart(OBSERVATION, i, i + 1, True) if listed(word, "adjectives") else None
        if roles.region or (roles.finding and alone.region and not alone.finding):
            return WordPart(PLACE, i, i + 1)
        adjective = bool(alone.severity or alone.change or "normal" in alone.cues or listed(word, "adjectives"))
        if roles.finding and finding is not None and finding.kind != "normality":
            return WordPart(OBSERVATION, i, i + 1, adjective, finding.polarity, mention=finding.start)
        if "generic" in roles.cues:
            denied = finding is not None and finding.kind == "normality"
            return WordPart(OBSERVATION, i, i + 1, word == "acute", "absent" if denied else "", generic=True)
        if roles.describes and finding is not None and finding.kind != "normality":
            return WordPart(OBSERVATION, i, i + 1, True, finding.polarity)
        if "normal" in roles.cues:
            return WordPart(OBSERVATION, i, i + 1, True, "present")
        return WordPart(OBSERVATION, i, i + 1, True) if adjective else None

    def _is_technique(self, i: int) -> bool:
        """Return whether a word says how the image was taken: `lateral view of the chest`."""
        if not listed(self.words[i], "technique"):
            return False
        return any(listed(word, "images") for word in self.words[max(0, i - 4) : i + 3])

    def _findings_at_tokens(self, findings: Sequence[Finding]) -> list[Finding | None]:
        """Return the finding at each token: the shortest one, and a finding before the normal statement around it."""
        at_token: list[Finding | None] = [None] * len(self.words)
        offset = self.sentence.start
        for finding in sorted(findings, key=lambda f: (f.kind != "normality", f.start - f.end)):
            first = bisect_left(self.tokens.starts, finding.start - offset)
            after = bisect_left(self.tokens.starts, finding.end - offset)
            at_token[first:after] = [finding] * (after - first)
        return at_token

    def _describing_words(self, parts: list[WordPart | None], roles: Sequence[Roles | None]) -> None:
        """Mark words directly before an observation that the lexicon does not have: `streaky`, `healed`."""
        noun_follows = False
        for i in reversed(range(len(parts))):
            part, word, known = parts[i], self.words[i], roles[i]
            if part is not None:
                noun_follows = part.what == OBSERVATION or (noun_follows and part.what != ATTRIBUTE)
            else:
                noun_follows = noun_follows and (known is None or not known.cues) and self._may_describe(word)
                if noun_follows:
                    parts[i] = WordPart(OBSERVATION, i, i + 1, True)

    def _may_describe(self, word: str) -> bool:
        return len(word) > 2 and word.isalpha() and word not in self.function_words and not listed(word, "never")

    def _measured(self, parts: list[WordPart | None]) -> None:
        """Mark sizes: `5 mm`."""
        for first, end, _ in find_sizes(self.words):
            if not any(parts[first:end]):
                parts[first:end] = [WordPart(OBSERVATION, first, end, True)] * (end - first)

    def _hyphenated(self, parts: list[WordPart | None]) -> None:
        """Merge hyphenated words into one part, as RadGraph's tokens do: `left-sided`, `non-calcified`."""
        first = 0
        for i in range(1, len(parts) + 1):
            if i < len(parts) and self.tokens.starts[i] == self.tokens.ends[i - 1] + 1 and self._hyphen_before(i):
                continue
            group = [part for part in parts[first:i] if part is not None]
            if group and i - first > 1:
                group[-1].first, group[-1].end = min(first, group[0].first), max(i, group[-1].end)
                parts[group[-1].first : group[-1].end] = [group[-1]] * (group[-1].end - group[-1].first)
            first = i

    def _hyphen_before(self, i: int) -> bool:
        return self.sentence.text[self.tokens.ends[i - 1]] in "-‐‑"
