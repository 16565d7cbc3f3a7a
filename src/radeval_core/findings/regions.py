"""Map a finding's place to the names of Chest ImaGenome's 36 regions."""

from __future__ import annotations

from radeval_core.findings.atlas import paired_regions
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.types import Finding


def imagenome_regions(finding: Finding, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the ImaGenome regions of a finding: both sides if no side is given, none for places outside the chest."""
    names: list[str] = []
    for region in finding.anatomy:
        base = _base(lexicon, region)
        if base in paired_regions():
            sides = (finding.laterality,) if finding.laterality in ("left", "right") else ("left", "right")
            names += [f"{side} {base}" for side in sides]
        elif base:
            names.append(base)
    return tuple(dict.fromkeys(names))


def _base(lexicon: Lexicon, region: str) -> str:
    """Return the ImaGenome name of a region, or of the nearest larger region that has one."""
    if region not in lexicon.regions:
        return ""
    for name in (region, *lexicon.ancestors(region)):
        if lexicon.regions[name].imagenome:
            return lexicon.regions[name].imagenome
    return ""
