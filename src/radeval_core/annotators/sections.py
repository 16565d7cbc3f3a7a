"""Cut the reports of pairs down to one section, and count what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.report_sections import MISSING, SECTIONS, WHOLE, section_text
from radeval_core.pairs import Pair

_SIDES = ("predictions", "references")


class SectionCutter:
    """Cuts reports down to one section.

    Args:
        section: findings, impression or both.
        parser: finds the body of reports that have no heading for it.
    """

    def __init__(self, section: str, parser: FindingsParser) -> None:
        if not isinstance(section, str):
            raise InputError(f"section must be one of {', '.join(SECTIONS)}, got {type(section).__name__}")
        if section not in SECTIONS:
            raise unknown_name("section", section, list(SECTIONS))
        self.section = section
        self._parser = parser
        self._counts: Counter[tuple[str, str]] = Counter()

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says: the section, and the lexicon that tells findings from other text."""
        return {"section": f"{self.section}@{self._parser.lexicon.fingerprint[:8]}"}

    def pairs(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the pairs with the section instead of the whole reports. Counting starts again."""
        self._counts.clear()
        for pair in pairs:
            prediction = self._cut(pair.prediction, "predictions")
            references = tuple(self._cut(text, "references") for text in pair.references)
            yield replace(pair, prediction=prediction, references=references)

    def counts(self) -> dict[str, Any]:
        """Return the section and how many reports lack it or have no headings, ready for JSON."""
        return {
            "section": self.section,
            "without_section": {side: self._counts[side, MISSING] for side in _SIDES},
            "without_headings": {side: self._counts[side, WHOLE] for side in _SIDES},
        }

    def _cut(self, text: str, side: str) -> str:
        found = section_text(text, self.section, self._parser)
        self._counts[side, found.how] += 1
        return found.text
