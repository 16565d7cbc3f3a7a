"""Pairs that the findings parser cannot read are unscored, and coverage says how much of the others it read."""

import json
import logging
import math

import numpy as np
import pytest

from parsing_metrics import PARSING
from radeval_core import cli, load, metric_names, runner, score
from radeval_core.api import make_resources, make_scorer
from radeval_core.io import write_rows
from radeval_core.metrics._coverage import LOW_COVERAGE, advice
from radeval_core.registry import get_spec

every_reader = pytest.mark.parametrize("name", PARSING)
UNREADABLE = {
    "German opposites": ("Kein Pneumothorax. Kein Erguss.", "Großer Pneumothorax rechts. Großer Erguss."),
    "French opposites": ("Pas de pneumothorax.", "Volumineux pneumothorax droit."),
    "gibberish": ("xqz flurb wibble", "dorp zilch"),
    "outside the lexicon": ("Severe glorbitis of the flumen.", "No glorbitis."),
    "the same unreadable report": ("Severe glorbitis of the flumen.", "Severe glorbitis of the flumen."),
    "unreadable prediction": ("xqz flurb wibble", "The lungs are clear."),
    "unreadable reference": ("The lungs are clear.", "xqz flurb wibble"),
}
CLEAR = "The heart is normal in size. The lungs are clear."
EFFUSION = "New large right pleural effusion."


def test_the_metrics_that_read_findings():
    resources = make_resources()
    readers = [name for name in metric_names() if make_scorer(name, None, resources, {}).reads_findings]
    assert tuple(sorted(readers)) == PARSING


@every_reader
def test_a_pair_that_cannot_be_read_is_unscored_with_a_reason(name):
    predictions, references = zip(*UNREADABLE.values(), strict=True)
    result = load(name).compute([*predictions, CLEAR], [*references, CLEAR], detailed=True)
    unread = len(UNREADABLE)
    assert all(math.isnan(value) for value in result["scores"][:unread]) and not math.isnan(result["scores"][unread])
    for part in get_spec(name).parts:
        assert all(math.isnan(value) for value in result[f"{part}_scores"][:unread]), part
    assert result["unscored"] == unread
    assert result["coverage"] == [0.0] * unread + [1.0]
    reasons = [detail["reason"] for detail in result["details"]]
    assert all(reason.startswith("not scored: the ") for reason in reasons[:unread]) and reasons[unread] == ""
    assert "reads like German; the embedded parser reads English. " in reasons[0]
    assert "reads like French" in reasons[1] and "reads like" not in reasons[2]
    assert reasons[5].startswith("not scored: the prediction has no sentence that the parser understands;")
    assert reasons[6].startswith("not scored: the reference has no sentence that the parser understands;")


@every_reader
def test_the_headline_leaves_unscored_pairs_out(name):
    readable = ([CLEAR, EFFUSION, "Small left effusion."], [CLEAR, CLEAR, EFFUSION])
    predictions, references = zip(*UNREADABLE.values(), strict=True)
    alone = load(name).compute(*readable)
    among = load(name).compute([*predictions, *readable[0]], [*references, *readable[1]])
    per_pair = {"scores", "coverage", "unscored", *(f"{part}_scores" for part in get_spec(name).parts)}
    for key in alone.keys() - per_pair:
        assert among[key] == pytest.approx(alone[key], nan_ok=True) if isinstance(alone[key], float) else True, key
    assert among["scores"][len(UNREADABLE) :] == pytest.approx(alone["scores"])


@every_reader
def test_an_empty_report_keeps_the_metrics_rule(name):
    rule = get_spec(name).empty
    result = load(name).compute(["", EFFUSION, "", ""], [EFFUSION, "", "", "xqz flurb"])
    assert result["scores"][:3] == pytest.approx([rule.prediction, rule.reference, rule.both])
    assert math.isnan(result["scores"][3]), "the other report has words that nobody read"
    assert result["coverage"] == [1.0, 1.0, 1.0, 0.0]


@every_reader
def test_a_sentence_that_is_not_understood_leaves_the_score(name):
    candidate = f"{CLEAR} Severe glorbitis of the flumen."
    result = load(name).compute([candidate], [CLEAR], detailed=True)
    assert not math.isnan(result["scores"][0])
    detail = result["details"][0]
    # heart, normal, size, lung, clear; and severe, glorbitis, flumen
    assert result["coverage"] == [pytest.approx(5 / 8)]
    assert detail["coverage"] == {
        "prediction": {"share": pytest.approx(5 / 8), "language": "", "unread": [[len(CLEAR) + 1, len(candidate)]]},
        "reference": {"share": 1.0, "language": "", "unread": []},
    }


def test_a_model_config_reads_what_the_parser_cannot():
    class Model:
        reads_findings = False
        resources = None

        def score(self, pairs, detailed):
            return runner.PairScores({"x": np.ones(len(pairs))})

    got = runner.score_covered(Model(), [object()], False)
    assert got.values["x"].tolist() == [1.0] and got.coverage is None


def test_a_run_warns_once_and_quotes_nothing(caplog, monkeypatch):
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 2)
    with caplog.at_level(logging.WARNING, "radeval_core.runner"):
        score([*UNREADABLE.values(), (CLEAR, CLEAR)], ["bleu", "green", "chexbert_f1"])
    (record,) = [r for r in caplog.records if r.name == "radeval_core.runner"]
    message = record.getMessage()
    assert message.startswith("7 of 8 pairs are not scored by green, chexbert_f1: ")
    assert "(1 read like German, 1 read like French)" in message
    assert "Use a model config that reads German or French: green=http:MODEL, chexbert_f1=CHECKPOINT." in message
    assert not any(word in message for word in ("Pneumothorax", "flurb", "glorbitis"))


def test_readable_pairs_do_not_warn(caplog):
    score([(CLEAR, EFFUSION), ("Normal.", "NAD"), ("", EFFUSION)], ["green"])
    assert not [r for r in caplog.records if r.name == "radeval_core.runner"]


def test_the_advice_names_configs_that_read_text():
    assert advice([get_spec("green")]) == "Use a model config: green=radllama2-7b."
    assert advice([get_spec("fineradscore")]) == "Use a model config: fineradscore=http:MODEL."
    assert advice([get_spec("ffl_rq")]) == "Add the missing words with a lexicon."
    assert advice([get_spec("ffl_rq")], "Dutch") == "Translate the reports."


def test_rows_and_summary_carry_one_coverage_for_all_metrics(tmp_path):
    scores = score(
        [(CLEAR, CLEAR), ("The lungs are clear. Glorbitis of a zorb. No effusion.", CLEAR), ("xqz", CLEAR)],
        ["bleu", "green", "chexbert_f1"],
    )
    rows = list(scores.rows())
    assert [row["coverage"] for row in rows] == [1.0, 0.6, 0.0]
    assert all(list(row) == ["id", "scores", "coverage"] and "coverage" not in row["scores"] for row in rows)
    summary = scores.summary()
    expected = {"mean": pytest.approx(1.6 / 3), "low": 2, "low_below": LOW_COVERAGE}
    assert summary["green"]["coverage"] == summary["chexbert_f1"]["coverage"] == expected
    assert "coverage" not in summary["bleu"]
    write_rows(tmp_path / "o.csv", rows)
    lines = [line.split(",") for line in (tmp_path / "o.csv").read_text().splitlines()]
    assert lines[0][:2] == ["id", "coverage"] and lines[0].count("coverage") == 1
    assert [line[1] for line in lines[1:]] == ["1.0", "0.6", "0.0"]
    write_rows(tmp_path / "o.parquet", rows)
    import pyarrow.parquet

    assert pyarrow.parquet.read_table(tmp_path / "o.parquet").column("coverage").to_pylist() == [1.0, 0.6, 0.0]


def test_without_the_parser_there_is_no_coverage():
    scores = score([(CLEAR, CLEAR)], ["bleu"])
    assert list(next(scores.rows())) == ["id", "scores"] and scores.coverage is None
    assert "coverage" not in load("bleu").compute([CLEAR], [CLEAR])


def test_each_text_is_measured_once_per_run(monkeypatch):
    from radeval_core.findings import coverage

    measured = []
    original = coverage.coverage_of
    monkeypatch.setattr(coverage, "coverage_of", lambda report: measured.append(report.text) or original(report))
    score([(CLEAR, CLEAR), (EFFUSION, CLEAR)] * 2, ["green", "chexbert_f1", "radgraph_f1", "ffl_rq"])
    assert sorted(measured) == sorted([CLEAR, EFFUSION])


@pytest.mark.parametrize("readable, warned", [(1, True), (4, False)])
def test_the_summary_warns_of_low_coverage(readable, warned, tmp_path, capsys):
    path = tmp_path / "pairs.jsonl"
    rows = [{"prediction": "xqz flurb", "reference": CLEAR}] + [{"prediction": CLEAR, "reference": CLEAR}] * readable
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert cli.main(["score", str(path), "--metrics", "green,chexbert_f1"]) == 0
    printed = capsys.readouterr()
    line = (
        "low coverage: the findings parser understood 50% of the words of a pair on average, and less than 70% in "
        "1 of 2 pairs. Do not trust green, chexbert_f1 there; --out has the coverage of each pair."
    )
    assert (line in printed.out) == warned
    assert "(1 unscored)" in printed.out


def test_green_summary_leaves_unread_pairs_out():
    result = load("green", summary=True).compute([EFFUSION, "xqz flurb"], [CLEAR, "xqz flurb"])
    assert result["summary"]["pairs"] == 1 and result["summary"]["mean"] == result["green"]
