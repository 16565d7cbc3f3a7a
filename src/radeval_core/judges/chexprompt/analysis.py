"""The errors that CheXprompt counts in a pair of reports."""

from __future__ import annotations

from dataclasses import dataclass

from radeval_core.judges.green.analysis import Counted


@dataclass(frozen=True)
class ErrorCounts:
    """The errors of a candidate report.

    Attributes:
        significant: clinically significant errors, by category in the order of `CATEGORIES`.
        insignificant: the others, in the same order.
    """

    significant: tuple[Counted, ...]
    insignificant: tuple[Counted, ...]

    @property
    def significant_count(self) -> int:
        return sum(errors.count for errors in self.significant)

    @property
    def total(self) -> int:
        return self.significant_count + sum(errors.count for errors in self.insignificant)
