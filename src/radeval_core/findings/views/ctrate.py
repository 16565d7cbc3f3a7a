"""The 18 labels of CT-RATE for chest CT reports: 1 stated, 0 not stated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.findings.views.chexpert import listed_findings


@dataclass(frozen=True)
class LabelRule:
    """When a finding makes a label positive, see ctrate.yaml.

    Attributes:
        findings: findings that count.
        regions: places in which they count; empty for everywhere.
        unless_regions: places in which they do not count.
        words: the mention must contain one of these words; empty for any words.
        certain: a finding that is only possible does not count.
    """

    findings: frozenset[str]
    regions: frozenset[str] = frozenset()
    unless_regions: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    certain: bool = False

    def applies(self, finding: Finding) -> bool:
        """Return whether a finding makes the label positive."""
        if finding.finding not in self.findings or (self.certain and finding.polarity == "uncertain"):
            return False
        if self.regions and self.regions.isdisjoint(finding.anatomy):
            return False
        if self.words and self.words.isdisjoint(finding.text.lower().split()):
            return False
        return self.unless_regions.isdisjoint(finding.anatomy)


@cache
def _rules() -> Mapping[str, tuple[LabelRule, ...]]:
    listed = yaml.safe_load(Path(__file__).with_name("ctrate.yaml").read_text("utf-8"))
    return {label: tuple(_rule(rule, load_lexicon()) for rule in rules) for label, rules in listed.items()}


def _rule(listed: Mapping[str, Any], lexicon: Lexicon) -> LabelRule:
    kinds = {name for name, entry in lexicon.entries.items() if entry.kind == listed.get("kind")}
    return LabelRule(
        (listed_findings(listed) | kinds) - set(listed.get("unless", ())),
        _with_parts(listed.get("regions", ()), lexicon),
        _with_parts(listed.get("unless_regions", ()), lexicon),
        frozenset(listed.get("words", ())),
        listed.get("certain", False),
    )


def _with_parts(regions: list[str], lexicon: Lexicon) -> frozenset[str]:
    """Return the regions and everything inside them."""
    return frozenset(name for name in lexicon.regions if {name, *lexicon.ancestors(name)} & set(regions))


def ctrate_names() -> tuple[str, ...]:
    """Return the 18 labels in the published order."""
    return tuple(_rules())


def ctrate_evidence(report: ParsedReport) -> dict[str, tuple[Finding, ...]]:
    """Return the findings behind each label, also those stated as likely or possible; empty if there are none."""
    stated = [f for f in report.stated if f.polarity != "absent"]
    return {
        label: tuple(f for f in stated if any(rule.applies(f) for rule in rules)) for label, rules in _rules().items()
    }


def ctrate_labels(report: ParsedReport) -> dict[str, int]:
    """Return the label of each abnormality: 1 if the report states it, also as likely or possible, else 0."""
    return {label: int(bool(findings)) for label, findings in ctrate_evidence(report).items()}
