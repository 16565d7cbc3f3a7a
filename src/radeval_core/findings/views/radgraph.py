"""A report in RadGraph's schema (Jain et al. 2021): short spans of words, and relations between them.

An observation and each word that describes it are separate entities (`small` modifies `effusion`), and so are the
words of a place (`left` and `lower` modify `lobe`). The lexicon gives the role of each word; our findings give whether
an observation is present, absent or uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import Finding, GraphEntity, ParsedReport, RadGraph, Relation, Sentence
from radeval_core.findings.views.radgraph_habits import Habits, habits
from radeval_core.findings.views.radgraph_words import (
    ATTRIBUTE,
    FRAME,
    OBSERVATION,
    PLACE,
    POSITION,
    WordPart,
    find_parts,
    listed,
)

_STATUS = {"present": "OBS-DP", "absent": "OBS-DA", "uncertain": "OBS-U"}
_JOINS = frozenset({",", "and", "or", "&", "/", "the", "a"})
_NEW_STATEMENT = frozenset({";", "but", "however", "with", "without"})
#: endings of adjectives that name a place; their noun may come at the end of a list: `cardiac and mediastinal contours`
_ADJECTIVE_ENDINGS = ("al", "ar", "ac", "ic", "ary", "ous", "bony")
#: only this many members of a list are related to what follows: no real list is longer
_LONGEST_LIST = 12


def radgraph(report: ParsedReport, like: str = "radgraph") -> RadGraph:
    """Return a report in RadGraph's schema. Only words become entities, so implied findings are left out.

    Args:
        report: the parsed report.
        like: the published checkpoints whose conventions are followed: `radgraph` or `radgraph-xl`. Where those of
            `radgraph-xl` leave no entity at all, those of `radgraph` are used.
    """
    entities: list[GraphEntity] = []
    relations: list[Relation] = []
    findings: dict[int, list[Finding]] = {}
    for finding in report.stated:
        findings.setdefault(finding.sentence_start, []).append(finding)
    convention = habits(like)
    if len(report.sentences) <= convention.sweeping_denials:
        convention = replace(convention, sweeping_denials=math.inf)
    for sentence in report.sentences:
        read = _SentenceGraph(sentence, findings.get(sentence.start, []), report.lexicon, convention)
        offset = len(entities)
        entities += read.entities
        relations += [Relation(r.source + offset, r.kind, r.target + offset) for r in read.relations]
    if not entities and like != "radgraph":  # `No acute findings.` alone must equal itself
        return radgraph(report)
    return RadGraph(report.text, tuple(entities), tuple(relations))


@dataclass(slots=True)
class _Run:
    """Parts that follow each other directly, and the words between this run and the one before."""

    parts: list[WordPart]
    link: tuple[str, ...]
    places: list[WordPart] = field(default_factory=list)
    #: the last observation of the run, which the others modify
    head: WordPart | None = None
    #: an adjective before the places it describes; it also describes places listed in later runs
    leads: WordPart | None = None


class _SentenceGraph:
    """Entities and relations of one sentence."""

    def __init__(self, sentence: Sentence, findings: Sequence[Finding], lexicon: Lexicon, habits: Habits) -> None:
        self.habits = habits
        self.sentence = sentence
        self.lexicon = lexicon
        self.tokens = tokenize(sentence.text)
        self.words = self.tokens.words
        self.links: dict[tuple[int, str, int], None] = {}
        self.modified: dict[int, WordPart] = {}
        parts = find_parts(sentence, self.tokens, findings, lexicon, habits)
        runs = self._runs(parts)
        self._relate(runs)
        left_out = self._left_out(parts, runs)
        kept = {part.index: i for i, part in enumerate(p for p in parts if p.index not in left_out)}
        self.entities = [self._entity(parts[index]) for index in kept]
        self.relations = [
            Relation(kept[source], kind, kept[target])
            for source, kind, target in self._chosen_links()
            if source in kept and target in kept
        ]

    def _left_out(self, parts: Sequence[WordPart], runs: Sequence[_Run]) -> set[int]:
        """Return the parts that these checkpoints do not annotate."""
        left_out: set[int] = set()
        if not self.habits.frame:
            left_out.update(part.index for part in parts if part.what == FRAME)
        if self.habits.sweeping_denials < math.inf:  # a longer report than that
            for run in runs:
                if run.head is not None and run.head.generic and run.head.status == "absent" and not run.places:
                    left_out.update(part.index for part in run.parts)
        if not self.habits.verbless:
            for run in runs:
                for part, following in pairwise(run.parts):
                    judged = part.what == ATTRIBUTE and following.what == OBSERVATION and following.adjective
                    if judged and part.end == following.first:
                        left_out.update((part.index, following.index))
        return left_out

    def _chosen_links(self) -> list[tuple[int, str, int]]:
        """Return the relations; if places are not shared, an observation keeps the last of its places."""
        if self.habits.shared_places:
            return list(self.links)
        last = {source: target for source, kind, target in sorted(self.links) if kind == "located_at"}
        return [link for link in self.links if link[1] != "located_at" or last[link[0]] == link[2]]

    def _entity(self, part: WordPart) -> GraphEntity:
        offset = self.sentence.start
        start, end = self.tokens.starts[part.first], self.tokens.ends[part.end - 1]
        label = "ANAT-DP"
        if part.what in (OBSERVATION, FRAME):
            seen = {part.index}
            while not part.status and part.index in self.modified and self.modified[part.index].index not in seen:
                part = self.modified[part.index]
                seen.add(part.index)
            hedged = not self.habits.hedges.isdisjoint(self.words[: part.first])
            label = _STATUS["uncertain" if hedged else part.status or "present"]
        return GraphEntity(self.sentence.text[start:end], label, start + offset, end + offset)

    def _link(self, source: WordPart, kind: str, target: WordPart) -> None:
        if source is not target:
            self.links[source.index, kind, target.index] = None
            if kind == "modify":
                self.modified.setdefault(source.index, target)

    def _runs(self, parts: Sequence[WordPart]) -> list[_Run]:
        runs: list[_Run] = []
        link: list[str] = []
        last = 0
        for part in parts:
            link += self.words[last : part.first]
            last = part.end
            if part.what == FRAME:
                continue
            if runs and not link and not self._next_in_list(runs[-1].parts[-1], part, parts):
                runs[-1].parts.append(part)
            else:
                runs.append(_Run([part], tuple(link)))
            link = []
        for run in runs:
            self._inside(run)
        return runs

    def _next_in_list(self, last: WordPart, part: WordPart, parts: Sequence[WordPart]) -> bool:
        """Return whether a part starts the next member of a list without commas: `consolidation pleural effusion`."""
        if last.what != OBSERVATION or last.adjective or last.mention < 0:
            return False
        while part.what != OBSERVATION or part.adjective:
            if part.index + 1 == len(parts) or parts[part.index + 1].first != part.end:
                return False
            part = parts[part.index + 1]
        return part.mention not in (-1, last.mention)

    def _inside(self, run: _Run) -> None:
        """Relate the words of one run: `small left pleural effusion`, `heart size`."""
        observations = [p for p in run.parts if p.what == OBSERVATION]
        run.head = observations[-1] if observations else None
        waiting: list[WordPart] = []
        for part, following in zip(run.parts, [*run.parts[1:], None], strict=True):
            if part.what == PLACE:
                if following is not None and following.what == PLACE:
                    waiting.append(part)
                    continue
                for other in waiting:
                    self._link(other, "modify", part)
                waiting = []
                run.places.append(part)
            elif part.what == POSITION:
                waiting.append(part)
            elif part.what == ATTRIBUTE:
                for place in run.places[-1:]:
                    self._link(part, "modify", place)
        for part in waiting:  # a position after the last place: it modifies that place
            if run.places:
                self._link(part, "modify", run.places[-1])
        if not run.places:  # a side without an organ is itself the place
            run.places = waiting[-1:]
            for part in waiting[:-1]:
                self._link(part, "modify", waiting[-1])
        if run.head is not None:
            run.head.status = run.head.status or next((p.status for p in observations if p.status), "")
            for part in observations[:-1]:
                if part.status and part.adjective and run.head.adjective:  # `clear hyperexpanded lungs`
                    self._place([part], run.places)
                else:
                    self._link(part, "modify", run.head)
            self._place([run.head], run.places)
            if run.parts[-1].what != OBSERVATION and run.head.adjective:
                run.leads = run.head

    def _place(self, observations: Iterable[WordPart], places: Iterable[WordPart]) -> None:
        for observation in observations:
            for place in places:
                self._link(observation, "located_at", place)

    def _relate(self, runs: Sequence[_Run]) -> None:
        """Relate runs to each other: subjects with their observations, places after prepositions, lists."""
        locate = self.lexicon.words["locate"]
        subject: list[WordPart] = []  # places that a later observation describes
        nouns: list[WordPart] = []  # the last observation, or all of a list
        before: _Run | None = None
        for run in runs:
            link = set(run.link)
            joined = before is not None and link <= _JOINS
            if link & _NEW_STATEMENT and before is not None and before.head is not None:
                subject = []
            if before is not None and (self.habits.shared_attributes or run is runs[-1]):
                self._attributes(run, before, joined, subject)
            if run.head is not None:
                self._observation(run, before, joined, subject, nouns)
                if not (run.head.adjective and nouns and not nouns[-1].adjective and not run.places):
                    nouns = [*nouns, run.head] if joined and not run.head.adjective else [run.head]
            elif joined and before is not None and before.leads:
                run.leads = before.leads
                self._place([before.leads], run.places)  # `normal heart and mediastinum`
            elif nouns and (link & locate or (joined and not subject)):
                self._place(nouns, run.places)
            else:
                subject = [*subject, *run.places] if joined else list(run.places)
                nouns = []
            subject, nouns = subject[-_LONGEST_LIST:], nouns[-_LONGEST_LIST:]
            before = run

    def _attributes(self, run: _Run, before: _Run, joined: bool, subject: Sequence[WordPart]) -> None:
        """Relate attributes to the places before them.

        `cardiac and mediastinal contours` are contours of both; in `heart is normal in size` it is the heart's size.
        """
        bare = joined and (before.head is None or before.leads) and before.parts[-1].what != ATTRIBUTE
        for attribute in (p for p in run.parts if p.what == ATTRIBUTE):
            shared: Sequence[WordPart] = ()
            if not any(p.what == PLACE for p in run.parts):
                shared = subject or before.places
            elif bare:
                shared = [place for place in before.places if self.words[place.first].endswith(_ADJECTIVE_ENDINGS)]
            for place in shared:
                self._link(attribute, "modify", place)

    def _observation(
        self, run: _Run, before: _Run | None, joined: bool, subject: Sequence[WordPart], nouns: Sequence[WordPart]
    ) -> None:
        """Relate an observation to what came before it."""
        head = run.head
        assert head is not None
        own = any(p.what == PLACE for p in run.parts)
        waiting = before.head if before is not None and before.head is not None and before.head.adjective else None
        if waiting is not None and not head.adjective and (joined or "of" in run.link):
            if joined:  # `acute bony or soft tissue abnormality`
                head.status = head.status or waiting.status
            if waiting.status != "present":  # `focal area of consolidation`
                self._link(waiting, "modify", head)
        if nouns and any(listed(word, "suggesting") for word in run.link):
            for noun in nouns:
                self._link(noun, "suggestive_of", head)
        elif own:
            if joined and before is not None and before.head is None and head is run.parts[-1] and head.adjective:
                self._place([head], subject)  # `heart and mediastinum normal`
        elif head.adjective and nouns and not nouns[-1].adjective:
            for noun in nouns:
                self._link(head, "modify", noun)
        elif before is None or before.head is None or head.adjective:
            self._place([head], subject)
