"""Labels of SRR-BERT: the published lists, their hierarchy, and the upper labels that our findings stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.findings.views.chexpert import NO_FINDING, listed_findings

#: label sets of the published models
LABEL_SETS = ("leaves-with-statuses", "leaves", "upper-with-statuses", "upper")
#: what our findings are mapped to
EMBEDDED_SET = "upper-with-statuses"
_STATUS = {"present": "Present", "uncertain": "Uncertain", "absent": "Absent"}
#: a normal statement about this region denies this label by name: `the heart is normal in size`; `the lungs are clear`
#: and `normal chest` name no label
_NAMED_BY_NORMALITY = ("heart", "Widened cardiac silhouette")


@cache
def _published() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(__file__).with_name("srrbert_labels.json").read_text("utf-8"))
    return data


@cache
def label_names(label_set: str) -> tuple[str, ...]:
    """Return the labels of a set in the order of the outputs of its published model.

    With statuses, each label occurs three times, in the order of the statuses; `No Finding` has none and is the last.
    """
    level, _, statuses = label_set.partition("-with-")
    names = tuple(_published()[level])
    if not statuses:
        return names
    plain = [name for name in names if name != NO_FINDING]
    return (*(f"{name} ({status})" for status in _published()["statuses"] for name in plain), NO_FINDING)


def parent_of(label: str) -> str:
    """Return the label one step up in the hierarchy, without status; empty if there is none."""
    return str(_published()["parents"].get(without_status(label), ""))


def without_status(label: str) -> str:
    """Return a label without its status: `Edema (Absent)` is `Edema`."""
    name, _, rest = label.rpartition(" (")
    return name if rest.removesuffix(")") in _published()["statuses"] else label


@dataclass(frozen=True)
class LabelRule:
    """The findings behind one upper label.

    Attributes:
        findings: findings that count wherever they are.
        places: findings that count only inside these regions.
        unless: a mention inside one of these regions does not count.
        several: the label of a mention of more than one; empty if it is the same.
    """

    findings: frozenset[str]
    places: Mapping[str, frozenset[str]]
    unless: frozenset[str]
    several: str

    def counts(self, finding: Finding, regions: frozenset[str]) -> bool:
        """Return whether a mention counts; `regions` are its regions and the larger ones around them."""
        if self.unless & regions:
            return False
        return finding.finding in self.findings or bool(self.places.get(finding.finding, frozenset()) & regions)


@cache
def label_rules() -> dict[str, LabelRule]:
    """Return the rules that srrbert.yaml lists, by label."""
    file = Path(__file__).with_name("srrbert.yaml")
    return read_rules(yaml.safe_load(file.read_text("utf-8")), file.name)


def read_rules(listed: Mapping[str, Mapping[str, Any]], file: str) -> dict[str, LabelRule]:
    """Return the rules of a table.

    Raises:
        ValueError: a label is not one of the upper labels; the error names the file and the row.
    """
    known = set(label_names("upper")) - {NO_FINDING}
    rules = {}
    for row, (label, entry) in enumerate(listed.items(), 1):
        for name in filter(None, (label, entry.get("several", ""))):
            if name not in known:
                raise ValueError(f"{file}, row {row}: {name!r} is not an upper label of SRR-BERT")
        rules[label] = LabelRule(
            listed_findings(entry),
            {finding: frozenset(places) for finding, places in entry.get("places", {}).items()},
            frozenset(entry.get("unless", ())),
            entry.get("several", ""),
        )
    return rules


@cache
def unseen_labels() -> tuple[str, ...]:
    """Return the upper labels that no finding of ours stands for."""
    seen = {NO_FINDING, *label_rules(), *(rule.several for rule in label_rules().values())}
    return tuple(name for name in label_names("upper") if name not in seen)


def srr_labels(report: ParsedReport) -> dict[str, list[Finding]]:
    """Return the upper labels of a report, with status, and the mentions behind each.

    A sentence with a normal statement and no label is `No Finding`, as SRR-BERT labels single sentences.
    """
    found: dict[str, list[Finding]] = {}
    normal = [f for f in report.stated if f.kind == "normality" and f.polarity == "present"]
    region, named = _NAMED_BY_NORMALITY
    denials = {f.start for f in normal if region in f.anatomy}
    labelled = set()
    for finding in report.findings:
        for label in _labels_of(finding, report):
            if finding.implied and not (label == named and finding.start in denials):
                continue
            found.setdefault(f"{label} ({_STATUS[finding.polarity]})", []).append(finding)
            labelled.add(finding.sentence_start)
    if unlabelled := [f for f in normal if f.sentence_start not in labelled]:
        found[NO_FINDING] = unlabelled
    return found


def _labels_of(finding: Finding, report: ParsedReport) -> list[str]:
    """Return the upper labels of one mention."""
    known = [region for region in finding.anatomy if region in report.lexicon.regions]
    regions = frozenset(known).union(*map(report.lexicon.ancestors, known))
    several = finding.number not in (None, "one")
    return [
        rule.several if several and rule.several else label
        for label, rule in label_rules().items()
        if rule.counts(finding, regions)
    ]
