"""The metric `crimson` with a model (a stub that gives the answers a test chooses) and embedded."""

import json
import math

import numpy as np
import pytest

from radeval_core import load, score
from radeval_core.errors import InputError
from radeval_core.judges.backends import select
from radeval_core.judges.backends.base import Answer

EVALUATION = {
    "reference_findings": [{"id": "R1", "finding": "effusion", "clinical_significance": "urgent"}],
    "predicted_findings": [],
    "matched_findings": [],
    "errors": {"false_findings": [], "missing_findings": ["R1"], "attribute_errors": []},
}


class StubBackend:
    """Answers with `rule(question)`, and records the questions."""

    identity = "stub"
    fields = {"backend": "stub", "model": "none@00000000"}  # noqa: RUF012

    def __init__(self, rule):
        self.rule = rule
        self.asked = []

    def answers(self, requests):
        for i, request in enumerate(requests):
            self.asked.append(request.messages[1].content)
            yield i, Answer(self.rule(self.asked[-1]))


@pytest.fixture
def stub(monkeypatch):
    def stub(rule):
        backend = StubBackend(rule)
        monkeypatch.setattr(select, "make_backend", lambda *_, **__: backend)
        return backend

    return stub


def test_a_model_judges_each_pair_and_patient_once(stub):
    backend = stub(lambda _: json.dumps(EVALUATION))
    reports = (["Clear lungs."] * 4, ["Effusion."] * 4)
    result = load("crimson", "http:m").compute(*reports, contexts=[{"age": 3}, {"age": 3}, {"age": 80}, None])
    assert len(backend.asked) == 3
    assert sum("age: 3\n" in text for text in backend.asked) == 1
    assert result["scores"] == [0.0] * 4 and result["missing_weight"] == 1.0
    assert "|prompt:crimson-guidelines-1@" in result["signature"] and "|context:some|" in result["signature"]


def test_an_unreadable_answer_is_unscored_after_three_questions(stub):
    backend = stub(lambda text: "no" if "Nodule" in text else json.dumps(EVALUATION))
    result = load("crimson", "http:m").compute(["Clear."] * 2, ["Effusion.", "Nodule."], detailed=True)
    assert result["scores"][0] == 0.0 and math.isnan(result["scores"][1])
    assert result["unscored"] == 1 and len(backend.asked) == 4
    assert "no JSON object" in result["details"][1]["reason"] and result["details"][1]["answer"] == "no"


def test_an_evaluation_that_cannot_be_scored_is_unscored(stub):
    stub(lambda _: json.dumps({**EVALUATION, "matched_findings": [{"pred_id": "P1"}]}))
    result = load("crimson", "http:m").compute(["Clear."], ["Effusion."], detailed=True)
    assert math.isnan(result["crimson"]) and "has no 'ref_id'" in result["details"][0]["reason"]


def test_a_model_is_not_asked_about_an_empty_report(stub):
    backend = stub(lambda _: json.dumps(EVALUATION))
    result = load("crimson", "http:m").compute(["", "Clear.", " "], ["Effusion.", "", "\n"])
    assert result["scores"] == [0.0, 0.0, 1.0] and not backend.asked


@pytest.mark.parametrize("name", ["instructions", "examples", "shots", "dtype"])
def test_options_of_models_are_refused_without_one(name):
    value = 1 if name == "shots" else "fp32" if name == "dtype" else "none"
    with pytest.raises(InputError, match=rf"option crimson\.{name} is for models"):
        load("crimson", **{name: value}).compute(["Clear lungs."], ["Effusion."])


def test_the_sums_of_the_details_give_the_score():
    result = load("crimson").compute(
        ["Small right effusion. Large left pneumothorax.", "Cardiomegaly."],
        ["Small left effusion. 8 mm nodule in the right upper lobe.", "Moderate cardiomegaly."],
        detailed=True,
    )
    for number, detail in zip(result["scores"], result["details"], strict=True):
        sums = detail["sums"]
        weights = {f["id"]: f["weight"] for f in (*detail["reference_findings"], *detail["prediction_findings"])}
        assert sums["total"] == sum(f["weight"] for f in detail["reference_findings"])
        assert sums["correct"] == pytest.approx(sum(f["credit"] for f in detail["reference_findings"]))
        assert sums["false"] == sum(weights[name] for name in detail["false_findings"])
        assert sums["missing"] == sum(weights[name] for name in detail["missing_findings"])
        x = sums["false"] - sums["correct"]
        expected = -x / (1 + x) if x > 0 else -x / sums["total"]
        assert number == sums["score"] == pytest.approx(expected, abs=5e-5)


def test_a_report_in_another_language_is_unscored_with_that_reason():
    found = load("crimson").compute(["Unauffälliger Befund, kein Erguss."], ["Clear lungs."], detailed=True)
    assert math.isnan(found["scores"][0])
    assert "German" in found["details"][0]["reason"]


def test_intervals_and_parts():
    pairs = [("Clear lungs.", "Large pneumothorax."), ("Large pneumothorax.", "Large pneumothorax.")] * 4
    found = score([{"prediction": p, "reference": r} for p, r in pairs], ["crimson"])
    result = found.results["crimson"]
    low, high = result.ci95()
    assert result.score == 0.5 and low < 0.5 < high
    assert np.array_equal(result.values["missing_weight"], [1.0, 0.0] * 4)
