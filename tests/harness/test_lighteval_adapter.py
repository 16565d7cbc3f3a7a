"""lighteval runs our metrics, single and in a group, with the numbers of `radeval score`."""

import json
import math
from types import SimpleNamespace

import pytest

from radeval_core.errors import InputError

SPANISH = "El corazón está aumentado de tamaño y hay derrame pleural."


@pytest.fixture
def without_network(monkeypatch):
    """Let lighteval load its tasks: for tinyBenchmarks it would fetch a file, and goes on if the server has none."""
    import requests

    monkeypatch.setattr(requests, "get", lambda *args, **kwargs: SimpleNamespace(status_code=404))


def doc_and_response(prediction, *references, **fields):
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    doc = Doc(query="", choices=list(references), gold_index=list(range(len(references))), id="case-1", **fields)
    return {
        "doc": doc,
        "model_response": ModelResponse(text=prediction if isinstance(prediction, list) else [prediction]),
    }


def test_lighteval_runs_the_task_of_the_example(without_network, examples, expected, tmp_path, monkeypatch):
    from lighteval.__main__ import app
    from typer.testing import CliRunner

    monkeypatch.chdir(tmp_path)  # lighteval makes a cache folder where it is started
    model, task = str(examples / "lighteval_model.py"), str(examples / "lighteval_task.py")
    options = ["--custom-tasks", task, "--output-dir", "out", "--save-details"]
    done = CliRunner().invoke(app, ["custom", "first-sentence", model, "radiology_impression|0", *options])
    assert done.exit_code == 0, done.output[-2000:]
    (results,) = tmp_path.glob("out/results/**/*.json")
    numbers = json.loads(results.read_text())["results"]["radiology_impression|0"]
    for name in ("radgraph_f1", "green", "green.error_count", "rouge"):
        assert numbers[name] == pytest.approx(expected[name]["score"], abs=1e-12)
    assert numbers["green_unscored"] == 0
    assert list(tmp_path.glob("out/details/**/*.parquet")), "the values of each doc are saved"


def test_a_group_keeps_unscored_docs_out_of_the_headline_and_counts_them(first_sentences, expected):
    from lighteval.metrics import apply_metric

    from radeval_core.adapters.lighteval import report_metrics

    group = report_metrics(["green", "bleu"])
    given = [doc_and_response(p, r) for p, r in [*first_sentences, (SPANISH, first_sentences[0][1])]]
    outputs = apply_metric([one["model_response"] for one in given], [one["doc"] for one in given], [group])
    assert math.isnan(outputs[-1]["green"]) and not math.isnan(outputs[-1]["bleu"])
    corpus = {name: fn([one[name] for one in outputs]) for name, fn in group.get_corpus_aggregations().items()}
    assert corpus["green"] == pytest.approx(expected["green"]["score"]) and corpus["green_unscored"] == 1
    assert group.higher_is_better == {"green": True, "bleu": True, "green_unscored": False, "bleu_unscored": False}


def test_the_headline_of_a_corpus_metric_is_that_of_the_corpus(first_sentences, expected):
    from radeval_core.adapters.lighteval import report_metric

    metric = report_metric("bleu")
    values = [metric.compute_sample(**doc_and_response(p, r))["bleu"] for p, r in first_sentences]
    headline = metric.get_corpus_aggregations()["bleu"](values)
    assert headline == pytest.approx(expected["bleu"]["score"]) and headline != pytest.approx(sum(values) / len(values))


def test_golds_are_alternatives_and_context_is_read():
    from radeval_core.adapters.lighteval import report_metric

    metric = report_metric("rouge")
    given = doc_and_response("Clear lungs.", "Large effusion.", "Clear lungs.")
    assert metric.compute_sample(**given)["rouge"] == 1.0
    crimson = report_metric("crimson")
    pair = ("Aortic calcification.", "No acute abnormality.")
    young, old = ({"context": {"age": age}} for age in (30, 85))
    values = [crimson.compute_sample(**doc_and_response(*pair, specific=s))["crimson"] for s in (young, old)]
    assert values[0] < values[1]


def test_what_lighteval_gives_that_cannot_be_scored_is_refused():
    from radeval_core.adapters.lighteval import report_metric, report_metrics

    with pytest.raises(InputError, match="doc 'case-1' has 2 generated texts"):
        report_metric("rouge").compute_sample(**doc_and_response(["a", "b"], "c"))
    with pytest.raises(InputError, match="green"):
        report_metric("green").compute_sample(**doc_and_response("a", "b", "c"))
    with pytest.raises(InputError, match="cider must see all references"):
        report_metrics(["rouge", "cider"])
