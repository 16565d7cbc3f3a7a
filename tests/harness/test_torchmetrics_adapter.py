"""The torchmetrics Metric adds up over batches and processes to the numbers of `radeval score`."""

import math
import pickle
import re

import pytest

from radeval_core import score
from radeval_core.errors import InputError

NAMES = ["radgraph_f1", "bleu", "green.error_count", "chexbert_f1.macro_f1"]
SPANISH = "El corazón está aumentado de tamaño y hay derrame pleural."


@pytest.fixture(scope="module")
def pairs(example_pairs):
    rows = [(row["prediction"], row["reference"]) for row in example_pairs[:7]]
    return [*rows, (SPANISH, rows[0][1])]


def update(metric, pairs):
    metric.update(*map(list, zip(*pairs, strict=True)))


def numbers(metric):
    return {name: value.item() for name, value in metric.compute().items()}


def test_batches_add_up_to_the_numbers_of_all_pairs(pairs):
    from radeval_core.adapters.torchmetrics import ReportScore

    metric = ReportScore(NAMES)
    for start in range(0, len(pairs), 3):
        update(metric, pairs[start : start + 3])
    found, expected = numbers(metric), score(pairs, NAMES).table()
    for name in NAMES:
        assert found[name] == pytest.approx(expected[name]["score"], abs=1e-12)
        assert found[f"{name}_unscored"] == expected[name]["unscored"]
    assert found["radgraph_f1_unscored"] == 1
    metric.reset()
    assert math.isnan(numbers(metric)["bleu"]) and numbers(metric)["radgraph_f1_unscored"] == 0


def test_forward_gives_the_batch_and_keeps_the_sum(pairs):
    from radeval_core.adapters.torchmetrics import ReportScore

    metric = ReportScore("bleu")
    for batch in (pairs[:2], pairs[2:5]):
        value = metric(*map(list, zip(*batch, strict=True)))
        assert value["bleu"].item() == pytest.approx(score(batch, ["bleu"]).table()["bleu"]["score"], abs=1e-12)
    assert numbers(metric)["bleu"] == pytest.approx(score(pairs[:5], ["bleu"]).table()["bleu"]["score"], abs=1e-12)


def test_states_of_two_metrics_merge_also_if_one_is_empty(pairs):
    from radeval_core.adapters.torchmetrics import ReportScore

    one, other, empty = (ReportScore(NAMES) for _ in range(3))
    update(one, pairs[:3])
    update(other, pairs[3:])
    one.merge_state(other)
    one.merge_state(empty)
    assert numbers(one)["bleu"] == pytest.approx(score(pairs, ["bleu"]).table()["bleu"]["score"], abs=1e-12)


def test_two_processes_give_the_numbers_of_one(examples, root, example_pairs, tmp_path):
    """The example: every process has half of the pairs, and gloo adds up the states."""
    import os
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, str(examples / "torchmetrics_example.py")],
        cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = dict(re.findall(r"^(\S+): (\S+)$", done.stdout, re.MULTILINE))
    expected = score(example_pairs, ["radgraph_f1", "bleu"]).table()
    assert found == {
        "radgraph_f1": f"{expected['radgraph_f1']['score']:.4f}", "radgraph_f1_unscored": "0.0000",
        "bleu": f"{expected['bleu']['score']:.4f}", "bleu_unscored": "0.0000",
    }  # fmt: skip


def test_a_metric_can_be_copied_and_pickled_and_stands_in_a_collection(pairs):
    from torchmetrics import MetricCollection

    from radeval_core.adapters.torchmetrics import ReportScore

    metric = ReportScore("bleu")
    update(metric, pairs[:2])
    assert numbers(metric.clone()) == numbers(pickle.loads(pickle.dumps(metric))) == numbers(metric)
    collection = MetricCollection({"text": ReportScore("bleu"), "errors": ReportScore("green.error_count")})
    collection.update(*map(list, zip(*pairs[:2], strict=True)))
    assert collection.compute()["bleu"].item() == numbers(metric)["bleu"]


def test_directions_and_states(pairs):
    from radeval_core.adapters.torchmetrics import ReportScore

    assert [ReportScore(n).higher_is_better for n in ("bleu", "fineradscore", ["bleu", "fineradscore"])] == [
        True, False, None,
    ]  # fmt: skip
    assert ReportScore.full_state_update is False and ReportScore.is_differentiable is False


def test_the_statistics_of_every_metric_fit(pairs):
    from radeval_core.adapters.torchmetrics import ReportScore
    from radeval_core.registry import metric_names

    names = [name for name in metric_names() if name not in ("cider", "bertscore", "radcliq", "ratescore")]
    metric = ReportScore(names)
    update(metric, pairs[:2])
    expected = score(pairs[:2], names).table()
    assert {n: v for n, v in numbers(metric).items() if n in names} == pytest.approx(
        {name: row["score"] for name, row in expected.items()}, abs=1e-12
    )


def test_metrics_that_need_all_references_first_are_refused():
    from radeval_core.adapters.torchmetrics import ReportScore

    with pytest.raises(InputError, match="cider must see all references"):
        ReportScore("cider")


def test_lightning_logs_the_numbers_of_the_epoch(run_example, expected, capsys):
    after = run_example("lightning_example.py")["main"]()
    assert after["radgraph_f1"] == pytest.approx(expected["radgraph_f1"]["score"], abs=1e-6)  # logged as float32
    assert after["green"] == pytest.approx(expected["green"]["score"], abs=1e-6)
    assert after["green_unscored"] == 0 and "radgraph_f1: 0.111 before" in capsys.readouterr().out
