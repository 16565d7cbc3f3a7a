"""Pre-filling by the embedded judges: what they propose, and that it is recorded everywhere."""

import pytest
from study_samples import answer, desk_of, make_study, save, write_pairs

from radeval_core.errors import InputError
from radeval_core.reading.cases import QUESTIONS, group_cases, read_rows
from radeval_core.reading.export import export_rows, finished_readings
from radeval_core.reading.prefill import propose


def cases_of(tmp_path, pairs=None):
    return group_cases(read_rows(write_pairs(tmp_path, *([pairs] if pairs else []))), QUESTIONS)


def test_judges_propose_counts_and_corrections(tmp_path):
    signature, proposals = propose(cases_of(tmp_path), QUESTIONS, progress=False)
    assert signature.startswith("green|") and "fineradscore|" in signature
    wrong_side = proposals["c0001"]["candidates"][0]
    assert wrong_side["errors"]["wrong_location"]["significant"] == 1
    assert wrong_side["corrections"][0]["line"] == 0
    assert wrong_side["rating"] is None and not proposals["c0001"]["done"]


def test_a_case_that_a_judge_cannot_read_has_no_proposal(tmp_path):
    pairs = [
        {"id": 1, "prediction": "Lorem ipsum dolor sit amet.", "reference": "Small left pleural effusion."},
        {"id": 2, "prediction": "Small right pleural effusion.", "reference": "Small left pleural effusion."},
    ]
    _, proposals = propose(cases_of(tmp_path, pairs), ("errors",), progress=False)
    assert list(proposals) == ["c0002"]


def test_nothing_to_propose_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing to pre-fill"):
        propose(cases_of(tmp_path), ("rating", "comment"))
    several = [{"id": 1, "prediction": "Clear lungs.", "reference": ["Clear lungs.", "No effusion."]}]
    with pytest.raises(InputError, match="several references"):
        propose(cases_of(tmp_path, several), ("errors",))


def test_proposals_are_shown_and_recorded(tmp_path):
    found = propose(cases_of(tmp_path), QUESTIONS, progress=False)
    study, _, _ = make_study(tmp_path, prefill=found)
    desk = desk_of(study, "anna")
    assert desk.overview()["prefilled"]
    position = desk.reader.order.cases.index("c0003") + 1
    shown = desk.case(position)
    assert shown["prefilled"] and shown["revision"] == 0
    assert shown["reading"] == study.proposals["c0003"]
    assert desk.overview()["states"] == ["new"] * 3, "a proposal is no reading"
    save(desk, "c0003", answer({"rating": 2}))
    assert not desk.case(position)["prefilled"]
    assert study.journal("anna").readable().latest["c0003"]["prefilled_by"] == found[0]
    export = export_rows(finished_readings(study))
    assert export.about["prefilled_by"] == export.rated[0]["prefilled_by"] == found[0]
    assert export.corrections[0]["prefilled_by"] == found[0]


def test_without_prefill_nothing_is_recorded(tmp_path):
    study, _, _ = make_study(tmp_path)
    save(desk_of(study, "anna"), "c0003", answer({"rating": 2}))
    assert "prefilled_by" not in study.journal("anna").readable().latest["c0003"]
    assert "prefilled_by" not in export_rows(finished_readings(study)).rated[0]
