"""Corrections from the comparison of two parsed reports: hand-written pairs, then properties of all of them."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.corrections.apply import apply_corrections
from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import CATEGORY_TITLES
from radeval_core.findings.compare import compare
from radeval_core.findings.parser import parse
from radeval_core.judges.fineradscore.embedded import correct

SHORT = dict(
    zip(
        CATEGORY_TITLES,
        ("invented", "missing", "location", "severity", "false comparison", "omitted comparison"),
        strict=True,
    )
)
GROUPS = yaml.safe_load(Path(__file__).with_name("embedded_cases.yaml").read_text("utf-8"))
CASES = [pytest.param(case, id=f"{group}-{i}") for group, cases in GROUPS.items() for i, case in enumerate(cases)]
every_case = pytest.mark.parametrize("case", CASES)


def corrections_of(reference, candidate):
    return correct(parse(reference), parse(candidate)).corrections


def score(reference, candidate):
    return sum(c.severity for c in corrections_of(reference, candidate))


@every_case
def test_pair(case):
    got = corrections_of(case["reference"], case["candidate"])
    described = [[c.line, c.action, " + ".join(SHORT[name] for name in c.category)] for c in got]
    assert described == [[line, action, category] for line, action, _, category in case["corrections"]]
    for c, (_, _, severity, _) in zip(got, case["corrections"], strict=True):
        low, _, high = str(severity).partition("-")
        assert int(low) <= c.severity <= int(high or low)


def test_there_are_enough_cases_of_every_kind():
    assert len(CASES) >= 40 and len(GROUPS) >= 13


@every_case
def test_after_the_corrections_nothing_is_left_to_correct(case):
    reference, candidate = parse(case["reference"]), parse(case["candidate"])
    corrected = apply_corrections(candidate.text, correct(reference, candidate).corrections)
    assert [d.about for d in compare(reference, parse(corrected)).differences] == []


@every_case
def test_quoted_lines_are_lines_of_the_candidate(case):
    lines = split_lines(case["candidate"])
    for c in corrections_of(case["reference"], case["candidate"]):
        assert c.before == ("" if c.line is None else lines[c.line].text)
        assert (c.after == "") == (c.action == "delete")
        assert c.comment.endswith(".") and c.category


@every_case
def test_letter_case_does_not_matter(case):
    reference, candidate = case["reference"], case["candidate"]
    assert score(reference.upper(), candidate) == score(reference, candidate.lower()) == score(reference, candidate)


@every_case
@given(seed=st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_order_of_sentences_does_not_matter(case, seed):
    def shuffled(report):
        sentences = [line.text for line in split_lines(report)]
        seed.shuffle(sentences)
        return " ".join(sentences)

    assert score(shuffled(case["reference"]), shuffled(case["candidate"])) == score(
        case["reference"], case["candidate"]
    )


@every_case
def test_identical_reports_need_no_correction(case):
    assert score(case["reference"], case["reference"]) == score(case["candidate"], case["candidate"]) == 0


STATEMENTS = [case[side] for cases in GROUPS.values() for case in cases for side in ("reference", "candidate")]
SENTENCES = sorted({line.text for report in STATEMENTS for line in split_lines(report)})
reports = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)


@given(reference=reports, candidate=reports)
@settings(max_examples=150, derandomize=True)
def test_after_the_corrections_almost_no_error_is_left(reference, candidate):
    before, theirs = parse(candidate), parse(reference)
    corrected = apply_corrections(candidate, correct(theirs, before).corrections)
    wrong = sum(d.weight for d in compare(theirs, before).differences)
    left = sum(d.weight for d in compare(theirs, parse(corrected)).differences)
    assert left <= 0.1 * wrong or left < 0.5


# --- empty reports


def test_an_empty_candidate_is_an_emergent_error_and_all_findings_are_inserted():
    normal = corrections_of("The heart is normal. Clear lungs.", " ")
    assert [(c.action, c.severity, c.after) for c in normal] == [("insert", 4, "The heart is normal. Clear lungs.")]
    found = corrections_of("Emphysema. Small left pleural effusion.", "")
    assert [(c.after, c.severity) for c in found] == [("Emphysema.", 1), ("Small left pleural effusion.", 4)]


def test_a_candidate_without_findings_scores_like_an_empty_one():
    assert score("The heart is normal.", "Thank you for this referral.") == score("The heart is normal.", "") == 4


def test_without_a_reference_every_claim_is_false():
    got = corrections_of("", "Emphysema. Clear left lung. Left rib fracture.")
    assert [(c.line, c.action, c.severity) for c in got] == [(0, "delete", 1), (2, "delete", 4)]
    assert score("", "The heart is normal. Clear lungs.") == 4


def test_two_empty_reports_agree():
    assert corrections_of("", " \n") == ()


# --- wording


def test_a_finding_of_a_long_sentence_is_inserted_alone():
    (one,) = corrections_of("Left pleural effusion, cardiomegaly and a 9 mm nodule in the right upper lobe.",
                            "Cardiomegaly. Left pleural effusion.")  # fmt: skip
    assert one.after == "Nodule in the right upper lobe measuring 9 mm."


def test_the_right_part_of_a_line_stays():
    (one,) = corrections_of("Cardiomegaly. No effusion.", "Cardiomegaly and pneumonia without pneumothorax.")
    assert (one.action, one.after) == ("rewrite", "Cardiomegaly. No pneumothorax.")


def test_an_error_in_two_lines_counts_fully_only_once():
    got = corrections_of(
        "Clear lungs.", "Right lower lobe pneumonia. Normal heart. Impression: right lower lobe pneumonia."
    )
    assert sorted((c.severity, c.line) for c in got) == [(1, 0), (3, 2)]  # fully in the longest line


def test_a_rewritten_impression_uses_the_impression_of_the_reference():
    reference = "FINDINGS: Nodule in the right lung measures 8 mm (image 5). IMPRESSION: 8 mm nodule of the right lung."
    candidate = reference.replace("mm", "cm")
    assert apply_corrections(candidate, corrections_of(reference, candidate)) == reference


def test_a_line_that_refers_to_a_wrong_line_stays():
    got = corrections_of("Opacity in the right lower lobe. This may represent pneumonia.",
                         "Opacity in the left lower lobe. This may represent pneumonia.")  # fmt: skip
    assert [(c.line, c.after) for c in got] == [(0, "Opacity in the right lower lobe.")]


def test_the_position_of_a_repeated_error_does_not_matter():
    lines = ["A large mass in the right lung with pneumonia.", "The mass is round.", "Normal heart."]
    assert {score("Clear lungs.", " ".join(order)) for order in (lines, lines[::-1])} == {4}


def test_the_heading_of_a_changed_line_stays():
    reference, candidate = "Normal heart. Clear lungs.", "COMPARISON: None. FINDINGS: Pneumonia. Large heart."
    corrected = apply_corrections(candidate, corrections_of(reference, candidate))
    assert corrected == "COMPARISON: None. FINDINGS:"


def test_a_corrected_report_denies_nothing_in_its_impression_that_it_states_in_its_findings():
    reference = "FINDINGS: Large left pneumothorax. IMPRESSION: Left pneumothorax."
    candidate = "FINDINGS: No pneumothorax is seen. IMPRESSION: No pneumothorax."
    corrected = apply_corrections(candidate, corrections_of(reference, candidate))
    assert corrected == "FINDINGS: Large left pneumothorax. IMPRESSION: Large left pneumothorax."
