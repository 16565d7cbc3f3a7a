"""kill -9 at random moments: what was confirmed is on the disk, once; also with two servers on one store."""

import os
import random
import signal

import pytest

from radeval_core.reading.journal import Journal
from soak_reading import soak


def write_until_killed(path, confirm, start):
    """Add entries without pause, and confirm each one after `append` returned."""
    journal = Journal(path)
    for number in range(start, 10**9):
        entry = {"at": "now", "case": f"c{number % 7}", "save": f"s{number:08d}", "reading": {"comment": "x" * 500}}
        journal.append(lambda state, entry=entry: None if entry["save"] in state.saves else entry)
        os.write(confirm, b"%d\n" % number)


@pytest.mark.slow
def test_a_writer_killed_at_random_moments_loses_and_doubles_nothing(tmp_path):
    (tmp_path / "journals").mkdir()
    path = tmp_path / "journals" / "anna.jsonl"
    draws, confirmed = random.Random(5), []
    for _ in range(60):
        read, write = os.pipe()
        start = confirmed[-1] + 1 if confirmed else 0
        child = os.fork()
        if not child:
            os.close(read)
            write_until_killed(path, write, start)
            os._exit(1)
        os.close(write)
        first = os.read(read, 1)  # it has begun to write
        signal.sigtimedwait([], draws.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        rest = first + b"".join(iter(lambda read=read: os.read(read, 65536), b""))
        os.close(read)
        confirmed += [int(number) for number in rest.split()]
    state = Journal(path).readable()
    stored = [int(save[1:]) for save in state.saves]
    assert len(confirmed) > 60 and confirmed == sorted(set(confirmed))
    assert set(confirmed) <= set(stored), "a confirmed entry is lost"
    assert stored == sorted(set(stored)) and state.last == len(stored), "an entry is doubled"
    assert len(stored) - len(confirmed) <= 60, "at most one entry per kill was stored but not yet confirmed"


@pytest.mark.e2e
def test_servers_killed_while_readers_save_lose_and_double_nothing(tmp_path):
    found = soak(tmp_path, kills=6, readers=2, servers=2)
    assert found["kills"] == 6 and found["confirmed"] > 8
    assert found["lost"] == found["doubled"] == 0
