import hashlib
import json

import pytest

from radeval_core import cli
from radeval_core.data.catalogue import get_dataset
from radeval_core.data.dataset import write

REPORTS = ["Left effusion.", "Left effusion and edema.", "Clear lungs.", "Large left effusion."]


@pytest.fixture
def rated(tmp_path):
    rows = [
        {
            "id": i,
            "study": i // 2,
            "prediction": text,
            "reference": "Left effusion.",
            "expert": {"errors": [i, i + i % 2], "rating": [5 - i, 4 - i]},
        }
        for i, text in enumerate(REPORTS)
    ]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def systems(tmp_path):
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path, reports in zip(paths, (REPORTS, REPORTS[::-1]), strict=True):
        rows = [{"id": i, "prediction": p, "reference": "Left effusion."} for i, p in enumerate(reports)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(path) for path in paths]


def test_bench_table(rated, capsys):
    assert cli.main(["bench", "--data", str(rated), "--metrics", "rouge,bleu"]) == 0
    out = capsys.readouterr().out
    for text in (
        "tau errors",
        "tau rating",
        "preference accuracy",
        "experts",
        "1000 resamples of studies",
        "rouge|config:",
    ):
        assert text in out
    assert "significant" not in out


def test_bench_json(rated, capsys):
    arguments = ["bench", "--data", str(rated), "--metrics", "rouge,bleu", "--config", "rouge=embedded", "--json"]
    assert cli.main(arguments) == 0
    first = capsys.readouterr().out
    printed = json.loads(first)
    assert list(printed) == [
        "rouge",
        "bleu",
        "experts",
        "raters",
        "differences",
        "seed",
        "resamples",
        "versions",
        "data",
    ]
    keys = {f"{kind}_{m}" for kind in ("kendall", "spearman", "pearson") for m in ("errors", "rating")}
    facts = {"n", "unscored", "higher_is_better", "signature"}
    assert keys | facts | {"preference_accuracy", "preference_by_margin"} == set(printed["rouge"])
    assert len(printed["rouge"]["kendall_errors"]["raters"]) == 2
    assert {"value", "ci95", "p_first_higher", "p", "p_bh"} <= set(printed["differences"][0]["kendall_errors"])
    digest = hashlib.sha256(rated.read_bytes()).hexdigest()
    assert printed["data"] == {"file": "rated.jsonl", "sha256": digest, "kind": "rated", "rows": 4}
    assert set(printed["experts"]) == keys
    assert {"value", "ci95"} <= set(printed["rouge"]["kendall_errors"])
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == first


def test_bench_page_and_sensitivity(rated, tmp_path, capsys):
    page = tmp_path / "bench.html"
    arguments = ["bench", "--data", str(rated), "--metrics", "rouge,bleu", "--html", str(page), "--sensitivity"]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    for text in ("Tau with errors of each radiologist", "Sensitivity to errors", f"wrote page to {page}"):
        assert text in out
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_bench_on_a_built_dataset(tmp_path, capsys):
    triad = {"id": "1", "original": "Left effusion.", "synonym": "Left-sided effusion.", "opposite": "No effusion."}
    dataset = get_dataset("radcheck")
    tables = {config: {split: [] for split in part.splits} for config, part in dataset.configs.items()}
    tables["synthetic"]["test"] = [triad, {**triad, "id": "2", "opposite": "Left effusion."}]
    revision = write(dataset, tables, "# radcheck", tmp_path / "built")["revision"]
    arguments = [
        "bench",
        "--data",
        str(tmp_path / "built"),
        "--data-config",
        "synthetic",
        "--split",
        "test",
        "--metrics",
    ]
    assert cli.main([*arguments, "rouge", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["rouge"]["accuracy"]["value"] == 0.5 and printed["rouge"]["n"] == 2
    assert printed["data"] == {
        "dataset": "radcheck",
        "revision": revision,
        "config": "synthetic",
        "split": "test",
        "kind": "triads",
        "rows": 2,
    }
    assert cli.main([*arguments, "rouge"]) == 0
    assert "accuracy without ties" in capsys.readouterr().out


def test_compare_table(systems, capsys):
    assert cli.main(["compare", *systems, "--metrics", "rouge,bleu"]) == 0
    out = capsys.readouterr().out
    assert "B - A (95 % interval)" in out and "Holm's correction for 2 tests" in out and "rouge|config:" in out


def test_compare_json(systems, capsys):
    assert cli.main(["compare", *systems, "--metrics", "rouge", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["rouge"]
    assert printed["difference"] == pytest.approx(0) and printed["a"] == pytest.approx(printed["b"])
    assert {"ci95", "p_bootstrap", "p_randomisation", "p_bootstrap_holm", "p_randomisation_holm", "n"} <= set(printed)
    assert printed["resamples"] == 1000 and printed["flips"] == 10_000 and isinstance(printed["seed"], int)
    assert {"radeval_core", "scipy"} <= set(printed["versions"])


@pytest.mark.parametrize("command, text", [("bench", '"expert": {"errors"'), ("compare", "same ids and references")])
def test_help_shows_examples(command, text, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([command, "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0 and text in out and "examples:" in out


WRONG = [
    (["bench", "--data", "none.jsonl", "--metrics", "rouge"], "none.jsonl: no such file"),
    (["bench", "--data", "{a}", "--metrics", "rouge"], "line 1: column 'expert' must be an object"),
    (["bench", "--data", "{rated}", "--metrics", "roug"], "unknown metric 'roug': did you mean 'rouge'"),
    (["bench", "--data", "{rated}", "--metrics", "rouge", "--config", "rouge"], "expected --config METRIC=CONFIG"),
    (["bench", "--data", "{rated}", "--metrics", "rouge", "--split", "x"], "a file has no configs and splits"),
    (
        ["bench", "--data", "{rated}", "--metrics", "rouge", "--html", "x.pdf"],
        "--html x.pdf: the name must end in .html",
    ),
    (["bench", "--data", "radcheckk", "--metrics", "rouge"], "did you mean 'radcheck'"),
    (["compare", "{a}", "{short}", "--metrics", "rouge"], "the systems need the same ids: 1 id ('3') of "),
    (["compare", "{a}", "none.csv", "--metrics", "rouge"], "none.csv: no such file"),
    (["compare", "{empty}", "{empty}", "--metrics", "rouge"], "empty.jsonl: no pairs to score"),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(arguments, message, rated, systems, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("")
    lines = (tmp_path / "a.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "short.jsonl").write_text("".join(lines[:3]))
    places = {"rated": rated, "a": systems[0], "short": "short.jsonl", "empty": "empty.jsonl"}
    assert cli.main([a.format(**places) for a in arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1 and not printed.out


def test_parts_of_metrics_are_benchmarked_in_their_own_direction(tmp_path, capsys):
    reference = "Small left pleural effusion. Mild cardiomegaly."
    texts = [reference, "Small left pleural effusion.", "Right pneumothorax. Severe edema."]
    data = tmp_path / "rated.jsonl"
    rows = [
        {"id": i, "prediction": text, "reference": reference, "expert": {"errors": i}} for i, text in enumerate(texts)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    names = "green.error_count,chexbert_f1.similarity,radgraph_f1.combined,fineradscore.max,green"
    assert cli.main(["bench", "--data", str(data), "--metrics", names, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    for name in names.split(","):
        assert result[name]["kendall_errors"]["value"] > 0.8, name
        assert result[name]["signature"].startswith(name.partition(".")[0] + "|")
    assert not result["green.error_count"]["higher_is_better"] and result["green"]["higher_is_better"]
    assert result["differences"][0]["metrics"] == names.split(",")[:2]


def test_an_unknown_part_is_refused_before_anything_is_scored(tmp_path, capsys):
    assert cli.main(["bench", "--data", str(tmp_path / "none.jsonl"), "--metrics", "green.errors"]) == 2
    assert "unknown part of green 'errors'" in capsys.readouterr().err
