"""lm-evaluation-harness loads the YAML task of the example and gives the numbers of `radeval score`."""

import math

import pytest

from radeval_core.errors import InputError


def evaluate(examples, answer):
    """Run the task of the example with a model that answers with a function of the findings."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Scripted(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [answer(request.args[0].split("Findings: ")[1].split("\n")[0]) for request in requests]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    tasks = TaskManager(include_path=str(examples / "lm_eval"), include_defaults=False)
    return simple_evaluate(model=Scripted(), tasks=["radiology_impression"], task_manager=tasks, bootstrap_iters=0)


def first_sentence(findings):
    return findings.split(". ")[0] + "."


@pytest.fixture(autouse=True)
def _at_the_root(root, monkeypatch):
    monkeypatch.chdir(root)  # the task names its data from there


def test_the_task_of_the_example_gives_our_numbers(examples, expected):
    found = evaluate(examples, first_sentence)
    numbers = found["results"]["radiology_impression"]
    for name in ("radgraph_f1", "green", "green.error_count"):
        assert numbers[f"{name},none"] == pytest.approx(expected[name]["score"], abs=1e-12)
    assert numbers["radgraph_f1_unscored,none"] == 0
    assert found["higher_is_better"]["radiology_impression"]["green.error_count"] is False
    assert [type(sample["green"]) is not str for sample in found["samples"]["radiology_impression"]] == [True] * 6


def test_unscored_docs_are_left_out_and_counted(examples, first_sentences):
    from radeval_core import score

    def answer(findings):
        return "El corazón está aumentado de tamaño." if findings.startswith("The lungs") else first_sentence(findings)

    numbers = evaluate(examples, answer)["results"]["radiology_impression"]
    scored = [pair for pair in first_sentences if not pair[0].startswith("The lungs")]
    assert numbers["radgraph_f1_unscored,none"] == 1
    assert numbers["radgraph_f1,none"] == pytest.approx(score(scored, ["radgraph_f1"]).table()["radgraph_f1"]["score"])


def test_no_scored_doc_gives_no_number(examples):
    numbers = evaluate(examples, lambda findings: "¿Dónde está la biblioteca?")["results"]["radiology_impression"]
    assert math.isnan(numbers["green,none"]) and numbers["radgraph_f1_unscored,none"] == 6


def test_wrong_columns_and_several_texts_are_refused():
    from radeval_core.adapters.lm_eval import ReportTask

    task = ReportTask("rouge", reference="report")
    with pytest.raises(InputError, match="the dataset has no column 'report'; columns: id, text"):
        task.process_results({"id": 1, "text": "x"}, ["y"])
    with pytest.raises(InputError, match="2 generated texts for a doc"):
        task.process_results({"report": "x"}, ["y", "z"])
    assert task.process_results({"report": ["a b", "Clear lungs."]}, [["Clear lungs."]])["rouge"] == 1.0
    with pytest.raises(InputError, match="unknown name among the metrics 'bleu'"):
        task.aggregation("bleu")
