"""The DSPy metric: scores from 0 to 1 for evaluation, and our errors as feedback for GEPA."""

import pytest

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.registry import get_spec
from radeval_core.score_scale import goodness

PREDICTION, REFERENCE = "Small right pleural effusion.", "Small left pleural effusion."
SPANISH = "El corazón está aumentado de tamaño y hay derrame pleural."


@pytest.fixture
def dspy():
    import dspy

    return dspy


def pair(dspy, prediction=PREDICTION, **fields):
    return dspy.Example(report=REFERENCE, **fields).with_inputs(), dspy.Prediction(report=prediction)


def test_gepa_improves_a_prompt_with_our_errors_as_feedback(run_example):
    before, after, asked = run_example("dspy_example.py")["main"]()
    assert before < 20 and after == pytest.approx(100)
    assert any("Clinically significant missing finding: " in text for text in asked), "the model read our errors"


@pytest.mark.parametrize("name", ["green", "radgraph_f1", "fineradscore", "crimson"])
def test_the_score_is_on_the_common_scale(dspy, name):
    from radeval_core.adapters.dspy import report_metric

    value = load(name, progress=False).compute([PREDICTION], [REFERENCE])[name]
    metric = report_metric(name)
    assert metric(*pair(dspy)) == pytest.approx(goodness(get_spec(name), value))
    assert metric(*pair(dspy, REFERENCE)) == pytest.approx(1.0)


def test_feedback_is_given_where_gepa_asks_for_it(dspy):
    from radeval_core.adapters.dspy import report_metric

    expected = "Clinically significant wrong location: left pleural effusion: right for left."
    for metric in (report_metric("green"), report_metric("rouge"), report_metric("rouge", errors_from="chexprompt")):
        found = metric(*pair(dspy), None, "writer", None)
        assert found.feedback == expected and found.score == metric(*pair(dspy))
    corrections = report_metric("fineradscore")(*pair(dspy), None, "writer", None).feedback
    assert "left pleural effusion: right for left" in corrections
    assert report_metric("rouge", errors_from="bleu")(*pair(dspy), None, "writer", None).feedback == "rouge: 0.750"


def test_an_unscored_pair_is_no_number(dspy):
    from radeval_core.adapters.dspy import UnscoredError, report_metric

    metric = report_metric("green")
    with pytest.raises(UnscoredError, match="reads like Spanish") as raised:
        metric(*pair(dspy, SPANISH))
    assert SPANISH not in str(raised.value)
    with pytest.raises(UnscoredError, match="reads like Spanish"):
        metric(*pair(dspy, SPANISH), None, "writer", None)


def test_the_user_may_state_a_number_for_unscored_pairs(dspy):
    from radeval_core.adapters.dspy import report_metric

    metric = report_metric("green", unscored=-1.0)
    assert metric(*pair(dspy, SPANISH)) == -1.0
    found = metric(*pair(dspy, SPANISH), None, "writer", None)
    assert found.score == -1.0 and "reads like Spanish" in found.feedback
    assert metric(*pair(dspy, REFERENCE)) == 1.0


def test_gepa_learns_from_unscored_pairs_and_logs_no_report(dspy, run_example, caplog):
    """The template of the example in a language that the parser does not read."""
    from radeval_core.adapters.dspy import report_metric

    names = run_example("dspy_example.py")["main"].__globals__
    names["TEMPLATE"] = SPANISH
    names["report_metric"] = lambda *args, **options: report_metric(*args, **options, unscored=0.0)
    caplog.set_level("ERROR")
    before, after, asked = names["main"]()
    assert before == 0 and after == pytest.approx(100) and any("reads like Spanish" in text for text in asked)
    assert not caplog.records


def test_evaluate_uses_the_failure_score_that_the_user_states(dspy):
    from dspy.utils import DummyLM

    from radeval_core.adapters.dspy import report_metric

    answers = [{"report": REFERENCE}, {"report": SPANISH}]
    dspy.configure(lm=DummyLM(answers))
    cases = [dspy.Example(findings=f"case {i}", report=REFERENCE).with_inputs("findings") for i in range(2)]
    evaluate = dspy.Evaluate(
        devset=cases, metric=report_metric("green"), num_threads=1, display_progress=False, failure_score=0.5
    )
    assert evaluate(dspy.Predict("findings -> report")).score == 75.0


def test_context_reaches_the_metric(dspy):
    from radeval_core.adapters.dspy import report_metric

    metric = report_metric("crimson", context="patient")
    young, old = (
        metric(
            dspy.Example(report="No acute abnormality.", patient={"age": age}),
            dspy.Prediction(report="Aortic calcification."),
        )
        for age in (30, 85)
    )
    assert young < old


def test_wrong_names_are_refused(dspy):
    from radeval_core.adapters.dspy import report_metric

    with pytest.raises(InputError, match=r"'green\.error_count' is a part"):
        report_metric("green.error_count")
    with pytest.raises(InputError, match=r"the prediction has no field 'text'; fields: report"):
        report_metric(prediction="text")(*pair(dspy))
    with pytest.raises(InputError, match="the example has no field 'patient'"):
        report_metric(context="patient")(*pair(dspy))
