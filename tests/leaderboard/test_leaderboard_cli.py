"""The `radeval leaderboard` commands and the files they export."""

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
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.store import open_store
from radeval_core.leaderboard.submission import check_submission
from radeval_core.leaderboard.submission_result import version_of


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
    assert status == 0 and "valid: 6 predictions of '<b>Mine</b> [red]x[/red]' for small" in out
    _, out, _ = run(capsys, "submit", file, *options, "--json")
    submission = json.loads(out)["submission"]
    assert json.loads(run(capsys, "submit", file, *options, "--json")[1]) == {"submission": submission, "new": False}
    assert run(capsys, "log", *options)[:2][0] == 0
    assert "waiting submissions: 1; to score them, type: radeval leaderboard score" in run(capsys, "show", *options)[1]
    assert run(capsys, "score", *options)[1] == f"{submission} '<b>Mine</b> [red]x[/red]': scored\n"
    assert run(capsys, "score", *options)[1] == "no submissions waiting\n"
    status, out, _ = run(capsys, "show", *options)
    assert (
        status == 0 and "<b>Mine</b> [red]x[/red]" in out and "1.000 (1.000–1.000)" in out and "fineradscore ↓" in out
    )
    table = json.loads(run(capsys, "show", *options, "--json")[1])
    assert table["systems"][0]["rank"] == 1 and table["systems"][0]["metrics"]["green"]["score"] == 1.0
    status, out, _ = run(capsys, "export", submission[:8], "--out", tmp_path / "repo", *options)
    assert status == 0 and ".eval_results" in out


def test_check_lists_every_problem_and_exits_with_2(capsys, small, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(jsonl([*rows(s2="")[:5], {"id": "s9", "prediction": "x"}]))
    status, out, err = run(capsys, "check", path, "--benchmark", small.folder)
    assert (status, out) == (2, "")
    assert err.splitlines() == [
        f"{path}: line 3 (id 's2'): prediction is empty",
        f"{path}: line 7 (id 's9'): no such study in small",
        f"{path}: 1 prediction is missing: s6",
    ]
    status, out, _ = run(capsys, "check", path, "--benchmark", small.folder, "--json")
    assert status == 2 and len(json.loads(out)["problems"]) == 3


def test_check_lists_at_most_twenty_problems(capsys, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(jsonl([{"id": f"study-{i:03d}", "prediction": ""} for i in range(1, 113)]))
    status, _, err = run(capsys, "check", path)
    assert status == 2 and len(err.splitlines()) == 21 and err.endswith("and 92 more\n")


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
        (["show", "--store", "typo"], "--store typo does not exist"),
        (["score", "--store", "typo"], "--store typo does not exist"),
        (["export", "x", "--out", ".", "--store", "typo"], "--store typo does not exist"),
    ],
)
def test_a_wrong_command_says_what_to_type(arguments, expected, capsys, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RADEVAL_LEADERBOARD", str(tmp_path / "store"))
    if arguments[0] in ("show", "export") and "--hub" not in arguments:
        arguments = [*arguments, "--benchmark", str(small.folder)]
    status, _, err = run(capsys, *arguments)
    assert status == 2 and expected in err and "Traceback" not in err


def test_studies_contain_only_the_input(capsys, tmp_path):
    out = tmp_path / "studies.jsonl"
    assert run(capsys, "studies", "--out", out)[0] == 0
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert set(first) == {"id", "modality", "anatomy", "question"}


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["leaderboard", "--help"])
    text = capsys.readouterr().out
    assert "radeval leaderboard check mine.jsonl" in text and '{"id": "study-001", "prediction":' in text


def test_huggingface_hub_reads_the_exported_files(capsys, small, file, options, tmp_path):
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


def test_a_system_is_found_by_id_or_unique_name(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    for data in (jsonl(), jsonl(training_data="Other data."), jsonl(name="Another")):
        store.submit(check_submission(data, small), small, "2026-01-01T00:00:00+00:00")
    score_waiting(store, small, clock=clock)
    board = read_board(store, small)
    assert board.find("Another").system.name == "Another"
    assert board.find(board.current[0].submission[:10]) == board.current[0]
    with pytest.raises(InputError, match="2 submissions match 'Example system'"):
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


@pytest.mark.slow
def test_a_new_store_shows_the_three_baselines_in_order(capsys, tmp_path):
    run(capsys, "seed", "--store", tmp_path / "new", "--quiet")
    table = json.loads(run(capsys, "show", "--store", tmp_path / "new", "--json")[1])
    names = [(row["rank"], row["kind"], row["name"]) for row in table["unranked"]]
    assert names == [
        (None, "oracle", "Noisy reference (sees the answer)"),
        (None, "baseline", "Nearest neighbour"),
        (None, "baseline", "Template normal report"),
    ]
    assert table["systems"] == []
    assert table["waiting"] == 0 and table["failed"] == []


def test_seeding_fills_an_empty_store_once(small, tmp_path, clock):
    store = open_store(tmp_path / "store")
    assert read_board(store, small, seed_if_empty=True, clock=clock).current == ()  # it has no baselines
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl())
    assert len(read_board(store, small, seed_if_empty=True, clock=clock).current) == 1
    assert seed(store, small, clock=clock) == []


def test_results_of_other_versions_stay_visible_and_unranked(small, tmp_path, clock, monkeypatch, capsys, options):
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
    assert "not ranked with these: 1 results of other versions" in out


def test_a_result_written_by_an_earlier_core_stays_loadable_and_visible(small, tmp_path, clock):
    """The file has the first layout. Never edit it; add a new file for each later layout."""
    store = open_store(tmp_path / "store")
    data = (Path(__file__).parent / "outcome_format_1.json").read_bytes()
    store.files.create("results/small/0123456789ab/be99267ee28ea749ac903c92.json", data)
    board = read_board(store, small)
    (group,) = board.others
    (outcome,) = group.outcomes
    assert board.current == () and (group.core, outcome.format) == ("0.0.9", 1)
    assert outcome.system.name == "Example system" and outcome.errors[0]["missing_finding"] >= 1
    assert len(outcome.scores["green"]) == 6 and outcome.metrics["green"]["signature"].startswith("green|")


def test_the_default_benchmark_is_radcheck_open():
    assert load_benchmark().name == "radcheck-open"
