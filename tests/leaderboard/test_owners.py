"""Who owns a name: look-alikes, secrets, accounts, limits, and the log of submissions."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from huggingface_hub import HfApi
from small_benchmark import LIMITS, jsonl, rows, write_benchmark

from radeval_core.errors import InputError
from radeval_core.leaderboard.audit_log import AuditLog
from radeval_core.leaderboard.owners import KEEPER, new_secret, with_account, with_secret
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.leaderboard.submission import SubmissionError, check_submission
from radeval_core.leaderboard.system_names import look_alike_key, name_problem

DATE = "2026-01-01T00:00:00+00:00"
ANNA, BERT = with_secret("anna's long secret"), with_secret("bert's long secret")


def submit(store, benchmark, submitter, date=DATE, predictions=None, **system):
    submission = check_submission(jsonl(predictions, **system), benchmark)
    return store.submit(submission, benchmark, date, submitter)


# names


@pytest.mark.parametrize(
    "name",
    ["\u3164", "\u2800", "\u00ad", "a\u200bb", "a\u2060b", "a\ufe0fb", "\u115f\u1160", "a\U000e0101", "a\ue000b",
     "…", "---", "\u0301", "Ꮐreen", "ꓖꓣ", "GRΕEN", "grеen", "раypal net", "g\u0301\u0301\u0301\u0301reen", "Αlpha"],
)  # fmt: skip
def test_invisible_blank_and_mixed_names_are_refused(name, small):
    assert name_problem(name)
    with pytest.raises(SubmissionError, match="system: name"):
        check_submission(jsonl(name=name), small)


@pytest.mark.parametrize(
    "name",
    ["My system", "β-VAE", "Größe 2.0", "Система", "放射線モデル v2", "한국 모델", "نموذج", "मॉडल", "Model™ №5",
     "C++/Net_1", "Ångström", "R2Gen (ours)", "Nguyễn-Net", "<b>Mine</b>"],
)  # fmt: skip
def test_ordinary_names_of_many_languages_are_accepted(name):
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("GREEN", "green"), ("GREEN", "Green "), ("COPE", "СОРЕ"), ("Net", "Ｎｅｔ"), ("Net", "𝐍𝐞𝐭"), ("NET", "ΝΕΤ"),
     ("Model-I", "Model 1"), ("Model 1", "Model l"), ("Grün", "Grun"), ("ToTo", "T0T0"), ("Kappa", "Κарра"),
     ("modern", "modem"), ("A B", "A_B")],
)  # fmt: skip
def test_names_that_look_alike_have_one_key(one, other):
    assert look_alike_key(one) == look_alike_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Model 1", "Model 2"), ("v1.2", "v1.3"), ("Alpha", "Beta"), ("放射", "射放")]
)
def test_other_names_have_other_keys(one, other):
    assert look_alike_key(one) != look_alike_key(other)


# owners


def test_a_name_belongs_to_its_first_submitter(store, small):
    assert submit(store, small, ANNA, name="COPE")
    assert submit(store, small, ANNA, name="COPE", training_data="More data.")
    for name in ("COPE", "cope", "СОРЕ", "C O P E".replace(" ", ""), "ＣＯＰＥ"):
        with pytest.raises(InputError, match="belongs to another submitter"):
            submit(store, small, BERT, name=name, training_data="Mine.")
    assert len(store.submissions("small")) == 2
    assert submit(store, small, BERT, name="Other")


def test_a_look_alike_is_named_in_the_message(store, small):
    submit(store, small, ANNA, name="COPE")
    with pytest.raises(InputError, match="the name 'СОРЕ' looks like 'COPE', which belongs to another submitter"):
        submit(store, small, BERT, name="СОРЕ")


def test_the_store_has_only_a_salted_slow_hash(store, small, tmp_path):
    submit(store, small, ANNA, name="COPE")
    submit(store, small, ANNA, name="Second")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert ANNA.secret.encode() not in kept and ANNA.secret not in repr(ANNA)
    records = [json.loads(path.read_text()) for path in (tmp_path / "store/owners").rglob("*.json")]
    assert len({r["salt"] for r in records}) == len({r["hash"] for r in records}) == 2
    assert all(r["n"] >= 2**14 and len(r["salt"]) == 32 for r in records)


def test_accounts_and_secrets_are_different_owners(store, small):
    submit(store, small, with_account("anna"), name="COPE")
    for other in (with_account("bert"), ANNA, with_secret("anna anna anna")):
        with pytest.raises(InputError, match="belongs to another submitter: use its account"):
            submit(store, small, other, name="COPE", training_data="Mine.")
    assert submit(store, small, with_account("anna"), name="COPE", training_data="Mine.")


def test_the_names_of_baselines_are_taken(store, small):
    submit(store, small, KEEPER, name="Baseline")
    with pytest.raises(InputError, match="the store's keeper"):
        submit(store, small, ANNA, name="baseline", training_data="Mine.")


def test_a_name_from_before_there_were_owners_stays_taken(store, small, tmp_path):
    submit(store, small, KEEPER, name="Early")
    for part in ("owners", "log"):
        for path in (tmp_path / "store" / part).rglob("*.json*"):
            path.unlink()
    with pytest.raises(InputError, match="belongs to a submission without an owner"):
        submit(store, small, ANNA, name="early", training_data="Mine.")
    assert submit(store, small, ANNA, name="Late")


def test_a_damaged_owner_frees_no_name(store, small, tmp_path):
    submit(store, small, ANNA, name="COPE")
    (path,) = (tmp_path / "store/owners").rglob("*.json")
    for damaged in (
        b"{",
        b"[]",
        b'{"kind": "secret"}',
        b'{"kind": "secret", "salt": "zz", "hash": 1, "n": 3, "r": 8, "p": 1}',
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="belongs to another submitter"):
            submit(store, small, ANNA, name="COPE", training_data="More.")


@pytest.mark.parametrize("secret", ["", "short", "x" * 201])
def test_a_secret_has_a_sensible_length(secret):
    with pytest.raises(InputError, match="12 to 200 characters"):
        with_secret(secret)
    assert with_secret(new_secret())


# limits


def test_limits_per_submitter_and_day(tmp_path):
    limits = {**LIMITS, "per_submitter": 4, "per_submitter_per_day": 2, "new_names_per_day": 3}
    benchmark = write_benchmark(tmp_path / "limited", limits=limits)
    store = open_store(tmp_path / "store")

    def enter(i, submitter=ANNA, name="COPE", day=1):
        date = f"2026-01-{day:02d}T12:00:00+00:00"
        return submit(store, benchmark, submitter, date, rows(s1=f"Nodule of {i} mm."), name=name)

    assert enter(1) and enter(2)
    with pytest.raises(InputError, match="at most 2 submissions per day and submitter"):
        enter(3)
    assert enter(3, day=3) and enter(4, day=5)
    with pytest.raises(InputError, match="limit of 4 submissions per submitter"):
        enter(5, day=7)
    assert enter(6, BERT, "A1", 9) and enter(7, BERT, "B2", 9) and enter(8, BERT, "C3", 9)
    with pytest.raises(InputError, match="at most 3 new names per day"):
        enter(9, BERT, "D4", 9)


def test_the_limits_of_an_account_hold_over_all_its_names(tmp_path):
    benchmark = write_benchmark(tmp_path / "limited", limits={**LIMITS, "per_submitter_per_day": 2})
    store = open_store(tmp_path / "store")
    for name in ("One", "Two"):
        assert submit(store, benchmark, with_account("anna"), name=name)
    with pytest.raises(InputError, match="at most 2 submissions"):
        submit(store, benchmark, with_account("anna"), name="Three")


def test_forty_submissions_at_once_stay_within_the_limit(store, small):
    def enter(i):
        try:
            return submit(store, small, KEEPER, name=f"System {i}")
        except InputError as error:
            return str(error)

    with ThreadPoolExecutor(40) as pool:
        found = list(pool.map(enter, range(40)))
    assert found.count(True) == LIMITS["submissions"] == len(store.submissions("small"))
    assert store.log("small").problems() == [] and len(store.log("small").submissions()) == 10


def test_one_name_claimed_by_twenty_at_once_has_one_owner(store, small):
    def enter(i):
        try:
            return submit(store, small, with_secret(f"the secret of {i:03d}"), name="COPE", training_data=f"Data {i}.")
        except InputError:
            return False

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(enter, range(20))) == 1


# the log


def test_a_log_finds_changed_removed_and_added_lines(store, small):
    for name in ("One", "Two", "Three"):
        submit(store, small, KEEPER, name=name)
    log = store.log("small")
    assert log.problems() == [] and [e["name"] for e in log.events()] == ["One", "Two", "Three"]
    first, second, third = log.data.splitlines(keepends=True)
    assert AuditLog(first + third).problems() == [
        "line 2: does not follow line 1: a line was changed, added or removed"
    ]
    assert AuditLog(first + second.replace(b"Two", b"Six") + third).problems() == [
        "line 3: does not follow line 2: a line was changed, added or removed"
    ]
    assert AuditLog(second + third).problems()
    shorter = AuditLog(first + second)
    assert shorter.problems() == [] and not shorter.contains(log.last_hash) and log.contains(shorter.last_hash)


def test_a_line_cut_off_by_a_crash_is_reported_and_the_next_one_is_whole(store, small, tmp_path):
    submit(store, small, KEEPER, name="One")
    path = tmp_path / "store/log/small.jsonl"
    with path.open("ab") as file:
        file.write(b'{"date": "2026-')
    submit(store, small, KEEPER, name="Two")
    log = store.log("small")
    assert [e["name"] for e in log.events()] == ["One", "Two"]
    assert log.problems() == ["line 2: cannot be read; the writer was stopped, or the line was changed"]


def test_the_command_checks_the_log(capsys, small, tmp_path):
    from radeval_core.cli import main

    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    options = ["--store", str(tmp_path / "store"), "--benchmark", str(small.folder)]
    assert main(["leaderboard", "submit", str(tmp_path / "mine.jsonl"), *options]) == 0
    assert "keep it in a file" in capsys.readouterr().out
    assert main(["leaderboard", "log", *options, "--json"]) == 0
    last = json.loads(capsys.readouterr().out)["last"]
    assert main(["leaderboard", "log", *options, "--expect", last]) == 0
    assert main(["leaderboard", "log", *options, "--expect", "0" * 64]) == 1
    log = tmp_path / "store/log/small.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Example", b"Exemple"))
    (tmp_path / "store/requests/small/abc.json").write_text("{}")
    capsys.readouterr()
    assert main(["leaderboard", "log", *options]) == 1
    assert "submission abc is not in the log" in capsys.readouterr().out


def test_the_command_takes_a_secret(capsys, small, tmp_path, monkeypatch):
    from radeval_core.cli import main

    monkeypatch.delenv("RADEVAL_LEADERBOARD_SECRET", raising=False)

    def run(data, *more):
        (tmp_path / "mine.jsonl").write_bytes(data)
        options = ["--store", str(tmp_path / "store"), "--benchmark", str(small.folder), "--json"]
        status = main(["leaderboard", "submit", str(tmp_path / "mine.jsonl"), *options, *more])
        return status, capsys.readouterr()

    status, printed = run(jsonl())
    assert status == 0
    (tmp_path / "secret").write_text(json.loads(printed.out)["secret"] + "\n")
    again = jsonl(training_data="More.")
    status, printed = run(again)
    assert status == 2 and "belongs to another submitter: use its secret" in printed.err
    status, printed = run(again, "--secret-file", str(tmp_path / "secret"))
    assert status == 0 and "secret" not in json.loads(printed.out)


# on a Hub


def test_a_name_on_the_hub_belongs_to_the_account(small, tmp_path, monkeypatch):
    import huggingface_hub.constants

    from dataset_hub import DatasetHub
    from radeval_core.leaderboard.hub_files import HubFiles

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # the server is on this machine
    with DatasetHub(tmp_path / "hub", tokens={"hf_good": {"clinic"}}) as hub:
        files = HubFiles("clinic", HfApi(endpoint=hub.url, token="hf_good"), sleep=lambda seconds: None)
        store = Store(files)
        assert submit(store, small, with_account(files.account()), name="COPE")
        commits = len(hub.repos["clinic/leaderboard-requests"].commits)
        with pytest.raises(InputError, match="use its account"):
            submit(store, small, with_account("someone-else"), name="cope", training_data="Mine.")
        assert len(hub.repos["clinic/leaderboard-requests"].commits) == commits
        assert store.log("small").problems() == []


def test_submissions_at_once_on_the_hub_stay_within_the_limit(small, tmp_path, monkeypatch):
    import huggingface_hub.constants

    from dataset_hub import DatasetHub
    from radeval_core.leaderboard.hub_files import HubFiles

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    few = replace(small, limits=replace(small.limits, submissions=3))
    with DatasetHub(tmp_path / "hub", tokens={"hf_good": {"clinic"}}) as hub:

        def enter(i):
            files = HubFiles("clinic", HfApi(endpoint=hub.url, token="hf_good"), sleep=lambda seconds: None)
            try:
                return submit(Store(files), few, KEEPER, name=f"System {i}")
            except InputError:
                return False

        with ThreadPoolExecutor(5) as pool:
            assert sum(pool.map(enter, range(5))) == 3


# damaged and foreign files


def test_damaged_and_foreign_files_stop_nobody(store, small, tmp_path, clock, capsys):
    from radeval_core.cli import main
    from radeval_core.leaderboard.board import read_board
    from radeval_core.ui.leaderboard.view import notes

    submit(store, small, KEEPER, name="First")
    (first,) = score_waiting(store, small, clock=clock)
    folder = tmp_path / "store"
    results = folder / "results/small" / first.version
    whole = json.loads(first.to_json())
    (results / "aaa.json").write_bytes(first.to_json()[:100])
    (results / "bbb.json").write_bytes(json.dumps({**whole, "submission": "bbb", "metrics": {}}).encode())
    (results / "ccc.json").write_bytes(json.dumps({**whole, "submission": "ccc", "ids": ["s1"]}).encode())
    (results / "ddd.json").write_bytes(first.to_json())  # a copy under another name
    (results / "eee.json").mkdir()
    (folder / "results/small/README.json").write_text("hello")
    (folder / "requests/small/Not A Submission.json").write_text("hello")
    (folder / "requests/small/deep").mkdir()
    (folder / "requests/small/deep/x.json").write_text("hello")
    claims = folder / "claims/small" / first.version
    submit(store, small, KEEPER, name="Second")
    second = next(s for s in store.submissions("small") if s != first.submission)
    (claims / f"{second}.json").write_bytes(b"\xff not a number \x00")
    (scored,) = score_waiting(store, small, clock=clock)
    assert scored.submission == second and not scored.failed
    board = read_board(store, small)
    assert {o.submission for o in board.current} == {first.submission, second} and len(board.skipped) == 7
    assert "7 files in the store skipped" in notes(board)
    assert len(board.ranked()) == 2
    assert main(["leaderboard", "show", "--store", str(folder), "--benchmark", str(small.folder)]) == 0
    assert capsys.readouterr().out.count("skipped: ") == 7
    assert (results / "aaa.json").exists() and (folder / "requests/small/Not A Submission.json").exists()


def test_a_claim_that_cannot_be_opened_stops_only_its_submission(store, small, tmp_path, clock):
    from radeval_core.leaderboard.score_submission import current_version

    for name in ("First", "Second"):
        submit(store, small, KEEPER, name=name)
    blocked, free = store.submissions("small")
    (tmp_path / "store/claims/small" / current_version(small) / f"{blocked}.json").mkdir(parents=True)
    assert [o.submission for o in score_waiting(store, small, clock=clock)] == [free]


def test_a_damaged_result_is_scored_again_on_request_and_kept(store, small, tmp_path, clock):
    submit(store, small, KEEPER, name="First")
    (first,) = score_waiting(store, small, clock=clock)
    path = tmp_path / "store/results/small" / first.version / f"{first.submission}.json"
    path.write_bytes(b'{"half')
    assert score_waiting(store, small, clock=clock) == [] and path.read_bytes() == b'{"half'
    (again,) = score_waiting(store, small, clock=clock, retry_failed=True)
    assert again.metrics == first.metrics and store.outcomes("small") == [again]
    (kept,) = (tmp_path / "store/damaged").rglob("*.json")
    assert kept.read_bytes() == b'{"half'
