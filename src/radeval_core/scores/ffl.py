"""FFL F1, MIOU and RQ: do two reports state the same fine-grained findings, and in the same place?

Mahmood et al., Evaluating automated radiology report quality through fine-grained phrasal grounding of clinical
findings, arXiv 2412.01031. A pattern is type | yes or no | core finding | anatomy | laterality | severity (equation 1).
Its prefixes end where a modifier ends, so that reports can be compared finely or coarsely (equation 2, table 1).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from radeval_core.findings.structures import Box, Finding

#: how much of a pattern is compared: up to the finding, up to its place and side, or with its severity
GRANULARITIES = ("core", "anatomy", "all")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One fine-grained finding of a report.

    Attributes:
        type: what kind of finding it is (T).
        present: whether the report says that it is there (N).
        core: the finding's canonical name (C).
        anatomy: canonical regions without side, in alphabetical order (A).
        laterality: left, right, bilateral, or None (L).
        severity: mild, moderate, severe, or None (S).
    """

    type: str
    present: bool
    core: str
    anatomy: tuple[str, ...] = ()
    laterality: str | None = None
    severity: str | None = None

    def __str__(self) -> str:
        return prefixes(self)["all"]


@dataclass(frozen=True, slots=True)
class Grounded:
    """A pattern and the boxes of its regions. Together they are its place; none means that it cannot be grounded."""

    pattern: Pattern
    boxes: tuple[Box, ...]


#: patterns and the names of their regions on a film
Placed = dict[Pattern, tuple[str, ...]]


class Denial(NamedTuple):
    """Which normal statements exclude a finding, and in which regions of the film."""

    by: frozenset[str]
    regions: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReportPatterns:
    """What one report says.

    Attributes:
        stated: the distinct patterns it states.
        names: the findings it names.
        implied: patterns it implies of findings it does not name: more general ones, or excluded by normal statements.
        denied: the findings so excluded, by name.
    """

    stated: Placed
    names: frozenset[str]
    implied: Placed
    denied: Mapping[str, Denial]

    def compared_with(self, other: ReportPatterns) -> Placed:
        """What is compared with another report: what is stated, and what is implied where it matters to the other.

        "Lungs are clear" denies a nodule, a mass and much else, which nobody repeats one by one. But where the other
        report says "nodule" it contradicts, where that says "no nodule" it agrees, and where that says "normal chest"
        instead, both agree on what both exclude. Two reports with the same normal statements agree by these alone.
        """
        placed = dict(self.stated)
        for pattern, regions in self.implied.items():
            name = pattern.core
            if name in other.names:
                placed |= _denied_there(pattern, other.stated) or {pattern: regions}
            elif name in self.denied and name in other.denied and not self._says_the_same(other, name):
                both = self.denied[name].regions | other.denied[name].regions
                placed[Pattern(pattern.type, False, name)] = tuple(sorted(both))
        return placed

    def _says_the_same(self, other: ReportPatterns, name: str) -> bool:
        """Whether both exclude a finding by normal statements that both have."""
        return self.denied[name].by <= other.names and other.denied[name].by <= self.names


def _denied_there(pattern: Pattern, stated: Placed) -> Placed:
    """The other report's own words for an implied absence: what is denied of a whole region is denied of every place.

    What is denied of one side only is not denied of the other.
    """
    return {
        said: regions
        for said, regions in stated.items()
        if (said.core, said.present, pattern.present) == (pattern.core, False, False)
        and pattern.laterality in (None, said.laterality)
    }


class Agreement(NamedTuple):
    """How well two sets of prefixes agree."""

    precision: float
    recall: float
    f1: float


class Match(NamedTuple):
    """Two patterns of the same core finding that were matched, by their places in the two lists, and their overlap."""

    prediction: int
    reference: int
    iou: float


def pattern_of(finding: Finding) -> Pattern:
    """The pattern of a finding.

    An uncertain finding counts as present, as reports are usually labelled. "No effusion" and "no bilateral effusion"
    say the same, so an absent finding on both sides has no side.
    """
    present = finding.polarity != "absent"
    side = None if not present and finding.laterality == "bilateral" else finding.laterality
    return Pattern(finding.kind, present, finding.finding, tuple(sorted(finding.anatomy)), side, finding.severity)


def prefixes(pattern: Pattern) -> dict[str, str]:
    """The pattern cut at each granularity, e.g. `{"core": "abnormality|yes|opacity", "anatomy": …, "all": …}`."""
    core = f"{pattern.type}|{'yes' if pattern.present else 'no'}|{pattern.core}"
    anatomy = f"{core}|{','.join(pattern.anatomy)}|{pattern.laterality or ''}"
    return {"core": core, "anatomy": anatomy, "all": f"{anatomy}|{pattern.severity or ''}"}


def agreement(prediction: Iterable[Pattern], reference: Iterable[Pattern], granularity: str) -> Agreement:
    """Precision, recall and F1 over the distinct prefixes of two reports (equations 3 to 5).

    A finding that a report repeats counts once. Two reports without any pattern agree: all three are 1. If only one
    has none, all three are 0.
    """
    ours = {prefixes(p)[granularity] for p in prediction}
    theirs = {prefixes(p)[granularity] for p in reference}
    if not ours and not theirs:
        return Agreement(1.0, 1.0, 1.0)
    common = len(ours & theirs)
    if not common:
        return Agreement(0.0, 0.0, 0.0)
    return Agreement(common / len(ours), common / len(theirs), 2 * common / (len(ours) + len(theirs)))


def iou(one: Box, other: Box) -> float:
    """Intersection over union of two boxes (equation 6)."""
    return union_iou((one,), (other,))


@lru_cache(maxsize=65_536)
def union_iou(one: tuple[Box, ...], other: tuple[Box, ...]) -> float:
    """Intersection over union of two places, each of which is the union of its boxes.

    Exact: all edges of all boxes cut the plane into a grid, and every cell lies wholly inside or outside each box.
    """
    if not one or not other:
        return 0.0
    boxes = np.array([*one, *other], dtype=np.float64)
    x, y = np.unique(boxes[:, [0, 2]]), np.unique(boxes[:, [1, 3]])
    cells = np.outer(np.diff(x), np.diff(y))
    mine, its = _covered(boxes[: len(one)], x, y), _covered(boxes[len(one) :], x, y)
    union = cells[mine | its].sum()
    return float(cells[mine & its].sum() / union) if union > 0 else 0.0


def _covered(boxes: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which cells of the grid lie in any of the boxes."""
    across = (x[:-1] >= boxes[:, :1]) & (x[1:] <= boxes[:, 2:3])
    down = (y[:-1] >= boxes[:, 1:2]) & (y[1:] <= boxes[:, 3:])
    return np.logical_or.reduce(across[:, :, None] & down[:, None, :], axis=0, dtype=np.bool_)


def match_places(prediction: Sequence[Grounded], reference: Sequence[Grounded]) -> list[Match]:
    """Pair up patterns of the same core finding so that the sum of their overlaps is the largest possible.

    Patterns that differ only in severity are one place; those without boxes take no part. Pairs that do not overlap
    are left out.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import: only when something is scored

    found: list[Match] = []
    ours, theirs = _by_core(prediction), _by_core(reference)
    for core, rows in ours.items():
        columns = theirs.get(core, [])
        overlaps = np.array([[union_iou(prediction[i].boxes, reference[j].boxes) for j in columns] for i in rows])
        if overlaps.size:
            for row, column in zip(*linear_sum_assignment(overlaps, maximize=True), strict=True):
                if overlaps[row, column] > 0:
                    found.append(Match(rows[row], columns[column], float(overlaps[row, column])))
    return found


def miou(prediction: Sequence[Grounded], reference: Sequence[Grounded]) -> float:
    """Mean overlap of the places of two reports' findings, 2·I / (|F_G| + |F_P|) (equation 7).

    I is the weight of the best matching. F_G and F_P hold the distinct patterns up to anatomy and side ("the prefixes
    that retained the anatomical location", section 4) that have boxes: a finding outside the picture is no error of
    place. NaN if neither report has one, 1 if neither report has any pattern at all.
    """
    if not prediction and not reference:
        return 1.0
    places = sum(len(group) for side in (prediction, reference) for group in _by_core(side).values())
    if not places:
        return math.nan
    return 2 * math.fsum(match.iou for match in match_places(prediction, reference)) / places


def _by_core(patterns: Collection[Grounded]) -> dict[str, list[int]]:
    """Which of the patterns have boxes, by their core prefix; of those with the same place, the first."""
    groups: dict[str, list[int]] = {}
    seen: set[str] = set()
    for i, grounded in enumerate(patterns):
        cut = prefixes(grounded.pattern)
        if grounded.boxes and cut["anatomy"] not in seen:
            seen.add(cut["anatomy"])
            groups.setdefault(cut["core"], []).append(i)
    return groups


def report_quality(f1: float, mean_iou: float) -> float:
    """RQ: the average of F1 and MIOU; F1 alone where nothing can be grounded.

    Equation 8 writes a sum, but section 2 says the average and "combined" in table 2 is one: (0.440 + 0.487) / 2.
    """
    return f1 if math.isnan(mean_iou) else (f1 + mean_iou) / 2
