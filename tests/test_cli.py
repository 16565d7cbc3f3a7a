import json
import os
import subprocess
import sys

import pytest

from radeval_core import cli
from radeval_core.metric_help import compute_options, value_text
from radeval_core.registry import get_spec, metric_names

GOOD = [
    {"id": "a", "prediction": "Clear lungs.", "reference": "Lungs are clear."},
    {"id": "b", "prediction": "", "reference": "Normal."},
    {"id": "c", "prediction": "Left effusion.", "reference": "Right effusion."},
]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in GOOD))
    return path


def run(*arguments, **options):
    command = [sys.executable, "-m", "radeval_core.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def test_table(pairs, capsys):
    assert cli.main(["score", str(pairs), "--metrics", "bleu,rouge"]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out and "rouge|config:embedded|" in out and "↑ higher" in out


def test_json_and_rows(pairs, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    assert cli.main(["score", str(pairs), "--metrics", "rouge,bleu", "--json", "--out", str(out)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["rouge", "bleu"]
    assert {"score", "ci95", "n", "unscored", "higher_is_better", "signature"} <= set(printed["rouge"])
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert sum(row["scores"]["rouge"] for row in rows) / 3 == pytest.approx(printed["rouge"]["score"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_other_output_formats(pairs, tmp_path, ending, capsys):
    assert cli.main(["score", str(pairs), "--metrics", "rouge", "--out", str(tmp_path / f"o.{ending}")]) == 0
    assert (tmp_path / f"o.{ending}").stat().st_size > 0


def test_two_text_files(tmp_path, pairs, capsys):
    (tmp_path / "p.txt").write_text("\n".join(r["prediction"] for r in GOOD) + "\n")
    (tmp_path / "r.txt").write_text("\n".join(r["reference"] for r in GOOD) + "\n")
    files = ["--predictions", str(tmp_path / "p.txt"), "--references", str(tmp_path / "r.txt")]
    cli.main(["score", *files, "--metrics", "rouge", "--json"])
    from_text = json.loads(capsys.readouterr().out)
    cli.main(["score", str(pairs), "--metrics", "rouge", "--json"])
    assert json.loads(capsys.readouterr().out) == from_text


def test_limit_and_options(pairs, capsys):
    cli.main(["score", str(pairs), "--metrics", "bleu", "--json", "--limit", "2", "--option", "bleu.lowercase=true"])
    printed = json.loads(capsys.readouterr().out)["bleu"]
    assert printed["n"] == 2 and "case:lc" in printed["signature"]
    cli.main(["score", str(pairs), "--metrics", "bleu", "--json", "--option", "bleu.lowercase=False"])
    assert "case:mixed" in json.loads(capsys.readouterr().out)["bleu"]["signature"]


def test_config_and_device(pairs, tiny_encoder, capsys):
    config = f"bertscore={tiny_encoder}"
    cli.main(["score", str(pairs), "--metrics", "bertscore", "--config", config, "--option", "bertscore.layer=1",
              "--device", "cpu", "--batch-tokens", "100", "--json", "--quiet"])  # fmt: skip
    assert "|layer:1|" in json.loads(capsys.readouterr().out)["bertscore"]["signature"]


def test_cache_option(pairs, tiny_encoder, tmp_path, capsys):
    arguments = ["score", str(pairs), "--metrics", "bertscore", "--config", f"bertscore={tiny_encoder}", "--json"]
    cli.main([*arguments, "--cache", str(tmp_path / "c")])
    first = capsys.readouterr().out
    assert (tmp_path / "c" / "annotations.sqlite").is_file()
    cli.main([*arguments, "--cache", str(tmp_path / "c")])
    assert capsys.readouterr().out == first


def test_metrics_lists_every_metric(capsys):
    assert cli.main(["metrics"]) == 0
    table = capsys.readouterr().out
    assert cli.main(["metrics", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed) == list(metric_names())
    for name in listed:
        assert name in table


@pytest.mark.parametrize("name", metric_names())
def test_metrics_describes_one_metric(name, capsys):
    spec = get_spec(name)
    assert cli.main(["metrics", name]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"{name} (version {spec.version}): {spec.measures}"
    better = "higher is better ↑" if spec.higher_is_better else "lower is better ↓"
    assert f"range {spec.range_text}; {better}" in lines
    (empty,) = [line for line in lines if line.startswith("empty reports prediction ")]
    assert empty.endswith(f"({spec.empty.why})")
    for config in spec.configs:
        assert any(line.startswith(f"{config.name} {config.about} ") for line in lines)
    for option, declared in compute_options(name).items():
        assert f"{option} {value_text(declared)} {declared.about}" in lines
    assert set(spec.urls) <= set(lines)
    assert all(f"{name}.{part}" in " ".join(lines) for part in spec.parts)


def test_metrics_describes_one_metric_in_json(capsys):
    assert cli.main(["metrics", "bleu", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert list(described) == ["bleu"]
    assert described["bleu"]["options"]["tokenize"] == {
        "type": "str",
        "default": "13a",
        "choices": ["13a", "intl", "char", "none"],
        "about": "tokeniser of sacrebleu",
    }


def test_metrics_says_what_was_meant(capsys):
    assert cli.main(["metrics", "blue"]) == 2
    assert "unknown metric 'blue': did you mean 'bleu'?" in capsys.readouterr().err


WRONG = [
    (["score", "{pairs}", "--metrics", "blue"], "unknown metric 'blue': did you mean 'bleu'"),
    (["score", "{pairs}", "--metrics", ","], "no metric given"),
    (["score", "none.jsonl", "--metrics", "bleu"], "none.jsonl: no such file"),
    (["score", "--metrics", "bleu"], "give a file of PAIRS, or --predictions FILE and --references FILE"),
    (["score", "{pairs}", "--predictions", "x", "--metrics", "bleu"], "give a file of PAIRS, or"),
    (["score", "--predictions", "x", "--metrics", "bleu"], "must be given together"),
    (["score", "{pairs}", "--metrics", "bleu", "--out", "o.txt"], "--out o.txt: the name must end in"),
    (["score", "{pairs}", "--metrics", "bleu", "--out", "no/o.csv"], "folder no does not exist"),
    (["score", "{pairs}", "--metrics", "bleu", "--limit", "0"], "--limit must be at least 1, got 0"),
    (["score", "{pairs}", "--metrics", "bleu", "--config", "bleu"], "expected --config METRIC=CONFIG, got 'bleu'"),
    (["score", "{pairs}", "--metrics", "bleu", "--config", "bleu=x"], "unknown config of bleu 'x'"),
    (["score", "{pairs}", "--metrics", "bleu", "--config", "rouge=embedded"], "not among the metrics"),
    (["score", "{pairs}", "--metrics", "bleu", "--option", "bleu.lower=1"], "unknown option of bleu 'lower'"),
    (
        ["score", "{pairs}", "--metrics", "bleu", "--option", "bleu.lowercase=maybe"],
        "must be true or false, got 'maybe'",
    ),
    (
        ["score", "{pairs}", "--metrics", "bertscore", "--option", "bertscore.layer=x"],
        "must be a whole number, got 'x'",
    ),
    (["score", "{pairs}", "--metrics", "bertscore", "--option", "bertscore.layer=1.5"], "must be a whole number"),
    (["score", "{pairs}", "--metrics", "bertscore", "--option", "bertscore.layer=0"], "layer 0 does not exist"),
    (["score", "{pairs}", "--metrics", "bertscore", "--device", "gpu"], "unknown device 'gpu'"),
    (["score", "{pairs}", "--metrics", "bertscore", "--batch-tokens", "0"], "must be at least 1, got 0"),
    (["score", "{empty}", "--metrics", "bleu"], "empty.jsonl: no pairs to score"),
    (["score", "{broken}", "--metrics", "bleu"], "broken.jsonl: line 2, column 16: not valid JSON"),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(arguments, message, pairs, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "broken.jsonl").write_text(json.dumps(GOOD[0]) + '\n{"prediction": "\n')
    places = {"pairs": pairs, "empty": "empty.jsonl", "broken": "broken.jsonl"}
    assert cli.main([a.format(**places) for a in arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1 and not printed.out


def test_an_unavailable_checkpoint_says_what_to_type(pairs, capsys):
    assert cli.main(["score", str(pairs), "--metrics", "bertscore", "--config", "bertscore=org/none"]) == 2
    assert "hf download org/none" in capsys.readouterr().err


def test_unknown_options_are_exit_code_2(capsys):
    for arguments in (["nonsense"], ["score", "x", "--metrics", "bleu", "--nonsense"], []):
        with pytest.raises(SystemExit) as stop:
            cli.main(arguments)
        assert stop.value.code == 2


def test_no_metrics_say_what_to_type(capsys):
    assert cli.main(["score", "pairs.jsonl"]) == 2
    assert "give --metrics NAMES (see `radeval metrics`), or --preset rexrank|" in capsys.readouterr().err


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["score", "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text and "--config" in text and "RADEVAL_CACHE" in text


@pytest.mark.e2e
def test_word_overlap_metrics_never_import_torch(pairs):
    code = (
        "import sys; from radeval_core import cli; "
        f"status = cli.main(['score', {str(pairs)!r}, '--metrics', 'bleu,rouge,cider', '--json']); "
        "heavy = {'torch', 'transformers', 'evaluate', 'datasets', 'gradio'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy or status else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.e2e
def test_no_report_text_on_stderr(pairs):
    done = run("score", pairs, "--metrics", "rouge,cider")
    assert done.returncode == 0
    assert "effusion" not in done.stderr and "lungs" not in done.stderr
    assert "scoring" not in done.stderr, "no progress bar without a terminal"


def test_an_interrupted_run_leaves_the_old_file(pairs, tmp_path, capsys, monkeypatch):
    from radeval_core.metrics.rouge import RougeScorer

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RougeScorer, "score", interrupted)
    out = tmp_path / "out.csv"
    out.write_text("old")
    assert cli.main(["score", str(pairs), "--metrics", "rouge", "--out", str(out)]) == 130
    assert capsys.readouterr().err == "radeval: interrupted\n"
    assert out.read_text() == "old" and sorted(os.listdir(tmp_path)) == ["out.csv", "pairs.jsonl"]


@pytest.mark.e2e
def test_a_closed_pipe_gives_no_traceback(pairs):
    done = subprocess.run(
        f"{sys.executable} -m radeval_core.cli metrics | head -1",
        shell=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr


# --- radeval parse


def test_parse_text_prints_a_table(capsys):
    assert cli.main(["parse", "--text", "Small left effusion. No pneumothorax."]) == 0
    table = capsys.readouterr().out
    assert "pleural_effusion" in table and "absent" in table and "left" in table


def test_parse_writes_one_row_per_report(tmp_path, capsys):
    reports = [{"id": "a", "text": "Small left pleural effusion, 2.5 x 3 cm nodule."}, {"id": 7, "text": ""}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(r) + "\n" for r in reports))
    out = tmp_path / "out.jsonl"
    assert cli.main(["parse", str(tmp_path / "r.jsonl"), "--out", str(out)]) == 0
    first, second = (json.loads(line) for line in out.read_text().splitlines())
    assert first["id"] == "a" and second == {"id": 7, "findings": [], "labels": second["labels"]}
    effusion, nodule = first["findings"]
    assert (effusion["finding"], effusion["laterality"], effusion["severity"]) == ("pleural_effusion", "left", "mild")
    assert nodule["measurements"] == [25.0, 30.0]
    assert reports[0]["text"][effusion["start"] : effusion["end"]] == effusion["text"] == "pleural effusion"
    assert len(first["labels"]) == 14 and first["labels"]["Pleural Effusion"] == 1


def test_parse_reads_text_files_and_extra_terms(tmp_path, capsys):
    (tmp_path / "r.txt").write_text("Zebra sign on the left.\n\nNo zebra sign.\n")
    (tmp_path / "extra.yaml").write_text(
        "zebra_sign: {kind: abnormality, significance: minor, regions: [lung], forms: [zebra sign]}\n"
    )
    extra = ["--lexicon", str(tmp_path / "extra.yaml")]
    assert cli.main(["parse", str(tmp_path / "r.txt"), "--json", *extra]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[(f["finding"], f["polarity"], f["laterality"]) for f in row["findings"]] for row in rows] == [
        [("zebra_sign", "present", "left")],
        [],
        [("zebra_sign", "absent", None)],
    ]


def test_parse_writes_the_labels_of_a_named_set(tmp_path, capsys):
    (tmp_path / "r.txt").write_text("Mosaic attenuation. No nodule.\n")
    out = tmp_path / "out.jsonl"
    assert cli.main(["parse", str(tmp_path / "r.txt"), "--labels", "ctrate", "--out", str(out)]) == 0
    labels = json.loads(out.read_text())["labels"]
    assert len(labels) == 18 and {name for name, value in labels.items() if value} == {"Mosaic attenuation pattern"}
    capsys.readouterr()
    assert cli.main(["parse", "--text", "Possible pneumonia.", "--labels", "chexpert"]) == 0
    assert capsys.readouterr().out.endswith("chexpert labels: Pneumonia (uncertain)\n")


WRONG_PARSE = [
    (["parse", "--text", "x", "--labels", "ctrat"], "unknown label set 'ctrat': did you mean 'ctrate'? available: "),
    (["parse"], "give either a file of REPORTS or --text REPORT"),
    (["parse", "r.txt", "--text", "x"], "give either a file of REPORTS or --text REPORT"),
    (["parse", "r.txt"], "give --out FILE.jsonl, or --json"),
    (["parse", "none.txt", "--json"], "none.txt: no such file"),
    (["parse", "r.txt", "--out", "o.csv"], "must end in .jsonl"),
    (["parse", "bad.jsonl", "--json"], "bad.jsonl: line 1: column 'text' or 'report' is missing; found 'txt'"),
    (["parse", "--text", "x", "--lexicon", "none.yaml"], "none.yaml: No such file"),
    (["parse", "--text", "x", "--lexicon", "bad.yaml"], "bad.yaml: a_finding: kind must be one of"),
]


@pytest.mark.parametrize("arguments, message", WRONG_PARSE)
def test_wrong_input_of_parse_is_one_line_and_exit_code_2(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.txt").write_text("Clear lungs.\n")
    (tmp_path / "bad.jsonl").write_text('{"txt": "x"}\n')
    (tmp_path / "bad.yaml").write_text("a_finding: {kind: sickness, significance: minor, forms: [a finding]}\n")
    assert cli.main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1
