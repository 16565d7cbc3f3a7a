"""`radeval data` list, build, push and pairs, with a local Hub server."""

import json
import os
import subprocess
import sys

import pytest
from datasets import load_dataset
from invented_sources import openi, radpref, rexval

from hub_server import HubServer
from radeval_core.cli import main
from radeval_core.data.build import build
from radeval_core.data.catalogue import dataset_names, get_dataset


@pytest.fixture
def hub(tmp_path):
    with HubServer(tmp_path / "hub", tokens={"hf_good": {"radeval"}}) as server:
        yield server


@pytest.fixture
def built(tmp_path):
    build("radpref", radpref(tmp_path), tmp_path / "radpref")
    return tmp_path / "radpref"


def push(hub, *args, token="hf_good", cwd=None):
    """Run `radeval data push` in a process and return the finished process."""
    env = {**os.environ, "HF_ENDPOINT": hub.url, "HF_TOKEN": token, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-m", "radeval_core.cli", "data", "push", *args]
    return subprocess.run(
        command, env=env, cwd=cwd, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )


def test_list_names_every_dataset(capsys):
    assert main(["data", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert tuple(listed) == dataset_names()
    assert listed["radcheck"]["source"] is None and listed["radcheck"]["publishable"]
    assert listed["rexval"]["configs"] == {"all": ["test"], "split": ["train", "test"]}
    assert main(["data", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in dataset_names())


def test_build_prints_rows_and_folder(tmp_path, capsys):
    source, out = rexval(tmp_path), str(tmp_path / "out")
    assert main(["data", "build", "rexval", "--source", str(source), "--out", out]) == 0
    shown = capsys.readouterr().out
    assert "160" in shown and out in shown
    assert main(["data", "build", "rexval", "--source", str(source), "--out", out, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["dataset"], made["folder"]) == ("rexval", out)
    assert made["rows"] == {"all": {"test": 200}, "split": {"train": 160, "test": 40}}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["rexvall", "--out", "x"], "did you mean 'rexval'"),
        (["rexval", "--out", "x"], "needs --source"),
        (["rexval", "--out", "x", "--sample", "s.jsonl"], "--sample is only for radcheck"),
        (["radcheck", "--out", "x", "--sample", "s.txt"], "must end in .jsonl"),
    ],
)
def test_wrong_options_are_one_line_and_exit_2(args, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["data", "build", *args]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.e2e
def test_push_uploads_only_the_built_files(hub, built, tmp_path):
    (built / "notes.txt").write_text("mine")
    (built / "cases" / "other.parquet").write_text("mine")
    done = push(hub, "radpref", "--org", "radeval", "--folder", str(built), "--json")
    assert done.returncode == 0, done.stderr
    url = f"{hub.url}/datasets/radeval/radpref"
    assert json.loads(done.stdout) == {"dataset": "radpref", "folder": str(built), "url": url}
    there = hub.dataset("radeval", "radpref")
    files = sorted(str(file.relative_to(there)) for file in there.rglob("*") if file.is_file())
    assert files == ["README.md", "cases/test.parquet", "radeval.json"]
    assert all((there / file).read_bytes() == (built / file).read_bytes() for file in files)
    assert len(load_dataset(str(there), "cases", cache_dir=str(tmp_path / "cache"))["test"]) == 3


@pytest.mark.e2e
def test_push_finds_the_folder_by_name_and_can_run_twice(hub, built, tmp_path):
    for _ in range(2):
        done = push(hub, "radpref", "--org", "radeval", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"radpref: {hub.url}/datasets/radeval/radpref\n"


@pytest.mark.parametrize("name", [name for name in dataset_names() if not get_dataset(name).publishable])
def test_push_refuses_datasets_that_may_not_be_shared(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main(["data", "push", name, "--org", "radeval"]) == 2
    assert f"{name} may not be published: " in capsys.readouterr().err


def test_push_refuses_a_folder_of_another_dataset(hub, tmp_path, capsys):
    build("openi", openi(tmp_path), tmp_path / "openi")
    assert main(["data", "push", "radpref", "--org", "radeval", "--folder", str(tmp_path / "openi")]) == 2
    assert "contains the dataset 'openi', not 'radpref'" in capsys.readouterr().err


def test_push_refuses_a_changed_file(built, capsys):
    (built / "cases" / "test.parquet").write_bytes(b"PAR1")
    assert main(["data", "push", "radpref", "--org", "radeval", "--folder", str(built)]) == 2
    assert "missing or changed since it was built" in capsys.readouterr().err


@pytest.mark.e2e
def test_push_reports_a_token_problem(hub, built):
    done = push(hub, "radpref", "--org", "other", "--folder", str(built))
    assert done.returncode == 1
    assert "your token may not write to 'other'" in done.stderr
    done = push(hub, "radpref", "--org", "radeval", "--folder", str(built), token="hf_bad")
    assert done.returncode == 1
    assert "the Hub does not accept your token" in done.stderr
    assert not hub.dataset("radeval", "radpref").exists()


# pairs from a corpus

REPORTS = {
    "a": "Small left pleural effusion. The heart is mildly enlarged.",
    "b": "Small right pleural effusion. The heart is normal in size.",
    "c": "Large right pneumothorax. The trachea is midline.",
}


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in REPORTS.items()))
    return path


def test_score_reads_the_pairs_file(corpus, tmp_path, capsys):
    out = tmp_path / "pairs.jsonl"
    assert main(["data", "pairs", str(corpus), "--heuristic", "nearest", "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 3
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["study"], row["origin"]) for row in rows][:2] == [("a", "b"), ("b", "a")]
    assert main(["score", str(out), "--metrics", "rouge", "--json"]) == 0


def test_model_output_pairs_need_outputs(corpus, tmp_path, capsys):
    command = ["data", "pairs", str(corpus), "--heuristic", "model_output", "--out", str(tmp_path / "pairs.jsonl")]
    assert main(command) == 2
    assert "outputs" in capsys.readouterr().err
    outputs = tmp_path / "system.jsonl"
    outputs.write_text(json.dumps({"id": "b", "text": "Clear lungs."}) + "\n")
    assert main([*command, "--outputs", str(outputs)]) == 0
    assert "1 pair from 3 reports" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--heuristic", "nearst"], "did you mean"),
        (["--count", "0"], "at least 1"),
        (["--out", "pairs.csv"], ".jsonl"),
    ],
)
def test_wrong_options_of_pairs_are_explained(corpus, tmp_path, change, message, capsys):
    command = ["data", "pairs", str(corpus), "--heuristic", "random", "--out", str(tmp_path / "pairs.jsonl"), *change]
    assert main(command) == 2
    assert message in capsys.readouterr().err


def test_a_duplicate_id_is_refused(corpus, tmp_path, capsys):
    corpus.write_text(corpus.read_text() * 2)
    assert main(["data", "pairs", str(corpus), "--heuristic", "random", "--out", str(tmp_path / "p.jsonl")]) == 2
    assert "occurs twice" in capsys.readouterr().err
