"""Files of predictions become submissions: ReXrank's JSON and CSV, tables, and ids of Open-i in every form."""

import json

import pytest
from small_benchmark import REFERENCES, SYSTEM, write_benchmark

from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.leaderboard.import_predictions import make_submission, read_rexrank, read_table
from radeval_core.leaderboard.submission import SubmissionError, check_submission

ABOUT = ["--name", "Mine", "--link", "https://example.org/model", "--training-data", "Invented reports."]


def rexrank(texts):
    """Return a file as ReXrank's inference scripts write it: the fields of the study and the prediction."""
    return json.dumps(
        {
            study: {
                "image_path": ["0.png", "1.png"],
                "context": "Indication: cough.",
                "section_findings": "Clear.",
                "model_prediction": text,
            }
            for study, text in texts.items()
        }
    )


def texts(prefix="The lungs are clear in "):
    return {study: f"{prefix}{study}." for study in REFERENCES}


def test_rexranks_json(tmp_path):
    (tmp_path / "p.json").write_text(rexrank(texts()))
    assert read_rexrank(tmp_path / "p.json") == texts()


def test_rexranks_csv(tmp_path):
    rows = "".join(f'{study},"{text}"\n' for study, text in texts("Findings: heart, lungs normal in ").items())
    (tmp_path / "p.csv").write_text("study_id,report\n" + rows)
    assert read_rexrank(tmp_path / "p.csv") == texts("Findings: heart, lungs normal in ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("[]", "expected one JSON object with the studies by id, got a list"),
        ('{"s1": {"report": "x"}}', "study 's1': expected the text `model_prediction`, got nothing"),
        ('{"s1": "x"}', "study 's1': expected the text `model_prediction`"),
        ('{"s1": {"model_prediction": 5}}', "got a number"),
        ('{"s1": {"model_prediction": "x"}, "s1": {"model_prediction": "y"}}', "duplicate key 's1'"),
        ("{", "not valid JSON"),
        ("[" * 1000, "nested more than"),
    ],
)
def test_a_wrong_file_says_what_was_expected_without_its_text(data, expected, tmp_path):
    (tmp_path / "p.json").write_text(data)
    with pytest.raises(InputError, match=expected):
        read_rexrank(tmp_path / "p.json")


def test_a_study_that_occurs_twice_in_a_table_is_refused(tmp_path):
    (tmp_path / "p.csv").write_text("study_id,report\ns1,a\ns1,b\n")
    with pytest.raises(InputError, match="study 's1' occurs twice"):
        read_table(tmp_path / "p.csv", "study_id", "report")


def test_the_submission_has_the_order_of_the_benchmark_and_can_be_read_again(small):
    submission, data = make_submission(dict(reversed(texts().items())), small, {**SYSTEM, "kind": "oracle"})
    assert list(submission.predictions) == list(REFERENCES) and submission.system.kind == "oracle"
    assert check_submission(data, small) == submission


def test_other_studies_are_left_out_only_if_asked(small):
    more = {**texts(), "x1": "a", "x2": "b"}
    with pytest.raises(InputError, match=r"2 of 8 studies are not in small: 'x1', 'x2'; .* add --subset"):
        make_submission(more, small, SYSTEM)
    assert list(make_submission(more, small, SYSTEM, subset=True)[0].predictions) == list(REFERENCES)


def test_missing_studies_are_a_problem_of_the_submission(small):
    with pytest.raises(SubmissionError) as caught:
        make_submission({"s1": "Clear."}, small, SYSTEM)
    assert caught.value.problems == ["5 predictions are missing: s2, s3, s4 and 2 more"]


@pytest.fixture
def openi_like(tmp_path):
    return write_benchmark(tmp_path / "openi", {"CXR7": "Clear lungs.", "CXR12": "Large heart."})


@pytest.mark.parametrize("written", ["12", "CXR12", "CXR12_IM-0681", "CXR12_IM-0681-1001", "012"])
def test_ids_of_open_i_are_recognised_in_every_form(written, openi_like):
    submission, _ = make_submission({"CXR7": "a", written: "b"}, openi_like, SYSTEM)
    assert submission.predictions == {"CXR7": "a", "CXR12": "b"}


@pytest.mark.parametrize("written", ["CXR1", "12_x", "CXR12IM", "１２", ""])
def test_no_other_id_is_taken_for_one(written, openi_like):
    with pytest.raises(InputError, match="1 of 2 studies are not in small"):
        make_submission({"CXR7": "a", written: "b"}, openi_like, SYSTEM)


def test_two_forms_of_one_id_are_refused(openi_like):
    with pytest.raises(InputError, match="two predictions for study CXR12"):
        make_submission({"CXR7": "a", "12": "b", "CXR12": "c"}, openi_like, SYSTEM)


def test_numbers_mean_nothing_for_other_benchmarks(small):
    with pytest.raises(InputError, match="1 of 7 studies are not in small: '1'"):
        make_submission({**texts(), "1": "x"}, small, SYSTEM)


def test_the_command_writes_a_private_file_that_can_be_submitted(small, tmp_path, capsys):
    (tmp_path / "p.json").write_text(rexrank(texts()))
    out = tmp_path / "mine.jsonl"
    command = ["leaderboard", "import", "rexrank", str(tmp_path / "p.json"), "--benchmark", str(small.folder), *ABOUT]
    assert main([*command, "--out", str(out)]) == 0
    assert "wrote 6 predictions of 'Mine'" in capsys.readouterr().out
    assert out.stat().st_mode & 0o077 == 0 and check_submission(out.read_bytes(), small).system.name == "Mine"


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--kind", "winner", "system: kind must be one of system, baseline, oracle"),
        ("--link", "ftp://x", "system: link must be an https address"),
        ("--out", "mine.txt", "must end in .jsonl"),
    ],
)
def test_a_wrong_option_is_named_and_nothing_is_written(option, value, expected, small, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.json").write_text(rexrank(texts()))
    command = ["leaderboard", "import", "rexrank", "p.json", "--benchmark", str(small.folder), *ABOUT]
    assert main([*command, "--out", "mine.jsonl", option, value]) == 2
    assert expected in capsys.readouterr().err and not list(tmp_path.glob("mine*"))
