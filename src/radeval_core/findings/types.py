"""The structures the parser and its views return: findings, sentences, graphs and entities of a report."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from radeval_core.findings.quick_frozen import built_quickly

if TYPE_CHECKING:
    from radeval_core.findings.lexicon import Lexicon

S = TypeVar("S")
LATERALITIES = ("left", "right", "bilateral")
SEVERITIES = ("mild", "moderate", "severe")
CHANGES = ("new", "increased", "decreased", "unchanged", "resolved")
KINDS = ("abnormality", "disease", "device", "procedure", "normality")
SIGNIFICANCES = ("urgent", "actionable", "minor", "benign")
#: start and end offsets in a text
Span = tuple[int, int]
#: left, top, right, bottom, in any unit
Box = tuple[float, float, float, float]


@built_quickly
@dataclass(frozen=True, slots=True)
class Finding:
    """One mention of a finding.

    Attributes:
        finding: canonical name in snake_case, from the lexicon; `normal_<region>` for a normal statement.
        kind: abnormality, disease, device, procedure or normality.
        polarity: present, absent or uncertain.
        anatomy: canonical regions without side; if the report gives none, those the finding implies.
        laterality: left, right, bilateral, or None if no side is given.
        severity: mild, moderate, severe, or None.
        measurements: sizes in millimetres, in the order written.
        change: new, increased, decreased, unchanged, resolved, or None.
        significance: urgent, actionable, minor or benign, from the lexicon.
        start: where the mention begins in the report.
        end: where it ends.
        text: the mention as written: `report[start:end]`.
        sentence_start: where its sentence begins in the report.
        sentence_end: where its sentence ends.
        implied: True if not stated but implied: an absence by a normal statement (`lungs are clear`: no opacity), a
            more general device by a specific one (a PICC is a catheter).
        carried: True if its side comes from the sentence before: `This may be pneumonia`.
        number: how many lesions (`one` to `ten`, few, several, multiple, numerous), or None; see numbers.yaml.
        places: the words for its regions, where a region has several places; see `fine_places.py`.
        open: True if the lexicon does not list it; then `finding` is the phrase itself, see `open_phrases.py`.
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
    carried: bool = False
    number: str | None = None
    open: bool = False
    places: tuple[str, ...] = ()


@built_quickly
@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the sections of a report that state findings.

    Attributes:
        start: where it begins in the report.
        end: where it ends.
        text: the sentence as written.
        section: `findings`, `impression`, or empty if the report has no headings.
        words: number of its content words (`coverage.py`).
        understood_words: number of those that the parser understood.
    """

    start: int
    end: int
    text: str
    section: str
    words: int = 0
    understood_words: int = 0

    @property
    def understood(self) -> bool:
        """Return whether the parser understood the sentence."""
        return self.understood_words > 0 or not self.words


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What the parser reads in one sentence.

    Attributes:
        findings: its findings, with offsets relative to the sentence.
        words: number of its content words (`coverage.py`).
        understood_words: number of those that the parser understood.
        open: findings and normal statements that the lexicon does not list.
    """

    findings: tuple[Finding, ...]
    words: int
    understood_words: int
    open: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A parsed report.

    Attributes:
        text: the report.
        findings: all findings, in the order of their mention.
        sentences: the sentences the parser read.
        lexicon: the lexicon the parser used.
        open: findings and normal statements that the lexicon does not list, in the order of their mention. They are
            apart because label sets and other views of the lexicon's findings have no place for them.
    """

    text: str
    findings: tuple[Finding, ...]
    sentences: tuple[Sentence, ...]
    lexicon: Lexicon = field(repr=False, compare=False)
    open: tuple[Finding, ...] = ()
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Hashable, read: Callable[[ParsedReport], S]) -> S:
        """Return what `read` reads off this report, computed once: several judges ask for the same claims."""
        if key not in self._kept:
            self._kept[key] = read(self)
        kept: S = self._kept[key]
        return kept

    @property
    def every(self) -> tuple[Finding, ...]:
        """Return all findings in the order of their mention, also those that the lexicon does not list."""
        return tuple(sorted((*self.findings, *self.open), key=lambda f: f.start)) if self.open else self.findings

    @property
    def states(self) -> bool:
        """Return whether the report states anything that the parser reads, listed in the lexicon or not."""
        return bool(self.findings or self.open)

    @property
    def stated(self) -> tuple[Finding, ...]:
        """Return the findings the report states, without implied ones."""
        return tuple(f for f in self.findings if not f.implied)


@dataclass(frozen=True, slots=True)
class GraphEntity:
    """A short span of words in RadGraph's schema.

    Attributes:
        tokens: the words as written: `text[start:end]` of its graph.
        label: its type and whether it is present: `ANAT-DP`, `OBS-DA`, …
        start: where it begins.
        end: where it ends.
    """

    tokens: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation from one entity to another; both are indices into `RadGraph.entities`."""

    source: int
    kind: str
    target: int


@dataclass(frozen=True, slots=True)
class RadGraph:
    """A report in RadGraph's schema.

    Attributes:
        text: the text that was read: the report, or the words given to a model, joined by spaces.
        entities: its entities, in the order of the text.
        relations: the relations between them.
    """

    text: str
    entities: tuple[GraphEntity, ...]
    relations: tuple[Relation, ...]

    @property
    def memory_size(self) -> int:
        """Return its approximate size in memory, in bytes."""
        # measured: an entity with its words takes about 200 bytes, a relation about 100
        return 2 * len(self.text) + 200 * len(self.entities) + 100 * len(self.relations)


@dataclass(frozen=True, slots=True)
class RateEntity:
    """A span of a report in RaTE's schema.

    Attributes:
        text: the words as written: `report[start:end]` if it comes from our parser.
        type: `Anatomy`, `Abnormality`, `Disease`, `Non-Abnormality` or `Non-Disease`.
        start: where it begins in the report.
        end: where it ends.
    """

    text: str
    type: str
    start: int
    end: int
