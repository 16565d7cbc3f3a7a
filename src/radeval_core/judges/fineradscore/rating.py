"""How severe an error is: what the comparison of two reports says of its weight, on the paper's scale."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import yaml

from radeval_core.judges.claims import Claim
from radeval_core.judges.compare import FALSE_COMPARISON, OMITTED_COMPARISON, SEVERITY, WEIGHT, Difference
from radeval_core.judges.fineradscore.analysis import INVALID_COMPARISON, RATING

#: where the tip of an endotracheal tube belongs, in millimetres above the carina
_IN_PLACE = (20.0, 70.0)
#: from this share of a finding's weight on, its degree or size is far off: mild for severe, more than twice the size
_FAR_OFF = 0.6


def rate(difference: Difference) -> str:
    """The rating of one error.

    A finding that is missed or invented has the weight of its kind, and a finding described wrongly or in doubt a part
    of it. What is said of an earlier film is never more than actionable.
    """
    if (misplaced := _misplaced_airway(difference)) is not None:
        return misplaced
    weight, category = difference.weight, difference.category
    claims = [claim for claim in (difference.reference, difference.candidate) if claim is not None]
    if category == SEVERITY:
        return RATING[
            _wrong_degree(weight / WEIGHT[difference.significance], _severity(difference.significance, claims))
        ]
    if weight < WEIGHT["minor"]:
        return INVALID_COMPARISON if category == FALSE_COMPARISON else RATING[1]
    if category in (FALSE_COMPARISON, OMITTED_COMPARISON) or weight < WEIGHT["actionable"]:
        return RATING[2]
    return RATING[_severity("urgent" if weight >= WEIGHT["urgent"] else "actionable", claims)]


def _severity(significance: str, claims: Sequence[Claim]) -> int:
    """What it counts to miss or invent a finding."""
    named, names = _lists(), {name for claim in claims for name in claim.names}
    if significance == "urgent":
        mild = all(claim.severity == "mild" for claim in claims)
        emergent = names & named["emergent"] or (names & named["emergent_unless_mild"] and not mild)
        return 4 if emergent else 3
    if significance == "actionable":
        return 3 if names & named["urgent"] else 2
    return 2 if significance == "minor" else 1


def _wrong_degree(share: float, whole: int) -> int:
    """What a wrong degree or size counts: less than to miss the finding, which at least is looked at."""
    return min(whole, max(2, whole - 1)) if share >= _FAR_OFF else max(1, whole - 2)


def _misplaced_airway(difference: Difference) -> str | None:
    """The rating where only one of the reports has the endotracheal tube out of place; None for all else."""
    theirs, ours = difference.reference, difference.candidate
    if theirs is None or ours is None or "endotracheal_tube" not in theirs.names:
        return None
    if _out_of_place(theirs) == _out_of_place(ours):
        return None
    return RATING[4 if "bronchus" in (*theirs.anatomy, *ours.anatomy) else 3]


def _out_of_place(tube: Claim) -> bool:
    """Whether an endotracheal tube ends in a bronchus, or not 2 to 7 cm above the carina."""
    low, high = _IN_PLACE
    return "bronchus" in tube.anatomy or any(not low <= distance <= high for distance in tube.measurements)


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = resources.files(__package__).joinpath("severity.yaml").read_text("utf-8")
    return {key: frozenset(names) for key, names in yaml.safe_load(text).items()}
