"""Read a report: each sentence alone, then what follows from all of them together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import headings, load_lexicon
from radeval_core.findings.sections import with_body
from radeval_core.findings.sentence_reader import read_sentence
from radeval_core.findings.text import CLOSING, OTHER, TITLE, SentenceSpan, sentence_spans
from radeval_core.findings.titles import with_title
from radeval_core.findings.types import Finding, ParsedReport, Sentence

#: first words of a sentence about the finding of the sentence before
_REFERS = re.compile(r"(?:this|these|it|they|the appearance|appearance)\b", re.IGNORECASE)


class FindingsParser:
    """A parser with its lexicon.

    Args:
        extra: optional YAML files with more findings or regions.
        remember: number of sentences to cache, for reports that repeat sentences. The default is 0: a long-lived
            parser must not keep the text it was given.
    """

    def __init__(self, extra: Iterable[str | Path] = (), remember: int = 0) -> None:
        self.lexicon: Lexicon = load_lexicon(tuple(extra))
        self._read = lru_cache(maxsize=remember)(read_sentence)

    def parse(self, text: str) -> ParsedReport:
        """Return all findings of a report, in the order of their mention."""
        findings: list[Finding] = []  # offsets are relative to the sentence until we know which findings to keep
        homes: list[Sentence] = []
        unlisted: list[Finding] = []
        sentences: list[Sentence] = []
        exams: dict[int, str] = {}
        last: Finding | None = None  # the last one that is not absent
        for span in self.spans(text):
            if span.heading in (OTHER, TITLE, CLOSING):
                continue
            written = text[span.start : span.end]
            reading = self._read(written, self.lexicon)
            sentence = Sentence(span.start, span.end, written, span.heading, reading.words, reading.understood_words)
            sentences.append(sentence)
            exams[span.start] = span.exam
            read = reading.findings
            if read and _REFERS.match(sentence.text):
                read = tuple(self._placed_as_before(found, last) for found in read)
            last = next((f for f in reversed(read) if f.polarity != "absent" and f.kind != "normality"), last)
            findings.extend(read)
            homes.extend([sentence] * len(read))
            unlisted.extend(_moved(found, sentence) for found in reading.open)
        findings, homes = with_title(findings, homes, exams, self.lexicon)
        kept = self._consistent(self._specified(findings))
        listed = tuple(_moved(f, homes[i]) for i, f in kept)
        return ParsedReport(text, listed, tuple(sentences), self.lexicon, tuple(unlisted))

    def spans(self, text: str) -> list[SentenceSpan]:
        """Return the sentences of a report, each with its section."""
        return with_body(text, sentence_spans(text, headings()), self._names_findings)

    def _names_findings(self, sentence: str) -> bool:
        return bool(self._read(sentence, self.lexicon).findings)

    def _specified(self, findings: list[Finding]) -> list[Finding]:
        """Replace a finding without a place by its special form in this part of the body.

        Example: `no edema` in a chest report means no pulmonary edema.
        """
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

    def _placed_as_before(self, found: Finding, last: Finding | None) -> Finding:
        """Give a finding the place of the one before it: `This may represent pneumonia`."""
        if found.laterality or found.implied or found.kind == "normality":
            return found
        usual = self.lexicon.entries[found.finding].regions
        if found.anatomy != usual or not any(self.lexicon.regions[r].sided for r in usual):
            return found
        if last is None or not last.laterality:
            return found
        places = tuple(r for r in last.anatomy if {r, *self.lexicon.ancestors(r)} & set(usual))
        return replace(found, laterality=last.laterality, anatomy=places or usual, carried=True)

    def _consistent(self, findings: list[Finding]) -> list[tuple[int, Finding]]:
        """Return findings with their index; drop implied absences of findings that the report states itself."""
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
                stated.add(f.finding)  # keep an implied absence only once
            kept.append((i, f))
        return kept


def _moved(found: Finding, home: Sentence) -> Finding:
    """Return a finding with offsets into the report instead of into its sentence."""
    offset, end = home.start, home.end
    if offset == 0:
        return found
    return Finding(
        found.finding, found.kind, found.polarity, found.anatomy, found.laterality, found.severity, found.measurements,
        found.change, found.significance, found.start + offset, found.end + offset, found.text, offset, end,
        found.implied, found.carried, found.number, found.open, found.places,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _shipped() -> FindingsParser:
    """Return a parser with the built-in lexicon. It keeps no text."""
    return FindingsParser()


def parse(text: str) -> ParsedReport:
    """Parse a report with the built-in lexicon."""
    return _shipped().parse(text)
