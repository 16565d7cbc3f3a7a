"""What the parser says of a report: findings with polarity, place, severity, size and change."""

from __future__ import annotations

from dataclasses import dataclass

LATERALITIES = ("left", "right", "bilateral")
SEVERITIES = ("mild", "moderate", "severe")
CHANGES = ("new", "increased", "decreased", "unchanged", "resolved")
KINDS = ("abnormality", "disease", "device", "procedure", "normality")
SIGNIFICANCES = ("urgent", "actionable", "minor", "benign")
#: left, top, right, bottom, in any unit
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Finding:
    """One mention of a finding.

    Attributes:
        finding: canonical name in snake_case, from the lexicon; `normal_<region>` for a normal statement.
        kind: abnormality, disease, device, procedure or normality.
        polarity: present, absent or uncertain.
        anatomy: canonical regions without side, as said or, where nothing is said, as the finding implies.
        laterality: left, right, bilateral, or None where no side is said.
        severity: mild, moderate, severe, or None.
        measurements: sizes in millimetres, in the order written.
        change: new, increased, decreased, unchanged, resolved, or None.
        significance: urgent, actionable, minor or benign, from the lexicon.
        start: where the mention begins in the report.
        end: where it ends.
        text: the mention as written: `report[start:end]`.
        sentence_start: where its sentence begins in the report.
        sentence_end: where its sentence ends.
        implied: not said itself, but excluded by a normal statement (`lungs are clear`: no opacity).
    """

    finding: str
    kind: str
    polarity: str
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    measurements: tuple[float, ...]
    change: str | None
    significance: str
    start: int
    end: int
    text: str
    sentence_start: int
    sentence_end: int
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the part of a report that states findings.

    Attributes:
        start: where it begins in the report.
        end: where it ends.
        text: the sentence as written.
        section: `findings`, `impression`, or `` where the report has no headings.
    """

    start: int
    end: int
    text: str
    section: str


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """All findings of a report, in the order of their mention, and its sentences."""

    text: str
    findings: tuple[Finding, ...]
    sentences: tuple[Sentence, ...]

    @property
    def stated(self) -> tuple[Finding, ...]:
        """The findings that are said, without those a normal statement implies."""
        return tuple(f for f in self.findings if not f.implied)


@dataclass(frozen=True, slots=True)
class Entity:
    """A short span of words in RadGraph's schema.

    Attributes:
        tokens: the words as written: `text[start:end]` of its graph.
        label: what it is, and whether it is there: `ANAT-DP`, `OBS-DA`, …
        start: where it begins.
        end: where it ends.
    """

    tokens: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """One entity says something of another; both by their place in `RadGraph.entities`."""

    source: int
    kind: str
    target: int


@dataclass(frozen=True, slots=True)
class RadGraph:
    """A report in RadGraph's schema.

    Attributes:
        text: what was read: the report, or the words a model was given, joined by spaces.
        entities: in the order of the text.
        relations: between them.
    """

    text: str
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class RateEntity:
    """A span of a report in RaTE's schema.

    Attributes:
        text: the words as written: `report[start:end]` where it came from our parser.
        type: `Anatomy`, `Abnormality`, `Disease`, `Non-Abnormality` or `Non-Disease`.
        start: where it begins in the report.
        end: where it ends.
    """

    text: str
    type: str
    start: int
    end: int
