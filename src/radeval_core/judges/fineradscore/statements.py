"""Find what the reference states: the claim about a finding, and the sentence that says it best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from radeval_core.findings.claims import Claim
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.relations import near_names, one_side
from radeval_core.findings.types import Finding, ParsedReport

#: distinct sentences that are compared with a line; no real report states one claim in as many
_MOST_SENTENCES = 64


class SimilarClaims:
    """The claims of the reference, found by the names of related findings.

    Args:
        claims: the claims, in order.
        findings: names of the candidate's findings, which are looked up.
        lexicon: the lexicon of both reports.
    """

    def __init__(self, claims: Sequence[Claim], findings: Iterable[str], lexicon: Lexicon) -> None:
        self._claims = claims
        self._lexicon = lexicon
        self._by_name: dict[str, list[int]] = {}
        for number, claim in enumerate(claims):
            for name in claim.names:
                self._by_name.setdefault(name, []).append(number)
        self._near = near_names([*self._by_name, *findings], lexicon)
        self._found: dict[tuple[str, str | None, tuple[str, ...]], Claim | None] = {}

    def state(self, finding: Finding) -> bool:
        """Return whether a claim is about a finding, or a related one."""
        return any(name in self._by_name for name in self._related(finding))

    def like(self, finding: Finding) -> Claim | None:
        """Return the first claim about a related finding that can be at the same place, or None."""
        said = finding.finding, finding.laterality, finding.anatomy
        if said not in self._found:
            numbers = {i for name in self._related(finding) for i in self._by_name.get(name, ())}
            claims = (self._claims[i] for i in sorted(numbers))
            self._found[said] = next((claim for claim in claims if self._placed(finding, claim)), None)
        return self._found[said]

    def _related(self, finding: Finding) -> Iterable[str]:
        return (name for name in self._near[finding.finding] if self._lexicon.related(finding.finding, name))

    def _placed(self, finding: Finding, claim: Claim) -> bool:
        one_place = self._lexicon.one_place(finding.anatomy, claim.anatomy)
        return one_place and one_side(finding.laterality, claim.laterality)


class Sentences:
    """The sentences of the reference that state each claim."""

    def __init__(self, reference: ParsedReport) -> None:
        self._text = reference.text
        self._words: dict[int, frozenset[str]] = {}
        self._complete: dict[int, list[Finding]] = {}

    def text(self, mention: Finding) -> str:
        """Return the sentence of a mention."""
        return self._text[mention.sentence_start : mention.sentence_end]

    def most_alike(self, claim: Claim, words: frozenset[str]) -> Finding:
        """Return the mention that states the whole claim, in the sentence that shares most of these words."""
        if id(claim) not in self._complete:
            once: dict[str, Finding] = {}
            for mention in _complete(claim):
                once.setdefault(self.text(mention), mention)
            self._complete[id(claim)] = list(islice(once.values(), _MOST_SENTENCES))
        return max(self._complete[id(claim)], key=lambda mention: len(self._words_of(mention) & words))

    def _words_of(self, mention: Finding) -> frozenset[str]:
        if mention.sentence_start not in self._words:
            self._words[mention.sentence_start] = distinct_words(self.text(mention))
        return self._words[mention.sentence_start]


def distinct_words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, each once."""
    return frozenset(text.lower().split())


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
