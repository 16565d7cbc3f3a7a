"""Phrases with boxes that a user gives for `radfact`: as an option, or in the column `boxes` of the pairs."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from radeval_core.errors import InputError
from radeval_core.findings.atlas import SIDES
from radeval_core.findings.phrase_boxes import PHRASE_FORM, BoxedPhrase, check_phrases, is_phrases
from radeval_core.judges.radfact.analysis import GivenPair, GivenPhrase
from radeval_core.judges.radfact.passages import find_passage
from radeval_core.pairs import Pair

log = logging.getLogger(__name__)


class PhraseBoxes:
    """The phrases of the pairs, in the order of the pairs.

    Args:
        given: the option `boxes`: one entry per pair, None for a pair without.
    """

    def __init__(self, given: Sequence[Any] | None) -> None:
        self._given = given
        self._pairs: int | None = None  # how many there are, once counted
        self._scored = 0
        self._found = False
        self._hash = hashlib.sha256()
        self._warned = False

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of a file of pairs that are read."""
        return () if self.by_order else ("boxes",)

    @property
    def by_order(self) -> bool:
        """True if phrases belong to pairs by order, so that the pairs are counted first."""
        return self._given is not None

    def count(self, pairs: int) -> None:
        """Count pairs of the first pass."""
        self._pairs = (self._pairs or 0) + pairs

    def next(self, pairs: Sequence[Pair]) -> list[GivenPair | None]:
        """Return the phrases of the next pairs; None for a pair without."""
        start, self._scored = self._scored, self._scored + len(pairs)
        if self._given is not None:
            if len(self._given) != (self._pairs or self._scored):
                counts = f"got {len(self._given)} for {self._pairs or self._scored} pairs"
                raise InputError(f"boxes must have one entry per pair: {counts}; None for a pair without boxes")
            entries = self._given[start : self._scored]
            places = [f"boxes[{i}]" for i in range(start, self._scored)]
        else:
            entries = [pair.boxes for pair in pairs]
            places = [f"boxes of pair {pair.id!r}" for pair in pairs]
        found = [self._read(*row) for row in zip(entries, pairs, places, strict=True)]
        self._hash.update(json.dumps([pair and asdict(pair) for pair in found]).encode())
        self._found = self._found or any(found)
        return found

    @property
    def fields(self) -> dict[str, object]:
        """Return the phrases as a field of the signature, once the pairs are scored; nothing without phrases."""
        return {"phrases": f"given-{self._hash.hexdigest()[:8]}"} if self._found else {}

    def _read(self, given: Any, pair: Pair, where: str) -> GivenPair | None:
        if given is None:
            return None
        if self._given is None and not is_phrases(given):
            if not self._warned:
                log.warning("radfact does not use boxes of regions: it takes boxes of phrases, %s", PHRASE_FORM)
            self._warned = True
            return None
        phrases = check_phrases(given, where)
        texts = {"prediction": pair.prediction, "reference": pair.reference}
        return GivenPair(*(_placed(phrases[name], texts[name], name, f"{where}[{name!r}]") for name in SIDES))


def _placed(phrases: Sequence[BoxedPhrase], report: str, name: str, where: str) -> tuple[GivenPhrase, ...]:
    """Return the phrases of one report with their places in it."""
    found: list[GivenPhrase] = []
    for i, (phrase, boxes) in enumerate(phrases):
        place = find_passage(phrase, report, found[-1].end if found else 0)
        if place is None:
            problem = f"the phrase is not in the {name}: each phrase must be a passage of the report"
            raise InputError(f"{where}[{i}]: {problem}")
        found.append(GivenPhrase(phrase, *place, boxes))
    return tuple(found)
