"""What the published RadGraph checkpoints annotate differently."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from radeval_core.findings.text import normalise_form


@dataclass(frozen=True)
class Habits:
    """The conventions of one family of published checkpoints.

    Attributes:
        frame: `within` and `limits` in `within normal limits` are entities.
        normal_singular: `normal` in `is within normal limits` is an entity.
        sweeping_denials: longest report, in sentences, in which the words of `no acute findings` are entities, although
            no organ is named.
        shared_places: an observation is located at each place of a list; if False, at the last one.
        shared_attributes: in `the heart is normal in size and contour`, both attributes modify `heart`; if False, only
            the last one does.
        verbless: the attribute and the judgement of `heart size normal` are entities, although no verb links them.
        technique: words for the view (`lateral views of the chest`) can be entities.
        measurements: a size (`5 mm`) is an entity.
        hedges: words that make what follows them in the sentence uncertain.
        phrases: several words that are one observation.
        skipped: several words that are no entities.
    """

    frame: bool
    normal_singular: bool
    sweeping_denials: float
    shared_places: bool
    shared_attributes: bool
    verbless: bool
    technique: bool
    measurements: bool
    hedges: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    skipped: frozenset[tuple[str, ...]]


@cache
def habits(name: str) -> Habits:
    """Return the conventions of `radgraph` or `radgraph-xl`."""
    listed = yaml.safe_load(Path(__file__).with_name("radgraph_habits.yaml").read_text("utf-8"))[name]
    forms = {key: frozenset(map(normalise_form, listed.pop(key))) for key in ("phrases", "skipped")}
    return Habits(hedges=frozenset(listed.pop("hedges")), phrases=forms["phrases"], skipped=forms["skipped"], **listed)
