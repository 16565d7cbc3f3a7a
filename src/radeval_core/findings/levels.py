"""The vertebrae, discs and ribs that a sentence names: `L1`, `L4-L5`, `rib 6`."""

from __future__ import annotations

import re

from radeval_core.findings.types import Finding, ParsedReport

_VERTEBRA = re.compile(r"\b[CTLS]\d{1,2}\b", re.IGNORECASE)
_DISC = re.compile(r"\b([CTLS])(\d{1,2})(?:\s?[-–/]\s?|\s+on\s+)([CTLS]?)(\d{1,2})\b", re.IGNORECASE)
_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: str(i) for i, word in enumerate(_WORDS.split(), 1)}
_RIB = re.compile(rf"\b(\d{{1,2}}(?=st|nd|rd|th)|{'|'.join(_ORDINALS)})", re.IGNORECASE)


class Levels:
    """The levels of a report's findings. It searches each sentence once, however many findings are in it."""

    def __init__(self, report: ParsedReport) -> None:
        self._report = report
        self._found: dict[tuple[str, int], frozenset[str]] = {}

    def of(self, finding: Finding) -> frozenset[str]:
        """Return the vertebrae or ribs named in the sentence of a finding of the spine or the ribs."""
        lexicon = self._report.lexicon
        known = (place for place in finding.anatomy if place in lexicon.regions)
        regions = {region for place in known for region in (place, *lexicon.ancestors(place))}
        if "spine" in regions:
            if "fracture" in (finding.finding, *lexicon.more_general(finding.finding)):
                return self._named("vertebra", finding)
            return self._named("disc", finding) or self._named("vertebra", finding)
        return self._named("rib", finding) if "rib" in regions else frozenset()

    def discs(self, finding: Finding) -> frozenset[str]:
        """Return the discs named in the sentence of a finding of the spine."""
        return frozenset(level for level in self.of(finding) if "-" in level)

    def _named(self, kind: str, finding: Finding) -> frozenset[str]:
        at = kind, finding.sentence_start
        if at not in self._found:
            sentence = self._report.text[finding.sentence_start : finding.sentence_end]
            self._found[at] = frozenset(_FIND[kind](sentence))
        return self._found[at]


def _vertebrae(sentence: str) -> set[str]:
    return {match.upper() for match in _VERTEBRA.findall(sentence)}


def _discs(sentence: str) -> set[str]:
    return {f"{a}{b}-{c or a}{d}".upper() for a, b, c, d in _DISC.findall(sentence) if _adjacent(a, b, c, d)}


def _ribs(sentence: str) -> set[str]:
    return {f"rib {_ORDINALS.get(number.lower(), number)}" for number in _RIB.findall(sentence)}


def _adjacent(part: str, number: str, next_part: str, next_number: str) -> bool:
    """Return whether two vertebrae have one disc between them: L4 and L5, L5 and S1."""
    same = next_part.upper() in ("", part.upper())
    return int(next_number) == int(number) + 1 if same else next_number == "1"


_FIND = {"vertebra": _vertebrae, "disc": _discs, "rib": _ribs}
