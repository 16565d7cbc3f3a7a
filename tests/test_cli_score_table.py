"""`radeval score` prints a table that fits the terminal, and signatures that can be copied."""

import json
import re
import sys

import pytest

from radeval_core import cli
from radeval_core.cli import tables
from radeval_core.cli.score_table import print_scores

SIGNATURE = "fineradscore|" + "field:value|" * 20
ROW = {
    "score": 3.625,
    "ci95": [-2.25, 4.9391],
    "n": 14,
    "unscored": 2,
    "higher_is_better": False,
    "signature": SIGNATURE,
}
SUMMARY = {"fineradscore": ROW, "bleu": {**ROW, "score": None, "ci95": None, "unscored": 0, "higher_is_better": True}}


@pytest.fixture
def printed_at(monkeypatch, capsys):
    """Print the summary on a terminal of this width and return the lines."""

    def printed(columns, signatures=False):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        print_scores(SUMMARY, signatures)
        return re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()  # without the codes for bold

    return printed


def test_at_80_columns_the_table_has_borders_and_whole_words(printed_at):
    lines = printed_at(80)
    assert max(map(len, lines)) <= 80
    assert "│ fineradscore │ 3.6250 │ -2.2500 to 4.9391 │ 14 (2 unscored) │ ↓ lower  │" in lines
    assert "│ bleu         │ -      │ -                 │ 14              │ ↑ higher │" in lines


def test_at_60_columns_every_cell_is_on_one_line(printed_at):
    lines = [line.rstrip() for line in printed_at(60)]
    assert max(map(len, lines)) <= 60
    assert lines[2:] == [
        "fineradscore  3.6250  -2.2500 to 4.9391  14 of 16  ↓",
        "bleu          -       -                  14        ↑",
    ]


def test_at_40_columns_nothing_is_cut(printed_at):
    lines = printed_at(40)
    assert max(map(len, lines)) <= 40
    assert "…" not in "".join(lines)


def test_a_signature_is_one_line_on_any_terminal(printed_at):
    lines = printed_at(60, signatures=True)
    assert lines[-1] == SIGNATURE and lines.count(SIGNATURE) == 1  # both rows have this signature


def test_a_pipe_gets_the_wide_table(capsys):
    print_scores(SUMMARY, signatures=False)
    assert "14 (2 unscored)" in capsys.readouterr().out
    assert tables.width() == tables.PIPE_WIDTH


def test_signatures_are_printed_unless_refused(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"prediction": "Clear lungs.", "reference": "Lungs are clear."}) + "\n")
    assert cli.main(["score", str(pairs), "--metrics", "rouge"]) == 0
    assert "\nrouge|config:embedded|" in capsys.readouterr().out
    assert cli.main(["score", str(pairs), "--metrics", "rouge", "--no-signatures"]) == 0
    assert "rouge|" not in capsys.readouterr().out


def test_rows_that_continue_another_stay_under_it(capsys):
    tables.print_table(["a", "b"], [["one", "1"], ["", "2"], ["two", "3"]])
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:7] == ["│ one │ 1 │", "│     │ 2 │", "├─────┼───┤", "│ two │ 3 │"]


def score_as(tmp_path, capsys, style, *arguments):
    pairs = tmp_path / "pairs.jsonl"
    rows = [("Clear lungs.", "Lungs are clear."), ("Normal.", "Normal."), ("", "Normal.")]
    pairs.write_text("".join(json.dumps({"prediction": p, "reference": r}) + "\n" for p, r in rows))
    assert cli.main(["score", str(pairs), "--metrics", "rouge,chexbert_f1", "--format", style, *arguments]) == 0
    return capsys.readouterr()


def test_markdown_for_a_paper(tmp_path, capsys):
    lines = score_as(tmp_path, capsys, "markdown").out.splitlines()
    assert lines[0] == "| metric | score | 95 % interval | n |" and lines[2].startswith(r"| rouge ↑ | 0.467 | \[0.")
    assert lines[3].startswith(r"| chexbert\_f1 ↑ |") and "empty reports, scored as such: 1 of 3 predictions" in lines
    assert lines[-1].startswith("- `chexbert_f1|config:embedded|")


def test_latex_for_a_paper(tmp_path, capsys):
    lines = score_as(tmp_path, capsys, "latex", "--no-intervals", "--no-signatures").out.splitlines()
    assert lines[0] == r"% needs \usepackage{booktabs}" and lines[3] == r"\begin{tabular}{lcc}"
    assert r"rouge $\uparrow$ & 0.467 & 3 \\" in lines and lines[-1] == r"\end{table}"
    assert lines[-2] == r"\caption{Empty reports, scored as such: 1 of 3 predictions.}"


def test_csv_has_all_digits_and_nothing_else_on_stdout(tmp_path, capsys):
    printed = score_as(tmp_path, capsys, "csv", "--out", str(tmp_path / "o.csv"))
    header, first, *_ = printed.out.splitlines()
    assert header == "metric,score,ci95_low,ci95_high,n,unscored,higher_is_better,signature"
    assert first.startswith("rouge,0.4666666666666666") and len(printed.out.splitlines()) == 3
    assert "rows written" in printed.err and "empty reports" in printed.err


def test_a_part_can_be_shown_alone(tmp_path, capsys):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"prediction": "Clear lungs.", "reference": "Lungs are clear."}) + "\n")
    assert cli.main(["score", str(pairs), "--metrics", "rouge.rouge1,chexbert_f1.macro_f1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed) == ["rouge.rouge1", "chexbert_f1.macro_f1"] and printed["rouge.rouge1"]["score"] == 0.8
