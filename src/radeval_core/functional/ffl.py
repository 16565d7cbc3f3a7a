"""FFL F1, MIOU and RQ: do two reports state the same fine-grained findings, and in the same place?

Mahmood et al., Evaluating automated radiology report quality through fine-grained phrasal grounding of clinical
findings, arXiv 2412.01031. A pattern is type | yes or no | core finding | anatomy | laterality | severity (equation 1).
A prefix of a pattern ends after one of these fields, to compare reports in more or less detail (equation 2, table 1).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from radeval_core.findings.types import Box, Finding

#: how much of a pattern is compared: up to the finding, up to its place and side, or all including its severity
GRANULARITIES = ("core", "anatomy", "all")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One fine-grained finding of a report.

    Attributes:
        type: its kind (T).
        present: True if the report states that it is present (N).
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
    """A pattern and the boxes of its regions. The union of the boxes is its place; without boxes it has none."""

    pattern: Pattern
    boxes: tuple[Box, ...]


#: patterns and the names of their regions on a film
Placed = dict[Pattern, tuple[str, ...]]


class Denial(NamedTuple):
    """The normal statements that exclude a finding, and the regions of the film they exclude it in."""

    by: frozenset[str]
    regions: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReportPatterns:
    """The patterns of one report.

    Attributes:
        stated: the distinct patterns it states.
        names: the findings it names.
        implied: patterns of findings it does not name: more general ones, and those that normal statements exclude.
        denied: the findings that normal statements exclude, by name.
    """

    stated: Placed
    names: frozenset[str]
    implied: Placed
    denied: Mapping[str, Denial]

    def compared_with(self, other: ReportPatterns) -> Placed:
        """Return the patterns to compare with another report: all stated ones, and the implied ones that matter to it.

        "Lungs are clear" denies a nodule, a mass and many more findings that nobody lists one by one. If the other
        report says "nodule", it contradicts; if it says "no nodule", it agrees; if it says "normal chest", the reports
        agree on all findings that both exclude. If both make the same normal statements, only these are compared.
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
        """Return whether both reports exclude a finding with normal statements that both contain."""
        return self.denied[name].by <= other.names and other.denied[name].by <= self.names


def _denied_there(pattern: Pattern, stated: Placed) -> Placed:
    """Return the other report's stated patterns for an implied absence.

    A finding denied in a whole region is denied at every place in it. A finding denied on one side is not denied on the
    other.
    """
    return {
        said: regions
        for said, regions in stated.items()
        if (said.core, said.present, pattern.present) == (pattern.core, False, False)
        and pattern.laterality in (None, said.laterality)
    }


class Agreement(NamedTuple):
    """The agreement of two sets of prefixes."""

    precision: float
    recall: float
    f1: float


class PlaceMatch(NamedTuple):
    """Two matched patterns of the same core finding, as indices into the two lists, and their overlap."""

    prediction: int
    reference: int
    iou: float


def pattern_of(finding: Finding) -> Pattern:
    """Return the pattern of a finding.

    An uncertain finding counts as present, as usual in report labelling. "No effusion" and "no bilateral effusion" mean
    the same, so a finding that is absent on both sides gets no side.
    """
    present = finding.polarity != "absent"
    side = None if not present and finding.laterality == "bilateral" else finding.laterality
    return Pattern(finding.kind, present, finding.finding, tuple(sorted(finding.anatomy)), side, finding.severity)


def prefixes(pattern: Pattern) -> dict[str, str]:
    """Return the prefix for each granularity, e.g. `{"core": "abnormality|yes|opacity", "anatomy": …, "all": …}`."""
    core = f"{pattern.type}|{'yes' if pattern.present else 'no'}|{pattern.core}"
    anatomy = f"{core}|{','.join(pattern.anatomy)}|{pattern.laterality or ''}"
    return {"core": core, "anatomy": anatomy, "all": f"{anatomy}|{pattern.severity or ''}"}


def agreement(prediction: Iterable[Pattern], reference: Iterable[Pattern], granularity: str) -> Agreement:
    """Return precision, recall and F1 over the distinct prefixes of two reports (equations 3 to 5).

    A repeated finding counts once. If neither report has a pattern, all three are 1; if only one has none, all are 0.
    """
    ours = {prefixes(p)[granularity] for p in prediction}
    theirs = {prefixes(p)[granularity] for p in reference}
    if not ours and not theirs:
        return Agreement(1.0, 1.0, 1.0)
    common = len(ours & theirs)
    if not common:
        return Agreement(0.0, 0.0, 0.0)
    return Agreement(common / len(ours), common / len(theirs), 2 * common / (len(ours) + len(theirs)))


@lru_cache(maxsize=65_536)
def union_iou(one: tuple[Box, ...], other: tuple[Box, ...]) -> float:
    """Return the intersection over union of two places; each place is the union of its boxes.

    The result is exact: the edges of all boxes form a grid, and each cell lies completely inside or outside each box.
    """
    if not one or not other:
        return 0.0
    boxes = np.array([*one, *other], dtype=np.float64)
    x, y = np.unique(boxes[:, [0, 2]]), np.unique(boxes[:, [1, 3]])
    cells = np.outer(np.diff(x), np.diff(y))
    first, second = _covered(boxes[: len(one)], x, y), _covered(boxes[len(one) :], x, y)
    union = cells[first | second].sum()
    return float(cells[first & second].sum() / union) if union > 0 else 0.0


def _covered(boxes: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which cells of the grid lie in at least one box."""
    across = (x[:-1] >= boxes[:, :1]) & (x[1:] <= boxes[:, 2:3])
    down = (y[:-1] >= boxes[:, 1:2]) & (y[1:] <= boxes[:, 3:])
    return np.logical_or.reduce(across[:, :, None] & down[:, None, :], axis=0, dtype=np.bool_)


def match_places(prediction: Sequence[Grounded], reference: Sequence[Grounded]) -> list[PlaceMatch]:
    """Match patterns of the same core finding so that the sum of their overlaps is as large as possible.

    Of patterns that differ only in severity, only the first takes part; those without boxes do not. Pairs without
    overlap are left out.
    """
    from scipy.optimize import linear_sum_assignment  # slow to import, so only when a pair is scored

    found: list[PlaceMatch] = []
    ours, theirs = _by_core(prediction), _by_core(reference)
    for core, rows in ours.items():
        columns = theirs.get(core, [])
        overlaps = np.array([[union_iou(prediction[i].boxes, reference[j].boxes) for j in columns] for i in rows])
        if overlaps.size:
            for row, column in zip(*linear_sum_assignment(overlaps, maximize=True), strict=True):
                if overlaps[row, column] > 0:
                    found.append(PlaceMatch(rows[row], columns[column], float(overlaps[row, column])))
    return found


def miou(prediction: Sequence[Grounded], reference: Sequence[Grounded]) -> float:
    """Return the mean overlap of the places of two reports' findings, 2·I / (|F_G| + |F_P|) (equation 7).

    I is the total overlap of the best matching. F_G and F_P are the distinct patterns up to anatomy and side ("the
    prefixes that retained the anatomical location", section 4) that have boxes: a finding outside the image is not an
    error of place. The result is NaN if no pattern has boxes, and 1 if neither report has any pattern.
    """
    if not prediction and not reference:
        return 1.0
    places = sum(len(group) for side in (prediction, reference) for group in _by_core(side).values())
    if not places:
        return math.nan
    return 2 * math.fsum(match.iou for match in match_places(prediction, reference)) / places


def _by_core(patterns: Collection[Grounded]) -> dict[str, list[int]]:
    """Return the indices of patterns with boxes, by core prefix; of patterns with the same place only the first."""
    groups: dict[str, list[int]] = {}
    seen: set[str] = set()
    for i, grounded in enumerate(patterns):
        cut = prefixes(grounded.pattern)
        if grounded.boxes and cut["anatomy"] not in seen:
            seen.add(cut["anatomy"])
            groups.setdefault(cut["core"], []).append(i)
    return groups


def report_quality(f1: float, mean_iou: float) -> float:
    """Return RQ: the average of F1 and MIOU, or F1 alone if no finding has boxes.

    Equation 8 is a sum, but section 2 says average, and "combined" in table 2 is an average: (0.440 + 0.487) / 2.
    """
    return f1 if math.isnan(mean_iou) else (f1 + mean_iou) / 2
