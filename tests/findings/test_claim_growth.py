"""Long reports: the work grows with their length, and the claims and matches are those of comparing everything."""

import itertools
import random

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from hostile_reports import FINDINGS, PLACES
from radeval_core.findings import claim_match
from radeval_core.findings.claim_match import match, same_concept, same_place, size_ratio
from radeval_core.findings.claims import listed, read_claims
from radeval_core.findings.compare import compare
from radeval_core.findings.fine_places import apart
from radeval_core.findings.levels import Levels
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.mention_groups import group_mentions, more_than_implied
from radeval_core.findings.parser import parse
from radeval_core.findings.relations import KIND_OF, LIKENESS, LOOKS_LIKE, SAME, SIGN_OF, near_names, one_side, relation
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.judges.green.embedded import analyse
from work_count import calls_of


def long_report(sentences: int, seed: int) -> str:
    drawn = random.Random(seed)
    sides, degrees = ("left", "right", "bilateral", ""), ("mild", "severe", "new", "possible", "")
    frames = (
        "There is {} {} {} {} measuring {} mm.",
        "{} {} {} {}, {} mm, in keeping with pneumonia.",
        "No {} {} {} {}. {}.",
    )
    return " ".join(
        drawn.choice(frames).format(
            drawn.choice(degrees), drawn.choice(sides), drawn.choice(FINDINGS), drawn.choice(PLACES),
            drawn.randint(2, 40),
        )
        for _ in range(sentences)
    )  # fmt: skip


@pytest.fixture(scope="module")
def varied_names():
    """Return short names of many findings and regions of the lexicon, so that claims differ."""
    lexicon = load_lexicon(())
    forms = {roles.finding: " ".join(tokens) for tokens, roles in lexicon._surface.items() if roles.finding}
    places = {roles.region: " ".join(tokens) for tokens, roles in lexicon._surface.items() if roles.region}
    return sorted(forms.values()), sorted(places.values())


def varied_report(names, sentences, seed):
    findings, places = names
    drawn = random.Random(seed)
    sides = ("left", "right", "")
    return " ".join(
        f"There is a {drawn.choice(sides)} {drawn.choice(findings)} in the {drawn.choice(places)}."
        for _ in range(sentences)
    )


def one_by_one(report):
    """Group mentions by comparing each with every mention of every group."""
    levels, lexicon, groups = Levels(report), report.lexicon, []

    def interprets(one, other):
        found = relation(one.finding, other.finding, lexicon)
        doubts = [f.polarity == "uncertain" for f in (one, other)]
        if found is None or found.kind == SAME or not found.vaguer:
            return found is not None and (found.kind == SAME or doubts[0] != doubts[1])
        cause, sign = doubts if found.vaguer > 0 else reversed(doubts)
        return found.kind != SIGN_OF or (cause and not sign)

    def about_the_same(one, other):
        together = one.sentence_start == other.sentence_start and interprets(one, other)
        return lexicon.related(one.finding, other.finding) or together

    def fits(one, other):
        together = one.sentence_start == other.sentence_start
        alternatives = together and one.polarity == other.polarity == "uncertain"
        if not (lexicon.related(one.finding, other.finding) or interprets(one, other) or alternatives):
            return False
        if not one_side(one.laterality, other.laterality):
            return False
        said = [more_than_implied(f, lexicon) for f in (one, other)]
        both_said = all(said) or (any(said) and lexicon.related("fracture", one.finding))
        if both_said and not lexicon.one_place(one.anatomy, other.anatomy):
            return False
        if apart(one.places, other.places):
            return False
        discs, more = levels.discs(one), levels.discs(other)
        return not discs or not more or bool(discs & more)

    stated = [f for f in report.stated if f.polarity != "absent" and f.finding not in listed("not_judged")]
    for finding in stated:
        fitting = (group for group in groups if all(fits(finding, f) for f in group))
        home = next((group for group in fitting if any(about_the_same(finding, f) for f in group)), None)
        if home is None:
            groups.append([finding])
        else:
            home.append(finding)
    return groups, stated


@pytest.mark.parametrize("seed", range(6))
def test_mentions_are_grouped_as_if_each_was_compared_with_all(seed):
    report = parse(long_report(60, seed))
    expected, mentions = one_by_one(report)
    assert group_mentions(mentions, Levels(report), report.lexicon) == expected


def likeness(a, b, lexicon, denied):
    concept = same_concept(a, b, lexicon)
    if concept == 0 or (denied and concept < LIKENESS[KIND_OF]):
        return 0.0
    place = 1.0 if same_place(a, b, lexicon) else 0.0
    side = 1.0 if one_side(a.laterality, b.laterality) else 0.3 if "bilateral" in (a.laterality, b.laterality) else 0.0
    close = concept == 1 or (concept >= LIKENESS[KIND_OF] and a.kind == "device")
    if place == 0 and side == 0:
        return 0.1 if close else 0.0
    told = (side == 1 and a.laterality and b.laterality) or (place == 1 and a.place_said and b.place_said)
    told = told or not (a.laterality or b.laterality or a.place_said or b.place_said)
    sizes = 0.1 if a.measurements and b.measurements and size_ratio(a, b) < 1.25 else 0.0
    if not sizes and not close and (place == 0 or side == 0):
        return 0.0
    if not sizes and concept <= LIKENESS[LOOKS_LIKE] and not told:
        return 0.0
    return concept + 0.5 * place + 0.5 * side + sizes + (0.1 if a.severity == b.severity else 0.0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("denied", [frozenset(), frozenset({"pneumonia", "opacity", "atelectasis"})])
def test_claims_are_matched_as_if_all_pairs_were_compared(seed, denied):
    report, other = parse(long_report(50, seed)), parse(long_report(50, seed + 100))
    theirs, ours, lexicon = read_claims(report), read_claims(other), report.lexicon
    matrix = np.array([[likeness(a, b, lexicon, a.finding in denied) for b in ours] for a in theirs])
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    expected = [(i, j) for i, j in zip(rows.tolist(), columns.tolist(), strict=True) if matrix[i, j] > 0]
    assert match(theirs, ours, lexicon, denied_here=denied) == expected


@pytest.mark.parametrize("seed", range(4))
def test_matching_in_blocks_reaches_the_same_total(seed, monkeypatch):
    report, other = parse(long_report(80, seed)), parse(long_report(80, seed + 100))
    theirs, ours, lexicon = read_claims(report), read_claims(other), report.lexicon
    whole = match(theirs, ours, lexicon)
    monkeypatch.setattr(claim_match, "_SMALL", 0)
    blocks = match(theirs, ours, lexicon)
    totals = [sum(likeness(theirs[i], ours[j], lexicon, False) for i, j in pairs) for pairs in (whole, blocks)]
    assert totals[0] == pytest.approx(totals[1])
    assert len({i for i, _ in blocks}) == len({j for _, j in blocks}) == len(blocks)


def test_near_names_are_those_with_a_relation():
    lexicon = load_lexicon(())
    names = [*sorted(lexicon.entries)[::7], "opacity", "pneumonia", "consolidation", "atelectasis"]
    near = near_names(names, lexicon)
    for one, other in itertools.product(names, repeat=2):
        assert (other in near[one]) == (relation(one, other, lexicon) is not None)


@pytest.mark.parametrize("work", [compare, analyse, correct])
def test_the_work_grows_with_the_length(work, varied_names):
    reports = [[parse(varied_report(varied_names, n, seed)) for seed in (1, 2)] for n in (20, 60, 240)]
    work(*reports[0])  # what is read once per process
    short, long = (calls_of(work, *pair) for pair in reports[1:])
    assert long < 7 * short  # 4 times the length; comparing everything takes 16 times the calls


@pytest.mark.parametrize("work", [compare, analyse, correct])
def test_the_work_grows_with_the_length_of_one_sentence(work):
    reports = [
        [parse(long_report(n, seed).replace(".", ",")) for seed in (1, 2)] for n in (10, 60, 240)
    ]  # fmt: skip
    work(*reports[0])
    short, long = (calls_of(work, *pair) for pair in reports[1:])
    assert long < 7 * short
