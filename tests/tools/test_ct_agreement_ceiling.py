"""The limits of the agreement of the judges with hand labels of chest CT reports."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

_LABELS = ("Pericardial effusion", "Hiatal hernia", "Atelectasis")
REPORTS = {
    "a": ("Emphysema in both lungs. Hiatal hernia.", ("Emphysema", "Hiatal hernia")),
    "b": ("Emphysema in both lungs. Scoliosis.", ("Emphysema",)),
    "c": ("Pericardial effusion. Hiatal hernia. Atelectasis.", _LABELS),
    "d": ("The lungs are clear.", ()),
}


@pytest.fixture(scope="module", autouse=True)
def tool():
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
    import ct_agreement_ceiling

    return ct_agreement_ceiling


@pytest.fixture
def labelled(tool, tmp_path):
    path = tmp_path / "reports.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["AccessionNo", "report_text", *tool.ctrate_names()])
        for name, (text, labels) in REPORTS.items():
            writer.writerow([name, text, *(int(label in labels) for label in tool.ctrate_names())])
    return path


def test_the_formulas_on_labels_by_hand(tool):
    reference, candidate = np.array([[True, True, False]]), np.array([[True, False, True]])
    values = tool.of_labels(reference, candidate, [1.0, 0.3, 0.1])
    assert {name: value[0] for name, value in values.items()} == pytest.approx(
        {
            "number of differing labels": -2,
            "green": 1 / 3,
            "green.weighted, equal weights": 1.5 / 3.5 / (1 + 2 / 8),
            "green.weighted, clinical weights": 1.5 / 1.9 / (1 + 2 / 8),
            "crimson, equal weights": 0.0,  # one right, one false
        }
    )


def test_every_report_is_paired_with_the_most_similar_one_and_another(tool):
    pairs = tool.make_pairs([text for text, _ in REPORTS.values()])
    assert pairs[:6:2] == [(0, 1), (1, 0), (2, 0)]
    assert pairs[1::2] == [(0, 1), (1, 0), (2, 3), (3, 2)]  # (7919 i + 13) modulo 4


def test_findings_of_no_label_are_counted_apart(tool, labelled):
    data = tool.read(labelled)
    by_hand, as_read, _ = tool.measure(data, [(0, 1), (0, 2)])
    assert by_hand["number of differing labels"].tolist() == [-1, -3]
    assert by_hand["number of differing labels and other findings"].tolist() == [-2, -3]  # scoliosis
    assert as_read["number of differing labels"].tolist() == [-1, -3]
    assert as_read["green.error_count, all findings"].tolist() == [-2, -3]


def test_further_places_of_a_shared_finding_are_one_error(tool):
    reference = tool.parse("Nodules in the right upper lobe, left upper lobe and left lower lobe. Hiatal hernia.")
    other = (
        "Nodule in the right upper lobe. Nodule in the left upper lobe. Nodule in the left lower lobe. Hiatal hernia."
    )
    comparison = tool.compare(tool.parse(other), tool.parse("Nodule in the right upper lobe."))
    assert len(comparison.differences) == 3
    assert tool._errors_by_finding(comparison) == 2
    assert tool._errors_by_finding(tool.compare(reference, reference)) == 0


def test_it_prints_all_tables(tool, labelled, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ct_agreement_ceiling", str(labelled)])
    tool.main()
    said = capsys.readouterr().out
    assert "8 pairs" in said
    assert "with the hand labels as findings" in said
    assert "as read by the parser" in said
    assert "green.weighted, 0.5 (as shipped)" in said


@pytest.mark.parametrize(
    ("content", "message"),
    [("AccessionNo,report_text\n", "at least two reports"), ("a,b\n1,2\n3,4\n", "no column 'AccessionNo'")],
)
def test_a_wrong_file_is_named_in_one_line(tool, tmp_path, monkeypatch, capsys, content, message):
    path = tmp_path / "wrong.csv"
    path.write_text(content)
    monkeypatch.setattr(sys, "argv", ["ct_agreement_ceiling", str(path)])
    with pytest.raises(SystemExit) as stopped:
        tool.main()
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_is_named(tool, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ct_agreement_ceiling", str(tmp_path / "none.csv")])
    with pytest.raises(SystemExit):
        tool.main()
    assert "cannot read" in capsys.readouterr().err
