"""`radeval compare` prints tables for the terminal and for papers."""

import csv
import io
import json
import re

import pytest

from radeval_core import cli
from radeval_core.bench.compare_systems import SystemNumber
from radeval_core.cli.compare_table import mark, p_text
from radeval_core.stats.paired import PairedTest

REFERENCE = "Small left pleural effusion is unchanged."


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write four systems of 20 reports; the third has its rows in another order."""
    monkeypatch.chdir(tmp_path)
    systems = {"good": 20, "fair_1": 18, "weak": 8, "bad": 0}
    for name, right in systems.items():
        rows = [
            {"id": f"s{i}", "prediction": REFERENCE if i < right else "No change.", "reference": REFERENCE}
            for i in range(20)
        ]
        ordered = rows[::-1] if name == "weak" else rows
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ordered))
    return [f"{name}.jsonl" for name in systems]


def printed(capsys, *arguments):
    assert cli.main(["compare", *arguments]) == 0
    return capsys.readouterr().out


def test_two_systems_show_difference_and_both_tests(files, capsys):
    out = printed(capsys, *files[:2], "--metrics", "rouge,bleu", "--no-signatures")
    assert "A: good" in out and "B: fair_1" in out and "B - A (95 % interval)" in out
    assert "p-values after Holm's correction for 2 tests: 2 metrics" in out and "rouge|" not in out


def test_a_p_value_at_the_floor_of_the_test_says_so(files, capsys):
    out = printed(capsys, "good.jsonl", "bad.jsonl", "--metrics", "rouge")
    assert "│ ≤ 0.0010    │ ≤ 0.0001        │" in out


def test_several_systems_are_rows_with_marks(files, capsys):
    out = printed(capsys, *files, "--metrics", "rouge")
    lines = {line.split()[1]: line for line in out.splitlines() if line.startswith("│")}
    assert "1.000 [1.000, 1.000] best" in lines["good"] and "†" in lines["fair_1"] and "***" in lines["bad"]
    assert "for 3 tests: 1 metric of 3 systems against the best" in out and "numbers over 20 pairs" in out


def test_markdown(files, capsys):
    out = printed(capsys, "ours=good.jsonl", "fair_1.jsonl", "bad.jsonl", "--metrics", "rouge", "--format", "markdown")
    lines = out.splitlines()
    assert lines[:3] == ["| system | rouge ↑ |", "| --- | --- |", r"| ours | **1.000** \[1.000, 1.000\] |"]
    assert lines[3].startswith(r"| fair\_1 | 0.9") and "† \\[" in lines[3] and r"\*\*\*" in lines[4]
    assert lines[-1].startswith("- `rouge|config:embedded|")


def test_latex_is_escaped_and_complete(files, capsys):
    names = ["a_b & 50% {x}=good.jsonl", "[ours]=fair_1.jsonl", "bad.jsonl"]
    out = printed(capsys, *names, "--metrics", "rouge,chexbert_f1", "--format", "latex", "--no-intervals")
    lines = out.splitlines()
    assert lines[0] == r"% needs \usepackage{booktabs}" and lines[1].startswith("% rouge|")
    assert r"system & rouge $\uparrow$ & chexbert\_f1 $\uparrow$ \\" in lines
    assert r"a\_b \& 50\% \{x\} & \textbf{1.000} & \textbf{1.000} \\" in lines
    assert any(line.startswith("{}[ours] & 0.9") and r"$^{\dagger}$" in line for line in lines)
    assert any(line.startswith("bad & ") and "$^{***}$" in line for line in lines)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}", r"\end{table}"):
        assert lines.count(rule) == 1
    body = "\n".join(line for line in lines if not line.startswith("%"))
    assert re.sub(r"\\[{}]", "", body).count("{") == re.sub(r"\\[{}]", "", body).count("}")
    assert not re.search(r"(?<!\\)%", body) and not re.search(r"(?<![\\$])_", body)


def test_csv_has_one_row_per_system_and_number_with_all_digits(files, capsys):
    out = printed(capsys, *files[:3], "--metrics", "rouge,bleu.bleu_2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["system"], row["metric"]) for row in rows][:4] == [
        ("good", "rouge"), ("fair_1", "rouge"), ("weak", "rouge"), ("good", "bleu.bleu_2"),
    ]  # fmt: skip
    assert rows[0]["best"] == "True" and rows[0]["p_bootstrap"] == ""
    assert float(rows[2]["difference"]) < 0 and 0 < float(rows[2]["p_randomisation_holm"]) < 0.05
    assert rows[0]["signature"].startswith("rouge|")


def test_json_of_two_and_of_three(files, capsys):
    two = json.loads(printed(capsys, *files[:2], "--metrics", "rouge", "--json"))["rouge"]
    assert two["difference"] == pytest.approx(two["b"] - two["a"]) and set(two["systems"]) == {"good", "fair_1"}
    three = json.loads(printed(capsys, *files[:3], "--metrics", "rouge", "--json"))["rouge"]
    assert "a" not in three and three["tests"] == 2 and three["systems"]["weak"]["difference"] < 0


def test_out_has_all_systems(files, capsys, tmp_path):
    for name in ("o.csv", "o.jsonl", "o.parquet"):
        printed(capsys, *files[:2], "--metrics", "rouge", "--out", name)
    header, first = (tmp_path / "o.csv").read_text().splitlines()[:2]
    assert header == "id,system,rouge,rouge.rouge1,rouge.rouge2,rouge.rougeL" and first.startswith("s0,good,1.0,")
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert len(rows) == 40 and rows[20]["system"] == "fair_1"
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "o.parquet")
    assert table.column_names[:3] == ["id", "system", "rouge"] and table.num_rows == 40


def test_options_sections_and_lexicon_reach_the_metrics(files, capsys):
    arguments = [*files[:2], "--metrics", "bleu", "--option", "bleu.lowercase=true", "--section", "findings", "--json"]
    signature = json.loads(printed(capsys, *arguments))["bleu"]["signature"]
    assert "|case:lc|" in signature and "|section:findings@" in signature


def test_columns_that_a_metric_reads_are_read(tmp_path, capsys, monkeypatch):
    boxes = {"left lung": [0, 0, 50, 50]}
    for name, own in (("a", boxes), ("b", boxes)):
        rows = [{"id": i, "prediction": REFERENCE, "reference": REFERENCE, "boxes": own} for i in range(2)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["compare", "a.jsonl", "b.jsonl", "--metrics", "ffl_rq", "--json"]) == 0
    assert "boxes" not in capsys.readouterr().err


WRONG = [
    (["good.jsonl", "--metrics", "rouge"], "give at least two systems to compare, got good.jsonl"),
    (["good.jsonl", "none.csv", "--metrics", "rouge"], "none.csv: no such file"),
    (["good.jsonl", "bad.jsonl"], "give --metrics NAMES (see `radeval metrics`), or --preset rexrank|green-paper"),
    (["good.jsonl", "bad.jsonl", "--metrics", "rouge", "--preset", "rexrank"], "give --metrics or --preset, not both"),
    (["good.jsonl", "bad.jsonl", "--preset", "rexrnk"], "unknown preset 'rexrnk': did you mean 'rexrank'"),
    (["good.jsonl", "bad.jsonl", "--metrics", "rouge", "--published"], "--published is for a --preset"),
    (["good.jsonl", "bad.jsonl", "--metrics", "rouge.rogue1"], "unknown part of rouge 'rogue1': did you mean 'rouge1'"),
    (
        ["good.jsonl", "bad.jsonl", "--metrics", "rouge", "--json", "--format", "csv"],
        "give --json or --format, not both",
    ),
    (["good.jsonl", "bad.jsonl", "--metrics", "rouge", "--section", "finding"], "unknown section 'finding'"),
    (["good.jsonl", "bad.jsonl", "--metrics", "rouge", "--out", "o.txt"], "--out o.txt: the name must end in"),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(arguments, message, files, capsys):
    assert cli.main(["compare", *arguments]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert message in error


@pytest.mark.parametrize(
    "p, text, sign",
    [(1 / 10_001, "≤ 0.0002", "***"), (0.004, "0.0080", "**"), (0.02, "0.0400", "*"), (0.03, "0.0600", "†")],
)
def test_marks_follow_the_corrected_p_value(p, text, sign):
    test = PairedTest(0.5, 0.7, 0.2, None, p, p, 9)
    number = SystemNumber(0.5, None, 0, False, test, {"p_randomisation": 2 * p, "p_bootstrap": 2 * p})
    assert p_text(number, "p_randomisation") == text and mark(number) == sign
