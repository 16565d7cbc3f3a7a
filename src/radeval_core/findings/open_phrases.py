"""Read what the lexicon leaves of a sentence: noun phrases that state a finding, and places that are called normal.

A noun phrase is a run of words between function words, verbs of reporting, marks and cues. It states a finding if its
last word is the head of a published name of a finding (`volar tilt`), or if a predicate makes one of a place (`the
scutum is blunted`). `opacification of the mastoid air cells` and `mastoid air cell opacification` get the same name.
Clauses about management, technique, history or people state none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from radeval_core.findings.context import Context
from radeval_core.findings.coverage import is_function_word, is_reporting_word, without_content
from radeval_core.findings.fine_places import fine_places
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch
from radeval_core.findings.modifiers import attach_open
from radeval_core.findings.open_vocabulary import OpenVocabulary, open_vocabulary
from radeval_core.findings.opening_places import SHOWING
from radeval_core.findings.scene import Mention, Scene
from radeval_core.findings.text import GAP, Tokens
from radeval_core.findings.types import Finding

#: the name of a place that is called normal begins with this, as in normal statements of the lexicon
_NORMAL = "normal_"
#: longest name of an open finding, in words: longer runs are no noun phrases
_LONGEST = 7
_ARTICLES = frozenset({"the", "a", "an", "this", "these", "both", "its", "any", "other", "some"})
#: prepositions before a place
_WHERE = frozenset(
    {"in", "at", "within", "of", "over", "along", "near", "around", "into", "from", "to", "through", "above", "below",
     "across", "between", "behind", "beneath", "beside", "under", "involving", "on", "throughout"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase: its tokens, the words of its name, and whether the lexicon read a word of it."""

    start: int
    end: int
    name: tuple[str, ...]
    read: bool


def read_open(
    sentence: str, tokens: Tokens, matches: Sequence[FormMatch], mentions: Sequence[Mention], context: Context,
    findings: Sequence[Finding], lexicon: Lexicon,
) -> tuple[tuple[Finding, ...], int]:  # fmt: skip
    """Return the open findings of a sentence, and how many content words outside the forms of the lexicon they explain.

    Args:
        sentence: the sentence.
        tokens: its tokens.
        matches: the forms of the lexicon in it.
        mentions: the findings of the lexicon in it.
        context: what is negated, doubted or skipped.
        findings: what the lexicon read, with normal statements.
        lexicon: the lexicon.
    """
    vocabulary = open_vocabulary()
    words = tokens.words
    if not _may_state(words, matches, vocabulary):
        return (), 0
    reader = _Reader(tokens, matches, mentions, context, findings, lexicon, vocabulary)
    found = list(reader.mentions())
    normal = list(reader.normal_places())
    if not found and not normal:
        return (), 0
    scene = Scene(words, tokens.plural, matches, context, lexicon)
    attach_open(scene, list(mentions), [mention for mention, _ in found])
    result = [_finding(sentence, tokens, matches, mention, head, context, vocabulary) for mention, head in found]
    result += [_normal(sentence, tokens, phrase) for phrase in normal]
    return tuple(result), reader.explained


def _may_state(words: Sequence[str], matches: Sequence[FormMatch], vocabulary: OpenVocabulary) -> bool:
    """Return quickly whether a sentence can have an open finding at all; most sentences of a chest film have none."""
    rest = set(words)
    for match in matches:
        if not match.roles.describes or match.roles.finding:  # `dilatation` means something only next to some places
            rest.difference_update(words[match.start : match.end])
    if without_content(rest):
        return not vocabulary.defect.isdisjoint(words)
    if not vocabulary.heads.isdisjoint(rest) or not vocabulary.defect.isdisjoint(words):
        return True
    return any("normal" in match.roles.cues for match in matches)


class _Reader:
    """The noun phrases of one sentence."""

    def __init__(
        self, tokens: Tokens, matches: Sequence[FormMatch], mentions: Sequence[Mention], context: Context,
        findings: Sequence[Finding], lexicon: Lexicon, vocabulary: OpenVocabulary,
    ) -> None:  # fmt: skip
        self.words, self.tokens, self.context, self.vocabulary = tokens.words, tokens, context, vocabulary
        self.owner = {i: m for m in matches for i in range(m.start, m.end)}
        self.read = {i for m in mentions for i in range(m.start, m.end)}
        self.read |= {i for i in range(len(self.words)) if any(f.start <= tokens.starts[i] < f.end for f in findings)}
        self.phrases = list(self._phrases())
        self.explained = 0

    def mentions(self) -> Iterator[tuple[Mention, int]]:
        """Yield the mentions of open findings, each with the token of its head."""
        for number, phrase in enumerate(self.phrases):
            if phrase.read or self._aside(phrase) or self._is_place(number) or self._is_predicate(phrase):
                continue
            head = phrase.end - 1
            described = self._described(number)
            if described is not None:
                yield self._mention(phrase.start, described + 1, (self.words[described], *phrase.name)), described
            elif self._is_head(head):
                of = self._complement(number)
                if not self._names_enough(phrase) and (of is None or phrase.name[-1:][0] in self.vocabulary.vague):
                    continue
                end = of.end if of else phrase.end
                yield self._mention(phrase.start, end, (*(of.name if of else ()), *phrase.name)), head

    def normal_places(self) -> Iterator[_Phrase]:
        """Yield the subjects that are called normal and that the lexicon does not know as a place."""
        for phrase in self.phrases:
            at = phrase.end
            if phrase.read or self._aside(phrase) or at >= len(self.words):
                continue
            if self.words[at] not in self.vocabulary.predicate or self._is_head(at - 1):
                continue
            while at < len(self.words) and self.words[at] in self.vocabulary.predicate:
                at += 1
            cue = self.owner.get(at)
            if cue is None or "normal" not in cue.roles.cues or self.context.negated[at] or self.context.doubted[at]:
                continue
            if not all(self._is_region(i) for i in range(phrase.start, phrase.end)):
                self._explain(phrase.start, phrase.end)
                yield phrase

    def _is_place(self, number: int) -> bool:
        """Return whether a phrase says where something is: it follows a preposition, or shows something itself."""
        phrase = self.phrases[number]
        before = phrase.start - 1
        while before >= 0 and self.words[before] in _ARTICLES:
            before -= 1
        if before >= 0 and self.words[before] in _WHERE:
            return True
        end = of.end if (of := self._complement(number)) else phrase.end
        return end < len(self.words) and self.words[end] in SHOWING

    def _is_predicate(self, phrase: _Phrase) -> bool:
        """Return whether a phrase only says what a subject is like: `The mass is round`."""
        at = phrase.start - 1
        if at < 1 or self.words[at] not in self.vocabulary.predicate or self.words[at] == ":":
            return False
        return self.words[at - 1] != "there"

    def _mention(self, start: int, end: int, name: tuple[str, ...]) -> Mention:
        self._explain(start, end)
        regions = dict.fromkeys(
            m.roles.region for i in range(start, end) if (m := self.owner.get(i)) and m.roles.region
        )
        return Mention(start, end, end - 1, "_".join(dict.fromkeys(name)), regions=list(regions))

    def _explain(self, start: int, end: int) -> None:
        for i in range(start, end):
            self.explained += i not in self.owner and self.words[i] in self.vocabulary.known

    def _phrases(self) -> Iterator[_Phrase]:
        at, size = 0, len(self.words)
        while at < size:
            if not self._is_inner(at):
                at += 1
                continue
            start = at
            while at < size and self._is_inner(at) and not self.context.breaks[at]:
                at += 1
            end = self._without_verb(start, at)
            name = tuple(self.words[i] for i in range(start, end) if self._names(i))
            if 0 < len(name) <= _LONGEST:
                yield _Phrase(start, end, name, any(i in self.read for i in range(start, end)))
            at = max(at, start + 1)

    def _is_inner(self, at: int) -> bool:
        """Return whether a token can be inside a noun phrase."""
        word, match = self.words[at], self.owner.get(at)
        if match is not None and (match.roles.region or match.roles.finding):
            return True
        if match is not None and match.roles.cues and not match.roles.modifies:
            return False
        if match is not None and match.roles.modifies:
            return True
        if word == GAP or not word.isalpha() or is_function_word(word) or word in self.vocabulary.predicate:
            return False
        return not is_reporting_word(word) or word in self.vocabulary.vague

    def _names(self, at: int) -> bool:
        """Return whether a token is part of the name: not a side, degree or change, which are read separately."""
        match = self.owner.get(at)
        if match is None or match.roles.region or match.roles.finding:
            return True
        return not (match.roles.side or match.roles.severity or match.roles.change)

    def _without_verb(self, start: int, end: int) -> int:
        """Return the end of a phrase without a verb behind its head: `fluid surrounds the tendon`."""
        last = end - 1
        if last == start or end >= len(self.words) or self.words[end] not in _ARTICLES or self._is_head(last):
            return end
        place = self._is_region(last) or self.words[last] in self.vocabulary.places
        return last if not place and self._is_head(last - 1) else end

    def _is_head(self, at: int) -> bool:
        return self.words[at] in self.vocabulary.heads and not self._is_region(at) and at not in self.read

    def _is_region(self, at: int) -> bool:
        match = self.owner.get(at)
        return match is not None and bool(match.roles.region)

    def _names_enough(self, phrase: _Phrase) -> bool:
        head = phrase.name[-1] if phrase.name else ""
        if head in self.vocabulary.alone:
            return True
        regions = {w for m in self.owner.values() if m.roles.region for w in self.words[m.start : m.end]}
        modifiers = [word for word in phrase.name[:-1] if word in self.vocabulary.known]
        if head in self.vocabulary.vague:
            modifiers = [word for word in modifiers if word not in regions and word not in self.vocabulary.bland]
        return bool(modifiers)

    def _complement(self, number: int) -> _Phrase | None:
        """Return the noun phrase after `of`: `dehiscence of the tegmen tympani`."""
        phrase = self.phrases[number]
        at = phrase.end
        if at >= len(self.words) or self.words[at] != "of":
            return None
        at += 1
        while at < len(self.words) and self.words[at] in _ARTICLES:
            at += 1
        following = self.phrases[number + 1] if number + 1 < len(self.phrases) else None
        return following if following is not None and following.start == at and not following.read else None

    def _described(self, number: int) -> int | None:
        """Return the token of the predicate that makes a finding of a place, or None."""
        phrase, vocabulary = self.phrases[number], self.vocabulary
        at = phrase.end
        while at < len(self.words) and self.words[at] in vocabulary.predicate:
            at += 1
        if at == phrase.end or at >= len(self.words) or self.words[at] not in vocabulary.defect or at in self.read:
            return None
        place = self.words[phrase.end - 1] in vocabulary.known or self._is_region(phrase.end - 1)
        return at if place else None

    def _aside(self, phrase: _Phrase) -> bool:
        """Return whether a phrase stands in a clause that states no finding of this study."""
        if self.context.skipped[phrase.start] or self.context.skipped[phrase.end - 1]:
            return True
        breaks = self.context.breaks
        start, end = phrase.start, phrase.end
        while start > 0 and not breaks[start - 1]:
            start -= 1
        while end < len(self.words) and not breaks[end]:
            end += 1
        return not self.vocabulary.aside.isdisjoint(self.words[start:end])


def _finding(
    sentence: str, tokens: Tokens, matches: Sequence[FormMatch], mention: Mention, head: int, context: Context,
    vocabulary: OpenVocabulary,
) -> Finding:  # fmt: skip
    polarity = "absent" if context.negated[head] else "uncertain" if context.doubted[head] else "present"
    start, end = tokens.starts[mention.start], tokens.ends[mention.end - 1]
    return Finding(
        finding=mention.finding,
        kind="abnormality",
        polarity=polarity,
        anatomy=tuple(dict.fromkeys(mention.anatomy)),
        laterality=mention.laterality,
        severity=mention.severity,
        measurements=mention.measurements,
        change=mention.change,
        significance="actionable" if tokens.words[head] in vocabulary.grave else "minor",
        start=start,
        end=end,
        text=sentence[start:end],
        sentence_start=0,
        sentence_end=len(sentence),
        open=True,
        places=fine_places(tokens.words, matches, mention),
    )


def _normal(sentence: str, tokens: Tokens, phrase: _Phrase) -> Finding:
    start, end = tokens.starts[phrase.start], tokens.ends[phrase.end - 1]
    return Finding(
        _NORMAL + "_".join(phrase.name), "normality", "present", (), None, None, (), None, "benign", start, end,
        sentence[start:end], 0, len(sentence), open=True,
    )  # fmt: skip
