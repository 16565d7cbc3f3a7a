"""Scores reach trackio and wandb, on this machine and without a report."""

import pytest

SETTINGS = {"TRACKIO_DIR": "trackio", "WANDB_DIR": "wandb", "WANDB_MODE": "offline", "WANDB_SILENT": "true"}


@pytest.fixture(autouse=True)
def _logs_in_a_folder_of_their_own(monkeypatch, tmp_path):
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, str(tmp_path) if name.endswith("_DIR") else value)


def files(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def quoted(pairs, kept):
    """Return the reports that files contain."""
    return [
        text for pair in pairs for text in (pair["prediction"], pair["reference"]) if text and text.encode() in kept
    ]


def test_trackio_keeps_the_scores_of_the_example(root, example_pairs, tmp_path):
    import os
    import subprocess
    import sys

    example = str(root / "examples" / "harnesses" / "tracking_example.py")
    done = subprocess.run(
        [sys.executable, example], cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "test/radgraph_f1/ci95_low" in done.stdout
    kept = files(tmp_path)
    assert b"test/green.error_count" in kept and b"green|config:embedded" in kept
    assert quoted(example_pairs, kept) == []


def test_wandb_keeps_the_scores_offline(example_pairs, tmp_path):
    import wandb

    from radeval_core import score
    from radeval_core.adapters.experiment_log import log_scores

    with wandb.init(project="radiology-reports", dir=str(tmp_path)) as run:
        logged = log_scores(score(example_pairs[:3], ["rouge"]), run, step=2)
    wandb.teardown()  # wandb's own process writes the file, and has written all of it when it ends
    kept = files(tmp_path)
    assert b"rouge/ci95_low" in kept and str(logged["rouge"]).encode() in kept
    assert quoted(example_pairs, kept) == []
