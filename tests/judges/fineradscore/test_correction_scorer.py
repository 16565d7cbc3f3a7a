"""From corrections to results: numbers, details, options, and the result if a model fails."""

import json
import math

import pytest

from radeval_core import load, score
from radeval_core.errors import InputError
from radeval_core.judges.backends import select
from radeval_core.judges.backends.base import Answer

REFERENCES = ["Small left pleural effusion. Nodule in the right upper lobe.", "Clear lungs.", "Emphysema."]
CANDIDATES = ["Small right pleural effusion.", "Clear lungs.", "Normal heart."]


def test_the_numbers_are_means_over_reports():
    result = load("fineradscore").compute(CANDIDATES, REFERENCES)
    # wrong side of an effusion 3 and missing nodule 2; nothing; missing emphysema 1
    assert result["scores"] == [5.0, 0.0, 1.0] and result["fineradscore"] == pytest.approx(6 / 3)
    assert result["max_scores"] == [3.0, 0.0, 1.0] and result["max"] == pytest.approx(4 / 3)
    assert result["corrections_scores"] == [2.0, 0.0, 1.0] and result["corrections"] == 1.0
    assert result["wrong_location"] == pytest.approx(1 / 3) and result["missing_finding"] == pytest.approx(2 / 3)
    assert result["urgent"] == pytest.approx(1 / 3) and result["actionable_nonurgent"] == pytest.approx(1 / 3)
    assert result["emergent"] == result["false_finding"] == 0.0 and result["unscored"] == 0


def test_details_contain_the_corrections_and_the_corrected_report():
    detail = load("fineradscore").compute(CANDIDATES, REFERENCES, detailed=True)["details"][0]
    assert detail["lines"] == ["Small right pleural effusion."]
    assert detail["corrected"] == "Small left pleural effusion. Nodule in the right upper lobe."
    assert detail["corrections"][0] == {
        "line": 0,
        "action": "rewrite",
        "before": "Small right pleural effusion.",
        "after": "Small left pleural effusion.",
        "severity": 3,
        "rating": "Urgent error",
        "category": ["Incorrect location/position of finding"],
        "comment": "Wrong place: left pleural effusion: right for left.",
    }


def test_model_options_are_rejected_without_a_model():
    with pytest.raises(InputError, match=r"option fineradscore\.dtype is for models: config 'embedded' runs none"):
        load("fineradscore", dtype="bf16").compute(["a"], ["b"])


class Model:
    """Deletes the first line; answers nonsense about a heart, and nothing if the report contains `fail`."""

    identity = "stub"
    fields = {"backend": "http", "model": "stub", "decoding": "greedy"}  # noqa: RUF012
    asked = 0

    def answers(self, requests):
        for i, request in enumerate(requests):
            Model.asked += 1
            question = request.messages[11].content
            if "fail" in question:
                yield i, Answer(None, "the server gave up")
            elif "heart" in question:
                yield i, Answer("Sorry.")
            else:
                entry = {
                    "corrections": "[delete]",
                    "clinical severity": "Invalid comparison",
                    "comments": "",
                    "error category": [],
                }
                yield i, Answer(json.dumps({"0": entry}))


@pytest.fixture
def model(monkeypatch):
    Model.asked = 0
    monkeypatch.setattr(select, "make_backend", lambda wanted, *engine, **options: Model())
    return load("fineradscore", "http:stub", progress=False)


def test_with_a_model_every_pair_has_a_score_or_a_reason(model):
    predictions = ["Stable lungs. Clear.", "Normal heart.", "fail", "Stable lungs. Clear."]
    result = model.compute(predictions, ["Clear."] * 4, detailed=True)
    assert result["scores"][0] == result["scores"][3] == result["fineradscore"] == 1.0
    assert math.isnan(result["scores"][1]) and math.isnan(result["max_scores"][2]) and result["unscored"] == 2
    first, nonsense, failed, _ = result["details"]
    assert first["corrected"] == "Clear." and first["corrections"][0]["rating"] == "Invalid comparison"
    assert nonsense["corrections"] is None and nonsense["tries"] == 5 and "no valid JSON" in nonsense["reason"]
    assert failed["reason"] == "the server gave up"
    assert Model.asked == 1 + 5 + 1


def test_an_empty_report_is_judged_by_the_model_and_never_below_an_emergent_error(model):
    result = model.compute(["Stable lungs. Clear.", "", "Clear."], ["", "", "Clear."], detailed=True)
    assert result["scores"] == [4.0, 0.0, 1.0] and result["max_scores"] == [4.0, 0.0, 1.0]
    assert [len(detail["corrections"]) for detail in result["details"]] == [1, 0, 1]
    assert Model.asked == 2  # the model is not asked about two empty reports


def test_an_unreadable_answer_about_an_empty_report_leaves_it_unscored(model):
    result = model.compute([""], ["Normal heart."], detailed=True)
    assert result["unscored"] == 1 and "no valid JSON" in result["details"][0]["reason"]


def test_the_signature_names_model_and_instructions(model):
    signature = model.compute(["Clear."], ["Stable."])["signature"]
    assert signature.startswith(
        "fineradscore|config:custom|backend:http|model:stub|decoding:greedy|prompt:fineradscore-few-shot-1@"
    )


def test_unscored_rows_are_null(model, monkeypatch):
    rows = list(score([("Normal heart.", "Clear.")], ["fineradscore"], {"fineradscore": "http:stub"}).rows())
    assert rows[0]["scores"] == {"fineradscore": None, "fineradscore.max": None, "fineradscore.corrections": None}
