"""A killed run continues where it stopped, and gives the same result as an uninterrupted one."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from chat_server import ChatServer, Reply

pytestmark = pytest.mark.e2e

SCRIPT = textwrap.dedent(
    """
    import json, sys
    from toy_instructions import ToyInstructions
    from radeval_core.engine.cache import DiskCache
    from radeval_core.judges.backends.select import make_backend
    from radeval_core.judges.engine import judge_pairs
    from radeval_core.judges.model_judge import ModelJudge

    cache, out = sys.argv[1:]
    backend = make_backend("http:judge-1", concurrency=2)
    pairs = [(f"{i:02}", "candidate") for i in range(24)]
    verdicts = judge_pairs(ModelJudge(ToyInstructions(), backend, DiskCache(cache)), pairs, progress=False)
    rows = [[v.analysis, v.reason, v.answer, v.tries] for v in verdicts]
    open(out, "w").write(json.dumps(rows))
    """
)
#: what a killed run may lose: open questions, and unreadable answers of pairs without a readable one yet
UNDER_WAY = 2 + 4


def behave(question, nth, body):
    """Answer nonsense first for every seventh pair, and twice for every eleventh."""
    first = body["messages"][1]["content"]
    n = int(first.split("|")[0])
    tries = (len(body["messages"]) - 1) // 2
    if (n % 11 == 10 and tries < 2) or (n % 7 == 3 and tries < 1):
        return Reply("nonsense", delay=0.05)
    return Reply(json.dumps({"errors": n % 10}), delay=0.05)


def start(server, folder, out):
    script = folder / "run.py"
    script.write_text(SCRIPT)
    here = str(Path(__file__).parent)
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENAI_API_KEY", "WORLD_SIZE")}
    environment |= {"PYTHONPATH": here, "OPENAI_BASE_URL": f"{server.url}/v1"}
    return subprocess.Popen([sys.executable, str(script), str(folder / "cache"), str(out)], env=environment)


def questions(server):
    return [json.dumps(body["messages"]) for _, _, body in server.seen]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted")
    with ChatServer(behave) as server:
        assert start(server, folder, folder / "out.json").wait(timeout=120) == 0
        return (folder / "out.json").read_text(), sorted(questions(server))


def test_a_restarted_run_asks_only_the_missing_questions(tmp_path, uninterrupted):
    expected, all_questions = uninterrupted
    out = tmp_path / "out.json"
    with ChatServer(behave) as server:  # one server for all runs: answers of another one would not count
        process = start(server, tmp_path, out)
        while len(server.seen) < 11 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = questions(server)
        assert not out.exists() and 11 <= len(before) < len(all_questions)

        server.seen.clear()
        assert start(server, tmp_path, out).wait(timeout=120) == 0
        after = questions(server)
        assert out.read_text() == expected
        assert sorted(set(before) | set(after)) == sorted(set(all_questions))
        assert len(set(before) & set(after)) <= UNDER_WAY

        server.seen.clear()  # a finished run asks nothing
        out.unlink()
        assert start(server, tmp_path, out).wait(timeout=120) == 0
        assert not server.seen and out.read_text() == expected
