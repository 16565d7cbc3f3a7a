"""Compare every system with every other by approximate randomisation, with Holm's correction for each system.

The result is that of `randomisation_p_values` for every pair followed by Holm's correction, without the work for most
pairs:

- A count of flips only grows. The counts so far give p-values that are too small, with which Holm's correction rejects
  too much. A pair that is not rejected even so is decided, and is not tested further.
- A sign flip splits the studies into two halves. It reaches the observed difference exactly if the worse system is at
  least as good as the better one on one of the halves. With the systems sorted by their sums, the lowest half-sum of
  all better systems shows at once that a flip reaches no open pair of a system, which is the rule for open pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from radeval_core.stats.bootstrap import SEED
from radeval_core.stats.paired import FLIPS, draw_signs

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: sign flips per step
_STEP = 200
#: numbers in memory at once
_NUMBERS = 2_000_000
#: flips per comparison, so that the smallest possible p-value stays below 0.05 after the correction
_FLIPS_PER_COMPARISON = 25


def flips_for(systems: int) -> int:
    """Return the number of sign flips for so many systems: 10,000, and more for over 401 systems.

    The smallest p-value is 1 / (flips + 1), and Holm's correction multiplies it by the number of comparisons. With
    10,000 flips no difference between 502 systems or more could be significant.
    """
    return max(FLIPS, _FLIPS_PER_COMPARISON * (systems - 1))


def significantly_better(scores: Array, alpha: float, seed: int = SEED) -> Bools:
    """Return a matrix that is True where system j (column) is significantly better than system i (row).

    Args:
        scores: one row per system and one column per study, higher is better; NaN where a study is unscored.
        alpha: level of significance.
        seed: seed of the draws, the same for every pair.
    """
    systems, studies = scores.shape
    if systems < 2 or not studies:
        return np.zeros((systems, systems), dtype=bool)
    order = np.argsort(np.nansum(scores, axis=1), kind="stable")
    pairs = _Pairs.of(scores[order])
    flips, done, decide_at = flips_for(systems), 0, _STEP
    rng = np.random.default_rng(seed)
    while done < flips:
        pairs.count(draw_signs(rng, min(_STEP, flips - done), studies))
        done += _STEP
        if done >= decide_at:
            pairs.close_decided(flips, alpha)
            decide_at *= 2
    found = np.zeros((systems, systems), dtype=bool)
    found[np.ix_(order, order)] = holm_rejects(pairs.p_values(flips), alpha) & pairs.better
    return found


def holm_rejects(p_values: Array, alpha: float) -> Bools:
    """Return which comparisons of each row are significant after Holm's correction; the diagonal is no comparison."""
    count = len(p_values) - 1
    itself = np.eye(len(p_values), dtype=bool)
    ordered = np.sort(np.where(itself, np.inf, p_values), axis=1)[:, :count]
    passed = np.logical_and.accumulate(ordered * (count - np.arange(count)) < alpha, axis=1).sum(axis=1)
    cut = np.where(passed > 0, ordered[np.arange(len(ordered)), np.maximum(passed - 1, 0)], -1.0)
    rejected: Bools = (p_values <= cut[:, None]) & ~itself
    return rejected


@dataclass
class _Pairs:
    """All pairs of systems: for each, how many sign flips so far reach its observed sum.

    Matrices have the worse system of a pair as row and the better one as column.

    Attributes:
        known: the scores without the mean of each study, 0 where unscored; a shift of all changes no difference.
        missing: True where a study is unscored.
        sums: sum of the scores that are known, per system.
        at_least: the absolute sum of differences that a flip must reach.
        slack: bound on what the studies that only one of two systems has add to the difference of their sums.
        better: True where the column's sum of differences to the row is positive.
        open: True for the pairs that are not decided yet.
        reached: number of flips so far that reach `at_least`.
    """

    known: Array
    missing: Bools
    sums: Array
    at_least: Array
    slack: Array
    better: Bools
    open: Bools
    reached: NDArray[np.int64]

    @classmethod
    def of(cls, scores: Array) -> _Pairs:
        """Prepare the pairs of systems that are sorted by their sums."""
        missing = np.isnan(scores)
        filled = np.where(missing, 0.0, scores)
        known = np.where(missing, 0.0, scores - filled.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1))
        systems = len(scores)
        gains, at_least = np.zeros((systems, systems)), np.zeros((systems, systems))
        for i in range(systems):
            differences = np.nan_to_num(scores - scores[i])
            gains[i] = differences.sum(axis=1)
            at_least[i] = np.abs(gains[i]) - 1e-12 * np.abs(differences).sum(axis=1)
        # each pair once: the better system is the column, and of two equal systems the later one
        column = (gains > 0) | ((gains == 0) & np.triu(np.ones_like(missing, shape=gains.shape), 1))
        alone = np.abs(known) @ missing.T.astype(float)
        slack = 2 * (alone + alone.T) + 1e-9 * (1.0 + np.abs(known).sum(axis=1).max())
        reached = np.zeros(gains.shape, dtype=np.int64)
        return cls(known, missing, known.sum(axis=1), at_least, slack, gains > 0, column, reached)

    def count(self, signs: Array) -> None:
        """Count the flips that reach the observed sums of open pairs."""
        turned = self.known @ signs.T
        halves = (self.sums[:, None] - turned, self.sums[:, None] + turned)
        rows, flips = np.nonzero(self._events(halves))
        size = max(1, _NUMBERS // len(self.known))
        for start in range(0, len(rows), size):
            worse, flip = rows[start : start + size], flips[start : start + size]
            slack, near = self.slack[worse], np.zeros((len(worse), len(self.known)), dtype=bool)
            sure = near.copy()
            for half in halves:
                ahead = half[worse, flip][:, None] - half.T[flip]
                near |= ahead >= -slack
                sure |= ahead >= slack
            sure &= self.open[worse]
            begin = np.flatnonzero(np.diff(worse, prepend=-1))  # the events of one system follow each other
            self.reached[worse[begin]] += np.add.reduceat(sure, begin, axis=0, dtype=np.int64)
            event, better = np.nonzero(near & ~sure & self.open[worse])
            self._count_pairs(worse[event], better, signs, flip[event])

    def _events(self, halves: tuple[Array, Array]) -> Bools:
        """Return the systems (rows) and flips (columns) for which an open pair may reach its observed sum."""
        some: Bools = np.asarray(self.open.any(axis=1))
        first = np.argmax(self.open, axis=1)
        slack = np.where(self.open, self.slack, 0.0).max(axis=1)
        found = np.zeros(halves[0].shape, dtype=bool)
        for half in halves:
            lowest: Array = np.minimum.accumulate(half[::-1], axis=0)[::-1]
            found |= half + slack[:, None] >= lowest[first]
        found &= some[:, None]
        return found

    def _count_pairs(
        self, worse: NDArray[np.intp], better: NDArray[np.intp], signs: Array, flip: NDArray[np.intp]
    ) -> None:
        """Count flips that are too close to the observed sum, or that miss studies, from the differences themselves."""
        size = max(1, _NUMBERS // signs.shape[1])
        for start in range(0, len(worse), size):
            part = slice(start, start + size)
            i, j = worse[part], better[part]
            differences = np.where(self.missing[i] | self.missing[j], 0.0, self.known[j] - self.known[i])
            sums = np.abs(np.einsum("ps,ps->p", differences, signs[flip[part]]))
            hit = sums >= self.at_least[i, j]
            np.add.at(self.reached, (i[hit], j[hit]), 1)

    def close_decided(self, flips: int, alpha: float) -> None:
        """Close the pairs that cannot become significant, for neither of their systems."""
        possible = holm_rejects(self.p_values(flips), alpha)
        self.open &= possible | possible.T

    def p_values(self, flips: int) -> Array:
        """Return the p-values of all pairs as a symmetric matrix, too small while flips are missing."""
        p_values: Array = (self.reached + self.reached.T + 1) / (flips + 1)
        return p_values
