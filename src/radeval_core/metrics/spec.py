"""What a metric declares about itself: facts that users read and tests check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    """One way to run a metric.

    Attributes:
        name: what the user types.
        about: one line: what runs, and what it needs.
        checkpoint: Hub id of the published weights, if it runs any that must be downloaded.
        extra: the extra of `radeval_core` to install, or "" for none.
    """

    name: str
    about: str
    checkpoint: str = ""
    extra: str = ""


@dataclass(frozen=True)
class EmptyRule:
    """The score of a pair when a report is empty or only white space.

    Attributes:
        prediction: only the prediction is empty.
        reference: only the reference is empty.
        both: both are empty.
        why: one line for the card.
        at_least: one empty report is scored like any other pair, but never below `prediction` or `reference`.
    """

    prediction: float
    reference: float
    both: float
    why: str
    at_least: bool = False


@dataclass(frozen=True)
class Part:
    """A further per-pair value of a metric, written as `<name>.<part>`.

    Attributes:
        higher_is_better: its direction, which may differ from the headline's.
        about: one line: what it is.
    """

    higher_is_better: bool
    about: str


@dataclass(frozen=True)
class MetricSpec:
    """The declared facts of one metric. No field has a default that hides an omission.

    Attributes:
        name: folder, file, Hub slug and headline key.
        measures: one line for tables.
        version: bumped whenever a score of this metric changes.
        higher_is_better: the direction of the headline.
        bounds: lowest and highest possible headline; None if there is no bound.
        symmetric: True if swapping prediction and reference keeps the score of a pair (parts may swap).
        identity: the score of a report compared with itself, if it has enough words or entities to compare.
        empty: the rule for empty reports.
        multi_reference: True if a pair may have several references.
        corpus_headline: True if the headline is computed over the corpus, not as the mean of `scores`.
        two_pass: True if it reads all references before it scores the first pair (an option may change that).
        parts: further per-pair values by name, each with its direction.
        configs: the ways to run it, the default first.
        takes_checkpoint: True if a Hub id or a local folder can replace a config name.
        backends: prefixes of a model's name that can replace a config, as in `http:gpt-4o`; only judges have some.
        citation: BibTeX.
        urls: where it is described.
    """

    name: str
    measures: str
    version: int
    higher_is_better: bool
    bounds: tuple[float | None, float | None]
    symmetric: bool
    identity: float
    empty: EmptyRule
    multi_reference: bool
    corpus_headline: bool
    two_pass: bool
    parts: Mapping[str, Part]
    configs: tuple[Config, ...]
    takes_checkpoint: bool
    backends: tuple[str, ...]
    citation: str
    urls: tuple[str, ...]

    @property
    def default_config(self) -> Config:
        return self.configs[0]

    @property
    def published(self) -> Config | None:
        """Return the first config with published weights: its scores compare with papers."""
        return next((c for c in self.configs if c.checkpoint), None)

    @property
    def range_text(self) -> str:
        """Return the bounds in words, e.g. `0 to 1`."""
        low, high = self.bounds
        if low is None and high is None:
            return "unbounded"
        if low is None:
            return f"at most {high:g}"
        return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"

    @property
    def arrow(self) -> str:
        return "↑" if self.higher_is_better else "↓"
