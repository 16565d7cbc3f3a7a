"""The worker: what waits is scored at once, answers belong to their requests, and one request cannot spoil another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from service_client import PAIRS, running

from radeval_core import api
from radeval_core.pairs import Pair


@pytest.fixture
def parts():
    from radeval_core.serve.counters import Counters
    from radeval_core.serve.limits import BusyError, Limits
    from radeval_core.serve.offer import Offer, Task
    from radeval_core.serve.worker import CallJob, ScoreJob, Worker

    class Parts:
        pass

    found = Parts()
    found.BusyError, found.CallJob, found.ScoreJob = BusyError, CallJob, ScoreJob
    found.rouge, found.cider = Task("rouge", "embedded"), Task("cider", "embedded")

    def make(**limits):
        offer = Offer.of(["rouge", "cider"])
        return Worker("local", offer, api.make_resources(progress=False), Limits(**limits), Counters())

    found.worker = make
    return found


class Pause:
    """Keeps a worker busy until it is let go, so that jobs gather."""

    def __init__(self, parts, worker):
        self.begun, self.go = threading.Event(), threading.Event()
        self.job = parts.CallJob(self._wait, 1)
        worker.submit(self.job)
        assert self.begun.wait(10)

    def _wait(self, _):
        self.begun.set()
        assert self.go.wait(10)


def pairs(*texts):
    return [Pair(text, ("a b c d",), i) for i, text in enumerate(texts)]


def test_waiting_jobs_are_scored_at_once_and_each_gets_its_own_result(parts, monkeypatch):
    from radeval_core.metrics import rouge

    seen = []
    score = rouge.SCORER.score
    monkeypatch.setattr(rouge.SCORER, "score", lambda self, p, d: (seen.append(len(p)), score(self, p, d))[1])
    worker = parts.worker()
    worker.start()
    pause = Pause(parts, worker)
    jobs = [
        parts.ScoreJob(pairs(*["a b c d"[: 2 * i + 1]] * (i + 1)), (parts.rouge, parts.cider), False) for i in range(4)
    ]
    for job in jobs:
        worker.submit(job)
    pause.go.set()
    found = [job.done.result(20) for job in jobs]
    worker.close()
    assert seen == [1 + 2 + 3 + 4]
    for job, results in zip(jobs, found, strict=True):
        alone = api.score(job.pairs, ["rouge", "cider"])
        assert list(results) == ["rouge", "cider"]
        for name, result in results.items():
            np.testing.assert_equal(result.scores, alone.results[name].scores)
            assert result.score == alone.results[name].score


def test_a_batch_has_a_limit_and_a_larger_job_is_scored_alone(parts, monkeypatch):
    from radeval_core.metrics import rouge

    seen = []
    score = rouge.SCORER.score
    monkeypatch.setattr(rouge.SCORER, "score", lambda self, p, d: (seen.append(len(p)), score(self, p, d))[1])
    worker = parts.worker(batch_pairs=4, pairs=10)
    worker.start()
    pause = Pause(parts, worker)
    jobs = [parts.ScoreJob(pairs(*["a"] * size), (parts.rouge,), False) for size in (3, 1, 2, 6, 1)]
    for job in jobs:
        worker.submit(job)
    pause.go.set()
    for job in jobs:
        assert len(job.done.result(20)["rouge"].scores) == len(job.pairs)
    worker.close()
    assert seen == [4, 2, 6, 1]


def test_too_much_waiting_is_refused_with_a_time_to_wait(parts):
    worker = parts.worker(waiting_pairs=5, pairs=5)
    worker.start()
    pause = Pause(parts, worker)
    first = parts.ScoreJob(pairs("a", "b", "c"), (parts.rouge,), False)
    worker.submit(first)
    with pytest.raises(parts.BusyError, match="3 pairs are waiting") as busy:
        worker.submit(parts.ScoreJob(pairs("a", "b", "c"), (parts.rouge,), False))
    assert 1 <= busy.value.wait <= 60
    pause.go.set()
    assert first.done.result(20)
    worker.close()


def test_one_job_that_fails_does_not_spoil_the_others(parts, monkeypatch):
    from radeval_core.errors import InputError
    from radeval_core.metrics import rouge

    score = rouge.SCORER.score

    def picky(self, rows, detailed):
        if any(row.prediction == "poison" for row in rows):
            raise InputError("boxes of pair 'a report' are wrong")
        return score(self, rows, detailed)

    monkeypatch.setattr(rouge.SCORER, "score", picky)
    worker = parts.worker()
    worker.start()
    pause = Pause(parts, worker)
    good, bad, other = (
        parts.ScoreJob(pairs(*texts), (parts.rouge,), False) for texts in (["a b"], ["a", "poison"], ["c d", "a"])
    )
    for job in (good, bad, other):
        worker.submit(job)
    pause.go.set()
    assert good.done.result(20)["rouge"].score == api.score(good.pairs, ["cider", "rouge"]).results["rouge"].score
    assert len(other.done.result(20)["rouge"].scores) == 2
    with pytest.raises(InputError, match=r"^boxes of pair '…' are wrong$"):
        bad.done.result(20)
    worker.close()


def test_a_job_whose_client_left_is_not_scored(parts):
    worker = parts.worker()
    worker.start()
    pause = Pause(parts, worker)
    gone, stays = (parts.ScoreJob(pairs("a"), (parts.rouge,), False) for _ in range(2))
    worker.submit(gone)
    worker.submit(stays)
    assert gone.done.cancel()
    pause.go.set()
    assert stays.done.result(20)
    worker.close()


def test_closing_finishes_what_was_taken(parts):
    worker = parts.worker()
    worker.start()
    jobs = [parts.ScoreJob(pairs("a", "b"), (parts.rouge,), False) for _ in range(20)]
    for job in jobs:
        worker.submit(job)
    worker.close()
    assert all(job.done.done() and job.done.result()["rouge"].n == 2 for job in jobs)
    assert not worker.alive


def test_a_full_server_answers_429_and_later_200(parts):
    with running(["rouge"], waiting_pairs=4, pairs=4) as (client, service):
        worker = service._workers["local"]
        pause = Pause(parts, worker)
        filler = parts.CallJob(lambda _: None, 4)
        worker.submit(filler)
        refused = client.post("/v1/score", json={"pairs": PAIRS, "metrics": ["rouge"]})
        assert refused.status_code == 429 and int(refused.headers["retry-after"]) >= 1
        pause.go.set()
        assert filler.done.result(20) is None
        assert client.post("/v1/score", json={"pairs": PAIRS, "metrics": ["rouge"]}).status_code == 200


def test_many_large_requests_at_once_are_429():
    from radeval_core.serve.limits import BusyError, Limits, OpenBytes

    held = OpenBytes(Limits(request_bytes=10, open_bytes=25))
    with held.reserved(10), held.reserved(10), pytest.raises(BusyError), held.reserved(10):
        pass
    with held.reserved(25):
        pass


def test_many_clients_at_once_get_their_own_answers():
    def ask(number):
        rows = [
            {"id": f"{number}-{i}", "prediction": f"w{number} x y"[: 3 + i], "reference": f"w{number} x y"}
            for i in range(4)
        ]
        body = {"pairs": rows, "metrics": ["rouge", "cider"] if number % 2 else ["rouge"]}
        return rows, client.post("/v1/score", json=body).json()

    with running(["rouge", "cider"]) as (client, service), ThreadPoolExecutor(16) as pool:
        for rows, answer in pool.map(ask, range(64)):
            names = list(answer["summary"])
            alone = api.score(rows, names)
            assert answer["rows"] == list(alone.rows())
            assert {name: row["score"] for name, row in answer["summary"].items()} == {
                name: result.score for name, result in alone.results.items()
            }
        assert service.open == 0


def test_a_remote_judge_has_its_own_worker():
    from radeval_core.serve.offer import LOCAL, Offer, Task

    offer = Offer.of(["green", "rouge"], [("green", "embedded"), ("green", "http:gpt-x")])
    assert offer.worker_of(Task("green", "embedded")) == LOCAL
    assert offer.worker_of(Task("green", "http:gpt-x")) == "green=http:gpt-x"
