"""Findings that the lexicon does not list: what is read, what is not, and how much of reports is understood."""

from pathlib import Path

import pytest
from marked_reports import read_marked

from radeval_core.findings import coverage_of, parse
from radeval_core.findings.rows import report_row

HERE = Path(__file__).parent
STATED = [
    ("There is volar tilt of the metacarpal head.", "volar_tilt", "present", None),
    ("Myocardial bridging is noted.", "myocardial_bridging", "present", None),
    ("No arterial cutoff.", "arterial_cutoff", "absent", None),
    ("Coronary spasm is not seen.", "coronary_spasm", "absent", None),
    ("Tracheal beading is possible.", "tracheal_beading", "uncertain", None),
    ("Endobronchial narrowing on the left.", "endobronchial_narrowing", "present", "left"),
    ("On the right, there is popliteal entrapment.", "popliteal_entrapment", "present", "right"),
]


@pytest.mark.parametrize("text, name, polarity, side", STATED)
def test_a_noun_phrase_is_a_finding(text, name, polarity, side):
    found = [f for f in parse(text).open if f.kind != "normality"]
    assert [f.finding.endswith(name.rpartition("_")[2]) and f.polarity for f in found] == [polarity], found
    assert set(name.split("_")) <= set(found[0].finding.split("_"))
    assert (found[0].laterality, found[0].open) == (side, True)


def test_a_complement_moves_before_its_head():
    one, other = (parse(text).open for text in ("Dehiscence of the tegmen tympani.", "Tegmen tympani dehiscence."))
    assert one[0].finding == other[0].finding == "tegmen_tympani_dehiscence"


def test_size_degree_and_change_are_read():
    (found,) = parse("Mild 14 mm tibial exostotic outpouching, which has enlarged.").open
    assert (found.severity, found.measurements, found.change) == ("mild", (14.0,), "increased")


def test_a_predicate_makes_a_finding_of_a_place():
    (found,) = parse("The uncinate process is scalloped.").open
    assert found.finding == "scalloped_uncinate_process" and found.polarity == "present"


def test_an_unlisted_place_can_be_normal():
    (found,) = parse("The ossicular prosthesis bed is unremarkable.").open
    assert (found.finding, found.kind) == ("normal_ossicular_prosthesis_bed", "normality")


@pytest.mark.parametrize(
    "text",
    [
        "Recommend follow-up of the chordal rupture in six months.",
        "Please correlate with the history of myocardial bridging.",
        "The patient tolerated the delamination well.",
        "Biopsies were taken from the antral erosion.",
        "Images were obtained in the coronal plane.",
        "The examination is limited by motion.",
        "Consider surgical consultation.",
        "The mass is round.",
        "Severe glorbitis of the flumen.",
        "xqz flurb wibble.",
        "I cannot help with that request.",
        "Kein Hinweis auf Frakturspalt oder Erguss.",
    ],
)
def test_other_sentences_state_no_open_finding(text):
    assert parse(text).open == ()


def test_what_the_lexicon_lists_is_not_open():
    report = parse("Small left pleural effusion with atelectasis. The heart is enlarged. No pneumothorax.")
    assert report.open == () and report.findings


def test_rows_mark_open_findings():
    rows = report_row("1", parse("Left pleural effusion. Myocardial bridging."))["findings"]
    assert [(row["finding"], row["open"]) for row in rows] == [
        ("pleural_effusion", False),
        ("myocardial_bridging", True),
    ]


def _polarity(finding):
    return "normal" if finding.kind == "normality" else finding.polarity


def _fits(finding, mark):
    said = _polarity(finding)
    same = said == mark.polarity or (mark.polarity == "normal" and said == "absent")
    return finding.start < mark.end and mark.start < finding.end and same


def measure(name):
    """Return recall of the marked statements, precision of the open ones, and the share of understood words."""
    marks = found = opened = right = words = understood = 0
    for case in read_marked(HERE / name):
        report = parse(case.text)
        stated = [f for f in report.every if not f.implied]
        marks += len(case.marked)
        found += sum(any(_fits(f, mark) for f in stated) for mark in case.marked)
        opened += len(report.open)
        right += sum(any(_fits(f, mark) for mark in case.marked) for f in report.open)
        words += sum(s.words for s in report.sentences)
        understood += sum(s.understood_words for s in report.sentences)
    return found / marks, right / opened, understood / words


def test_the_blind_reports():
    """Without the open reading: recall 0.597, 0.563 of the words understood."""
    recall, precision, share = measure("open_reports_blind.yaml")
    assert recall > 0.78 and precision > 0.95 and share > 0.68


def test_the_reports_it_was_built_with():
    recall, precision, share = measure("open_reports_built.yaml")
    assert recall > 0.80 and precision > 0.95 and share > 0.70


def test_there_are_forty_reports_of_ten_modalities():
    reports = [r for name in ("open_reports_blind.yaml", "open_reports_built.yaml") for r in read_marked(HERE / name)]
    assert len(reports) == 40 and len({r.modality for r in reports}) == 10


def test_open_findings_make_a_report_understood_but_gibberish_stays_unread():
    assert coverage_of(parse("Myocardial bridging is noted.")).share == 1.0
    assert coverage_of(parse("Zorbic flumen is noted.")).share == 0.0
