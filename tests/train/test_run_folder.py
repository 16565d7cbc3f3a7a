"""The folder of a run: one process at a time, the same settings, and only whole checkpoints."""

import json

import pytest

from radeval_core.errors import InputError, OutputError
from radeval_core.train import run_folder
from radeval_core.train.run_folder import open_run, read_log, read_run

SETTINGS = {"kind": "judge", "seed": 0}


def checkpoint(run, step, whole=True):
    folder = run.checkpoints / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "weights").write_text("w")
    if whole:
        run.mark_whole(step)
    return folder


def test_a_killed_run_goes_on_from_its_last_whole_checkpoint(tmp_path):
    with open_run(tmp_path / "run", SETTINGS) as run:
        checkpoint(run, 5)
        checkpoint(run, 10)
        broken = checkpoint(run, 15, whole=False)
    with open_run(tmp_path / "run", SETTINGS) as again:
        assert again.last_checkpoint().name == "checkpoint-10"
        assert not broken.exists()


def test_another_setting_is_named(tmp_path):
    with open_run(tmp_path / "run", SETTINGS):
        pass
    with (
        pytest.raises(InputError, match="has a run with another seed: 0, now 1"),
        open_run(tmp_path / "run", {**SETTINGS, "seed": 1}),
    ):
        pass


def test_only_one_process_trains_into_a_folder(tmp_path):
    with (
        open_run(tmp_path, SETTINGS),
        pytest.raises(InputError, match="another process trains into"),
        open_run(tmp_path, SETTINGS),
    ):
        pass


def test_a_complete_run_has_results_and_no_checkpoints_and_is_not_trained_again(tmp_path):
    with open_run(tmp_path, SETTINGS) as run:
        checkpoint(run, 5)
        run.finish({"f1": 0.5})
        assert run.results == {"f1": 0.5}
    assert not run.checkpoints.exists()
    with pytest.raises(InputError, match="has a run that is complete"), open_run(tmp_path, SETTINGS):
        pass


def test_other_files_and_a_file_are_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="has other files"), open_run(tmp_path, SETTINGS):
        pass
    with pytest.raises(InputError, match="is a file; give a folder"), open_run(tmp_path / "notes.txt", SETTINGS):
        pass


def test_too_little_space_is_an_error_before_the_start(tmp_path, monkeypatch):
    free = type("Usage", (), {"free": 2_000_000_000})()
    monkeypatch.setattr(run_folder.shutil, "disk_usage", lambda _: free)
    with (
        pytest.raises(OutputError, match=r"has 2.0 GB free, and the run needs about 3.5 GB"),
        open_run(tmp_path / "run", SETTINGS, needed_bytes=3_500_000_000),
    ):
        pass


def test_the_log_loses_a_cut_line_and_the_steps_that_are_done_again(tmp_path):
    with open_run(tmp_path, SETTINGS) as run:
        for step in (1, 2, 3):
            run.log(step, {"loss": 1 / step})
        with open(tmp_path / "log.jsonl", "a") as file:
            file.write('{"step": 4, "lo')
        assert [line["step"] for line in read_log(tmp_path)] == [1, 2, 3]
        run.cut_log(2)
    assert read_log(tmp_path) == [{"step": 1, "loss": 1.0}, {"step": 2, "loss": 0.5}]


@pytest.mark.parametrize(
    ("content", "message"), [(None, "has no run.json"), ("{", "cannot be read"), ("[]", "not the record of a training")]
)
def test_a_folder_without_a_readable_record_is_one_line(tmp_path, content, message):
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    with pytest.raises(InputError, match=message):
        read_run(tmp_path)


def test_the_record_has_the_settings_as_json(tmp_path):
    with open_run(tmp_path, {"rows": (1, 2)}):
        pass
    assert json.loads((tmp_path / "run.json").read_text()) == {"settings": {"rows": [1, 2]}}
