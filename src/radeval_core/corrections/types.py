"""FineRadScore's analysis of a pair: corrections of lines, with the ratings and categories of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DELETE, REWRITE, INSERT = ACTIONS = ("delete", "rewrite", "insert")

#: severity of each rating (section 8); an invalid comparison counts as not actionable (section 6.4)
SEVERITY = {
    "Invalid comparison": 1,
    "Not actionable": 1,
    "Actionable nonurgent error": 2,
    "Urgent error": 3,
    "Emergent error": 4,
}
#: the default rating of each severity
RATING = {severity: rating for rating, severity in SEVERITY.items()}
INVALID_COMPARISON = "Invalid comparison"
#: ReXVal's error categories, in the paper's wording and order
CATEGORY_TITLES = (
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
        line: number of the line to delete or rewrite; None for an insertion.
        action: delete, rewrite or insert.
        before: the line in the candidate; empty for an insertion.
        after: the new text; empty for a deletion.
        rating: one of `SEVERITY`.
        category: the errors it corrects, from `CATEGORY_TITLES`; may be empty.
        comment: the reason.
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
        """Return its severity, 1 to 4."""
        return SEVERITY[self.rating]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for `details`."""
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
    """All corrections of one candidate: first those of lines, in order, then insertions."""

    corrections: tuple[Correction, ...]
