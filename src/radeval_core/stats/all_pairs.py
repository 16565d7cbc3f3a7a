"""Compare every system with every other by approximate randomisation, with Holm's correction for each system.

The result is that of `randomisation_p_values` for every pair followed by Holm's correction, without the work for most
pairs:

- A count of flips only grows. The counts so far give p-values that are too small, with which Holm's correction rejects
  too much. A pair that is not rejected even so is decided, and is not tested further.
- A sign flip splits the studies into two halves. It reaches the observed difference exactly if the worse system is at
  least as good as the better one on one of the halves. With the systems sorted by their sums and taken in blocks, the
  lowest half-sum of a block shows at once that a flip reaches no open pair of a system with it, which is the rule.
- Studies that only one of two systems has count in neither half. What they can add to the half-sums of a pair is known
  before the flips, so that only flips near the observed difference are counted from the differences themselves.
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
#: better systems whose half-sums are compared at once
_BLOCK = 16
#: numbers in memory at once
_NUMBERS = 2_000_000
#: bounds on the rounding of sums in single and double precision, as a share of the largest sum
_SINGLE, _DOUBLE = 4e-6, 1e-9
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


def _numbered(marks: Bools) -> NDArray[np.intp]:
    """Return the columns marked in each row, filled up with the number of columns to the same length."""
    ordered = np.sort(np.where(marks, np.arange(marks.shape[1]), marks.shape[1]), axis=1)
    return ordered[:, : max(1, int(marks.sum(axis=1).max()))]


@dataclass
class _Pairs:
    """All pairs of systems: for each, how many sign flips so far reach its observed sum.

    Matrices have the worse system of a pair as row and the better one as column.

    Attributes:
        known: the scores without the mean of each study, 0 where unscored; a shift of all changes no difference.
        padded: the same with a further column of zeros.
        missing: True where a study is unscored.
        absent: the numbers of the unscored studies, per system; filled up with the number of studies.
        sums: sum of the scores that are known, per system.
        at_least: the absolute sum of differences that a flip must reach.
        may: a flip may reach the pair from this lead of the worse system on a half on; negative if studies that only
            one of the two has can make up for it.
        must: a flip surely reaches the pair from this lead on.
        rounding: sums that are closer to the observed sum are added up again from the differences.
        better: True where the column's sum of differences to the row is positive.
        open: True for the pairs that are not decided yet.
        reached: number of flips so far that reach `at_least`.
    """

    known: Array
    padded: Array
    missing: Bools
    absent: NDArray[np.intp]
    sums: Array
    at_least: Array
    may: Array
    must: Array
    rounding: float
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
        # The half-sums of a pair also contain the studies that only one of the two has, with weight 0 or 2: on average
        # with 1, which `surplus` takes away, and `spread` away from that at most.
        unshared, alone = known @ missing.T.astype(float), np.abs(known) @ missing.T.astype(float)
        surplus, spread = unshared.T - unshared, alone + alone.T
        largest = 1.0 + float(np.abs(known).sum(axis=1).max())
        spread += _SINGLE * largest
        may, must = -surplus - spread, -surplus + spread
        reached = np.zeros(gains.shape, dtype=np.int64)
        return cls(
            known=known,
            padded=np.pad(known, ((0, 0), (0, 1))),
            missing=missing,
            absent=_numbered(missing),
            sums=known.sum(axis=1),
            at_least=at_least,
            may=may,
            must=must,
            rounding=_DOUBLE * largest,
            better=gains > 0,
            open=column,
            reached=reached,
        )

    def count(self, signs: Array) -> None:
        """Count the flips that reach the observed sums of open pairs."""
        turned = self.known @ signs.T
        halves = (self.sums[:, None] - turned, self.sums[:, None] + turned)
        for start in range(0, len(self.known), _BLOCK):
            block = slice(start, start + _BLOCK)
            rows = np.flatnonzero(self.open[:, block].any(axis=1))
            if len(rows):
                self._count_block(rows, block, turned, halves, signs)

    def _count_block(
        self, rows: NDArray[np.intp], block: slice, turned: Array, halves: tuple[Array, Array], signs: Array
    ) -> None:
        """Count the flips that reach open pairs of some worse systems with a block of better ones."""
        may = np.where(self.open[rows, block], self.may[rows, block], np.inf)
        # a flip reaches a pair if its turned sums are at least this far apart
        apart = self.sums[block] - self.sums[rows, None]
        possibly = (may + apart).astype(np.float32)
        surely = np.where(np.isinf(may), np.inf, self.must[rows, block] + apart).astype(np.float32)
        least = may.min(axis=1)[:, None]
        possible = np.zeros((len(rows), len(signs)), dtype=bool)
        for half in halves:
            possible |= half[rows] - least >= half[block].min(axis=0)
        mine, theirs = turned[rows].astype(np.float32), turned[block].T.astype(np.float32)
        places, flips = np.nonzero(possible)
        for start in range(0, len(places), _NUMBERS // _BLOCK):
            place, flip = (found[start : start + _NUMBERS // _BLOCK] for found in (places, flips))
            gap = theirs[flip]
            gap -= mine[place, flip][:, None]
            np.abs(gap, out=gap)
            sure = gap >= surely[place]
            begin = np.flatnonzero(np.diff(place, prepend=-1))  # the flips of one system follow each other
            self.reached[rows[place[begin]], block] += np.add.reduceat(sure, begin, axis=0, dtype=np.int64)
            event, column = np.nonzero((gap >= possibly[place]) > sure)
            self._count_unsure(rows[place[event]], column + block.start, flip[event], turned, signs)

    def _count_unsure(
        self, worse: NDArray[np.intp], better: NDArray[np.intp], flip: NDArray[np.intp], turned: Array, signs: Array
    ) -> None:
        """Count flips of pairs that miss studies: what those add to the turned sums is taken away."""
        size = max(1, _NUMBERS // (4 * self.absent.shape[1]))
        for start in range(0, len(worse), size):
            i, j, f = (part[start : start + size] for part in (worse, better, flip))
            last = signs.shape[1] - 1
            sums = turned[j, f] - turned[i, f]
            for one, other, factor in ((i, j, -1), (j, i, 1)):
                studies = self.absent[one]
                sign = signs[f[:, None], np.minimum(studies, last)]  # what fills up a row adds 0, whatever the sign
                sums += factor * np.einsum("ps,ps->p", self.padded[other[:, None], studies], sign)
            ahead = np.abs(sums) - self.at_least[i, j]
            hit = ahead >= self.rounding
            np.add.at(self.reached, (i[hit], j[hit]), 1)
            close = np.abs(ahead) < self.rounding
            self._count_pairs(i[close], j[close], signs, f[close])

    def _count_pairs(
        self, worse: NDArray[np.intp], better: NDArray[np.intp], signs: Array, flip: NDArray[np.intp]
    ) -> None:
        """Count flips that are too close to the observed sum from the differences themselves."""
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
