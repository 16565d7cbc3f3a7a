"""The store in a folder and on a Hub: the same guarantees, with parallel scorers, crashes and lost responses."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta

import huggingface_hub.constants
import pytest
from huggingface_hub import HfApi
from small_benchmark import REFERENCES, jsonl, rows, write_benchmark

from dataset_hub import DatasetHub
from radeval_core.errors import InputError, RadevalError
from radeval_core.leaderboard import queue
from radeval_core.leaderboard.hub_files import LEASE, HubFiles
from radeval_core.leaderboard.local_files import LocalFiles
from radeval_core.leaderboard.queue import MAX_ATTEMPTS, score_waiting
from radeval_core.leaderboard.score_submission import current_version
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.leaderboard.submission import check_submission
from radeval_core.leaderboard.submission_result import from_json
from radeval_core.ui.leaderboard.texts import method


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # the server is on this machine
    with DatasetHub(tmp_path / "hub", tokens={"hf_good": {"clinic"}, "hf_other": {"other"}}) as server:
        yield server


def hub_files(hub, **options):
    return HubFiles("clinic", HfApi(endpoint=hub.url, token="hf_good"), sleep=lambda seconds: None, **options)


@pytest.fixture(params=["local", "hub"])
def store(request, tmp_path):
    if request.param == "local":
        return Store(LocalFiles(tmp_path / "store"))
    return Store(hub_files(request.getfixturevalue("hub")))


def submitted(store, benchmark, **changes):
    submission = check_submission(jsonl(**changes), benchmark)
    assert store.submit(submission, benchmark, "2026-01-01T00:00:00+00:00")
    return submission.id


# every store


def test_an_empty_store_has_no_submissions_and_no_results(store, small, clock):
    assert store.submissions("small") == [] and store.outcomes("small") == []
    assert score_waiting(store, small, clock=clock) == []


def test_a_submission_is_saved_once_and_scored_once(store, small, clock):
    submission = submitted(store, small)
    assert not store.submit(check_submission(jsonl(), small), small, "2026-05-05T00:00:00+00:00")
    assert store.submissions("small") == [submission]
    (outcome,) = score_waiting(store, small, clock=clock)
    assert score_waiting(store, small, clock=clock) == []
    assert store.outcomes("small") == [outcome]
    assert outcome.date == "2026-01-02T03:04:05+00:00"
    assert (outcome.benchmark, outcome.revision, outcome.version) == ("small", small.revision, current_version(small))
    assert outcome.signatures["green"].startswith("green|config:embedded|")
    assert outcome.ids == tuple(REFERENCES) and len(outcome.scores["green"]) == 6


def test_scores_equal_those_of_the_api(store, small, clock):
    from radeval_core import api

    submitted(store, small)
    (outcome,) = score_waiting(store, small, clock=clock)
    pairs = [("The lungs are clear.", text) for text in REFERENCES.values()]
    scored = api.score(pairs, list(small.metrics))
    for name, row in scored.summary().items():
        assert outcome.metrics[name]["score"] == row["score"] and outcome.metrics[name]["ci95"] == row["ci95"]
        assert list(outcome.scores[name]) == scored.results[name].scores.tolist()


def test_a_saved_result_quotes_no_reference(store, small, clock):
    submitted(store, small, predictions=rows(s1="Large right pneumothorax."))
    score_waiting(store, small, clock=clock)
    kept = b"".join(store.files.read_all("results/small").values()).decode()
    assert not any(text in kept or text.split(".")[0] in kept for text in REFERENCES.values())


def test_a_failed_submission_keeps_its_reason_until_it_is_retried(store, small, clock, monkeypatch):
    submission = submitted(store, small)
    with monkeypatch.context() as patch:
        patch.setattr(queue, "score_submission", lambda *a, **k: 1 / 0)
        (outcome,) = score_waiting(store, small, clock=clock)
    assert outcome.reason == "scoring failed with ZeroDivisionError" and outcome.system.name == "Example system"
    assert score_waiting(store, small, clock=clock) == []  # no automatic retry
    (again,) = score_waiting(store, small, clock=clock, retry_failed=True)
    assert again.submission == submission and not again.failed
    assert store.files.names("results/small") == [f"results/small/{again.version}/{submission}.json"]


def test_a_submission_for_older_studies_fails_with_that_reason(store, small, clock, tmp_path):
    submitted(store, small)
    changed = write_benchmark(tmp_path / "changed", {**REFERENCES, "s1": "Other words."})
    (outcome,) = score_waiting(store, changed, clock=clock)
    assert outcome.reason.endswith(f"but the benchmark is small revision {changed.revision}: submit it again")


def test_the_store_accepts_no_more_than_its_limit(store, small):
    for i in range(10):
        submitted(store, small, name=f"System {i}")
    with pytest.raises(InputError, match="accepts no more submissions: it has reached its limit of 10"):
        submitted(store, small, name="One more")


def test_only_one_scorer_holds_a_claim(store, small):
    with store.claim("small", "v", "abc") as first, store.claim("small", "v", "abc") as second:
        assert first is not None and first.attempt == 1
        assert second is None
        first.renew()
        assert first.still_held()
        with store.claim("small", "v", "def") as other:
            assert other is not None


def test_an_interrupted_claim_counts_the_attempts(store, small):
    for attempt in (1, 2, 3):
        with pytest.raises(KeyboardInterrupt), store.claim("small", "v", "abc") as claim:
            assert claim.attempt == attempt
            raise KeyboardInterrupt


def test_a_submission_that_stops_every_scorer_fails(store, small, clock, monkeypatch):
    submitted(store, small)

    def stop(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(queue, "score_submission", stop)
        for _ in range(MAX_ATTEMPTS):
            with pytest.raises(KeyboardInterrupt):
                score_waiting(store, small, clock=clock)
    (outcome,) = score_waiting(store, small, clock=clock)
    assert outcome.reason == "the scorer stopped 3 times while scoring this submission"


@pytest.mark.parametrize("name", ["../x", "a/b", "A", "x.y", "", "a b"])
def test_invalid_names_are_refused(store, name):
    with pytest.raises(InputError, match="not a valid name in this store"):
        store.request("small", name)
    with pytest.raises(InputError, match="not a valid name in this store"):
        store.claim("small", "v", name)


def test_a_result_of_another_layout_is_reported(store):
    store.files.create("results/small/v/abc.json", b'{"submission": "abc"}')
    found, (note,) = store.read_outcomes("small")
    assert found == [] and note.endswith("v/abc.json: a result in the store cannot be read: benchmark: Field required")


def test_a_result_with_fields_of_a_later_version_still_loads(store, small, clock):
    submitted(store, small)
    (outcome,) = score_waiting(store, small, clock=clock)
    later = {**json.loads(outcome.to_json()), "format": 2, "colour": "red"}
    assert from_json(json.dumps(later).encode()).metrics == outcome.metrics


# a folder: two processes, and a killed one

SCORER = """
import sys, time
from pathlib import Path
from radeval_core.leaderboard import queue
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.store import open_store
store, benchmark, mode, marks = open_store(sys.argv[1]), load_benchmark(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
score = queue.score_submission
def slowly(benchmark, submission, *rest, **options):
    (marks / submission.id).touch()
    if mode == "hang":
        time.sleep(600)
    return score(benchmark, submission, *rest, **options)
queue.score_submission = slowly
print(len(queue.score_waiting(store, benchmark)))
"""


def start_scorer(store_folder, benchmark, mode, marks):
    marks.mkdir(exist_ok=True)
    command = [sys.executable, "-c", SCORER, str(store_folder), str(benchmark.folder), mode, str(marks)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.e2e
def test_a_killed_scorers_work_is_resumed(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    first, second = (submitted(store, small, name=f"System {i}") for i in range(2))
    marks = tmp_path / "marks"
    scorer = start_scorer(tmp_path / "store", small, "hang", marks)
    try:
        deadline = time.monotonic() + 60
        while not list(marks.iterdir()):
            assert scorer.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        (begun,) = (path.name for path in marks.iterdir())
        # while it runs, no one else scores its submission
        (other,) = score_waiting(store, small, clock=clock)
        assert {begun, other.submission} == {first, second}
    finally:
        scorer.kill()  # SIGKILL, so it cannot clean up
        scorer.wait()
    (resumed,) = score_waiting(store, small, clock=clock)
    assert resumed.submission == begun and not resumed.failed
    assert not list((tmp_path / "store").rglob(".*"))  # no partial file is left


@pytest.mark.e2e
def test_two_scorers_at_once_score_everything_once(small, tmp_path):
    store = open_store(tmp_path / "store")
    ids = {submitted(store, small, name=f"System {i}") for i in range(8)}
    scorers = [start_scorer(tmp_path / "store", small, "work", tmp_path / f"marks{i}") for i in range(2)]
    counts = [int(scorer.communicate(timeout=120)[0]) for scorer in scorers]
    begun = [path.name for i in range(2) for path in (tmp_path / f"marks{i}").iterdir()]
    assert sorted(begun) == sorted(ids)  # no submission was scored twice
    assert sum(counts) == 8 and {o.submission for o in store.outcomes("small")} == ids


WRITER = """
import os, sys, time
from pathlib import Path
from radeval_core.leaderboard.local_files import LocalFiles
files, ready = LocalFiles(Path(sys.argv[1])), Path(sys.argv[2])
(ready / str(os.getpid())).touch()
while len(list(ready.iterdir())) < 2:
    time.sleep(0.001)
print(sum(files.create(f"results/small/v/{i}.json", b"%d" % os.getpid()) for i in range(200)))
"""


@pytest.mark.e2e
def test_only_one_of_two_writers_creates_a_file(tmp_path):
    (tmp_path / "ready").mkdir()
    command = [sys.executable, "-c", WRITER, str(tmp_path / "store"), str(tmp_path / "ready")]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sum(int(writer.communicate(timeout=60)[0]) for writer in writers) == 200


def test_an_environment_variable_sets_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RADEVAL_LEADERBOARD", str(tmp_path / "here"))
    assert open_store().files.folder == tmp_path / "here"
    monkeypatch.delenv("RADEVAL_LEADERBOARD")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert open_store().files.folder == tmp_path / "radeval" / "leaderboard"


def test_a_folder_without_write_access_is_reported(tmp_path, small):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--store .*file: cannot write"):
        submitted(open_store(tmp_path / "file"), small)


# a Hub: commits, conflicts, lost responses, leases


def test_the_repos_are_private_and_separate(hub, small, clock):
    store = Store(hub_files(hub))
    submission = submitted(store, small)
    (outcome,) = score_waiting(store, small, clock=clock)
    assert {name: repo.private for name, repo in hub.repos.items()} == {
        "clinic/leaderboard-requests": True,
        "clinic/leaderboard-results": True,
    }
    results = set(hub.repos["clinic/leaderboard-results"].files) - {".gitattributes"}
    assert results == {f"results/small/{outcome.version}/{submission}.json"}


@pytest.mark.parametrize("faults", [[500], [412], [409, 503], [-502], [429, 412, -504]])
def test_conflicts_and_lost_responses_are_retried(faults, hub, small, clock):
    store = Store(hub_files(hub))
    hub.faults[:] = faults
    submitted(store, small)  # a commit that arrived counts as ours even if its response was lost
    assert not hub.faults
    hub.faults[:] = faults
    (outcome,) = score_waiting(store, small, clock=clock)
    assert not hub.faults
    assert store.outcomes("small") == [outcome]
    assert len(hub.repos["clinic/leaderboard-results"].commits) == 2


def test_retries_stop_if_the_hub_stays_down(hub, small):
    waits = []
    files = HubFiles("clinic", HfApi(endpoint=hub.url, token="hf_good"), sleep=waits.append)
    hub.faults[:] = [503] * 20
    with pytest.raises(RadevalError, match="gave up after 8 tries"):
        submitted(Store(files), small)
    assert len(waits) == 7 and all(0.1 < wait <= 20 for wait in waits)


def test_a_concurrent_commit_is_seen_before_writing(hub, small):
    """Both scorers read the same commit. The second to write is refused, reads again and finds the claim."""
    one, other = hub_files(hub), hub_files(hub)
    one.create("requests/small/abc.json", b"{}")
    original, interfered = one.api.create_commit, []

    with ExitStack() as stack:

        def late(*args, **options):
            if not interfered:
                interfered.append(stack.enter_context(other.claim("claims/small/v/abc.json")))
            return original(*args, **options)

        one.api.create_commit = late
        with one.claim("claims/small/v/abc.json") as mine:
            assert mine is None
        assert interfered[0] is not None and interfered[0].still_held()
    assert 412 in hub.saw("POST", "/api/datasets/clinic/leaderboard-requests/commit/main")


def test_an_expired_lease_is_taken_over_and_a_renewed_one_is_not(hub, clock):
    now = [clock()]
    one, other = (hub_files(hub, clock=lambda: now[0]) for _ in range(2))
    with one.claim("claims/small/v/abc.json") as mine:
        now[0] += LEASE - timedelta(seconds=1)
        mine.renew()
        now[0] += LEASE - timedelta(seconds=1)
        with other.claim("claims/small/v/abc.json") as theirs:
            assert theirs is None
        now[0] += timedelta(seconds=2)
        with other.claim("claims/small/v/abc.json") as theirs:
            assert theirs.attempt == 2
            assert not mine.still_held() and theirs.still_held()
            mine.renew()  # too late, so it has no effect
            assert theirs.still_held()


def test_a_scorer_that_lost_its_claim_saves_no_result(hub, small, clock, monkeypatch):
    now = [clock()]
    slow, fast = (Store(hub_files(hub, clock=lambda: now[0])) for _ in range(2))
    submitted(slow, small)
    original = queue.score_submission

    def overtaken(*args, **options):
        monkeypatch.setattr(queue, "score_submission", original)
        now[0] += LEASE * 2
        overtaking.extend(score_waiting(fast, small, clock=clock))
        return original(*args, **options)

    overtaking = []
    monkeypatch.setattr(queue, "score_submission", overtaken)
    assert score_waiting(slow, small, clock=clock) == []
    assert len(overtaking) == 1 and len(hub.repos["clinic/leaderboard-results"].commits) == 2


def test_three_scorers_on_a_hub_score_everything_once(hub, small, clock, monkeypatch):
    ids = {submitted(Store(hub_files(hub)), small, name=f"System {i}") for i in range(6)}
    original, begun = queue.score_submission, []

    def noted(benchmark, submission, *rest, **options):
        begun.append(submission.id)
        return original(benchmark, submission, *rest, **options)

    monkeypatch.setattr(queue, "score_submission", noted)
    with ThreadPoolExecutor(3) as pool:
        work = [pool.submit(score_waiting, Store(hub_files(hub)), small, clock=clock) for _ in range(3)]
        done = [outcome.submission for scorer in work for outcome in scorer.result(timeout=120)]
    assert sorted(begun) == sorted(done) == sorted(ids)
    assert len(hub.repos["clinic/leaderboard-results"].commits) == 1 + len(ids)


@pytest.mark.slow
def test_a_page_on_a_hub_queues_and_does_not_score(hub, small, tmp_path):
    from radeval_core.ui.leaderboard.submitting import Submitting
    from radeval_core.ui.leaderboard.visits import Visits

    visits = Visits(Store(hub_files(hub)), small)
    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    answer = Submitting(visits).submit(str(tmp_path / "mine.jsonl"))
    assert answer["ok"] and not answer["scored"]
    assert visits.leaderboard("green")["waiting"] == 1
    assert "when `radeval leaderboard score` next runs" in method(small, visits.scores_here)


@pytest.mark.parametrize(
    ("token", "org", "expected"),
    [("hf_bad", "clinic", "hf auth login"), ("hf_other", "clinic", "may not use the repos of 'clinic'")],
)
def test_a_refused_token_is_explained(token, org, expected, hub, small):
    files = HubFiles(org, HfApi(endpoint=hub.url, token=token), sleep=lambda seconds: None)
    with pytest.raises(RadevalError, match=expected):
        submitted(Store(files), small)


def test_an_invalid_organisation_is_refused():
    with pytest.raises(InputError, match=r"--hub 'a/\.\./b'"):
        open_store(hub="a/../b")
    with pytest.raises(InputError, match="not both"):
        open_store("x", "y")


def test_a_scorer_whose_clock_is_ahead_locks_a_submission_for_no_longer_than_a_lease(hub, clock):
    ahead = hub_files(hub, clock=lambda: clock() + timedelta(days=30))
    other = hub_files(hub, clock=clock)
    with ahead.claim("claims/small/v/abc.json") as mine:
        assert mine is not None
        with other.claim("claims/small/v/abc.json") as theirs:
            assert theirs is not None and theirs.attempt == 2
            assert not mine.still_held()  # so it saves no result


@pytest.mark.parametrize(
    "damaged",
    [b"{", b"[]", b"7", b'{"token": "a"}', b'{"token": 1, "attempt": "x", "until": "2026"}', b"\xff",
     b'{"token": "a", "attempt": 1, "until": "2026-01-02T03:04:06"}'],
)  # fmt: skip
def test_a_damaged_claim_on_the_hub_stops_no_scorer(damaged, hub, clock):
    files = hub_files(hub, clock=lambda: clock() + timedelta(hours=1))
    files.create("claims/small/v/abc.json", damaged)
    with files.claim("claims/small/v/abc.json") as mine:
        assert mine is not None and mine.still_held()


def test_what_a_killed_writer_left_is_removed(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    submitted(store, small)
    folder = tmp_path / "store/requests/small"
    dead, alive = folder / ".abc.json.4194399.00ff", folder / f".abc.json.{os.getpid()}.00ff"
    for path in (dead, alive):
        path.write_text("half a submission")
    score_waiting(store, small, clock=clock)
    assert not dead.exists() and alive.exists()
