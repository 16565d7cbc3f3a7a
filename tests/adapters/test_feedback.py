"""The errors of a pair in sentences, from the details of every metric that lists errors."""

import pytest

from radeval_core import load
from radeval_core.adapters.feedback import error_texts, feedback, lists_errors

PREDICTION = "Small right pleural effusion. No pneumothorax. The heart is enlarged."
REFERENCE = "Small left pleural effusion. Left lower lobe pneumonia. No pneumothorax."
EXPECTED = {
    "green": [
        "Clinically significant false finding: cardiomegaly is not in the reference.",
        "Clinically significant missing finding: left pneumonia is not mentioned.",
        "Clinically significant wrong location: left pleural effusion: right for left.",
    ],
    "crimson": [
        "Missing finding (actionable not urgent): left pneumonia.",
        "False finding (actionable not urgent): cardiomegaly.",
        "Wrong location (significant): left pleural effusion: right for left.",
    ],
    "radfact": [
        "Not supported by the reference: mild right pleural effusion (differs in side).",
        "Not supported by the reference: cardiomegaly (not mentioned).",
        "Missing in the prediction: mild left pleural effusion (differs in side).",
        "Missing in the prediction: left pneumonia (lower lobe) (not mentioned).",
    ],
}


def details(metric, prediction=PREDICTION, reference=REFERENCE):
    return load(metric, progress=False).compute([prediction], [reference], detailed=True)["details"][0]


@pytest.mark.parametrize("metric", EXPECTED)
def test_errors_are_listed_in_words(metric):
    assert error_texts(details(metric)) == EXPECTED[metric]


def test_chexprompt_lists_the_errors_of_green():
    assert sorted(error_texts(details("chexprompt"))) == sorted(EXPECTED["green"])


def test_corrections_are_listed_with_their_rating():
    errors = error_texts(details("fineradscore"))
    assert len(errors) == 3
    assert "Actionable nonurgent error: The reference does not mention cardiomegaly." in errors


def test_errors_that_a_model_counts_without_listing_them_are_counted():
    counted = {"significant": {"missing_finding": {"count": 2, "entries": []}}, "insignificant": {}, "reason": ""}
    assert feedback(counted) == "Clinically significant missing finding: 2."


def test_a_report_without_errors_says_so_and_an_unscored_one_why():
    assert feedback(details("green", REFERENCE)) == "No error was found."
    assert feedback(details("radfact", REFERENCE)) == "No error was found."
    assert feedback(details("green", "El corazón está aumentado.")).startswith("not scored: the prediction reads like")


@pytest.mark.parametrize("metric", ["bleu", "rouge", "radgraph_f1", "chexbert_f1", "ffl_rq"])
def test_other_metrics_list_no_errors(metric):
    assert not lists_errors(details(metric)) and feedback(details(metric)) == ""
