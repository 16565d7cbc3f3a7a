"""What FineRadScore says of a pair: corrections of lines, with the ratings and categories of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DELETE, REWRITE, INSERT = ACTIONS = ("delete", "rewrite", "insert")

#: what each rating counts (section 8); an invalid comparison counts as not actionable (section 6.4)
SEVERITY = {
    "Invalid comparison": 1,
    "Not actionable": 1,
    "Actionable nonurgent error": 2,
    "Urgent error": 3,
    "Emergent error": 4,
}
#: the rating of each severity, where nothing else is known
RATING = {severity: rating for rating, severity in SEVERITY.items()}
INVALID_COMPARISON = "Invalid comparison"
#: ReXVal's error categories, as the paper words them, in its order
CATEGORIES = (
    "False prediction of finding",
    "Omission of finding",
    "Incorrect location/position of finding",
    "Incorrect severity of finding",
    "Mention of comparison that is not present in the reference impression",
    "Omission of comparison describing a change from a previous study",
)


@dataclass(frozen=True, slots=True)
class Correction:
    """One change that brings the candidate closer to the reference.

    Attributes:
        line: number of the line that is deleted or rewritten; None for an insertion.
        action: delete, rewrite or insert.
        before: the line as the candidate has it; empty for an insertion.
        after: what stands there instead; empty for a deletion.
        rating: one of `SEVERITY`.
        category: which of `CATEGORIES` it corrects; may be none.
        comment: why.
    """

    line: int | None
    action: str
    before: str
    after: str
    rating: str
    category: tuple[str, ...]
    comment: str

    @property
    def severity(self) -> int:
        """What it counts: 1 to 4."""
        return SEVERITY[self.rating]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for `details`."""
        return {
            "line": self.line,
            "action": self.action,
            "before": self.before,
            "after": self.after,
            "severity": self.severity,
            "rating": self.rating,
            "category": list(self.category),
            "comment": self.comment,
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """All corrections of one candidate: those of lines in their order, then insertions."""

    corrections: tuple[Correction, ...]
