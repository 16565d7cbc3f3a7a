"""Put errors of known category into a structured report, in the six categories of GREEN and ReXVal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from radeval_core.data.radcheck.structures import GoldFinding, Observation, Report
from radeval_core.error_categories import CATEGORIES


@dataclass(frozen=True)
class Error:
    """One error of a candidate.

    Attributes:
        category: one of `error_categories.CATEGORIES`.
        significant: True if it matters clinically.
        finding: id of the finding it is about.
        before: what the reference says; empty for a false finding.
        after: what the candidate says; empty for a missing finding.
    """

    category: str
    significant: bool
    finding: str
    before: str
    after: str


def perturb(
    report: Report,
    count: int,
    rng: Random,
    visible: tuple[GoldFinding, ...],
    observe: Callable[[GoldFinding], Observation],
) -> tuple[Report, tuple[Error, ...]]:
    """Put `count` errors into a report, at most one per finding; fewer if there are not enough findings.

    Args:
        report: the facts of the reference.
        count: number of errors.
        rng: random generator.
        visible: findings to draw false findings from.
        observe: makes an observation of a finding.

    Returns:
        The facts of the candidate, and its errors.
    """
    untouched = rng.sample(report.present, len(report.present))
    kept: dict[Observation, Observation | None] = {o: o for o in report.present}
    known = {o.finding for o in report.present}
    spare = [f for f in rng.sample(visible, len(visible)) if f not in known]
    added: list[Observation] = []
    denied = list(report.absent)
    errors: list[Error] = []
    while len(errors) < count:
        options = [(c, o) for c in CATEGORIES[1:] for o in untouched if _possible(c, o)]
        categories = sorted({c for c, _ in options} | ({CATEGORIES[0]} if spare else set()))
        if not categories:
            break
        category = rng.choice(categories)
        if category == "false_finding":
            false = replace(observe(spare.pop()), change=None)
            added.append(false)
            denied = [f for f in denied if f != false.finding]
            errors.append(Error(category, false.finding.significant, false.finding.id, "", false.describe()))
            continue
        old = rng.choice([o for c, o in options if c == category])
        untouched.remove(old)
        if category == "missing_finding":
            kept[old] = None
            if rng.random() < 0.5:  # omitting a finding or denying it is one error either way
                denied.append(old.finding)
            errors.append(Error(category, old.finding.significant, old.finding.id, old.describe(), ""))
        else:
            new = _change(category, old, rng)
            kept[old] = new
            grave = old.finding.significant and _is_large(category, old, new)
            errors.append(Error(category, grave, old.finding.id, old.describe(), new.describe()))
    present = tuple([o for o in kept.values() if o] + added)
    return replace(report, present=present, absent=tuple(denied)), tuple(errors)


def _possible(category: str, o: Observation) -> bool:
    if category == "wrong_location":
        return o.side is not None or len(o.finding.sites) > 1
    if category == "wrong_severity":
        return o.level is not None or o.mm is not None
    if category == "false_comparison":
        return o.change is None
    return category == "missing_finding" or o.change is not None


def _change(category: str, o: Observation, rng: Random) -> Observation:
    """Return the observation with one attribute changed."""
    if category == "false_comparison":
        return replace(o, change=rng.choice(o.finding.changes))
    if category == "omitted_comparison":
        return replace(o, change=None)
    if category == "wrong_severity":
        if o.level is not None:
            return replace(o, level=rng.choice([level for level in range(3) if level != o.level]))
        assert o.mm is not None
        return replace(o, mm=round(o.mm * rng.choice((1.4, 2.2))))
    if o.side and (len(o.finding.sites) < 2 or rng.random() < 0.5):
        return replace(o, side="left" if o.side == "right" else "right")
    others = [i for i in range(len(o.finding.sites)) if i != o.site]
    # a site without sides loses the side; a sided site keeps it or gets one
    site = rng.choice(others)
    side = (o.side or rng.choice(("left", "right"))) if o.finding.has_side(site) else None
    return replace(o, site=site, side=side)


def _is_large(category: str, old: Observation, new: Observation) -> bool:
    """Return True if the change matters in a significant finding.

    These matter: a wrong location, two levels of severity, twice the measurement, a comparison other than "stable".
    """
    if category == "wrong_severity":
        if old.level is not None and new.level is not None:
            return abs(old.level - new.level) == 2
        return (new.mm or 0) >= 2 * (old.mm or 0)
    return category == "wrong_location" or (old.change or new.change) != "stable"
