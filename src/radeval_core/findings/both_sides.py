"""Join a left and a right finding to a bilateral one, if the other report speaks of both sides at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from radeval_core.findings.claims import Claim
from radeval_core.findings.significance import LEVELS


def join_sides(claims: list[Claim], others: Sequence[Claim]) -> list[Claim]:
    """Return the claims of a report, with pairs of a left and a right one joined where the other report has both.

    `Left effusion. Right effusion.` and `Bilateral effusions.` say the same. Sides are not joined if the other report
    keeps them apart too, because then each has its own place and degree.
    """
    both = {claim.finding for claim in others if claim.laterality == "bilateral"}
    apart = {claim.finding for claim in others if claim.laterality in ("left", "right")}
    joined = list(claims)
    for finding in both - apart:
        left = [claim for claim in joined if claim.finding == finding and claim.laterality == "left"]
        right = [claim for claim in joined if claim.finding == finding and claim.laterality == "right"]
        if len(left) == len(right) == 1:
            joined[joined.index(left[0])] = _join(left[0], right[0])
            joined.remove(right[0])
    return joined


def _join(left: Claim, right: Claim) -> Claim:
    return replace(
        left,
        names=tuple(dict.fromkeys((*left.names, *right.names))),
        certain=left.certain or right.certain,
        doubted=left.doubted & right.doubted,
        anatomy=left.anatomy
        if left.anatomy == right.anatomy
        else tuple(dict.fromkeys((*left.anatomy, *right.anatomy))),
        laterality="bilateral",
        severity=left.severity if left.severity == right.severity else None,
        grades=left.grades | right.grades,
        measurements=(*left.measurements, *right.measurements),
        numbers=left.numbers & right.numbers,
        change=left.change if left.change == right.change else None,
        significance=max(left.significance, right.significance, key=LEVELS.index),
        mentions=(*left.mentions, *right.mentions),
        levels=left.levels | right.levels,
        place_said=left.place_said and right.place_said,
    )
