"""Reads a report: sentences, forms, context, modifiers, and what normal statements exclude."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from radeval_core.findings.context import Context, read_context
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import headings, load_lexicon
from radeval_core.findings.match import find_forms
from radeval_core.findings.mentions import called_normal, find_mentions
from radeval_core.findings.modifiers import attach
from radeval_core.findings.normality import normal_statements
from radeval_core.findings.scene import Mention, Scene
from radeval_core.findings.spelling import SHORTEST, Speller
from radeval_core.findings.structures import Finding, ParsedReport, Sentence
from radeval_core.findings.text import OTHER, TITLE, Tokens, sentence_spans, tokenize

#: a sentence that goes on about the finding of the one before
_REFERS = re.compile(r"(?:this|these|it|they|the appearance|appearance)\b", re.IGNORECASE)
_ASKS = frozenset(
    {"is", "are", "was", "does", "do", "did", "can", "could", "has", "have", "what", "where", "any", "which"}
)


class FindingsParser:
    """A parser with its lexicon. Sentences recur, so what was read is remembered (bounded).

    Args:
        extra: further YAML files of findings or regions.
    """

    def __init__(self, extra: Iterable[str | Path] = ()) -> None:
        self.lexicon: Lexicon = load_lexicon(tuple(extra))
        self._speller = Speller(self.lexicon.vocabulary())
        self._read_sentence = lru_cache(maxsize=20_000)(self._read)

    def parse(self, text: str) -> ParsedReport:
        """All findings of a report, in the order of their mention."""
        findings: list[Finding] = []  # with offsets into their sentences, until it is clear which are kept
        homes: list[Sentence] = []
        sentences: list[Sentence] = []
        for span in sentence_spans(text, headings()):
            if span.heading in (OTHER, TITLE):
                continue
            sentence = Sentence(span.start, span.end, text[span.start : span.end], span.heading)
            sentences.append(sentence)
            read = self._read_sentence(sentence.text)
            if read and _REFERS.match(sentence.text):
                read = tuple(self._placed_as_before(found, findings) for found in read)
            findings.extend(read)
            homes.extend([sentence] * len(read))
        kept = self._consistent(self._specified(findings))
        return ParsedReport(text, tuple(_moved(f, homes[i]) for i, f in kept), tuple(sentences))

    def _specified(self, findings: list[Finding]) -> list[Finding]:
        """`No edema` in a report about a chest: what a finding without a place is where the report is about."""
        if not any(f.finding in self.lexicon.within and not f.anatomy for f in findings):
            return findings
        about = {a for f in findings for region in f.anatomy for a in (region, *self.lexicon.ancestors(region))}
        return [self._special(f, about) for f in findings]

    def _special(self, found: Finding, about: set[str]) -> Finding:
        region, name = self.lexicon.within.get(found.finding, ("", ""))
        if found.anatomy or region not in about:
            return found
        entry = self.lexicon.entries[name]
        return replace(found, finding=name, kind=entry.kind, significance=entry.significance, anatomy=entry.regions)

    def _placed_as_before(self, found: Finding, before: list[Finding]) -> Finding:
        """`This may represent pneumonia`: where the finding of the sentence before is."""
        if found.laterality or found.implied or found.kind == "normality":
            return found
        usual = self.lexicon.entries[found.finding].regions
        if found.anatomy != usual or not any(self.lexicon.regions[r].sided for r in usual):
            return found
        last = next((f for f in reversed(before) if f.polarity != "absent" and f.kind != "normality"), None)
        if last is None or not last.laterality:
            return found
        places = tuple(r for r in last.anatomy if {r, *self.lexicon.ancestors(r)} & set(usual))
        return replace(found, laterality=last.laterality, anatomy=places or usual)

    def _consistent(self, findings: list[Finding]) -> list[tuple[int, Finding]]:
        """Findings by their index, without implied absences of what the report states itself."""
        stated: set[str] = set()
        for f in findings:
            if not f.implied and f.kind != "normality":
                stated.add(f.finding)
                if f.polarity != "absent":
                    stated.update(self.lexicon.more_general(f.finding))
        kept: list[tuple[int, Finding]] = []
        for i, f in enumerate(findings):
            if f.implied and f.polarity == "absent":
                if f.finding in stated:
                    continue
                stated.add(f.finding)  # implied once is enough
            kept.append((i, f))
        return kept

    def _read(self, sentence: str) -> tuple[Finding, ...]:
        """The findings of one sentence, with offsets relative to it."""
        tokens = self._spelled(tokenize(sentence))
        matches = find_forms(tokens.words, self.lexicon)
        if not matches:
            return ()
        context = read_context(tokens.words, matches, self.lexicon)
        if tokens.words[-1] == "?":
            if tokens.words[0] in _ASKS:
                return ()
            context.doubted = [True] * len(tokens.words)
        mentions = find_mentions(tokens.words, matches, context, self.lexicon)
        scene = Scene(tokens.words, tokens.plural, matches, context, self.lexicon)
        attach(scene, mentions)
        for mention in mentions:
            if called_normal(tokens.words, matches, mention, self.lexicon):
                context.negated[mention.head] = True
        findings = [f for m in mentions for f in self._finding(sentence, tokens, m, context)]
        findings += normal_statements(sentence, tokens, matches, mentions, context, self.lexicon)
        return tuple(sorted(findings, key=lambda f: (f.start, f.end)))

    def _spelled(self, tokens: Tokens) -> Tokens:
        """Long words with a slip of spelling, as the lexicon spells them."""
        words = tuple(self._speller.correct(word) if len(word) >= SHORTEST else word for word in tokens.words)
        return tokens if words == tokens.words else replace(tokens, words=words)

    def _finding(self, sentence: str, tokens: Tokens, mention: Mention, context: Context) -> list[Finding]:
        if context.skipped[mention.head]:
            return []
        entry = self.lexicon.entries[mention.finding]
        polarity = "present"
        if context.negated[mention.head]:
            polarity = "absent"
        elif context.doubted[mention.head]:
            polarity = "uncertain"
        start, end = tokens.starts[mention.start], tokens.ends[mention.end - 1]
        found = Finding(
            finding=mention.finding,
            kind=entry.kind,
            polarity=polarity,
            anatomy=self._anatomy(mention, entry.regions),
            laterality=mention.laterality,
            severity=mention.severity,
            measurements=mention.measurements,
            change=mention.change,
            significance=entry.significance,
            start=start,
            end=end,
            text=sentence[start:end],
            sentence_start=0,
            sentence_end=len(sentence),
        )
        if mention.twin is not None:
            side, severity, places = mention.twin
            return [found, replace(found, laterality=side, severity=severity, anatomy=tuple(places) or found.anatomy)]
        if entry.kind == "device" and polarity != "absent":  # a PICC is a catheter
            return [found, *(replace(found, finding=name, implied=True) for name in entry.parents)]
        return [found]

    def _anatomy(self, mention: Mention, usual: tuple[str, ...]) -> tuple[str, ...]:
        """The places said, without those that merely contain another one said; else the usual ones."""
        said = list(dict.fromkeys(mention.anatomy))
        containing = {ancestor for name in said for ancestor in self.lexicon.ancestors(name)}
        return tuple(name for name in said if name not in containing) or usual


def _moved(found: Finding, home: Sentence) -> Finding:
    """A finding of a sentence at its place in the report."""
    offset, end = home.start, home.end
    return Finding(
        found.finding, found.kind, found.polarity, found.anatomy, found.laterality, found.severity, found.measurements,
        found.change, found.significance, found.start + offset, found.end + offset, found.text, offset, end,
        found.implied,
    )  # fmt: skip


@lru_cache(maxsize=1)
def default_parser() -> FindingsParser:
    """The parser with the lexicon that ships, loaded once."""
    return FindingsParser()


@lru_cache(maxsize=512)
def parse(text: str) -> ParsedReport:
    """Read a report with the lexicon that ships; several metrics in a row ask for the same ones."""
    return default_parser().parse(text)
