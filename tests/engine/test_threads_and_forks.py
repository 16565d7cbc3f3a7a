"""Scores are the same in threads, in forked and spawned processes, and for any size of the chunks."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from new_process import in_a_new_process
from radeval_core import load
from radeval_core.api import score
from radeval_core.registry import metric_names
from sample_sentences import SENTENCES

PREDICTIONS = [*SENTENCES, *SENTENCES[::-1]]
REFERENCES = [*SENTENCES[1:], *SENTENCES, SENTENCES[0]]
#: a parent whose model has used several threads, then a child that scores other reports; argv: metric, start method
CHILD = """
import json, multiprocessing, sys
from radeval_core import load

def texts(word):
    return [f"{word} pleural effusion in the left lung {i}." for i in range(30)], [f"No {word} nodule."] * 30

def work(name):
    return load(name, progress=False).compute(*texts("new"))["scores"]

if __name__ == "__main__":
    import torch
    torch.set_num_threads(4)
    name, method = sys.argv[1:]
    load(name, progress=False).compute(*texts("old"))
    with multiprocessing.get_context(method).Pool(1) as pool:
        there = pool.apply_async(work, (name,)).get(timeout=200)
    print(json.dumps([there, work(name)]))
"""
MAPPED = """
import json, sys
import datasets
from radeval_core import load

def add(batch):
    return {"score": load("bertscore", progress=False).compute(batch["prediction"], batch["reference"])["scores"]}

if __name__ == "__main__":
    import torch
    torch.set_num_threads(4)
    rows = {"prediction": [f"Effusion {i} on the left." for i in range(12)], "reference": ["No nodule is seen."] * 12}
    here = add(rows)["score"]
    mapped = datasets.Dataset.from_dict(rows).map(add, batched=True, batch_size=3, num_proc=2)
    print(json.dumps([list(mapped["score"]), here]))
"""


@pytest.mark.e2e
@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
@pytest.mark.parametrize("name", ["bertscore", "ratescore", "radcliq"])
def test_a_child_answers_after_the_model_ran_in_its_parent(name, method, tmp_path):
    there, here = in_a_new_process(tmp_path, CHILD, name, method)
    assert there == pytest.approx(here, abs=1e-6)


@pytest.mark.e2e
def test_datasets_map_in_two_processes(tmp_path):
    mapped, here = in_a_new_process(tmp_path, MAPPED)
    assert mapped == pytest.approx(here, abs=1e-6)


@pytest.mark.parametrize("name", metric_names())
def test_threads_share_one_loaded_metric(name):
    metric = load(name, progress=False)
    alone = metric.compute(PREDICTIONS, REFERENCES)
    for threads in (2, 8):
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(lambda _: metric.compute(PREDICTIONS, REFERENCES), range(2 * threads)))
        for result in found:
            np.testing.assert_equal(result, alone)  # a part that does not apply is NaN


@pytest.mark.parametrize("name", metric_names())
def test_threads_that_read_for_the_first_time_agree(name):
    alone = load(name, progress=False).compute(PREDICTIONS, REFERENCES)
    metric = load(name, progress=False)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: metric.compute(PREDICTIONS, REFERENCES), range(8)))
    assert all(result["scores"] == pytest.approx(alone["scores"], abs=1e-6) for result in found)


@pytest.mark.parametrize("name", metric_names())
def test_the_size_of_a_chunk_changes_no_score(name):
    pairs = list(zip(PREDICTIONS, REFERENCES, strict=True))
    whole = score(pairs, [name]).results[name]
    for size in (1, 2, 7):
        parts = score(pairs, [name], chunk_pairs=size).results[name]
        assert parts.scores.tolist() == pytest.approx(whole.scores.tolist(), abs=1e-6)
        assert parts.score == pytest.approx(whole.score, abs=1e-6)
