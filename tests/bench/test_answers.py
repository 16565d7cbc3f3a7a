"""Answers of a judge against the answers in the data, with invented answers."""

import pytest
from bench_fixtures import rated, result, rows_of

from radeval_core.bench.answers import answer_section, answers_beside_measured
from radeval_core.bench.expert_data import rated_pairs
from radeval_core.stats.agreement import study_resamples

EXPERT = {"errors": 1, "significant_errors": 1}
SAME, OTHER = "One finding is missing: small effusion.", "Nothing matches here at all."


def data(answers, provenance=None):
    rows = [{**rated(i, EXPERT), **({"answer": text} if text else {})} for i, text in enumerate(answers)]
    return rated_pairs(rows_of(*rows), "d", provenance)


def section(details, answers):
    found = data(answers)
    return answer_section(
        {"green": result("green", [1, 0], details=details)}, found, study_resamples([0, 1]), [], {}, {}
    )


def test_similarity_by_hand():
    found = section([{"answer": SAME}, {"answer": OTHER}], [SAME, SAME])
    assert set(found) == {"rouge.rougeL", "bleu"}
    assert found["rouge.rougeL"]["value"] == pytest.approx(0.5) and found["rouge.rougeL"]["std"] == pytest.approx(0.5)
    assert found["bleu"]["n"] == 2


def test_pairs_without_an_answer_are_left_out():
    found = section([{"answer": SAME}, {"reason": "no answer"}], [SAME, SAME])
    assert found["rouge.rougeL"]["value"] == 1 and found["rouge.rougeL"]["n"] == 1


def test_the_embedded_judge_and_data_without_answers_have_no_section():
    assert section([{"explanation": "x"}, {"explanation": "x"}], [SAME, SAME]) is None
    assert section([{"answer": SAME}, {"answer": SAME}], [SAME, None]) is None


def test_published_similarities_stand_beside_the_same_model():
    provenance = {"dataset": "green_pairs", "config": "pairs", "split": "test"}
    scored = result("green", [1, 0])
    scored.signature = "green|config:radphi2|x"
    found = {"rouge.rougeL": {"value": 0.7, "ci95": None, "n": 2}}
    rows = {(r["label"], r["measure"]): r for r in answers_beside_measured(found, {"green": scored}, provenance)}
    ours = rows["GREEN (RadPhi-2)", "rouge.rougeL"]
    assert ours["value"] == 0.76 and ours["measured"]["value"] == 0.7 and ours["comparable"]
    assert rows["GREEN (Phi-2)", "rouge.rougeL"]["comparable"] is False
    assert rows["GREEN trained on CXR, on abdominal CT", "rouge.rougeL"]["why_not"].startswith("other pairs")
    assert rows["GREEN (RadPhi-2)", "bleu"]["measured"] is None
