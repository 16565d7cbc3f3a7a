"""A reward that ran a model in the parent answers in a forked and in a new process."""

import multiprocessing

import pytest

from new_process import in_a_new_process

pytestmark = pytest.mark.e2e

PROGRAM = """
import json, multiprocessing, sys
from radeval_core.rewards import make_reward

def work(reward):
    return reward([f"Effusion {i} on the left." for i in range(8)], reference=["No nodule."] * 8)

if __name__ == "__main__":
    import torch
    torch.set_num_threads(4)
    reward = make_reward({"bertscore": 1, "radcliq": 1})
    here = work(reward)
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        there = pool.apply_async(work, (reward,)).get(timeout=200)
    print(json.dumps([there, here]))
"""


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_a_child_answers(method, tmp_path):
    there, here = in_a_new_process(tmp_path, PROGRAM, method)
    assert there == pytest.approx(here, abs=1e-6)
