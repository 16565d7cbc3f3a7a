"""The options of `radeval score` for a cluster, each once wrong: one line, exit 2, before anything is started."""

import pytest

from radeval_core import cli

ON_RAY = ("--engine", "ray")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workers", "2"), "--workers is for a Ray cluster: add --engine ray"),
        (("--ray-address", "auto"), "--ray-address is for a Ray cluster: add --engine ray"),
        (("--keep-parts",), "--keep-parts is for a Ray cluster: add --engine ray"),
        (ON_RAY, "--engine ray needs --out FILE"),
        ((*ON_RAY, "--out", "OUT", "--workers", "0"), "--workers must be at least 1, got 0"),
        ((*ON_RAY, "--out", "OUT", "--limit", "3"), "--limit is for one process"),
        ((*ON_RAY, "--out", "OUT", "--details", "OUT.jsonl"), "--details quotes the reports"),
        ((*ON_RAY, "--out", "OUT", "--report", "OUT.html"), "--report quotes the reports"),
        ((*ON_RAY, "--out", "OUT", "--option", "green.summary=true"), "option green.summary needs all pairs"),
    ],
)
def test_wrong_options(root, tmp_path, capsys, options, said):
    given = [option.replace("OUT", str(tmp_path / "out.jsonl")) for option in options]
    command = ["score", str(root / "examples" / "pairs.jsonl"), "--metrics", "green", *given]
    assert cli.main(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("radeval: ") and said in line
    assert not list(tmp_path.iterdir())


def test_text_files_and_launched_processes_are_refused(root, tmp_path, capsys, monkeypatch):
    out = ["--metrics", "bleu", "--out", str(tmp_path / "out.jsonl"), *ON_RAY]
    assert cli.main(["score", "--predictions", "a.txt", "--references", "b.txt", *out]) == 2
    assert "--engine ray reads a table" in capsys.readouterr().err
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert cli.main(["score", str(root / "examples" / "pairs.jsonl"), *out]) == 2
    assert "leave out torchrun" in capsys.readouterr().err


def test_ray_that_is_not_installed_is_an_error_that_says_what_to_type(root, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    command = ["score", str(root / "examples" / "pairs.jsonl"), "--metrics", "bleu", *ON_RAY]
    assert cli.main([*command, "--out", str(tmp_path / "out.jsonl")]) == 2
    assert "pip install 'radeval_core[ray]'" in capsys.readouterr().err


def test_a_gpu_is_asked_for_where_a_model_runs(tmp_path):
    from radeval_core.cluster.job import ScoringJob
    from radeval_core.cluster.ray_engine import gpus_per_worker

    def gpus(resources, *metrics, **configs):
        return gpus_per_worker(ScoringJob(metrics, configs).make_scorers(), resources)

    assert gpus({"GPU": 4.0}, "bleu", "green") == 0
    assert gpus({"GPU": 4.0}, "bleu", "chexbert_f1", chexbert_f1="chexbert") == 1
    assert gpus({"GPU": 4.0}, "green", green="http:judge") == 0
    assert gpus({"GPU": 4.0}, "green", green="radllama2-7b") == 1
    assert gpus({"CPU": 4.0}, "green", green="radllama2-7b") == 0
