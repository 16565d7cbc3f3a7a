"""The rows of the comparison with other packages, and what is measured."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bench_peers
import peer_answers
import peer_rows
import peer_sides
import upstream_outputs
from radeval_core import metric_names, score

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ROOT / "examples" / "pairs.jsonl"
CHEXBERT = ROOT / "tests" / "parity" / "chexbert"
PARSER = bench_peers.make_parser()


def rows_of_this_version():
    return [name for name, row in peer_rows.ROWS.items() if row.metric in metric_names()]


def test_every_row_has_an_environment_with_the_version_it_names():
    for row in peer_rows.ROWS.values():
        name, version = row.peer.split()[:2]
        pinned = [re.sub(r"\[.*\]", "", line).lower() for line in peer_rows.ENVIRONMENTS[row.environment]]
        assert f"{name}=={version}".lower() in pinned


def test_every_environment_and_every_package_of_it_is_pinned():
    assert {row.environment for row in peer_rows.ROWS.values()} == set(peer_rows.ENVIRONMENTS)
    assert all("==" in line for lines in peer_rows.ENVIRONMENTS.values() for line in lines)


def test_the_help_names_what_is_not_timed_and_why():
    printed = PARSER.format_help()
    assert all(f"{name}: {why}" in printed for name, why in peer_rows.NOT_TIMED.items())


def test_by_default_all_rows_of_metrics_that_exist_are_measured():
    assert bench_peers.chosen_rows(PARSER, "") == rows_of_this_version()
    assert {"chexbert", "radeval-rouge", "torchmetrics-bleu"} <= set(rows_of_this_version())


def test_an_unknown_row_is_an_error_that_lists_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        bench_peers.chosen_rows(PARSER, "rouge,chexbert")
    printed = capsys.readouterr().err
    assert "unknown: rouge; known: chexbert, radgraph" in printed


def test_a_row_of_a_metric_that_this_version_lacks_is_an_error(monkeypatch, capsys):
    monkeypatch.setitem(peer_rows.ROWS, "later", peer_rows.Row("radeval 2.2.1", "radeval", "not_yet"))
    with pytest.raises(SystemExit):
        bench_peers.chosen_rows(PARSER, "later")
    assert "no metric for later" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["radeval-bleu", "radeval-rouge", "radeval-temporal"])
def test_our_side_scores_as_the_package_does(name, tmp_path):
    row = peer_rows.ROWS[name]
    got = peer_sides.run_ours(row, None, PAIRS, tmp_path / "rows.json")
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    options = dict(row.options)
    config = options.pop("config_name", None)
    configs = {row.metric: config} if config else None
    summary = score(pairs, [row.metric], configs, {row.metric: options}).summary()
    assert got["result"][row.metric] == summary[row.metric]["score"]
    assert got["cpu"] > 0 and got["seconds"] > 0


@pytest.mark.e2e
def test_the_plain_model_gets_the_token_ids_that_ours_recorded(tmp_path):
    rows = tmp_path / "rows.json"
    got = peer_sides.run_ours(peer_rows.ROWS["chexbert"], CHEXBERT, PAIRS, rows)
    bare = peer_sides.run_bare("chexbert", CHEXBERT, rows)
    texts = [
        line[side] for line in map(json.loads, PAIRS.open(encoding="utf-8")) for side in ("prediction", "reference")
    ]
    assert bare["rows"] == [len({text.strip() for text in texts})]
    assert set(got["parts"]) == {"tokenise", "forward", "heads, Python", "scoring"}


def test_the_fastest_pass_counts_and_every_pass_scores_all_pairs():
    calls = []
    got = upstream_outputs.measure(lambda: lambda p, r: calls.append(len(p)), ["a"] * 5, ["b"] * 5, passes=3)
    assert calls == [2, 5, 5, 5]
    assert set(got) == {"load", "seconds", "cpu", "peak_mb", "result"}


def test_a_peer_that_fails_is_reported_and_has_no_measurement(tmp_path, capsys):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ImportError: no such thing' >&2\nexit 1\n", "utf-8")
    python.chmod(0o755)
    bench = bench_peers.Bench("radeval-rouge", None, python, 1)
    assert bench.side("peer", PAIRS, tmp_path / "rows.json") is None
    assert capsys.readouterr().out == "radeval-rouge: peer failed: ImportError: no such thing\n"


def test_a_report_shows_the_ratios_of_clock_and_cpu_time(capsys):
    run = {"load": 0.0, "peak_mb": 1.0, "result": {}}
    runs = {"peer": [{**run, "seconds": 3.0, "cpu": 2.0}], "ours": [{**run, "seconds": 1.0, "cpu": 0.5}]}
    bench_peers.report("radeval-rouge", runs)
    first = capsys.readouterr().out.splitlines()[0]
    assert first.split() == ["radeval-rouge", "3.000", "1.000", "-", "3.00", "-", "4.00", "-"]


def test_the_made_up_answers_are_the_same_for_both_sides_and_have_the_form_of_the_judges():
    answers = peer_answers.crimson_answers(20)
    assert answers == peer_answers.crimson_answers(20) and len(set(answers)) == 20
    read = [json.loads(answer) for answer in answers]
    assert any(evaluation["errors"]["attribute_errors"] for evaluation in read)
    for evaluation in read:
        names = {finding["id"] for finding in evaluation["reference_findings"]}
        told = {match["ref_id"] for match in evaluation["matched_findings"]} | {
            *evaluation["errors"]["missing_findings"]
        }
        assert told == names
    verdicts = [verdict for pair in peer_answers.radfact_answers(20) for side in pair for verdict in side]
    assert {"entailment", "not_entailment"} == {re.search(r"^status: (\w+)$", v, re.M).group(1) for v in verdicts}


@pytest.mark.e2e
def test_the_peak_memory_is_that_of_the_process_not_of_the_one_that_started_it():
    ballast = bytearray(b"x" * 400_000_000)
    code = "import upstream_outputs; print(upstream_outputs.peak_mb())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tools", capture_output=True, text=True, check=True)
    assert len(ballast) and float(done.stdout) < 200
