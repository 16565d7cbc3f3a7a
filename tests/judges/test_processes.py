"""Several processes of one run split the questions and gather the answers: simulated with threads, then for real."""

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.errors import RadevalError
from radeval_core.judges.backends.base import Answer, Message, Request
from radeval_core.judges.backends.processes import share


class Threads:
    """Processes simulated by threads."""

    def __init__(self, count):
        self.count = count
        self.barrier = threading.Barrier(count, timeout=20)
        self.lists = [[] for _ in range(count)]

    def member(self, rank):
        outer = self

        class Member:
            count = outer.count

            def __init__(self):
                self.rank = rank

            def gather(self, items):
                outer.lists[rank] = items
                outer.barrier.wait()
                return [item for items in outer.lists for item in items]

        return Member()


def requests(n):
    return [Request((Message("user", str(i)),)) for i in range(n)]


@settings(max_examples=30)
@given(st.integers(0, 12), st.integers(1, 4))
def test_every_process_gets_every_answer_and_asks_only_its_share(n, count):
    group = Threads(count)
    asked, found = [], [None] * count

    def run(rank):
        def ask(mine):
            asked.extend(r.messages[0].content for r in mine)
            return ((i, Answer(r.messages[0].content)) for i, r in enumerate(mine))

        found[rank] = list(share(ask, requests(n), group.member(rank)))

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(asked) == sorted(str(i) for i in range(n))
    for own in found:
        assert sorted(own, key=lambda item: item[0]) == [(i, Answer(str(i))) for i in range(n)]


def test_processes_with_other_questions_are_refused():
    group = Threads(2)
    group.lists[1] = [("another digest", [(1, Answer("x"))])]
    group.barrier = threading.Barrier(1)
    with pytest.raises(RadevalError, match="the 2 processes of this run have different reports"):
        list(share(lambda mine: enumerate([Answer("y")] * len(mine)), requests(2), group.member(0)))


@pytest.mark.e2e
def test_launched_processes_share_the_questions(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        textwrap.dedent(
            """
            import json, os, sys
            from pathlib import Path
            from toy_instructions import ToyBackend, ToyInstructions
            from radeval_core.engine.cache import DiskCache
            from radeval_core.engine.processes import sharing_work
            from radeval_core.judges.engine import judge_pairs
            from radeval_core.judges.model_judge import ModelJudge

            folder, rank = Path(sys.argv[1]), os.environ["RANK"]
            backend = ToyBackend(lambda q: "nonsense" if q == "3|x" else json.dumps({"errors": len(q)}))
            pairs = [(str(i), "x") for i in range(9)]
            judge = ModelJudge(ToyInstructions(), backend, DiskCache(folder / "cache"))
            with sharing_work():
                judge_pairs(judge, pairs[:2], progress=False)
                verdicts = judge_pairs(judge, pairs, progress=False)
            result = {"asked": backend.asked, "found": [v.analysis for v in verdicts]}
            (folder / f"{rank}.json").write_text(json.dumps(result))
            """
        )
    )
    here = str(Path(__file__).parent)
    environment = os.environ | {"PYTHONPATH": here, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    # the same command as `accelerate launch` runs for several processes; this way a CPU needs no MPI
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    command = [*launch, str(script), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1))
    assert first["found"] == second["found"] == [3, 3, 3, 29, 3, 3, 3, 3, 3]
    asked = first["asked"] + second["asked"]
    assert len(asked) == len(set(asked)) == 10  # nine pairs, one of them asked again
    assert first["asked"] and second["asked"]
