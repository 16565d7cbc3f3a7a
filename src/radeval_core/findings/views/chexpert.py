"""CheXpert-14 labels: 1 positive, 0 negative, -1 uncertain, None not mentioned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.types import ParsedReport

NO_FINDING = "No Finding"
SUPPORT_DEVICES = "Support Devices"


#: observations that a normal statement denies by name: `the heart is normal in size` denies cardiomegaly, while
#: `the lungs are clear` names none of the diseases it excludes
NAMED_BY_NORMALITY = frozenset({"Cardiomegaly", "Enlarged Cardiomediastinum"})


@cache
def _listed() -> dict[str, dict[str, list[str]]]:
    listed: dict[str, dict[str, list[str]]] = yaml.safe_load(
        Path(__file__).with_name("chexpert.yaml").read_text("utf-8")
    )
    return listed


def observation_names() -> tuple[str, ...]:
    """Return the 14 observations in the published order."""
    return tuple(_listed())


@cache
def observations() -> dict[str, frozenset[str]]:
    """Return the 14 observations in the published order, with the findings behind each."""
    return {name: listed_findings(listed) for name, listed in _listed().items()}


def listed_findings(listed: Mapping[str, Any]) -> frozenset[str]:
    """Return the findings listed for an observation: `findings` alone, `kinds_of` with everything more specific."""
    lexicon = load_lexicon()
    general = set(listed.get("kinds_of", ()))
    kinds = {entry for entry in lexicon.entries if entry in general or general & set(lexicon.more_general(entry))}
    return frozenset(kinds | set(listed.get("findings", ())))


def label_of(polarities: Iterable[str]) -> int | None:
    """Return the label of an observation. Positive mentions win over uncertain ones, and those over negative ones."""
    found = set(polarities)
    if "present" in found:
        return 1
    if "uncertain" in found:
        return -1
    return 0 if found else None


def chexpert_labels(report: ParsedReport, named_only: bool = False) -> dict[str, int | None]:
    """Return the label of each observation.

    `No Finding` is 1 if no observation other than devices is positive or uncertain, else None.

    Args:
        report: the parsed report.
        named_only: leave out findings that a normal statement excludes without naming them, as CheXbert does.
    """
    labels: dict[str, int | None] = {}
    for name, findings in observations().items():
        mentioned = report.stated if named_only and name not in NAMED_BY_NORMALITY else report.findings
        labels[name] = label_of(f.polarity for f in mentioned if f.finding in findings)
    abnormal = any(labels[n] in (1, -1) for n in labels if n not in (NO_FINDING, SUPPORT_DEVICES))
    labels[NO_FINDING] = None if abnormal else 1
    return labels
