"""The marks of a sheet: which words are wrong, which are right, where a missing finding belongs, how severe it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.findings.perturb import perturb
from radeval_core.patient_context import PatientContext
from radeval_core.ui.examples import EXAMPLES
from radeval_core.ui.sheet.corrected import corrected
from radeval_core.ui.sheet.from_reports import read_sheet
from radeval_core.ui.sheet.marks import SEVERITIES
from radeval_core.ui.sheet.rows import page_rows, place_edits
from radeval_core.ui.sheet.wrong_words import like, trimmed


def changes(reference, candidate):
    """Return (severity, wrong words, right words) of every place of every mark."""
    sheet = read_sheet(reference, candidate)
    return [(m.severity, candidate[e.start : e.end], e.right) for m in sheet.marks for e in m.edits]


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("Moderate right apical pneumothorax.", "Moderate left apical pneumothorax.", [(4, "left", "right")]),
        ("RLL consolidation.", "LLL consolidation.", [(3, "LLL", "RLL")]),
        ("Left basilar atelectasis.", "Bibasilar atelectasis.", [(1, "Bibasilar", "Left basilar")]),
        ("Severe cardiomegaly.", "Mild cardiomegaly.", [(2, "Mild", "Severe")]),
        ("Nodule of 8 mm in the right upper lobe.", "Nodule of 8 cm in the right upper lobe.", [(2, "8 cm", "8 mm")]),
        (
            "Opacity in the right upper lobe.",
            "Opacity in the right lower lobe.",
            [(1, "lower lobe", "upper lobe")],
        ),
        ("The heart is normal. Lungs are clear.", "The heart is normal. Lungs are clear.", []),
        (
            "No pleural effusion. The heart is normal in size.",
            "There is a pleural effusion. The heart is normal in size.",
            [(3, "There is a", "No")],
        ),
        (
            "Small left pleural effusion. The heart is normal in size.",
            "No left pleural effusion. The heart is normal in size.",
            [(3, "No", "Small")],
        ),
        (
            "Decreased right pleural effusion.",
            "Increased right pleural effusion.",
            [(2, "Increased", "Decreased")],
        ),
        (
            "ETT tip 4.5 cm above the carina.",
            "ETT tip is in the right main bronchus, 1.5 cm below the carina.",
            [(4, "is in the right main bronchus, 1.5 cm below", "4.5 cm above")],
        ),
    ],
)
def test_only_the_wrong_words_are_struck(reference, candidate, expected):
    assert changes(reference, candidate) == expected


def test_a_missing_finding_is_inserted_after_the_sentence_about_its_region():
    candidate = "The heart is normal in size. No pleural effusion. Old rib fractures."
    sheet = read_sheet("The heart is normal in size. Pericardial effusion. Old rib fractures.", candidate)
    (mark,) = sheet.marks
    (edit,) = mark.edits
    assert candidate[: edit.start] == "The heart is normal in size." and edit.right == "Pericardial effusion."


def test_a_missing_finding_of_another_region_is_inserted_at_the_end():
    candidate = "The heart is normal in size."
    ((edit,),) = [m.edits for m in read_sheet("The heart is normal in size. Ascites.", candidate).marks]
    assert (edit.start, edit.end, edit.right) == (len(candidate), len(candidate), "Ascites.")


def test_a_finding_denied_in_a_list_is_struck_there_and_stated_after_it():
    candidate = "No consolidation, effusion or pneumothorax. The heart is normal."
    found = changes("Small left effusion. The heart is normal.", candidate)
    assert found == [(3, "effusion", ""), (3, "", "Small left effusion.")]


def test_an_error_is_marked_in_the_impression_too():
    reference = "FINDINGS: Right pneumothorax.\nIMPRESSION: Right pneumothorax."
    (mark,) = read_sheet(reference, reference.replace("Right", "Left")).marks
    assert len(mark.edits) == 2 and {edit.right for edit in mark.edits} == {"Right"}


def test_marks_are_numbered_by_severity_and_vaguer_words_are_no_errors():
    reference = "Large right pneumothorax. Mild cardiomegaly. Small left pleural effusion."
    sheet = read_sheet(reference, "Large left pneumothorax. Severe cardiomegaly. Pleural effusion.")
    severities = [mark.severity for mark in sheet.marks]
    assert severities == sorted(severities, reverse=True) and severities[-1] == 0 and severities[0] == 4
    assert len(sheet.errors) == 2


def test_the_context_of_the_patient_changes_the_severity_and_says_why():
    reference = "Free air under the right hemidiaphragm. The heart is normal."
    acute, operated = (
        read_sheet(reference, "The heart is normal.", PatientContext(indication=words)).marks[0]
        for words in ("acute abdomen", "two days after laparotomy")
    )
    assert acute.severity > operated.severity == 1 and operated.note.startswith("in this patient: ")


def test_what_agrees_and_what_was_not_read_is_known():
    candidate = "Small left pleural effusion. Blorf zwick quarn."
    sheet = read_sheet("Small left pleural effusion. The heart is normal.", candidate)
    assert [candidate[a:b] for a, b in sheet.matched] == ["Small left pleural effusion"]
    assert [candidate[a:b] for a, b in sheet.unread] == ["Blorf zwick quarn."]


@pytest.mark.parametrize("candidate", ["Blorf zwick quarn.", "Der linke Lappen ist mit Erguss und ohne Luft."])
def test_a_report_that_cannot_be_read_has_no_marks_and_a_problem(candidate):
    sheet = read_sheet("Small left pleural effusion.", candidate)
    assert sheet.problem and not sheet.marks and not sheet.problem.startswith("not scored")


def test_an_empty_candidate_misses_everything():
    assert changes("Small left pleural effusion.", "") == [(3, "", "Small left pleural effusion.")]
    assert read_sheet("", "").marks == ()


def test_words_in_common_at_both_ends_are_kept():
    report = "There is a large left effusion today"
    edit = trimmed(report, 0, len(report), "There is a small left effusion today")
    assert (report[edit.start : edit.end], edit.right) == ("large", "small")
    assert trimmed("same words", 0, 10, "same words").right == ""


@pytest.mark.parametrize(
    ("written", "words", "expected"),
    [("Left", "right", "Right"), ("left", "Right", "right"), ("LARGE", "small", "SMALL"), ("atrium", "SVC", "SVC")],
)
def test_right_words_take_the_letter_case(written, words, expected):
    assert like(written, words) == expected


KINDS = ("negation", "side", "severity", "omission", "insertion", "paraphrase", "order", "finding", "region")


@given(st.sampled_from(EXAMPLES), st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5)), max_size=3))
@settings(max_examples=60, deadline=None)
def test_the_page_has_every_letter_of_the_report_once(example, steps):
    candidate = example.reference
    for kind, seed in steps:
        changed = perturb(candidate, kind, seed)
        candidate = changed.text if changed else candidate
    sheet = read_sheet(example.reference, candidate)
    assert all(mark.edits and mark.severity in SEVERITIES for mark in sheet.marks)
    placed = place_edits(sheet)
    assert all(0 <= p.edit.start <= p.edit.end <= len(candidate) for p in placed)
    rows = list(page_rows(sheet))
    shown = "".join(candidate[row.start : row.end] for row in rows)
    assert "".join(shown.split()) == "".join(candidate.split())
    assert sum(len(row.edits) for row in rows) == len(placed)
    assert {p.number for p in placed} == set(range(1, len(sheet.marks) + 1))


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.label for e in EXAMPLES])
def test_a_candidate_with_all_marks_applied_has_no_error(example):
    sheet = read_sheet(example.reference, example.candidate)
    fixed = corrected(example.candidate, sheet.marks)
    assert read_sheet(example.reference, fixed).errors == ()


def test_one_mark_is_corrected_alone_and_a_text_without_marks_stays():
    reference = "Large right pneumothorax. Mild cardiomegaly."
    candidate = "Large left pneumothorax.  Severe cardiomegaly."
    sheet = read_sheet(reference, candidate)
    assert corrected(candidate, sheet.marks[:1]) == "Large right pneumothorax. Severe cardiomegaly."
    assert corrected(candidate, []) == candidate
