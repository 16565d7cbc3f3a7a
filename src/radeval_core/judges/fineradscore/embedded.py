"""Corrections without a model: what two parsed reports differ in, line by line.

A line whose claims are all false is deleted. A line that has something wrong, or denies what the reference states, is
rewritten in the reference's words. A finding that no line is about is inserted. All that is wrong with one line is one
correction, as severe as the worst of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from radeval_core.findings.parser import parse
from radeval_core.findings.structures import Finding, ParsedReport
from radeval_core.judges.claims import Claim, one_place, one_side, related
from radeval_core.judges.compare import CATEGORIES as COMPARED
from radeval_core.judges.compare import (
    FALSE_COMPARISON,
    FALSE_FINDING,
    LOCATION,
    SEVERITY,
    Comparison,
    Difference,
    compare,
)
from radeval_core.judges.fineradscore import analysis
from radeval_core.judges.fineradscore.analysis import DELETE, INSERT, REWRITE, Analysis, Correction
from radeval_core.judges.fineradscore.apply import heading_of, sentence
from radeval_core.judges.fineradscore.lines import Line, line_at, split_lines
from radeval_core.judges.fineradscore.rating import rate
from radeval_core.judges.fineradscore.wording import comment, deny, describe
from radeval_core.pairs import is_blank

_CATEGORY = dict(zip(COMPARED, analysis.CATEGORIES, strict=True))
_LEAST = analysis.RATING[1]


@dataclass
class _Problems:
    """What is wrong with one line: differences, and those that only repeat what an earlier line has wrong."""

    found: list[Difference] = field(default_factory=list)
    repeated: list[Difference] = field(default_factory=list)

    @property
    def all(self) -> list[Difference]:
        return [*self.found, *self.repeated]


def correct(reference: ParsedReport, candidate: ParsedReport) -> Analysis:
    """The corrections that make the candidate say what the reference says.

    Where one of the two is empty, or the candidate says nothing that can be read, that is an emergent error: the worst
    correction becomes one, and if there is none the whole report is inserted or its first line deleted.
    """
    corrections = _corrections(reference, candidate)
    empty, no_reference = is_blank(candidate.text), is_blank(reference.text)
    if empty and no_reference:
        return Analysis(())
    nothing_said = empty or (bool(reference.findings) and not candidate.findings)
    if not nothing_said and not no_reference:
        return Analysis(tuple(corrections))
    why = "There is no reference report" if no_reference else "The candidate says nothing"
    if corrections:
        worst = max(range(len(corrections)), key=lambda i: corrections[i].severity)
        note = f"{why}; {corrections[worst].comment}"
        corrections[worst] = replace(corrections[worst], rating=analysis.RATING[4], comment=note)
    elif no_reference:
        first = split_lines(candidate.text)[0]
        category = (analysis.CATEGORIES[0],)
        corrections = [Correction(0, DELETE, first.text, "", analysis.RATING[4], category, sentence(why))]
    else:
        category = (analysis.CATEGORIES[1],)
        text = reference.text.strip()
        corrections = [Correction(None, INSERT, "", text, analysis.RATING[4], category, sentence(why))]
    return Analysis(tuple(corrections))


def _corrections(reference: ParsedReport, candidate: ParsedReport) -> list[Correction]:
    comparison = compare(reference, candidate)
    if not comparison.differences:
        return []
    lines = split_lines(candidate.text)
    by_line: dict[int, _Problems] = {}
    missing: list[Difference] = []
    for difference in comparison.differences:
        if difference.candidate is None:
            missing.append(difference)
            continue
        for i, line in enumerate(_lines_of(difference.candidate, difference, lines)):
            problems = by_line.setdefault(line.number, _Problems())
            (problems.repeated if i else problems.found).append(difference)
    inserted: list[Difference] = []
    for difference in sorted(missing, key=lambda d: -d.weight):
        # a line that denies it is rewritten, unless that line has something else wrong: a line says one new thing
        denying = line_at(lines, difference.denial.start) if difference.denial is not None else None
        if denying is None or denying.number in by_line:
            inserted.append(difference)
        else:
            by_line[denying.number] = _Problems([difference])
    writer = _Writer(reference, candidate, comparison)
    corrections = [writer.of_line(lines[number], by_line[number]) for number in sorted(by_line)]
    return corrections + [writer.insertion(difference) for difference in _in_order(inserted)]


def _lines_of(claim: Claim, difference: Difference, lines: tuple[Line, ...]) -> list[Line]:
    """The lines in which the candidate says it wrongly, the one that says most first, whatever their order.

    `This may be pneumonia` is about the place of the line before: it is right once that line is.
    """
    wrong = {line_at(lines, mention.start) for mention in _wrong_mentions(difference, claim)}
    ordered = sorted(wrong, key=lambda line: (-len(line.text), line.text.lower()))
    if difference.category == LOCATION:
        by_themselves = [x for x in ordered if any(f.laterality == claim.laterality for f in parse(x.text).stated)]
        return by_themselves or ordered[:1]
    return ordered


def _wrong_mentions(difference: Difference, claim: Claim) -> Iterable[Finding]:
    """The mentions of a claim that say what is wrong with it, rather than leave it out."""
    if difference.category == FALSE_FINDING:
        return claim.mentions
    if difference.category == LOCATION:
        said = [m for m in claim.mentions if m.laterality == claim.laterality and m.anatomy]
    elif difference.category == SEVERITY:
        said = [m for m in claim.mentions if m.severity or m.measurements]
    elif difference.category == FALSE_COMPARISON:
        said = [m for m in claim.mentions if m.change == claim.change]
    else:
        said = []
    return said or claim.mentions[:1]


def _in_order(differences: list[Difference]) -> list[Difference]:
    """As the reference has them."""
    return sorted(differences, key=lambda d: min(m.start for m in d.reference.mentions) if d.reference else 0)


class _Writer:
    """Words corrections: from the reference's sentences, and what is right in the candidate's."""

    def __init__(self, reference: ParsedReport, candidate: ParsedReport, comparison: Comparison) -> None:
        self.reference = reference
        self.candidate = candidate
        self.partner = {id(ours): theirs for theirs, ours in comparison.matched}
        self.claims = list(dict.fromkeys([theirs for theirs, _ in comparison.matched]))
        self.claims += [d.reference for d in comparison.differences if d.reference and d.candidate is None]
        self.ours = [ours for _, ours in comparison.matched]
        self.crowded: dict[int, int] = {}
        for claim in self.claims:
            for start in {mention.sentence_start for mention in claim.mentions}:
                self.crowded[start] = self.crowded.get(start, 0) + 1

    def insertion(self, difference: Difference) -> Correction:
        claim = difference.reference
        assert claim is not None  # only what the reference alone says is inserted
        return Correction(
            line=None,
            action=INSERT,
            before="",
            after=self.statement(claim),
            rating=rate(difference),
            category=(_CATEGORY[difference.category],),
            comment=sentence(comment(difference)),
        )

    def of_line(self, line: Line, problems: _Problems) -> Correction:
        heading = heading_of(line.text)
        after = " ".join(self.pieces(line, problems))
        ratings = [*(rate(d) for d in problems.found), *(_LEAST for _ in problems.repeated)]
        comments = [*(comment(d) for d in problems.found), *(f"{comment(d)} (again)" for d in problems.repeated)]
        categories = [_CATEGORY[d.category] for d in problems.all]
        return Correction(
            line=line.number,
            action=REWRITE if after else DELETE,
            before=line.text,
            after=f"{heading} {after}".strip() if after else "",
            rating=max(ratings, key=lambda rating: analysis.SEVERITY[rating]),
            category=tuple(category for category in analysis.CATEGORIES if category in categories),
            comment=sentence("; ".join(dict.fromkeys(comments))),
        )

    def pieces(self, line: Line, problems: _Problems) -> list[str]:
        """What the line should say, in its order."""
        false = {id(d.candidate) for d in problems.all if d.reference is None}
        missing = [d.reference for d in problems.all if d.candidate is None and d.reference is not None]
        pieces = [self.statement(claim, line.text) for claim in missing]
        for finding in self.candidate.findings:
            if finding.implied or not line.start <= finding.start < line.end:
                continue
            if finding.kind == "normality":
                if self.still_normal(finding):
                    pieces.append(sentence(finding.text[:1].upper() + finding.text[1:]))
            elif finding.polarity == "absent":
                if not self.stated(finding):
                    pieces.append(deny(finding))
            else:
                pieces += self.right_words(finding, line, false, problems)
        return list(dict.fromkeys(pieces))

    def right_words(self, finding: Finding, line: Line, false: set[int], problems: _Problems) -> list[str]:
        """What the reference says of something the line mentions; nothing if the reference has nothing like it."""
        if any(finding in d.candidate.mentions for d in problems.all if d.candidate and id(d.candidate) in false):
            return []
        ours = next((claim for claim in self.ours if finding in claim.mentions), None)
        if ours is not None:
            return [self.statement(self.partner[id(ours)], line.text)]
        like = next((claim for claim in self.claims if _alike(finding, claim)), None)
        return [self.statement(like, line.text)] if like is not None else []

    def statement(self, claim: Claim, line: str = "") -> str:
        """A claim of the reference in its own sentence, or in short where that sentence makes other claims too.

        Of several sentences that say all of it, the one most like the line it replaces: an impression stays one.
        """
        mention = max(_complete(claim), key=lambda m: _likeness(self._sentence(m), line))
        if self.crowded.get(mention.sentence_start, 0) > 1:
            return describe(claim)
        return sentence(self._sentence(mention))

    def _sentence(self, mention: Finding) -> str:
        return self.reference.text[mention.sentence_start : mention.sentence_end]

    def stated(self, denial: Finding) -> bool:
        """Whether the reference states what a line of the candidate denies."""
        return any(related(denial.finding, name) for claim in self.claims for name in claim.names)

    def still_normal(self, normality: Finding) -> bool:
        """Whether what a normal statement of the candidate excludes is not in the reference."""
        excluded = [f for f in self.candidate.findings if f.implied and f.start == normality.start]
        return not any(self.stated(finding) for finding in excluded)


def _alike(finding: Finding, claim: Claim) -> bool:
    return (
        any(related(finding.finding, name) for name in claim.names)
        and one_side(finding.laterality, claim.laterality)
        and one_place(finding.anatomy, claim.anatomy)
    )


def _complete(claim: Claim) -> list[Finding]:
    """The mentions that say all the claim says, or else the first."""
    said = (claim.laterality, claim.severity, claim.change)
    whole = [
        m
        for m in claim.mentions
        if (m.laterality, m.severity, m.change) == said
        and m.anatomy == claim.anatomy
        and set(m.measurements) == set(claim.measurements)
    ]
    return whole or [claim.mentions[0]]


def _likeness(one: str, other: str) -> int:
    """How many words two texts share."""
    return len(set(one.lower().split()) & set(other.lower().split()))
