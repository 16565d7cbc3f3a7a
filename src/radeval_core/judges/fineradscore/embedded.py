"""Correct a candidate line by line without a model, from the differences of two parsed reports.

A line whose claims are all false is deleted. A line with an error, or one that denies what the reference states, is
rewritten in the reference's words. A finding that no line mentions is inserted. All errors of one line make one
correction, which is as severe as the worst error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from radeval_core.corrections.apply import heading_of, sentence
from radeval_core.corrections.lines import ReportLine, line_at, split_lines
from radeval_core.corrections.types import (
    CATEGORY_TITLES,
    DELETE,
    INSERT,
    RATING,
    REWRITE,
    SEVERITY,
    Analysis,
    Correction,
)
from radeval_core.error_categories import CATEGORIES, FALSE_COMPARISON, FALSE_FINDING, WRONG_LOCATION, WRONG_SEVERITY
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.differences import Difference
from radeval_core.findings.kindred import one_side
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.judges.fineradscore.rating import rate
from radeval_core.judges.fineradscore.wording import comment, deny, describe
from radeval_core.pairs import is_blank

_CATEGORY = dict(zip(CATEGORIES, CATEGORY_TITLES, strict=True))
_LEAST = RATING[1]


@dataclass
class _Problems:
    """The errors of one line: new ones, and those that repeat an error of another line."""

    found: list[Difference] = field(default_factory=list)
    repeated: list[Difference] = field(default_factory=list)

    @property
    def all(self) -> list[Difference]:
        return [*self.found, *self.repeated]


def correct(reference: ParsedReport, candidate: ParsedReport) -> Analysis:
    """Return the corrections that make the candidate state what the reference states.

    It is an emergent error if one report is empty, or if the parser reads nothing in the candidate but something in the
    reference: the worst correction becomes emergent, and without any correction the whole reference is inserted or the
    candidate's first line deleted.
    """
    corrections = _corrections(reference, candidate)
    empty, no_reference = is_blank(candidate.text), is_blank(reference.text)
    if empty and no_reference:
        return Analysis(())
    nothing_said = empty or (bool(reference.findings) and not candidate.findings)
    if not nothing_said and not no_reference:
        return Analysis(tuple(corrections))
    why = "The reference is empty" if no_reference else "The candidate is empty"
    if not empty and not no_reference:
        why = "The parser reads nothing in the candidate"
    if corrections:
        worst = max(range(len(corrections)), key=lambda i: corrections[i].severity)
        note = f"{why}; {corrections[worst].comment}"
        corrections[worst] = replace(corrections[worst], rating=RATING[4], comment=note)
    elif no_reference:
        first = split_lines(candidate.text)[0]
        category = (CATEGORY_TITLES[0],)
        corrections = [Correction(0, DELETE, first.text, "", RATING[4], category, sentence(why))]
    else:
        category = (CATEGORY_TITLES[1],)
        text = reference.text.strip()
        corrections = [Correction(None, INSERT, "", text, RATING[4], category, sentence(why))]
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
        for i, line in enumerate(_lines_of(difference.candidate, difference, lines, candidate)):
            problems = by_line.setdefault(line.number, _Problems())
            (problems.repeated if i else problems.found).append(difference)
    inserted: list[Difference] = []
    for difference in sorted(missing, key=lambda d: -d.weight):
        # rewrite the line that denies it, unless that line has another error: a rewritten line gets one new statement
        denying = line_at(lines, difference.denial.start) if difference.denial is not None else None
        if denying is None or denying.number in by_line:
            inserted.append(difference)
        else:
            by_line[denying.number] = _Problems([difference])
    writer = _Writer(reference, candidate, comparison)
    corrections = [writer.of_line(lines[number], by_line[number]) for number in sorted(by_line)]
    return corrections + [writer.insertion(difference) for difference in _in_order(inserted)]


def _lines_of(
    claim: Claim, difference: Difference, lines: tuple[ReportLine, ...], candidate: ParsedReport
) -> list[ReportLine]:
    """Return the lines of the candidate that contain the error, the longest first.

    A line that takes its side from the line before (`This may be pneumonia`) is right once that line is corrected.
    """
    wrong = {line_at(lines, mention.start) for mention in _wrong_mentions(difference, claim)}
    ordered = sorted(wrong, key=lambda line: (-len(line.text), line.text.lower(), line.number))
    if difference.category == WRONG_LOCATION:
        sided = [f for f in candidate.stated if f.laterality == claim.laterality and not f.carried]
        return [line for line in ordered if any(line.start <= f.start < line.end for f in sided)] or ordered[:1]
    return ordered


def _wrong_mentions(difference: Difference, claim: Claim) -> Iterable[Finding]:
    """Return the mentions of a claim that state the wrong part; the first mention if none does."""
    if difference.category == FALSE_FINDING:
        return claim.mentions
    if difference.category == WRONG_LOCATION:
        wrong = [m for m in claim.mentions if m.laterality == claim.laterality and m.anatomy]
    elif difference.category == WRONG_SEVERITY:
        wrong = [m for m in claim.mentions if m.severity or m.measurements or m.number]
    elif difference.category == FALSE_COMPARISON:
        wrong = [m for m in claim.mentions if m.change == claim.change]
    else:
        wrong = []
    return wrong or claim.mentions[:1]


def _in_order(differences: list[Difference]) -> list[Difference]:
    """Return differences in the order of the reference."""
    return sorted(differences, key=lambda d: min(m.start for m in d.reference.mentions) if d.reference else 0)


class _Writer:
    """Writes the text of corrections from the reference's sentences and from what is right in the candidate's."""

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
        assert claim is not None  # only claims of the reference are inserted
        return Correction(
            line=None,
            action=INSERT,
            before="",
            after=self.statement(claim),
            rating=rate(difference),
            category=(_CATEGORY[difference.category],),
            comment=sentence(comment(difference)),
        )

    def of_line(self, line: ReportLine, problems: _Problems) -> Correction:
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
            rating=max(ratings, key=lambda rating: SEVERITY[rating]),
            category=tuple(category for category in CATEGORY_TITLES if category in categories),
            comment=sentence("; ".join(dict.fromkeys(comments))),
        )

    def pieces(self, line: ReportLine, problems: _Problems) -> list[str]:
        """Return the statements the line should contain, in its order."""
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

    def right_words(self, finding: Finding, line: ReportLine, false: set[int], problems: _Problems) -> list[str]:
        """Return the reference's statement about a finding of the line; empty if the reference has none."""
        if any(finding in d.candidate.mentions for d in problems.all if d.candidate and id(d.candidate) in false):
            return []
        ours = next((claim for claim in self.ours if finding in claim.mentions), None)
        if ours is not None:
            return [self.statement(self.partner[id(ours)], line.text)]
        similar = next((claim for claim in self.claims if _alike(finding, claim, self.reference.lexicon)), None)
        return [self.statement(similar, line.text)] if similar is not None else []

    def statement(self, claim: Claim, line: str = "") -> str:
        """Return the reference's sentence for a claim, or a short description if that sentence makes other claims too.

        If several sentences state the whole claim, take the one most like the line it replaces, so that a line of the
        impression is replaced by one of the impression.
        """
        mention = max(_complete(claim), key=lambda m: _likeness(self._sentence(m), line))
        if self.crowded.get(mention.sentence_start, 0) > 1:
            return describe(claim, self.reference.lexicon)
        return sentence(self._sentence(mention))

    def _sentence(self, mention: Finding) -> str:
        return self.reference.text[mention.sentence_start : mention.sentence_end]

    def stated(self, denial: Finding) -> bool:
        """Return whether the reference states what a line of the candidate denies."""
        related = self.reference.lexicon.related
        return any(related(denial.finding, name) for claim in self.claims for name in claim.names)

    def still_normal(self, normality: Finding) -> bool:
        """Return whether the reference states nothing that a normal statement of the candidate excludes."""
        excluded = [f for f in self.candidate.findings if f.implied and f.start == normality.start]
        return not any(self.stated(finding) for finding in excluded)


def _alike(finding: Finding, claim: Claim, lexicon: Lexicon) -> bool:
    return (
        any(lexicon.related(finding.finding, name) for name in claim.names)
        and one_side(finding.laterality, claim.laterality)
        and lexicon.one_place(finding.anatomy, claim.anatomy)
    )


def _complete(claim: Claim) -> list[Finding]:
    """Return the mentions that state the whole claim; the first mention if none does."""
    whole = [
        m
        for m in claim.mentions
        if (m.laterality, m.severity, m.change) == (claim.laterality, claim.severity, claim.change)
        and m.anatomy == claim.anatomy
        and set(m.measurements) == set(claim.measurements)
        and (m.number in claim.numbers or not claim.numbers)
    ]
    return whole or [claim.mentions[0]]


def _likeness(one: str, other: str) -> int:
    """Return the number of words that two texts have in common."""
    return len(set(one.lower().split()) & set(other.lower().split()))
