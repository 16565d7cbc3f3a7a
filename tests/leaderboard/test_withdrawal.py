"""Withdrawing a submission: by its owner only, in the log, with the name kept and nothing deleted."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from huggingface_hub import HfApi
from small_benchmark import LIMITS, jsonl, rows, write_benchmark

from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.owners import KEEPER, with_account, with_secret
from radeval_core.leaderboard.queue import score_waiting, waiting
from radeval_core.leaderboard.score_submission import current_version
from radeval_core.leaderboard.store import Store, open_store
from radeval_core.leaderboard.submission import check_submission
from radeval_core.leaderboard.withdrawal import find_submission, withdraw

DATE, LATER = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
ANNA, BERT = with_secret("anna's long secret"), with_secret("bert's long secret")


def submit(store, benchmark, submitter, predictions=None, date=DATE, **system):
    submission = check_submission(jsonl(predictions, **system), benchmark)
    assert store.submit(submission, benchmark, date, submitter)
    return submission.id


def test_a_withdrawn_entry_is_off_the_board_and_the_others_stay(store, small, clock, tmp_path):
    mine, other = submit(store, small, ANNA, name="COPE"), submit(store, small, BERT, name="Other")
    score_waiting(store, small, clock=clock)
    before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*.json")}
    assert withdraw(store, "small", mine, LATER, ANNA)
    board = read_board(store, small)
    assert [o.submission for o in board.current] == [other] and len(board.ranked()) == 1
    assert board.waiting == 0 and board.withdrawn == 1 and board.as_dict("green")["withdrawn"] == 1
    assert all(path.read_bytes() == data for path, data in before.items())  # nothing is deleted or changed
    assert not withdraw(store, "small", mine, LATER, ANNA)


def test_a_withdrawn_entry_is_not_scored(store, small, clock):
    mine = submit(store, small, ANNA, name="COPE")
    withdraw(store, "small", mine, LATER, ANNA)
    assert waiting(store, small, current_version(small)) == [] and score_waiting(store, small, clock=clock) == []
    assert score_waiting(store, small, clock=clock, retry_failed=True) == []
    assert read_board(store, small).waiting == 0


@pytest.mark.parametrize(
    ("owner", "others", "how"),
    [
        (ANNA, [BERT, with_account("anna"), with_secret("anna anna anna")], "only its secret"),
        (with_account("anna"), [with_account("bert"), with_account(""), ANNA], "only its account"),
        (KEEPER, [ANNA, with_account("anna")], "only the store's keeper"),
    ],
)
def test_nobody_else_can_withdraw_it(store, small, owner, others, how):
    mine = submit(store, small, owner, name="COPE")
    log = store.log("small").data
    for other in others:
        with pytest.raises(InputError, match=f"'COPE' belongs to another submitter: {how} can withdraw it"):
            withdraw(store, "small", mine, LATER, other)
    assert store.withdrawn("small") == set() and store.log("small").data == log
    assert withdraw(store, "small", mine, LATER, owner)


def test_a_submission_without_an_owner_belongs_to_the_keeper(store, small, tmp_path):
    mine = submit(store, small, KEEPER, name="Early")
    for path in (tmp_path / "store/owners").rglob("*.json"):
        path.unlink()
    with pytest.raises(InputError, match="only the store's keeper"):
        withdraw(store, "small", mine, LATER, ANNA)
    assert withdraw(store, "small", mine, LATER, KEEPER)


def test_the_name_stays_with_its_owner(store, small):
    mine = submit(store, small, ANNA, name="COPE")
    withdraw(store, "small", mine, LATER, ANNA)
    with pytest.raises(InputError, match="belongs to another submitter"):
        submit(store, small, BERT, name="cope", training_data="Mine.")
    assert submit(store, small, ANNA, name="COPE", training_data="More.")


def test_the_same_submission_does_not_come_back(store, small):
    mine = submit(store, small, ANNA, name="COPE")
    withdraw(store, "small", mine, LATER, ANNA)
    with pytest.raises(InputError, match="was withdrawn: to enter again, change"):
        submit(store, small, ANNA, name="COPE")


def test_the_log_has_the_withdrawal_and_limits_still_count_it(tmp_path):
    benchmark = write_benchmark(tmp_path / "limited", limits={**LIMITS, "per_submitter_per_day": 2})
    store = open_store(tmp_path / "store")
    for i in range(2):
        mine = submit(store, benchmark, ANNA, rows(s1=f"Nodule of {i} mm."), name="COPE")
        assert withdraw(store, "small", mine, DATE, ANNA)
    log = store.log("small")
    assert log.problems() == [] and log.withdrawals() == log.submissions() == store.withdrawn("small")
    last = list(log.events())[-1]
    assert (last["withdrawn"], last["name"], last["date"]) == (mine, "COPE", DATE) and "secret" in last["owner"]
    with pytest.raises(InputError, match="at most 2 submissions per day"):
        submit(store, benchmark, ANNA, rows(s1="Nodule of 3 mm."), name="COPE")


def test_ten_withdrawals_at_once_are_one(store, small):
    mine = submit(store, small, ANNA, name="COPE")
    with ThreadPoolExecutor(10) as pool:
        assert sum(pool.map(lambda _: withdraw(store, "small", mine, LATER, ANNA), range(10))) == 1
    assert len(list(store.log("small").events())) == 2 and store.log("small").problems() == []


def test_a_submission_is_found_by_id_start_or_name(store, small):
    one = submit(store, small, ANNA, name="COPE")
    two = submit(store, small, ANNA, name="COPE", training_data="More.")
    assert find_submission(store, "small", one) == find_submission(store, "small", one[:10]) == one
    with pytest.raises(InputError, match="2 submissions match 'COPE'; give one of"):
        find_submission(store, "small", "COPE")
    withdraw(store, "small", one, LATER, ANNA)
    assert find_submission(store, "small", "COPE") == two
    for unknown in ("", "nothing"):
        with pytest.raises(InputError, match="unknown submission"):
            find_submission(store, "small", unknown)


def test_on_the_hub_only_the_account_can_withdraw(small, tmp_path, monkeypatch):
    import huggingface_hub.constants

    from dataset_hub import DatasetHub
    from radeval_core.leaderboard.hub_files import HubFiles

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # the server is on this machine
    with DatasetHub(tmp_path / "hub", tokens={"hf_good": {"clinic"}}) as hub:
        files = HubFiles("clinic", HfApi(endpoint=hub.url, token="hf_good"), sleep=lambda seconds: None)
        store, me = Store(files), with_account(files.account())
        mine = submit(store, small, me, name="COPE")
        commits = hub.repos["clinic/leaderboard-requests"].commits
        before = len(commits)
        with pytest.raises(InputError, match="only its account"):
            withdraw(store, "small", mine, LATER, with_account("someone-else"))
        assert len(commits) == before
        assert withdraw(store, "small", mine, LATER, me) and len(commits) == before + 1  # log and record together
        assert not withdraw(store, "small", mine, LATER, me)
        assert store.withdrawn("small") == {mine} and store.log("small").problems() == []


def test_the_command(small, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("RADEVAL_LEADERBOARD_SECRET", raising=False)
    options = ["--store", str(tmp_path / "store"), "--benchmark", str(small.folder)]
    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    assert main(["leaderboard", "submit", str(tmp_path / "mine.jsonl"), *options, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert main(["leaderboard", "withdraw", "Example system", *options]) == 2
    assert "give the secret of the name: --secret-file FILE" in capsys.readouterr().err
    (tmp_path / "secret").write_text("not the right secret")
    secret = ["--secret-file", str(tmp_path / "secret")]
    assert main(["leaderboard", "withdraw", "Example system", *options, *secret]) == 2
    assert "belongs to another submitter: only its secret can withdraw it" in capsys.readouterr().err
    (tmp_path / "secret").write_text(printed["secret"])
    assert main(["leaderboard", "withdraw", "Example system", *options, *secret]) == 0
    assert capsys.readouterr().out == f"withdrawn: {printed['submission']}\n"
    assert main(["leaderboard", "withdraw", printed["submission"][:8], *options, *secret]) == 0
    assert "already withdrawn" in capsys.readouterr().out
    assert main(["leaderboard", "log", *options]) == 0
    (tmp_path / "store/withdrawn/small/abc.json").write_text("{}")
    capsys.readouterr()
    assert main(["leaderboard", "log", *options]) == 1
    assert "the withdrawal of abc is not in the log" in capsys.readouterr().out


def test_the_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["leaderboard", "withdraw", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "Only its owner can withdraw a submission" in text and "The name stays yours" in text
