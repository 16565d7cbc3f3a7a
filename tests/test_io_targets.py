"""No output replaces an input, and an output that cannot be written is found out before the first pair is scored."""

import json
import os

import pytest

from radeval_core import cli
from radeval_core.errors import InputError, OutputError
from radeval_core.io import atomic, check_output, jsonl_writer
from radeval_core.io.targets import same_file

PAIRS = "".join(
    json.dumps({"id": str(i), "prediction": "Clear lungs.", "reference": "Small effusion."}) + "\n" for i in range(3)
)
REPORTS = "".join(json.dumps({"id": str(i), "text": f"Nodule of {i + 2} mm."}) + "\n" for i in range(3))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in (("pairs.jsonl", PAIRS), ("other.jsonl", PAIRS), ("reports.jsonl", REPORTS)):
        (tmp_path / name).write_text(content)
    (tmp_path / "link.jsonl").symlink_to("pairs.jsonl")
    os.link("pairs.jsonl", "hard.jsonl")
    os.link("reports.jsonl", "hard_reports.jsonl")
    (tmp_path / "terms.yaml").write_text("findings: {}\n")
    return tmp_path


OVERWRITES = [
    ["score", "pairs.jsonl", "--metrics", "rouge", "--out", "pairs.jsonl"],
    ["score", "pairs.jsonl", "--metrics", "rouge", "--out", "./link.jsonl"],
    ["score", "link.jsonl", "--metrics", "rouge", "--out", "pairs.jsonl"],
    ["score", "pairs.jsonl", "--metrics", "rouge", "--out", "hard.jsonl"],
    ["score", "pairs.jsonl", "--metrics", "rouge", "--details", "pairs.jsonl"],
    ["score", "--predictions", "pairs.jsonl", "--references", "x", "--metrics", "rouge", "--out", "pairs.jsonl"],
    ["compare", "pairs.jsonl", "b=other.jsonl", "--metrics", "rouge", "--out", "other.jsonl"],
    ["compare", "a=link.jsonl", "other.jsonl", "--metrics", "rouge", "--out", "hard.jsonl"],
    ["parse", "reports.jsonl", "--out", "reports.jsonl"],
    ["parse", "reports.jsonl", "--out", "hard_reports.jsonl"],
    ["data", "pairs", "reports.jsonl", "--heuristic", "random", "--out", "reports.jsonl"],
    ["data", "pairs", "x", "--heuristic", "model_output", "--outputs", "reports.jsonl", "--out", "reports.jsonl"],
    ["oracle", "reports.jsonl", "other.jsonl", "--metric", "rouge", "--out", "reports.jsonl"],
    ["oracle", "other.jsonl", "reports.jsonl", "--metric", "rouge", "--out", "reports.jsonl"],
    ["fit", "radcliq", "--data", "terms.yaml", "--out", "terms.yaml"],
]


@pytest.mark.parametrize("command", OVERWRITES, ids=" ".join)
def test_an_input_is_never_overwritten(files, command, capsys):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert cli.main(command) == 2
    error = capsys.readouterr().err
    assert "which would be lost" in error and error.count("\n") == 1
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_two_outputs_may_not_be_one_file(files, capsys):
    (files / "d.jsonl").symlink_to("o.jsonl")
    command = ["score", "pairs.jsonl", "--metrics", "rouge", "--out", "o.jsonl", "--details", "d.jsonl"]
    assert cli.main(command) == 2
    assert "--out and --details are the same file" in capsys.readouterr().err


def test_files_that_do_not_exist_are_the_same_if_their_names_lead_to_one_place(tmp_path):
    (tmp_path / "folder").mkdir()
    assert same_file(tmp_path / "a", tmp_path / "folder" / ".." / "a")
    assert not same_file(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("number, words", [(28, "No space left"), (30, "Read-only file system"), (13, "Permission")])
def test_an_output_that_cannot_be_written_is_found_out_before_any_work(files, monkeypatch, capsys, number, words):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.tempfile, "mkstemp", refuse)
    monkeypatch.setattr("radeval_core.api.score", lambda *_, **__: pytest.fail("scored before the output was checked"))
    assert cli.main(["score", "pairs.jsonl", "--metrics", "rouge", "--out", "o.jsonl"]) == 2
    assert words in capsys.readouterr().err


def test_a_read_only_output_and_a_pipe_are_refused(tmp_path, monkeypatch):
    (tmp_path / "o.csv").write_text("kept")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(InputError, match="read-only"):
        check_output(tmp_path / "o.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="not a regular file"):
        check_output(tmp_path / "pipe.csv")


COMMANDS = [
    (["score", "pairs.jsonl", "--metrics", "rouge", "--out", "o.jsonl"], "rouge|config:embedded"),
    (["score", "pairs.jsonl", "--metrics", "rouge", "--out", "o.jsonl", "--json"], '"rouge": {"score"'),
    (["score", "pairs.jsonl", "--metrics", "rouge", "--details", "o.jsonl"], "rouge|config:embedded"),
    (["score", "pairs.jsonl", "--metrics", "rouge", "--report", "o.html"], "rouge|config:embedded"),
    (["compare", "pairs.jsonl", "other.jsonl", "--metrics", "rouge", "--out", "o.csv"], "rouge|config:embedded"),
    (["oracle", "reports.jsonl", "hard_reports.jsonl", "--metric", "rouge", "--out", "o.jsonl"], "rouge|config:"),
]


@pytest.mark.parametrize("command, printed", COMMANDS, ids=[" ".join(command) for command, _ in COMMANDS])
def test_a_write_that_fails_at_the_end_costs_no_table(files, monkeypatch, capsys, command, printed):
    def full(*_):
        raise OSError(28, "No space left on device")

    replace = os.replace
    monkeypatch.setattr(atomic.os, "replace", lambda a, b: full() if "/o." in str(b) else replace(a, b))
    assert cli.main(command) == 1
    out, error = capsys.readouterr()
    assert printed in out
    assert "cannot write o." in error and error.splitlines()[-1].endswith("No space left on device")
    assert not [path for path in files.iterdir() if path.name.startswith(("o.", ".o."))]


def test_rows_after_a_failed_row_are_dropped_and_the_block_still_ends(tmp_path):
    reached = []
    with pytest.raises(OutputError, match="cannot write"), jsonl_writer(tmp_path / "d.jsonl") as write:
        part = next(tmp_path.glob(".d.jsonl.*"))
        limited = {"id": 1, "details": "x" * 100_000}
        import resource

        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
        try:
            for _ in range(5):
                write(limited)
                reached.append(part)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert len(reached) == 5 and list(tmp_path.iterdir()) == []
