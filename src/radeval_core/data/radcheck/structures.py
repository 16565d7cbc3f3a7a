"""The structured form of a radcheck report, and the grammar that generates it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@dataclass(frozen=True)
class GoldFinding:
    """A finding that a report can affirm or deny.

    Attributes:
        names: synonyms, marked `~` for mass nouns and `+` for plurals; the first, without its mark, is the id.
        disease: True for a disease, False for an abnormality.
        significant: True if an error about it is clinically significant.
        sites: synonyms of each possible site; `{side}` is replaced by left or right.
        sided: True if a finding without sites has a side.
        scale: `severity`, `displacement` or `size`, in three levels.
        mm: range of its measurement.
        prep: preposition before the site.
        modalities: modalities that show it.
    """

    names: tuple[str, ...]
    disease: bool
    significant: bool
    sites: tuple[tuple[str, ...], ...]
    sided: bool
    scale: str | None
    mm: tuple[int, int] | None
    prep: str
    modalities: tuple[str, ...]

    @property
    def id(self) -> str:
        return self.names[0].lstrip("~+")

    @property
    def changes(self) -> tuple[str, ...]:
        """Possible changes since the prior study. Only a finding with a degree can get better or worse."""
        gradual = self.mm is not None or self.scale in ("severity", "size")
        return ("new", "worse", "better", "stable") if gradual else ("new", "stable")

    def has_side(self, site: int | None) -> bool:
        """Return True if the finding has a side, at this site or without a site."""
        return self.sided if site is None else "{side}" in self.sites[site][0]


@dataclass(frozen=True)
class Normal:
    """A body part and the ways to say that it is normal."""

    part: str
    says: tuple[str, ...]
    plural: bool
    modalities: tuple[str, ...]


@dataclass(frozen=True)
class Anatomy:
    """A body region with its modalities, findings and normal statements."""

    name: str
    region: str
    modalities: tuple[str, ...]
    findings: tuple[GoldFinding, ...]
    normals: tuple[Normal, ...]


@dataclass(frozen=True)
class Observation:
    """A finding that is present.

    Attributes:
        finding: the finding.
        site: index into the sites of the finding.
        side: `left` or `right`.
        level: 0 to 2 on the scale of the finding.
        mm: measurement.
        change: since the prior study: `new`, `worse`, `better`, `stable`.
    """

    finding: GoldFinding
    site: int | None = None
    side: str | None = None
    level: int | None = None
    mm: int | None = None
    change: str | None = None

    def describe(self) -> str:
        """Return the facts in one line, for the list of errors."""
        f = self.finding
        place = None if self.site is None else f.sites[self.site][0].replace("{side} ", "")
        level = None if self.level is None else f"{f.scale} {self.level + 1} of 3"
        size = None if self.mm is None else f"{self.mm} mm"
        return "; ".join(part for part in (f.id, place, self.side, level, size, self.change) if part)


@dataclass(frozen=True)
class Report:
    """The facts of one report: findings present, findings denied, and normal parts."""

    modality: str
    anatomy: str
    present: tuple[Observation, ...]
    absent: tuple[GoldFinding, ...]
    normal: tuple[Normal, ...]


@dataclass(frozen=True)
class Grammar:
    """The vocabulary: body regions, and the words they share."""

    anatomies: Mapping[str, Anatomy]
    modalities: Mapping[str, list[str]]
    levels: Mapping[str, list[list[str]]]
    changes: Mapping[str, list[str]]
    phrasings: Mapping[str, list[str]]
    titles: list[str]
    headers: list[str]


@cache
def load_grammar() -> Grammar:
    """Read `grammar.yaml`."""
    raw = yaml.safe_load(files(__package__).joinpath("grammar.yaml").read_text(encoding="utf-8"))
    anatomies = {name: _anatomy(name, raw["anatomies"]) for name in raw["anatomies"]}
    return Grammar(anatomies, **{key: value for key, value in raw.items() if key != "anatomies"})


def _anatomy(name: str, raw: Mapping[str, Any]) -> Anatomy:
    """Return a region, including the content of its sub-regions."""
    entry = raw[name]
    parts = [_anatomy(part, raw) for part in entry.get("include", ())]
    findings = [f for part in parts for f in part.findings]
    normals = [n for part in parts for n in part.normals]
    modalities = tuple(entry["modalities"])
    for key in ("significant", "minor"):
        findings += [_finding(f, key == "significant", modalities) for f in entry.get(key, ())]
    for n in entry.get("normal", ()):
        seen = tuple(n.get("by", modalities))
        normals.append(Normal(n["part"], tuple(n["says"]), n.get("plural", False), seen))
    return Anatomy(name, entry["region"], modalities, tuple(findings), tuple(normals))


def _finding(entry: Mapping[str, Any], significant: bool, modalities: tuple[str, ...]) -> GoldFinding:
    unknown = set(entry) - {"names", "type", "at", "sided", "scale", "mm", "prep", "by"}
    if unknown:  # YAML converts some words: `on` becomes a boolean
        raise ValueError(f"grammar.yaml: finding {entry['names'][0]!r} has unknown keys {unknown}")
    return GoldFinding(
        names=tuple(entry["names"]),
        disease=entry.get("type") == "D",
        significant=significant,
        sites=tuple(tuple(name.strip() for name in site.split("|")) for site in entry.get("at", ())),
        sided=entry.get("sided", False),
        scale=entry.get("scale"),
        mm=tuple(entry["mm"]) if "mm" in entry else None,
        prep=entry.get("prep", "in"),
        modalities=tuple(entry.get("by", modalities)),
    )
