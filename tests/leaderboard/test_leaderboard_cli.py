"""`radeval leaderboard …` as a person types it, and the files it exports."""

import json
from functools import partial
from pathlib import Path

import huggingface_hub.constants
import pytest
import yaml
from huggingface_hub import HfApi, parse_eval_result_entries
from small_benchmark import REFERENCES, jsonl, rows

from dataset_hub import DatasetHub
from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.leaderboard import board as board_module
from radeval_core.leaderboard import hub_files
from radeval_core.leaderboard.baselines import seed
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.export import benchmark_config
from radeval_core.leaderboard.outcome import version_of
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.store import open_store
from radeval_core.leaderboard.submission import check_submission


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(jsonl(rows(**REFERENCES), name="<b>Mine</b> [red]x[/red]"))
    return path


@pytest.fixture
def options(small, tmp_path):
    return ["--benchmark", str(small.folder), "--store", str(tmp_path / "store")]


def run(capsys, *arguments):
    status = main(["leaderboard", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_from_check_to_export(capsys, small, file, options, tmp_path):
    status, out, _ = run(capsys, "check", file, "--benchmark", small.folder)
    assert status == 0 and "fine: 6 predictions of '<b>Mine</b> [red]x[/red]' for small" in out
    _, out, _ = run(capsys, "submit", file, *options, "--json")
    submission = json.loads(out)["submission"]
    assert json.loads(run(capsys, "submit", file, *options, "--json")[1]) == {"submission": submission, "new": False}
    assert "1 submissions wait: radeval leaderboard score" in run(capsys, "show", *options)[1]
    assert run(capsys, "score", *options)[1] == f"{submission} '<b>Mine</b> [red]x[/red]': scored\n"
    assert run(capsys, "score", *options)[1] == "nothing waits\n"
    status, out, _ = run(capsys, "show", *options)
    assert (
        status == 0 and "<b>Mine</b> [red]x[/red]" in out and "1.000 (1.000–1.000)" in out and "fineradscore ↓" in out
    )
    table = json.loads(run(capsys, "show", *options, "--json")[1])
    assert table["systems"][0]["rank"] == 1 and table["systems"][0]["metrics"]["green"]["score"] == 1.0
    status, out, _ = run(capsys, "export", submission[:8], "--out", tmp_path / "repo", *options)
    assert status == 0 and ".eval_results" in out


def test_check_names_every_problem_and_ends_with_2(capsys, small, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(jsonl([*rows(s2="")[:5], {"id": "s9", "prediction": "x"}]))
    status, out, err = run(capsys, "check", path, "--benchmark", small.folder)
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        f"{path}: line 3 (id 's2'): prediction is empty",
        f"{path}: line 7 (id 's9'): no such study in small",
        f"{path}: id 's6': no prediction for this study",
    ]
    status, out, _ = run(capsys, "check", path, "--benchmark", small.folder, "--json")
    assert status == 2 and len(json.loads(out)["problems"]) == 3


def test_check_stops_saying_after_twenty(capsys, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(jsonl([{"id": "study-001", "prediction": "x"}]))
    status, _, err = run(capsys, "check", path)
    assert status == 2 and len(err.splitlines()) == 21 and err.endswith("and 91 more\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check", "nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["check", "x", "--benchmark", "radchek-open"], "did you mean 'radcheck-open'?"),
        (["show", "--metric", "blue"], "did you mean 'bleu'?"),
        (["export", "zzz", "--out", "."], "unknown submission 'zzz'"),
        (["studies", "--out", "s.txt"], "must end in .jsonl"),
        (["show", "--hub", "a b"], "--hub 'a b'"),
        (["show", "--hub", "x", "--store", "y"], "not both"),
    ],
)
def test_a_wrong_command_says_what_to_type(arguments, expected, capsys, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RADEVAL_LEADERBOARD", str(tmp_path / "store"))
    if arguments[0] in ("show", "export") and "--hub" not in arguments:
        arguments = [*arguments, "--benchmark", str(small.folder)]
    status, _, err = run(capsys, *arguments)
    assert status == 2 and expected in err and "Traceback" not in err


def test_studies_hold_what_a_system_may_see(capsys, tmp_path):
    out = tmp_path / "studies.jsonl"
    assert run(capsys, "studies", "--out", out)[0] == 0
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert set(first) == {"id", "modality", "anatomy", "question"}


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["leaderboard", "--help"])
    text = capsys.readouterr().out
    assert "radeval leaderboard check mine.jsonl" in text and '{"id": "study-001", "prediction":' in text


def test_exported_files_read_back_with_the_hubs_own_types(capsys, small, file, options, tmp_path):
    submission = json.loads(run(capsys, "submit", file, *options, "--json")[1])["submission"]
    run(capsys, "score", *options)
    run(capsys, "export", submission, "--out", tmp_path / "repo", "--source", "https://example.org/board", *options)
    entries = parse_eval_result_entries(yaml.safe_load((tmp_path / "repo/.eval_results/small.yaml").read_text("utf-8")))
    outcome = read_board(open_store(tmp_path / "store"), small).find(submission)
    assert {e.task_id: e.value for e in entries} == {name: row["score"] for name, row in outcome.metrics.items()}
    assert {e.dataset_id for e in entries} == {"radeval/small"} and {e.date for e in entries} == {outcome.date}
    assert all(outcome.metrics[e.task_id]["signature"] in e.notes for e in entries)
    assert {e.source_url for e in entries} == {"https://example.org/board"}
    config = yaml.safe_load((tmp_path / "repo/eval.yaml").read_text("utf-8"))
    assert config == benchmark_config(small)
    assert [task["id"] for task in config["tasks"]] == [e.task_id for e in entries]


def test_a_system_is_found_by_id_or_name_if_only_one_is_meant(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    for data in (jsonl(), jsonl(training_data="Other data."), jsonl(name="Another")):
        store.submit(check_submission(data, small), small, "2026-01-01T00:00:00+00:00")
    score_waiting(store, small, clock=clock)
    board = read_board(store, small)
    assert board.find("Another").system.name == "Another"
    assert board.find(board.current[0].submission[:10]) == board.current[0]
    with pytest.raises(InputError, match="2 submissions are called 'Example system'"):
        board.find("Example system")
    with pytest.raises(InputError, match="unknown submission ''"):
        board.find("")


# on a Hub


def test_every_step_works_on_a_hub(capsys, small, file, tmp_path, monkeypatch):
    def radeval(*arguments):
        status, out, err = run(capsys, *arguments, "--json", "--benchmark", small.folder, "--hub", "clinic")
        assert status == 0, err
        return json.loads(out)

    with DatasetHub(tmp_path / "hub", tokens={"hf_good": {"clinic"}}) as hub:
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # the server is on this machine
        monkeypatch.setattr(hub_files, "HfApi", partial(HfApi, endpoint=hub.url, token="hf_good"))
        submission = radeval("submit", file)["submission"]
        assert radeval("show")["waiting"] == 1
        assert [row["submission"] for row in radeval("score")["scored"]] == [submission]
        (system,) = radeval("show")["systems"]
        assert (system["rank"], system["submission"]) == (1, submission)
        assert len(radeval("export", submission[:9], "--out", tmp_path / "repo")["files"]) == 2


# a new checkout


def test_a_new_store_shows_the_three_baselines_in_their_order(capsys, tmp_path):
    table = json.loads(run(capsys, "show", "--store", tmp_path / "new", "--json")[1])
    names = [(row["rank"], row["name"]) for row in table["systems"]]
    assert names == [(1, "Noisy reference (sees the answer)"), (2, "Nearest neighbour"), (3, "Template normal report")]
    assert table["waiting"] == 0 and table["failed"] == []


def test_seeding_is_for_empty_stores_and_does_nothing_twice(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    assert read_board(store, small, seed_if_empty=True, clock=clock).current == ()  # it has no baselines
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl())
    assert len(read_board(store, small, seed_if_empty=True, clock=clock).current) == 1
    assert seed(store, small, clock=clock) == []


def test_results_of_other_versions_stay_visible_and_apart(small, tmp_path, clock, monkeypatch, capsys, options):
    store = open_store(tmp_path / "store")
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl())
    (outcome,) = seed(store, small, clock=clock)
    other = version_of("small", small.revision, {"green": "another signature"})
    monkeypatch.setattr(board_module, "current_version", lambda benchmark, **options: other)
    board = read_board(store, small)
    assert board.current == () and board.waiting == 1
    assert [(g.version, g.outcomes) for g in board.others] == [(outcome.version, (outcome,))]
    out = run(capsys, "show", *options)[1]
    assert "1 results of other versions are not ranked with these" in out


def test_a_result_written_by_an_earlier_core_stays_loadable_and_visible(small, tmp_path, clock):
    """The file was written in the first layout; it must never be edited, only joined by files of later layouts."""
    store = open_store(tmp_path / "store")
    data = (Path(__file__).parent / "outcome_format_1.json").read_bytes()
    store.files.create("results/small/0123456789ab/be99267ee28ea749ac903c92.json", data)
    board = read_board(store, small)
    (group,) = board.others
    (outcome,) = group.outcomes
    assert board.current == () and (group.core, outcome.format) == ("0.0.9", 1)
    assert outcome.system.name == "Example system" and outcome.errors[0]["missing_finding"] >= 1
    assert len(outcome.scores["green"]) == 6 and outcome.metrics["green"]["signature"].startswith("green|")


def test_the_default_benchmark_is_the_shipped_one():
    assert load_benchmark().name == "radcheck-open"
