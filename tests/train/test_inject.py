"""Errors put into reports: the gold errors are those that were made, and the metric reads them back."""

import json
from collections import Counter

import pytest

from radeval_core.cli.app import main
from radeval_core.data.radcheck.generate import eval_rows
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.findings.parser import parse
from radeval_core.judges.green.write_answer import write_answer
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.inject.answers import ANALYSES, green_analysis
from radeval_core.train.inject.corrections import fineradscore_analysis
from radeval_core.train.inject.gold import errors_made
from radeval_core.train.inject.pairs import GoldPair, bind_errors, inject_errors, shortened
from radeval_core.train.inject.rows import injected_rows
from radeval_core.train.rows import read_training_rows


@pytest.fixture(scope="module")
def reports():
    return {row["study"]: row["reference"] for row in eval_rows(0)["train"][:240]}


@pytest.fixture(scope="module")
def pairs(reports):
    return list(inject_errors(reports, 80, seed=0, most=3, max_words=50))


def gold(kind, before, after):
    return [(e.category, e.significant, e.text) for e in errors_made(kind, parse(before), parse(after))]


@pytest.mark.parametrize(
    ("kind", "before", "after", "errors"),
    [
        (
            "side",
            "Small right pleural effusion. Clear lungs.",
            "Small left pleural effusion. Clear lungs.",
            [("wrong_location", True, "pleural effusion is right, not left")],
        ),
        (
            "severity",
            "Mild pulmonary edema.",
            "Severe pulmonary edema.",
            [("wrong_severity", True, "pulmonary edema is mild, not severe")],
        ),
        (
            "severity",
            "Moderate pulmonary edema.",
            "Severe pulmonary edema.",
            [("wrong_severity", False, "pulmonary edema is moderate, not severe")],
        ),
        (
            "omission",
            "Large right pneumothorax. Cardiomegaly.",
            "Cardiomegaly.",
            [("missing_finding", True, "severe right pneumothorax is not mentioned")],
        ),
        (
            "insertion",
            "Cardiomegaly.",
            "Cardiomegaly. Pneumothorax is noted.",
            [("false_finding", True, "pneumothorax is not in the reference")],
        ),
        (
            "negation",
            "No pneumothorax.",
            "Pneumothorax.",
            [("false_finding", True, "pneumothorax is denied by the reference")],
        ),
        ("negation", "Pneumothorax.", "No pneumothorax.", [("missing_finding", True, "pneumothorax is denied")]),
        (
            "finding",
            "Right pneumothorax.",
            "Right pleural effusion.",
            [
                ("false_finding", True, "right pleural effusion is not in the reference"),
                ("missing_finding", True, "right pneumothorax is not mentioned"),
            ],
        ),
        (
            "added_comparison",
            "Pleural effusion.",
            "Unchanged pleural effusion.",
            [("false_comparison", False, "pleural effusion is called unchanged")],
        ),
        (
            "dropped_comparison",
            "Increased pleural effusion.",
            "Pleural effusion.",
            [("omitted_comparison", True, "pleural effusion is increased, which is left out")],
        ),
        # no errors: a side or a degree that was not given, a finding that is stated elsewhere, nothing changed
        ("side", "Pleural effusion.", "Left pleural effusion.", []),
        ("severity", "Pulmonary edema.", "Severe pulmonary edema.", []),
        ("omission", "Clear lungs. Cardiomegaly.", "Cardiomegaly.", []),
        ("omission", "Mild left effusion. Large left effusion.", "Large left effusion.", []),
        ("side", "Cardiomegaly.", "Cardiomegaly.", []),
    ],
)
def test_the_errors_of_one_change(kind, before, after, errors):
    assert gold(kind, before, after) == errors


def test_matched_findings_include_those_described_wrongly_and_one_for_all_that_is_normal():
    before = parse("Small right pleural effusion. Cardiomegaly. Large pneumothorax. No fracture. Clear trachea.")
    after = parse("Small left pleural effusion. Cardiomegaly. No fracture. Clear trachea.")
    middle = parse("Small left pleural effusion. Cardiomegaly. Large pneumothorax. No fracture. Clear trachea.")
    errors = (*errors_made("side", before, middle), *errors_made("omission", middle, after))
    analysis = green_analysis(GoldPair("1", before, after, errors, ("side", "omission")))
    assert [entry.text for entry in analysis.matched.entries] == [
        "mild right pleural effusion",
        "cardiomegaly",
        "normal findings",
    ]
    assert analysis.explanation == "2 errors: missing finding, wrong location."


def test_all_six_categories_occur_about_equally_often(pairs):
    found = Counter(error.category for pair in pairs for error in pair.errors)
    assert set(found) == set(CATEGORIES)
    assert max(found.values()) <= 1.6 * min(found.values())
    assert {0, 1, 2, 3} <= {len(pair.errors) for pair in pairs}


def test_normal_reports_do_not_fill_the_file_with_false_findings():
    normal = {f"n{i}": f"The heart is normal in size. Clear lungs. No effusion. Series {i} of 40." for i in range(40)}
    wrong = {"w": "Small right pleural effusion, increased. Mild edema in the left lower lobe. Large hiatal hernia."}
    found = list(inject_errors(normal | wrong, 60))
    counts = Counter(error.category for pair in found for error in pair.errors)
    assert counts["false_finding"] <= 2 * counts.total() / 6 + 10 + 3
    assert sum(not pair.errors for pair in found) <= 0.4 * len(found) + 10 + 1


def test_a_pair_differs_in_its_errors_alone_and_no_finding_has_two(pairs):
    for pair in pairs:
        names = [c.finding for e in pair.errors for c in (e.reference or e.candidate,)]
        assert len(names) == len(set(names))
        if not pair.errors:
            assert set(pair.changes) <= {"order", "paraphrase"}
        assert len(pair.reference.text.split()) <= 50


@pytest.mark.parametrize("metric", ANALYSES)
def test_the_reader_finds_what_was_injected(pairs, metric):
    form = FORMS[metric]
    for pair in pairs:
        analysis = ANALYSES[metric](pair)
        if analysis is None:
            assert metric == "fineradscore"
            continue
        counts = form.counts_in(pair.reference.text, pair.candidate.text, form.write(analysis))
        assert counts == form.count(analysis)
        assert metric == "fineradscore" or counts.errors == len(pair.errors)  # it counts lines, not errors


def test_corrections_undo_the_errors_line_by_line():
    before = parse("Small right pleural effusion. Cardiomegaly. No pneumothorax. Mild edema.")
    middle = parse("Small left pleural effusion. Cardiomegaly. No pneumothorax. Mild edema.")
    after = parse("Small left pleural effusion. Pneumothorax. Mild edema. Rib fracture is noted.")
    steps = [
        middle,
        parse("Small left pleural effusion. No pneumothorax. Mild edema."),
        parse("Small left pleural effusion. Pneumothorax. Mild edema."),
        after,
    ]
    kinds = ("side", "omission", "negation", "insertion")
    errors = [
        error
        for kind, old, new in zip(kinds, [before, *steps], steps, strict=False)
        for error in errors_made(kind, old, new)
    ]
    analysis = fineradscore_analysis(GoldPair("1", before, after, bind_errors(errors, before, after), kinds))
    assert [(c.line, c.action, c.after, c.severity) for c in analysis.corrections] == [
        (0, "rewrite", "Small right pleural effusion.", 2),
        (1, "rewrite", "No pneumothorax.", 3),
        (3, "delete", "", 2),
        (None, "insert", "Cardiomegaly.", 2),
    ]


def test_most_pairs_can_be_corrected_line_by_line(pairs):
    found = [fineradscore_analysis(pair) for pair in pairs]
    assert found.count(None) < len(pairs) / 10
    dropped = Counter()
    rows = list(injected_rows(pairs, "fineradscore", dropped=dropped))
    assert len(rows) == len(pairs) - found.count(None)
    assert dropped.total() == found.count(None)


def test_the_compact_answer_reads_the_same_and_is_shorter(pairs):
    for pair in pairs:
        analysis = green_analysis(pair)
        whole, compact = write_answer(analysis), write_answer(analysis, compact=True)
        assert FORMS["green"].counts_in("", "", compact) == FORMS["green"].counts_in("", "", whole)
        assert len(compact) < len(whole)


def test_the_same_seed_gives_the_same_pairs_and_another_one_others(reports, pairs):
    def texts(seed):
        return [p.candidate.text for p in inject_errors(reports, 10, seed=seed, most=3, max_words=50)]

    assert texts(0) == [pair.candidate.text for pair in pairs[:10]]
    assert texts(0) != texts(1)


def test_a_corpus_that_gives_no_more_pairs_ends(reports):
    assert list(inject_errors({"1": "Nothing to read here at all."}, 5)) == []
    found = list(inject_errors({"1": "Small left pleural effusion."}, 50))
    assert 2 < len(found) < 50
    assert len({pair.candidate.text for pair in found}) == len(found)


def test_a_report_is_shortened_at_the_end_of_a_sentence():
    text = "Small effusion. The heart is enlarged. No pneumothorax."
    assert shortened(text, 6) == "Small effusion. The heart is enlarged."
    assert shortened(text, 100) == text
    assert shortened(text, 1) == ""


def test_rows_of_a_study_are_in_one_split(reports):
    some = dict(list(reports.items())[:12])
    rows = list(injected_rows(inject_errors(some, 40), "green"))
    assert len(rows) == 40
    assert all(len({row.split for row in rows if row.study == study}) == 1 for study in some)
    assert {row.split for row in rows} > {"train"}


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def test_the_command_writes_a_file_and_a_datasheet_that_counts_it(tmp_path, reports, capsys):
    source = write(tmp_path / "reports.jsonl", [{"id": k, "text": v} for k, v in list(reports.items())[:60]])
    out = tmp_path / "train.jsonl"
    assert main(["train", "inject", source, "--count", "60", "--out", str(out), "--terms", "Apache-2.0"]) == 0
    rows = read_training_rows(out)
    sheet = json.loads((tmp_path / "train.json").read_text("utf-8"))
    assert len(rows) == sheet["rows"] == 60
    for category, found in sheet["categories"].items():
        assert found["significant"] == sum(row.counts.significant.get(category, 0) for row in rows)
    assert sum(found["rows"] for found in sheet["splits"].values()) == 60
    assert sheet["terms"] == "Apache-2.0"
    assert "does not teach errors that real systems make" in (tmp_path / "train.md").read_text("utf-8")
    assert "wrote 60 pairs" in capsys.readouterr().out
    assert not any(text in (tmp_path / "train.json").read_text("utf-8") for text in list(reports.values())[:60])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--metric", "bleu"], "unknown metric for injected errors 'bleu'"),
        (["--metric", "crimson", "--compact"], "--compact is for green"),
        (["--splits", "0.8,0.2"], "expected three numbers for train, validation, test"),
        (["--splits", "0,1,1"], "the first above 0"),
        (["--count", "0"], "must be at least 1"),
        (["--tokenizer", "nowhere"], "--tokenizer nowhere: no such folder"),
        (["--count", "2"], "would be empty"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, capsys, options, problem):
    source = write(tmp_path / "reports.jsonl", [{"id": 1, "text": "Small left effusion. Mild edema."}])
    assert main(["train", "inject", source, "--out", str(tmp_path / "train.jsonl"), *options]) == 2
    error = capsys.readouterr().err
    assert problem in error and error.count("\n") == 1
    assert not (tmp_path / "train.jsonl").exists()


def test_reports_without_a_known_finding_and_two_texts_with_one_id_are_errors(tmp_path, capsys):
    out = str(tmp_path / "train.jsonl")
    assert main(["train", "inject", write(tmp_path / "a.jsonl", [{"id": 1, "text": "Hello."}]), "--out", out]) == 2
    assert "no error can be put into any report" in capsys.readouterr().err
    twice = write(tmp_path / "b.jsonl", [{"id": 1, "text": "Edema."}, {"id": 1, "text": "Effusion."}])
    assert main(["train", "inject", twice, "--out", out]) == 2
    assert "id 1 has two different texts" in capsys.readouterr().err


def test_a_dry_run_writes_nothing(tmp_path, reports, capsys):
    source = write(tmp_path / "reports.jsonl", [{"id": k, "text": v} for k, v in list(reports.items())[:5]])
    assert main(["train", "inject", source, "--out", str(tmp_path / "train.jsonl"), "--dry-run"]) == 0
    assert "500 pairs from 5 reports" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["reports.jsonl"]


def test_a_datasheet_replaces_no_other_file(tmp_path, capsys):
    source = write(tmp_path / "reports.jsonl", [{"id": 1, "text": "Small left effusion."}])
    (tmp_path / "train.md").write_text("my notes", "utf-8")
    assert main(["train", "inject", source, "--out", str(tmp_path / "train.jsonl"), "--splits", "1,0,0"]) == 2
    assert "its datasheet would replace" in capsys.readouterr().err
    assert (tmp_path / "train.md").read_text("utf-8") == "my notes"


@pytest.mark.slow
def test_a_tokenizer_measures_lengths_in_tokens(tmp_path, tiny_encoder):
    from transformers import AutoTokenizer

    source = write(tmp_path / "reports.jsonl", [{"id": 1, "text": "Small left pleural effusion. Mild edema."}])
    out = tmp_path / "train.jsonl"
    options = ["--splits", "1,0,0", "--count", "8", "--tokenizer", str(tiny_encoder)]
    assert main(["train", "inject", source, "--out", str(out), *options]) == 0
    tokenizer = AutoTokenizer.from_pretrained(tiny_encoder)
    longest = max(len(tokenizer.tokenize(row.answer)) for row in read_training_rows(out))
    assert json.loads((tmp_path / "train.json").read_text("utf-8"))["tokens"]["answer"]["longest"] == longest
    assert "## Lengths in tokens" in (tmp_path / "train.md").read_text("utf-8")


def test_counts_must_be_positive():
    with pytest.raises(InputError, match="at least 1"):
        list(inject_errors({"1": "Edema."}, 0))
