"""RadFact's arithmetic: phrases with verdicts, evidence and boxes become precision and recall of a pair.

Formulas and rules: MAIRA-2 (arXiv 2406.04449) and microsoft/RadFact, commit 72463ac3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from radeval_core.findings.types import Box

#: pixels of a side of the mask that boxes are drawn on
IMAGE_SIZE = 224
#: more than this share of a phrase's boxes must lie inside the boxes of its evidence
BOX_THRESHOLD = 0.5
#: the three kinds of precision and recall
KINDS = ("logical", "grounding", "spatial")
_HYPHENS = str.maketrans("", "", "-–—")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says about a phrase: whether it is entailed, and by which phrases of the other report, in words."""

    entailed: bool
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedPhrase:
    """A phrase of one report, judged by the other report.

    Attributes:
        text: the phrase.
        entailed: True if the other report says so too.
        evidence: indices of the phrases of the other report that decide it.
        boxes: where it is on the image; None if it has no boxes.
    """

    text: str
    entailed: bool
    evidence: tuple[int, ...] = ()
    boxes: tuple[Box, ...] | None = None


@dataclass(frozen=True, slots=True)
class SideMeasures:
    """The measures of one report: precision for the candidate, recall for the reference. NaN without a phrase to count.

    Attributes:
        logical: share of its phrases that are entailed.
        grounding: share of its entailed phrases with boxes whose boxes agree too.
        spatial: share of its phrases with boxes that are entailed and whose boxes agree.
        phrases: number of phrases.
        with_boxes: number of phrases with boxes.
    """

    logical: float
    grounding: float
    spatial: float
    phrases: int
    with_boxes: int


def normalise(text: str) -> str:
    """Return a phrase as RadFact compares it: lower case, single spaces, without hyphens and one final mark."""
    return re.sub(r"[.:!?]$", "", " ".join(text.lower().split()).translate(_HYPHENS))


def find_equal(text: str, phrases: Sequence[str]) -> int | None:
    """Return the index of the first phrase that is equal after normalising, or None."""
    wanted = normalise(text)
    return next((i for i, phrase in enumerate(phrases) if normalise(phrase) == wanted), None)


def find_best(text: str, phrases: Sequence[str]) -> int | None:
    """Return the index of the first equal phrase, else of the one with the longest common passage, else None."""
    equal = find_equal(text, phrases)
    if equal is not None:
        return equal
    lengths = [_common_length(normalise(text), normalise(phrase)) for phrase in phrases]
    longest = max(lengths, default=0)
    return lengths.index(longest) if longest else None


def _common_length(one: str, other: str) -> int:
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size


def judged_phrases(
    phrases: Sequence[str],
    verdicts: Sequence[Verdict],
    others: Sequence[str],
    boxes: Sequence[tuple[Box, ...] | None] | None = None,
) -> list[JudgedPhrase] | None:
    """Return the phrases of one report with their verdicts; None if some evidence is no phrase of the other report.

    Phrases that are equal after normalising share the verdict of the first one, and evidence points at the first equal
    phrase, as in the original.

    Args:
        phrases: the phrases of this report.
        verdicts: one verdict per phrase.
        others: the phrases of the other report.
        boxes: the boxes of each phrase; none if not given.
    """
    judged = []
    for i, text in enumerate(phrases):
        if any(find_equal(words, others) is None for words in verdicts[i].evidence):
            return None
        first = find_equal(text, phrases)
        verdict = verdicts[i if first is None else first]
        places = [find_equal(words, others) for words in verdict.evidence]
        evidence = tuple(dict.fromkeys(place for place in places if place is not None))
        judged.append(JudgedPhrase(text, verdict.entailed, evidence, boxes[i] if boxes is not None else None))
    return judged


def box_overlap(ours: Iterable[Box], theirs: Iterable[Box], size: int = IMAGE_SIZE) -> tuple[float, ...]:
    """Return IoU, precision and recall of the unions of two sets of boxes, in pixels; NaN for 0 / 0."""
    mine, other = _mask(ours, size), _mask(theirs, size)
    both = int((mine & other).sum())
    return tuple(_ratio(both, int(whole.sum())) for whole in (mine | other, mine, other))


def _mask(boxes: Iterable[Box], size: int) -> NDArray[np.bool_]:
    mask = np.zeros((size, size), dtype=np.bool_)
    for left, top, right, bottom in boxes:
        mask[int(top * size) : int(bottom * size), int(left * size) : int(right * size)] = True
    return mask


def spatially_entailed(
    phrase: JudgedPhrase, others: Sequence[JudgedPhrase], size: int = IMAGE_SIZE, threshold: float = BOX_THRESHOLD
) -> bool | None:
    """Return whether a phrase is entailed and lies where its evidence lies; None if it has no boxes."""
    if phrase.boxes is None:
        return None
    there = [box for i in phrase.evidence for box in others[i].boxes or ()]
    if not phrase.entailed or not there:
        return False
    return box_overlap(phrase.boxes, there, size)[1] > threshold  # NaN, of boxes without a pixel, is not above it


def side_measures(
    phrases: Sequence[JudgedPhrase],
    others: Sequence[JudgedPhrase],
    size: int = IMAGE_SIZE,
    threshold: float = BOX_THRESHOLD,
) -> SideMeasures:
    """Return the measures of one report, given the phrases of both."""
    boxed = [(phrase, spatially_entailed(phrase, others, size, threshold)) for phrase in phrases if phrase.boxes]
    right = sum(bool(there) for _, there in boxed)
    return SideMeasures(
        _ratio(sum(phrase.entailed for phrase in phrases), len(phrases)),
        _ratio(right, sum(phrase.entailed for phrase, _ in boxed)),
        _ratio(right, len(boxed)),
        len(phrases),
        len(boxed),
    )


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean; NaN if one is NaN, and 0 if both are 0, where the original stops with an error."""
    if math.isnan(precision) or math.isnan(recall):
        return math.nan
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def corpus_f1(precision: NDArray[np.float64], recall: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `f1` of arrays of means, one entry per resample."""
    both = precision + recall
    return np.where(both == 0, 0.0, 2 * precision * recall / np.where(both == 0, 1.0, both))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
