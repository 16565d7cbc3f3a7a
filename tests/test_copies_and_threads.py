"""Modules and loaded metrics are shared by threads, copied, pickled and sent to other processes."""

import copy
import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from new_process import in_a_new_process
from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.registry import metric_names
from sample_sentences import SENTENCES

METRICS = Path(__file__).parent.parent / "metrics"
PREDICTIONS = [*SENTENCES[:6]]
REFERENCES = [*SENTENCES[1:6], SENTENCES[0]]
#: metrics that run a model in their embedded config
MODELS = ("bertscore", "radcliq", "ratescore")
UNPICKLE = """
import json, pickle, sys
with open(sys.argv[1], "rb") as file:
    metric = pickle.load(file)
print(json.dumps(metric.compute(predictions=json.loads(sys.argv[2]), references=json.loads(sys.argv[3]))["scores"]))
"""
MAPPED = """
import json, sys
import datasets, evaluate

module = evaluate.load(sys.argv[1])

def add(batch):
    return {"score": module.compute(predictions=batch["prediction"], references=batch["reference"])["scores"]}

if __name__ == "__main__":
    import torch
    torch.set_num_threads(4)
    rows = {"prediction": [f"Effusion {i} on the left." for i in range(12)], "reference": ["No nodule is seen."] * 12}
    here = add(rows)["score"]
    mapped = datasets.Dataset.from_dict(rows).map(add, batched=True, batch_size=3, num_proc=2)
    print(json.dumps([list(mapped["score"]), here]))
"""


def module(name):
    import evaluate

    return evaluate.load(str(METRICS / name))


@pytest.mark.parametrize("name", metric_names())
def test_threads_share_one_module(name):
    shared = module(name)
    singles = [({"predictions": [p], "references": [r]}) for p, r in zip(PREDICTIONS, REFERENCES, strict=True)]
    alone = [shared.compute(**one)["scores"] for one in singles]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: shared.compute(**singles[i % 6])["scores"], range(32)))
    for i, scores in enumerate(found):
        np.testing.assert_equal(scores, alone[i % 6])


def test_threads_that_add_lose_no_row():
    shared = module("rouge")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: shared.add(prediction=f"nodule {i}", reference=f"nodule {i}"), range(400)))
        list(pool.map(lambda i: shared.add_batch(predictions=["a b"] * 3, references=["a"] * 3), range(50)))
    assert len(shared) == 550
    scores = shared.compute()["scores"]
    assert len(scores) == 550 and scores.count(1.0) == 400
    assert len(shared) == 0


def test_a_wrong_option_does_not_lose_what_was_added():
    shared = module("rouge")
    shared.add(prediction="a", reference="a")
    with pytest.raises(InputError, match="stemmer"):
        shared.compute(stemmer="perhaps")
    shared.add(prediction="b", reference="c")
    assert shared.compute()["scores"] == [1.0, 0.0]


@pytest.mark.parametrize("make", [module, lambda name: load(name, progress=False)], ids=["module", "load"])
def test_messages_are_refused_with_what_to_use(make):
    message = {"role": "assistant", "content": "No effusion."}
    with pytest.raises(InputError, match=r"predictions\[1\] is a list of messages.*make_reward"):
        make("rouge").compute(predictions=["a", [message]], references=["a", "b"])
    with pytest.raises(InputError, match=r"predictions\[0\] must be a string, got list"):
        make("rouge").compute(predictions=[["a"]], references=["a"])


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.parametrize("make", [module, lambda name: load(name, progress=False)], ids=["module", "load"])
def test_every_metric_is_copied_and_pickled(name, make):
    metric = make(name)
    scores = metric.compute(predictions=PREDICTIONS, references=REFERENCES)["scores"]
    for again in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric), copy.copy(metric)):
        assert type(again) is type(metric)
        np.testing.assert_equal(again.compute(predictions=PREDICTIONS, references=REFERENCES)["scores"], scores)


@pytest.mark.parametrize("make", [module, lambda name: load(name, progress=False)], ids=["module", "load"])
def test_a_pickle_has_no_text_of_scored_reports(make):
    metric = make("green")
    metric.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert PREDICTIONS[0][:20].encode() not in pickle.dumps(metric)


def test_a_copy_takes_along_what_was_added_and_shares_nothing():
    metric = module("rouge")
    metric.add(prediction="a", reference="a")
    for again in (copy.deepcopy(metric), copy.copy(metric), pickle.loads(pickle.dumps(metric))):
        again.add(prediction="b", reference="c")
        assert again.compute()["scores"] == [1.0, 0.0]
    assert metric.compute()["scores"] == [1.0]


def test_a_module_that_shares_a_file_with_other_processes_is_not_copied(tmp_path):
    import evaluate

    settings = {"num_process": 2, "experiment_id": "copy", "cache_dir": str(tmp_path), "timeout": 60}
    both = [evaluate.load(str(METRICS / "rouge"), process_id=i, **settings) for i in range(2)]
    again = pickle.loads(pickle.dumps(both[1]))
    assert (again.num_process, again.process_id, again.experiment_id) == (2, 1, "copy")
    with ThreadPoolExecutor(2) as pool:  # each waits for the other
        list(pool.map(lambda one: one.add(prediction="a", reference="a"), both))
        with pytest.raises(InputError, match=r"call compute\(\) first"):
            copy.deepcopy(both[1])
        assert [found and found["scores"] for found in pool.map(lambda one: one.compute(), both)] == [[1.0, 1.0], None]


def test_the_config_is_kept(tiny_encoder):
    import evaluate

    metric = evaluate.load(str(METRICS / "bertscore"), str(tiny_encoder))
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    assert pickle.loads(pickle.dumps(metric)).compute(**given) == metric.compute(**given)


@pytest.mark.e2e
@pytest.mark.parametrize("make", [module, lambda name: load(name, progress=False)], ids=["module", "load"])
def test_a_pickle_is_read_in_a_new_process(make, tmp_path):
    metric = make("green")
    (tmp_path / "metric.pkl").write_bytes(pickle.dumps(metric))
    texts = json.dumps(PREDICTIONS), json.dumps(REFERENCES)
    there = in_a_new_process(tmp_path, UNPICKLE, str(tmp_path / "metric.pkl"), *texts)
    here = metric.compute(predictions=PREDICTIONS, references=REFERENCES)["scores"]
    assert not any(map(math.isnan, here)) and there == here


@pytest.mark.e2e
@pytest.mark.parametrize("name", MODELS)
def test_datasets_map_shares_a_module_that_has_computed(name, tmp_path):
    mapped, here = in_a_new_process(tmp_path, MAPPED, str(METRICS / name))
    assert mapped == pytest.approx(here, abs=1e-6)
