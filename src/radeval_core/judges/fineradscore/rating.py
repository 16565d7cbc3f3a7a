"""Rate how severe an error is on the paper's scale, from its weight in the comparison of two reports."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import yaml

from radeval_core.corrections.types import INVALID_COMPARISON, RATING
from radeval_core.error_categories import FALSE_COMPARISON, OMITTED_COMPARISON, WRONG_SEVERITY
from radeval_core.findings.claims import Claim
from radeval_core.findings.differences import WEIGHT, Difference
from radeval_core.findings.faults import HALF

#: an error of degree or size with at least this fraction of the finding's weight is far off: mild for severe, more than
#: twice the size
_FAR_OFF = 0.6
#: a small finding that is missed or invented has a little less than its full weight
_IN_FULL = 0.75


def rate(difference: Difference) -> str:
    """Return the rating of one error.

    A missed or invented finding counts in full. A wrongly described or uncertain one is less severe than a missed one,
    and an error that hardly misleads is not actionable. An error about an earlier film is never worse than actionable.
    """
    if (misplaced := _misplaced_airway(difference)) is not None:
        return misplaced
    claims = [claim for claim in (difference.reference, difference.candidate) if claim is not None]
    missed = _severity(difference.significance, claims)
    share = difference.weight / WEIGHT[difference.significance]
    if difference.category in (FALSE_COMPARISON, OMITTED_COMPARISON):
        if share >= HALF:
            return RATING[min(missed, 2)]
        return INVALID_COMPARISON if difference.category == FALSE_COMPARISON else RATING[1]
    if difference.category == WRONG_SEVERITY:
        return RATING[_wrong_degree(share, missed)]
    return RATING[missed if share >= _IN_FULL else max(1, missed - 1) if share >= HALF else 1]


def _severity(significance: str, claims: Sequence[Claim]) -> int:
    """Return the severity of missing or inventing a finding."""
    named, names = severity_lists(), {name for claim in claims for name in claim.names}
    if significance == "urgent":
        mild = all(claim.severity == "mild" for claim in claims)
        emergent = names & named["emergent"] or (names & named["emergent_unless_mild"] and not mild)
        return 4 if emergent else 3
    if significance == "actionable":
        return 3 if names & named["urgent"] else 2
    return 1


def _wrong_degree(share: float, missed: int) -> int:
    """Return the severity of a wrong degree or size; `missed` is the severity of missing the finding.

    The result is lower than `missed` where the scale allows it: the finding is at least mentioned.
    """
    return min(missed, max(2, missed - 1)) if share >= _FAR_OFF else max(1, missed - 2)


def _misplaced_airway(difference: Difference) -> str | None:
    """Return the rating if only one of the reports has a tube out of place, else None."""
    theirs, ours = difference.reference, difference.candidate
    if theirs is None or ours is None or theirs.misplaced == ours.misplaced:
        return None
    return RATING[4 if "bronchus" in (*theirs.anatomy, *ours.anatomy) else 3]


@cache
def severity_lists() -> dict[str, frozenset[str]]:
    """Return the lists of findings in severity.yaml: `emergent`, `emergent_unless_mild`, `urgent`."""
    text = resources.files(__package__).joinpath("severity.yaml").read_text("utf-8")
    return {key: frozenset(names) for key, names in yaml.safe_load(text).items()}
