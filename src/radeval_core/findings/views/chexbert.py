"""CheXpert-14 labels as CheXbert gives them, where its habits differ from ours (`chexpert.py`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.findings.views.chexpert import (
    NAMED_BY_NORMALITY,
    NO_FINDING,
    label_of,
    listed_findings,
    observation_names,
    observations,
)


@dataclass(frozen=True)
class Habit:
    """What counts as one observation.

    Attributes:
        findings: the findings that count.
        signs: findings that count unless one of `findings` is denied.
        unless_words: a mention with one of these words does not count.
        unless_regions: a mention in one of these regions does not count.
        in_regions: findings that count only in the given regions.
    """

    findings: frozenset[str]
    signs: frozenset[str] = frozenset()
    unless_words: frozenset[str] = frozenset()
    unless_regions: frozenset[str] = frozenset()
    in_regions: Mapping[str, frozenset[str]] | None = None


@dataclass(frozen=True)
class Habits:
    """CheXbert's habits.

    Attributes:
        observations: what counts as each of the 13 observations.
        hedges: finds a word that makes later findings of the sentence uncertain.
        alternatives: finds a word that makes the findings on both of its sides uncertain.
        alternative_distance: number of other words allowed between two alternatives.
        abnormal_kinds: kinds of findings that switch `No Finding` off.
    """

    observations: Mapping[str, Habit]
    hedges: re.Pattern[str]
    alternatives: re.Pattern[str]
    alternative_distance: int
    abnormal_kinds: frozenset[str]


@cache
def chexbert_habits() -> Habits:
    """Return the habits that chexbert.yaml lists."""
    listed = yaml.safe_load(Path(__file__).with_name("chexbert.yaml").read_text("utf-8"))
    found = {}
    for name, findings in observations().items():
        if name != NO_FINDING:
            found[name] = _habit(listed[name]) if name in listed else Habit(findings)
    return Habits(
        found,
        _any_word(listed["hedges"]),
        _any_word(listed["alternatives"]),
        listed["alternative_distance"],
        frozenset(listed["abnormal_kinds"]),
    )


def _habit(listed: Mapping[str, Any]) -> Habit:
    return Habit(
        listed_findings(listed),
        signs=frozenset(listed.get("signs", ())),
        unless_words=frozenset(listed.get("unless_words", ())),
        unless_regions=frozenset(listed.get("unless_regions", ())),
        in_regions={finding: frozenset(places) for finding, places in listed.get("in_regions", {}).items()},
    )


def _any_word(words: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def chexbert_labels(report: ParsedReport) -> dict[str, int | None]:
    """Return the label of each observation as CheXbert would give it: 1, 0, -1 (uncertain) or None (not mentioned).

    Findings that a normal statement excludes without naming them are left out. `No Finding` is 1 if the report states
    nothing abnormal at all, else None.
    """
    habits = chexbert_habits()
    unsure = _unsure(report, habits)
    labels: dict[str, int | None] = dict.fromkeys(observation_names())
    for name, found in chexbert_evidence(report).items():
        labels[name] = label_of("uncertain" if f.polarity == "present" and f in unsure else f.polarity for f in found)
    abnormal = any(f.kind in habits.abnormal_kinds and f.polarity != "absent" for f in report.stated)
    labels[NO_FINDING] = None if abnormal else 1
    return labels


def chexbert_evidence(report: ParsedReport) -> dict[str, list[Finding]]:
    """Return the mentions behind the label of each observation; `No Finding` has none."""
    evidence = {}
    for name, habit in chexbert_habits().observations.items():
        mentioned = report.findings if name in NAMED_BY_NORMALITY else report.stated
        found = [f for f in mentioned if _counts(f, habit)]
        denied = any(f.polarity == "absent" for f in found)
        found += [f for f in mentioned if not denied and f.finding in habit.signs and _has_no(f, habit.unless_words)]
        evidence[name] = found
    return evidence


def _counts(finding: Finding, habit: Habit) -> bool:
    """Return whether a mention counts as an observation."""
    regions = (habit.in_regions or {}).get(finding.finding)
    if regions is not None:
        return not regions.isdisjoint(finding.anatomy)
    return (
        finding.finding in habit.findings
        and habit.unless_regions.isdisjoint(finding.anatomy)
        and _has_no(finding, habit.unless_words)
    )


def _has_no(finding: Finding, words: frozenset[str]) -> bool:
    return words.isdisjoint(finding.text.lower().split())


def _unsure(report: ParsedReport, habits: Habits) -> set[Finding]:
    """Return the present findings that CheXbert calls uncertain: hedged ones, and alternatives."""
    present = [f for f in report.stated if f.polarity == "present" and f.kind != "normality"]
    unsure = {f for f in present if habits.hedges.search(report.text, f.sentence_start, f.start)}
    for one, other in pairwise(sorted(present, key=lambda f: f.start)):
        between = report.text[one.end : other.start]
        if one.sentence_start != other.sentence_start or not habits.alternatives.search(between):
            continue
        if len(between.split()) <= habits.alternative_distance + 1:
            unsure |= {one, other}
    return unsure
