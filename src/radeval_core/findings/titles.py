"""Apply the title of a study to its findings: `MRI RIGHT KNEE` gives them a side, `US THYROID` a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from radeval_core.findings.exams import EXAM_REGIONS
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import find_forms
from radeval_core.findings.normality import STUDY, normal_region
from radeval_core.findings.special import ANYWHERE, is_elsewhere, part_of_body
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import Finding, Sentence

#: parts of the body that a study shows one side of; `right lateral decubitus` in a chest title is no side
_CHEST = "chest"
_ONE_SIDED = frozenset({"upper_extremity", "lower_extremity", "breast", "joint"})


@dataclass(frozen=True, slots=True)
class Exam:
    """What the title of a study says it shows.

    Attributes:
        regions: the regions it names.
        parts: the parts of the body they are in.
        side: left, right, or empty.
    """

    regions: frozenset[str]
    parts: tuple[str, ...]
    side: str


def read_title(title: str, lexicon: Lexicon) -> Exam:
    """Return what the title of a study says it shows."""
    words = tokenize(title).words
    forms = find_forms(words, lexicon)
    named = [m.roles.region for m in forms if m.roles.region]
    named += [EXAM_REGIONS[word] for word in words if word in EXAM_REGIONS]
    parts = tuple(dict.fromkeys(part_of_body(lexicon, region) for region in named))
    sides = {m.roles.side for m in forms} - {""}
    places = (r for r in named if not (part_of_body(lexicon, r) == "bone" and lexicon.regions[r].sided))  # the shoulder
    one_sided = len(sides) == 1 and bool(parts) and all(part_of_body(lexicon, r) in _ONE_SIDED for r in places)
    return Exam(frozenset(named), parts, sides.pop() if one_sided else "")


def with_title(
    findings: list[Finding], homes: list[Sentence], exams: Mapping[int, str], lexicon: Lexicon
) -> tuple[list[Finding], list[Sentence]]:
    """Return the findings and their sentences, as the titles of the studies define them.

    `No acute disease` becomes the denials it implies for the part of the body that the study shows. If no title names
    it, most findings of the report are in it. If it is not known, nothing is implied.

    Args:
        findings: the findings of a report.
        homes: the sentence of each finding.
        exams: the title above each sentence, by the offset of the sentence; empty if there is none.
        lexicon: the lexicon.
    """
    usual = _usual_part(findings, lexicon)
    if not any(exams.values()) and usual in ([], [_CHEST]) and not any(f.finding == STUDY for f in findings):
        return _of_the_chest(findings, homes, lexicon) if usual else (findings, homes)
    titles = {title: read_title(title, lexicon) for title in set(exams.values())}
    shown = Exam(_named_regions(findings, lexicon), tuple(usual), "")
    read: list[tuple[Finding, Sentence]] = []
    for found, home in zip(findings, homes, strict=True):
        exam = titles[exams[home.start]]
        if not exam.parts and usual not in ([], [_CHEST]):
            exam = shown
        if found.finding != STUDY:
            placed = _placed(found, exam, lexicon) if exam.parts else found
            read += [(placed, home)] if placed is not None else []
            continue
        denied = [
            finding
            for region in exam.parts or usual
            for finding in normal_region(lexicon, home.text, region, exam.side, found.start, found.end, grave=True)
        ]
        read += [(finding, home) for finding in denied or [found]]
    return [found for found, _ in read], [home for _, home in read]


def _of_the_chest(
    findings: list[Finding], homes: list[Sentence], lexicon: Lexicon
) -> tuple[list[Finding], list[Sentence]]:
    """Drop what is no finding in a chest report: `small vessel disease` of the lung is none of the brain."""
    named = {f.finding for f in findings if lexicon.elsewhere.get(f.finding) == ""}
    strange = {name for name in named if is_elsewhere(name, (_CHEST,), lexicon)}
    if not strange:
        return findings, homes
    kept = [i for i, f in enumerate(findings) if f.finding not in strange]
    return [findings[i] for i in kept], [homes[i] for i in kept]


def _usual_part(findings: Sequence[Finding], lexicon: Lexicon) -> list[str]:
    """Return the part of the body that most findings are in, as a list with at most one name."""
    votes: dict[str, int] = {}
    for f in findings:
        if not f.implied and f.anatomy and f.anatomy[0] in lexicon.regions:
            part = part_of_body(lexicon, f.anatomy[0])
            if part not in ANYWHERE:
                votes[part] = votes.get(part, 0) + 1
    return [max(votes, key=votes.__getitem__)] if votes else []


def _named_regions(findings: Sequence[Finding], lexicon: Lexicon) -> frozenset[str]:
    """Return the regions that contain the places of the findings: the knee, if a report is about its menisci."""
    named = {place for f in findings for place in f.anatomy if not f.implied and place in lexicon.regions}
    return frozenset(region for place in named for region in lexicon.ancestors(place))


def _placed(found: Finding, exam: Exam, lexicon: Lexicon) -> Finding | None:
    """Return a finding with the place and side of the title, if it has no other; None if it is no finding there."""
    found = _in_exam(found, exam, lexicon)
    if found.finding in lexicon.elsewhere and is_elsewhere(found.finding, exam.parts, lexicon):
        other = lexicon.entries.get(lexicon.elsewhere[found.finding])
        if other is None:
            return None
        found = replace(found, finding=other.name, kind=other.kind, significance=other.significance)
    if not exam.side or found.laterality:
        return found
    parts = {part_of_body(lexicon, place) for place in found.anatomy if place in lexicon.regions}
    return replace(found, laterality=exam.side) if parts <= {*exam.parts, *ANYWHERE} else found


def _in_exam(found: Finding, exam: Exam, lexicon: Lexicon) -> Finding:
    """Return the special form of a finding in the region of the title: a nodule in a study of the thyroid."""
    entry = lexicon.entries.get(found.finding)
    if entry is None or found.implied or found.anatomy != entry.regions:
        return found
    if any(part_of_body(lexicon, place) in exam.parts for place in found.anatomy):
        return found
    roles = lexicon.surface(tokenize(found.text).words)
    for regions, name in roles.describes if roles is not None else ():
        if here := sorted(exam.regions & regions):
            special = lexicon.entries[name]
            kind, significance = special.kind, special.significance
            return replace(found, finding=name, kind=kind, significance=significance, anatomy=tuple(here))
    return found
