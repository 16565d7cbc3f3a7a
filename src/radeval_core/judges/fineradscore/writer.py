"""Write the text of corrections from the reference's sentences and from what is right in the candidate's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from radeval_core.corrections.apply import heading_of, sentence
from radeval_core.corrections.lines import ReportLine, line_at
from radeval_core.corrections.types import CATEGORY_TITLES, DELETE, INSERT, RATING, REWRITE, SEVERITY, Correction
from radeval_core.error_categories import CATEGORIES
from radeval_core.findings.claims import Claim
from radeval_core.findings.compare import Comparison
from radeval_core.findings.differences import Difference
from radeval_core.findings.types import Finding, ParsedReport
from radeval_core.judges.fineradscore.rating import rate
from radeval_core.judges.fineradscore.statements import Sentences, SimilarClaims, distinct_words
from radeval_core.judges.fineradscore.wording import comment, deny, describe

_CATEGORY = dict(zip(CATEGORIES, CATEGORY_TITLES, strict=True))
_LEAST = RATING[1]


@dataclass
class Problems:
    """The errors of one line: new ones, and those that repeat an error of another line."""

    found: list[Difference] = field(default_factory=list)
    repeated: list[Difference] = field(default_factory=list)

    @property
    def all(self) -> list[Difference]:
        return [*self.found, *self.repeated]


class Writer:
    """Writes the text of corrections from the reference's sentences and from what is right in the candidate's."""

    def __init__(
        self, reference: ParsedReport, candidate: ParsedReport, comparison: Comparison, lines: Sequence[ReportLine]
    ) -> None:
        self.reference = reference
        matched = comparison.matched
        self.partner = {id(ours): theirs for theirs, ours in matched}
        claims = list(dict.fromkeys([theirs for theirs, _ in matched]))
        claims += [d.reference for d in comparison.differences if d.reference and d.candidate is None]
        stated = (*candidate.findings, *candidate.open)
        self.claims = SimilarClaims(claims, (f.finding for f in stated), reference.lexicon)
        #: the claim of each mention in the candidate
        self.owner = {mention: ours for _, ours in matched for mention in ours.mentions}
        self.owner |= {
            mention: d.candidate for d in comparison.differences if d.candidate for mention in d.candidate.mentions
        }
        self.crowded = Counter(start for claim in claims for start in {m.sentence_start for m in claim.mentions})
        self.found: dict[int, list[Finding]] = {}
        self.excluded: dict[int, list[Finding]] = {}
        for finding in sorted(stated, key=lambda f: f.start):
            if finding.implied:
                self.excluded.setdefault(finding.start, []).append(finding)
            elif (line := line_at(lines, finding.start)).start <= finding.start < line.end:
                self.found.setdefault(line.number, []).append(finding)
        self._sentences = Sentences(reference)
        self._short: dict[int, str] = {}

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

    def of_line(self, line: ReportLine, problems: Problems) -> Correction:
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

    def pieces(self, line: ReportLine, problems: Problems) -> list[str]:
        """Return the statements the line should contain, in its order."""
        false = {id(d.candidate) for d in problems.all if d.reference is None}
        missing = [d.reference for d in problems.all if d.candidate is None and d.reference is not None]
        words = distinct_words(line.text)
        pieces = [self.statement(claim, words) for claim in missing]
        for finding in self.found.get(line.number, ()):
            if finding.kind == "normality":
                if self.still_normal(finding):
                    pieces.append(sentence(finding.text[:1].upper() + finding.text[1:]))
            elif finding.polarity == "absent":
                if not self.claims.state(finding):
                    pieces.append(deny(finding))
            else:
                pieces += self.right_words(finding, words, false)
        return list(dict.fromkeys(pieces))

    def right_words(self, finding: Finding, words: frozenset[str], false: set[int]) -> list[str]:
        """Return the reference's statement about a finding of a line with these words; empty if it has none."""
        ours = self.owner.get(finding)
        if ours is not None and id(ours) in false:
            return []
        if ours is not None and id(ours) in self.partner:
            return [self.statement(self.partner[id(ours)], words)]
        similar = self.claims.like(finding)
        return [self.statement(similar, words)] if similar is not None else []

    def statement(self, claim: Claim, words: frozenset[str] = frozenset()) -> str:
        """Return the reference's sentence for a claim, or a short description if that sentence makes other claims too.

        If several sentences state the whole claim, take the one most like the line it replaces, so that a line of the
        impression is replaced by one of the impression.
        """
        mention = self._sentences.most_alike(claim, words)
        if self.crowded[mention.sentence_start] <= 1:
            return sentence(self._sentences.text(mention))
        if id(claim) not in self._short:
            self._short[id(claim)] = describe(claim, self.reference.lexicon)
        return self._short[id(claim)]

    def still_normal(self, normality: Finding) -> bool:
        """Return whether the reference states nothing that a normal statement of the candidate excludes."""
        return not any(self.claims.state(finding) for finding in self.excluded.get(normality.start, ()))
