"""inspect_ai runs our scorers, with the numbers of `radeval score`; unscored samples are counted and left out."""

import math
import threading

import pytest

from radeval_core import score
from radeval_core.errors import InputError

SPANISH = "El corazón está aumentado de tamaño y hay derrame pleural."


def evaluate(pairs, *scorers, **options):
    """Run inspect on pairs of a prediction and its targets; return the log.

    A solver answers: to count tokens, inspect's model for tests would fetch a vocabulary.
    """
    import inspect_ai
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    texts = {f"case {i}": prediction for i, (prediction, _) in enumerate(pairs)}
    samples = [
        Sample(input=name, target=target, metadata={"patient": {"age": 30 if i % 2 else 85}})
        for i, (name, (_, target)) in enumerate(zip(texts, pairs, strict=True))
    ]

    @solver
    def scripted():
        async def solve(state, generate):
            state.output = ModelOutput.from_content("scripted", texts[state.input_text])
            return state

        return solve

    task = Task(dataset=MemoryDataset(samples), solver=scripted(), scorer=list(scorers))
    (log,) = inspect_ai.eval(task, model="mockllm/model", display="none", **options)
    assert log.status == "success", log.error
    return log


def numbers(log, scorer):
    (found,) = [one for one in log.results.scores if one.scorer.endswith(scorer)]
    return found, {name: metric.value for name, metric in found.metrics.items()}


def test_inspect_runs_the_task_of_the_example(run_example, expected, tmp_path):
    import inspect_ai

    (log,) = inspect_ai.eval(
        run_example("inspect_task.py")["radiology_impression"](),
        model="mockllm/model", display="none", log_dir=str(tmp_path),
    )  # fmt: skip
    assert log.status == "success", log.error
    for name in ("radgraph_f1", "green", "green.error_count"):
        found, metrics = numbers(log, name)
        assert metrics[name] == pytest.approx(expected[name]["score"], abs=1e-12)
        assert [metrics["ci95_low"], metrics["ci95_high"]] == pytest.approx(expected[name]["ci95"])
        assert (found.scored_samples, found.unscored_samples) == (6, 0)


def test_unscored_samples_are_left_out_with_their_reason(first_sentences, expected, tmp_path):
    from radeval_core.adapters.inspect_ai import report_scorer

    pairs = [*first_sentences, (SPANISH, first_sentences[0][1])]
    log = evaluate(pairs, report_scorer("green"), log_dir=str(tmp_path))
    found, metrics = numbers(log, "green")
    assert (found.scored_samples, found.unscored_samples) == (6, 1)
    assert metrics["green"] == pytest.approx(expected["green"]["score"])
    last = log.samples[-1].scores["green"]
    assert math.isnan(last.value) and last.reason == "scoring_failed"
    assert last.explanation.startswith("not scored: the prediction reads like Spanish")
    wrong = next(s.scores["green"] for s in log.samples if s.scores["green"].value < 1)
    assert wrong.explanation.startswith("Clinically significant")


def test_no_scored_sample_gives_no_number(tmp_path):
    from radeval_core.adapters.inspect_ai import report_scorer

    found, metrics = numbers(
        evaluate([(SPANISH, "Clear lungs.")], report_scorer("green"), log_dir=str(tmp_path)), "green"
    )
    assert found.unscored_samples == 1 and all(math.isnan(value) for value in metrics.values())


def test_epochs_are_further_pairs_and_a_corpus_metric_has_its_corpus_headline(first_sentences, expected, tmp_path):
    from radeval_core.adapters.inspect_ai import report_scorer

    log = evaluate(first_sentences, report_scorer("bleu"), epochs=2, log_dir=str(tmp_path))
    assert numbers(log, "bleu")[1]["bleu"] == pytest.approx(
        score(first_sentences * 2, ["bleu"]).table()["bleu"]["score"]
    )


def test_the_texts_of_a_target_are_alternatives(tmp_path):
    from radeval_core.adapters.inspect_ai import report_scorer

    pairs = [("Clear lungs.", ["Large effusion.", "Clear lungs."])]
    assert numbers(evaluate(pairs, report_scorer("rouge"), log_dir=str(tmp_path)), "rouge")[1]["rouge"] == 1.0


def test_context_options_and_config_reach_the_metric(tmp_path):
    from radeval_core.adapters.inspect_ai import report_scorer

    pairs = [("Aortic calcification.", "No acute abnormality.")] * 2
    scorer = report_scorer("crimson", "embedded", context_key="patient")
    old, young = (s.scores["crimson"].value for s in evaluate(pairs, scorer, log_dir=str(tmp_path)).samples)
    assert young < old
    with pytest.raises(InputError, match="unknown config of crimson"):
        report_scorer("crimson", "embeded")
    with pytest.raises(InputError, match="cider must see all references"):
        report_scorer("cider")


def test_scoring_does_not_block_the_event_loop(monkeypatch, tmp_path):
    from radeval_core.adapters import inspect_ai as adapter

    threads = set()
    score_pairs = adapter.MetricSet.score_pairs

    def noted(self, *args, **kwargs):
        threads.add(threading.current_thread())
        return score_pairs(self, *args, **kwargs)

    monkeypatch.setattr(adapter.MetricSet, "score_pairs", noted)
    evaluate([("Clear lungs.", "Clear lungs.")], adapter.report_scorer("rouge"), log_dir=str(tmp_path))
    assert threads and threading.main_thread() not in threads
