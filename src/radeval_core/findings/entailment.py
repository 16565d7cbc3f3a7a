"""Does a report say a statement of another report? The specific entails the general, never the reverse.

A statement is entailed if the other report supports everything it says: polarity, name, side, place, severity, size,
number, change and certainty. What a report says only as a possible explanation of a certain finding is not asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from radeval_core.findings.claim_match import SAME_RATIO, same_place, size_ratio
from radeval_core.findings.claims import Claim
from radeval_core.findings.differences import Denials
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.mention_groups import more_than_implied
from radeval_core.findings.normality import STUDY
from radeval_core.findings.numbers import is_single, same_number
from radeval_core.findings.relations import LOOKS_LIKE, near_names, relation
from radeval_core.findings.statements import Statement, read_statements
from radeval_core.findings.types import Finding, ParsedReport

NOT_MENTIONED = "not mentioned"
PRESENT = "stated as present"


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a report entails a statement.

    Attributes:
        entailed: True if it does.
        evidence: indices of the statements that decide it; without support, those that come closest or deny it.
        why: why it is not entailed, in words; empty if it is.
    """

    entailed: bool
    evidence: tuple[int, ...] = ()
    why: str = ""


class Premises:
    """The statements of a report, ready to be asked whether they entail others.

    Args:
        report: the parsed report; statements to ask about must come from the same lexicon.
    """

    def __init__(self, report: ParsedReport) -> None:
        self.statements = read_statements(report)
        self._lexicon = report.lexicon
        self._denials = Denials(report)
        self._denied = frozenset(f.finding for f in (*report.stated, *report.open) if f.polarity == "absent")
        self._claims: dict[str, dict[int, Claim]] = {}
        #: the names of claims that are this finding or a kind of it
        self._kinds: dict[str, list[str]] = {}
        self._absent: dict[str, list[tuple[int, Finding]]] = {}
        self._normal: dict[str, list[int]] = {}
        # the claims of a long report repeat names and places: what was found out once is kept
        self._names: dict[tuple[tuple[str, ...], tuple[str, ...]], bool] = {}
        self._numbers: dict[Hashable, int] = {}
        self._contains: dict[tuple[int, int], bool] = {}
        #: the number of the place of each claim
        self._where: dict[int, int] = {}
        #: the statement of each mention, by where it begins and ends
        self._places: dict[tuple[int, int], int] = {}
        for i, statement in enumerate(self.statements):
            self._places.update(dict.fromkeys(statement.spans, i))
            if statement.claim:
                self._where[i] = self._place(statement.claim)
                for name in statement.claim.names:
                    self._claims.setdefault(name, {})[i] = statement.claim
            elif statement.normal:
                self._normal.setdefault(statement.stated.finding, []).append(i)
                for finding in statement.excludes:
                    self._absent.setdefault(finding.finding, []).append((i, finding))
            else:
                self._absent.setdefault(statement.stated.finding, []).append((i, statement.stated))

        for name in self._claims:
            for general in (name, *self._lexicon.more_general(name)):
                self._kinds.setdefault(general, []).append(name)

    def supports(self, statements: Sequence[Statement]) -> list[Support]:
        """Return for each statement of the other report whether these premises entail it."""
        asked = [name for statement in statements if statement.claim for name in statement.claim.names]
        near = near_names([*self._claims, *asked], self._lexicon)  # all at once: pair by pair takes quadratic time
        known = {name: i for i, name in enumerate(self._claims)}
        ordered = {name: sorted(near[name] & known.keys(), key=known.__getitem__) for name in dict.fromkeys(asked)}
        return [self._support(statement, ordered) for statement in statements]

    def _support(self, statement: Statement, near: Mapping[str, Sequence[str]]) -> Support:
        if statement.claim:
            return self._support_claim(statement.claim, near)
        if statement.normal:
            return self._support_normal(statement)
        return self._support_denial(statement.stated)

    # --- what is there

    def _support_claim(self, claim: Claim, names: Mapping[str, Sequence[str]]) -> Support:
        near = dict(self._near(claim, names))
        where = self._place(claim)
        lacks = {i: list(self._lacks(claim, where, i)) for i in near}
        full = [i for i, missing in lacks.items() if not missing]
        if full:  # the same name is better evidence than another one
            return Support(True, (min(full, key=lambda i: (claim.finding not in near[i].names, i)),))
        if claim.laterality == "bilateral":
            halves = [
                [i for i, other in near.items() if other.laterality == side and lacks[i] == ["side"]]
                for side in ("left", "right")
            ]
            if all(halves):
                return Support(True, (halves[0][0], halves[1][0]))
        denial = self._denials.of(claim)
        if lacks and (denial is None or denial.finding not in claim.names):
            closest = min(lacks, key=lambda i: (len(lacks[i]), i))
            return Support(False, (closest,), f"differs in {', '.join(lacks[closest])}")
        if denial is None:
            return Support(False, (), NOT_MENTIONED)
        place = self._places.get((denial.start, denial.end))
        return Support(False, () if place is None else (place,), "denied")

    def _near(self, claim: Claim, names: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, Claim]]:
        """Yield the claims about the same, a more specific, a more general or an interchangeable finding.

        Args:
            claim: a claim of the other report.
            names: the names of these premises that are related to each name of the claim.
        """
        seen: set[int] = set()
        for name in claim.names:
            for other in names[name]:
                near, claims = relation(name, other, self._lexicon), self._claims[other]
                if near is not None and near.kind != LOOKS_LIKE:
                    yield from ((i, found) for i, found in claims.items() if i not in seen)
                    seen.update(claims)

    def _lacks(self, claim: Claim, where: int, i: int) -> Iterator[str]:
        """Yield what a claim of the other report says that a claim of this report does not support.

        Args:
            claim: the claim of the other report.
            where: the number of its place.
            i: the index of the statement of this report that is the claim to compare with.
        """
        other = self.statements[i].claim
        assert other is not None
        names = tuple(name for name in claim.names if name not in claim.doubted) or claim.names
        certain = tuple(name for name in other.names if name not in other.doubted)
        if not self._all_said(names, certain if claim.certain else other.names):
            yield "certainty" if self._all_said(names, other.names) else "the name of the finding"
        if claim.laterality not in (None, other.laterality) and other.laterality != "bilateral":
            yield "side"
        if not self._place_said(claim, where, other, self._where[i]):
            yield "place"
        if claim.grades and not claim.grades & other.grades:
            yield "severity"
        if claim.measurements and (not other.measurements or size_ratio(claim, other) > SAME_RATIO):
            yield "size"
        if not same_number(claim.numbers, other.numbers) or not (other.numbers or is_single(claim.numbers)):
            yield "number"
        if claim.change not in (None, other.change):
            yield "change"

    def _all_said(self, names: tuple[str, ...], known: tuple[str, ...]) -> bool:
        """Return whether each name is among the known ones, or more general, or interchangeable and not denied."""
        if (names, known) not in self._names:
            self._names[names, known] = all(any(self._said(name, other) for other in known) for name in names)
        return self._names[names, known]

    def _said(self, name: str, other: str) -> bool:
        if name == other or name in self._lexicon.more_general(other):
            return True
        return name not in self._denied and _says_as_much(other, name, self._lexicon)

    def _place_said(self, claim: Claim, where: int, other: Claim, there: int) -> bool:
        """Return whether the place of a claim is the place of the other one, or contains it."""
        if not claim.levels <= other.levels:
            return False
        if not claim.place_said:
            return True
        if (where, there) not in self._contains:
            self._contains[where, there] = _place_contains(claim, other, self._lexicon)
        return self._contains[where, there]

    def _place(self, claim: Claim) -> int:
        """Return a number for the place of a claim, the same for all claims that `_place_contains` treats alike."""
        mentioned = frozenset((f.anatomy, f.laterality) for f in claim.mentions)
        return self._numbers.setdefault((claim.place_said, claim.anatomy, mentioned), len(self._numbers))

    # --- what is not there

    def _support_denial(self, denied: Finding) -> Support:
        contradicting = self._contradicting(denied)
        for name in (denied.finding, *self._lexicon.more_general(denied.finding)):
            for i, other in self._absent.get(name, ()):
                # what is stated counts more than what something normal implies
                if not (other.implied and contradicting is not None) and _excludes(other, denied, self._lexicon):
                    return Support(True, (i,))
        if contradicting is not None:
            return Support(False, (contradicting,), PRESENT)
        if STUDY in self._normal and denied.change != "resolved":
            return Support(True, (self._normal[STUDY][0],))
        return Support(False, (), NOT_MENTIONED)

    def _contradicting(self, denied: Finding) -> int | None:
        """Return a claim that what is denied is there, or None."""
        for name in self._kinds.get(denied.finding, ()):
            for i, claim in self._claims[name].items():
                if claim.certain and _contradicts(claim, denied, self._lexicon):
                    return i
        return None

    # --- what is normal

    def _support_normal(self, statement: Statement) -> Support:
        stated = statement.stated
        same = self._all_of(stated.finding, stated.laterality)
        if same:
            return Support(True, same)
        if stated.finding == STUDY:
            return self._support_study()
        supports = [self._support_denial(finding) for finding in statement.excludes]
        against = [support for support in supports if support.why == PRESENT]
        if against:
            return Support(False, _joined(against), "something there is abnormal")
        larger = self._larger(stated)
        if larger:
            return Support(True, larger)
        if supports and all(support.entailed for support in supports):
            return Support(True, _joined(supports))
        return Support(False, (), f"{NOT_MENTIONED}, or not everything that it excludes")

    def _all_of(self, name: str, side: str | None) -> tuple[int, ...]:
        """Return the statements that call a region normal on all sides that are asked for; both halves will do."""
        by_side = {self.statements[i].stated.laterality: i for i in self._normal.get(name, ())}
        for known in (side, None, "bilateral"):
            if known in by_side:
                return (by_side[known],)
        if side in (None, "bilateral") and {"left", "right"} <= by_side.keys():
            return by_side["left"], by_side["right"]
        return ()

    def _larger(self, stated: Finding) -> tuple[int, ...]:
        """Return statements that a larger region, or the study, is normal. `No acute disease` says less than that."""
        regions = self._lexicon.regions
        for region in stated.anatomy:
            for larger in self._lexicon.ancestors(region) if region in regions else ():
                found = self._all_of(f"normal_{larger}", stated.laterality)
                named = {finding.finding for i in found for finding in self.statements[i].excludes}
                if found and named >= set(regions[larger].excludes):
                    return found
        return tuple(self._normal.get(STUDY, ())[:1])

    def _support_study(self) -> Support:
        """Return whether the report calls something normal and nothing abnormal."""
        abnormal = [i for i, s in enumerate(self.statements) if s.claim and s.claim.kind in ("abnormality", "disease")]
        if abnormal:
            return Support(False, (abnormal[0],), "something there is abnormal")
        said = tuple(i for i, statement in enumerate(self.statements) if not statement.claim)
        return Support(True, said) if said else Support(False, (), NOT_MENTIONED)


def _joined(supports: Iterable[Support]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(i for support in supports for i in support.evidence))


def _says_as_much(known: str, name: str, lexicon: Lexicon) -> bool:
    """Return whether a known finding says another one in other words, or is what the other one is a sign of."""
    found = relation(known, name, lexicon)
    return found is not None and found.kind != LOOKS_LIKE and found.vaguer >= 0


def _place_contains(claim: Claim, other: Claim, lexicon: Lexicon) -> bool:
    """Return whether the place that a claim gives is the place of the other one, or contains it."""
    if not other.place_said:  # the name may imply it: hydronephrosis is in the kidney
        return _inside(other.anatomy, claim.anatomy, lexicon)
    if not same_place(claim, other, lexicon):
        return False
    # places that overlap on a film, such as left base and left lower lobe, are one place unless one contains the other
    return _inside(other.anatomy, claim.anatomy, lexicon) or not _inside(claim.anatomy, other.anatomy, lexicon)


def _inside(small: Iterable[str], large: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Return whether a region equals, or lies in, one of the others."""
    return any(
        region in large or (region in lexicon.regions and not set(large).isdisjoint(lexicon.ancestors(region)))
        for region in small
    )


def _excludes(other: Finding, denied: Finding, lexicon: Lexicon) -> bool:
    """Return whether a denial of the same or a more general finding says at least as much as another denial."""
    if other.laterality not in (None, "bilateral", denied.laterality) or other.severity not in (None, denied.severity):
        return False
    if denied.change == "resolved" and other.change != "resolved":
        return False
    if not other.anatomy or not denied.anatomy or not more_than_implied(other, lexicon):
        return True
    return _inside(denied.anatomy, other.anatomy, lexicon)


def _contradicts(claim: Claim, denied: Finding, lexicon: Lexicon) -> bool:
    """Return whether a claim says that what is denied is there: on a possible side, in a possible place and degree."""
    if {claim.laterality, denied.laterality} == {"left", "right"}:
        return False
    if denied.severity and claim.severity != denied.severity:
        return False
    if not claim.place_said or not more_than_implied(denied, lexicon):
        return True
    return lexicon.one_place(claim.anatomy, denied.anatomy)
