"""A teacher's answers become training rows: read, counted, split by study, and described."""

import json
from contextlib import ExitStack

import pytest
from taught_pairs import MISSING, WRONG_SIDE, pair, write

from chat_server import ChatServer, Reply
from radeval_core.cli.app import main
from radeval_core.errors import InputError
from radeval_core.train.annotate.run import compare_counts
from radeval_core.train.annotate.source import read_asked, select_pairs
from radeval_core.train.answer_forms import ErrorCounts
from radeval_core.train.rows import read_training_rows
from radeval_core.train.splits import split_of


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command with a server, or with one that answers as a function says."""

    def ask(rows, server, *options, configs=("http:teacher",)):
        source = write(tmp_path / "pairs.jsonl", rows)
        with ExitStack() as stack:
            if callable(server):
                server = stack.enter_context(ChatServer(server))
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            monkeypatch.setenv("OPENAI_API_KEY", "key")
            chosen = [part for config in configs for part in ("--config", config)]
            out = ["--out", str(tmp_path / "train.jsonl"), "--splits", "1,0,0"]
            status = main(["train", "annotate", source, "--judge", "green", *chosen, *out, *options])
        return status, capsys.readouterr(), server

    return ask


def sheet(folder):
    return json.loads((folder / "train.json").read_text("utf-8"))


def test_readable_answers_become_rows_and_the_others_are_kept_aside(tmp_path, ask):
    def behave(question, nth, body):
        return Reply("I see 12 mm in this report." if "12 mm" in question else WRONG_SIDE)

    status, printed, _ = ask([pair(n) for n in range(5)], behave, "--terms", "internal use")
    assert status == 0
    rows = read_training_rows(tmp_path / "train.jsonl")
    assert [row.id for row in rows] == ["p0", "p1", "p3", "p4"]
    assert rows[0].answer == WRONG_SIDE
    assert rows[0].counts.model_dump() == {"significant": {"wrong_location": 1}, "insignificant": {}, "matched": 2}
    assert "model:teacher@127.0.0.1" in rows[0].teacher
    (aside,) = [json.loads(line) for line in (tmp_path / "train.dropped.jsonl").read_text("utf-8").splitlines()]
    assert (aside["id"], aside["reason"]) == ("p2", "the answer is unreadable")
    assert aside["detail"] == "the answer has none of the sections that were asked for"
    assert sheet(tmp_path)["dropped"] == {"the answer is unreadable": 1}
    assert sheet(tmp_path)["terms"] == "internal use"
    assert "the reports of 5 pairs are sent to teacher@127.0.0.1" in printed.err
    assert "mm" not in printed.err + printed.out + (tmp_path / "train.md").read_text("utf-8")


def test_a_second_run_asks_only_what_is_missing(tmp_path, ask):
    def behave(question, nth, body):
        return Reply(status=400, raw="{}") if "13 mm" in question and nth == 1 else Reply(WRONG_SIDE)

    rows = [pair(n) for n in range(5)]
    with ChatServer(behave) as server:
        assert ask(rows, server)[0] == 0
        assert len(read_training_rows(tmp_path / "train.jsonl")) == 4
        assert sum(sheet(tmp_path)["dropped"].values()) == 1
        plan = json.loads(ask(rows, server, "--dry-run", "--json")[1].out)["teachers"][0]
        assert (plan["questions"], plan["kept"]) == (1, 4)
        assert ask(rows, server)[0] == 0
        assert sorted(server.asked.values()) == [1, 1, 1, 1, 2]
    assert len(read_training_rows(tmp_path / "train.jsonl")) == 5
    assert not (tmp_path / "train.dropped.jsonl").exists()


def test_all_questions_are_in_the_plan_and_none_is_asked(tmp_path, ask):
    status, printed, server = ask([pair(n) for n in range(4)], lambda *_: Reply(WRONG_SIDE), "--dry-run", "--json")
    plan = json.loads(printed.out)
    assert (status, server.seen) == (0, [])
    (teacher,) = plan["teachers"]
    assert (plan["pairs"], teacher["questions"], teacher["kept"]) == (4, 4, 0)
    assert teacher["prompt_tokens"] > 4 * 300 and teacher["answer_tokens"] == 4 * 1024
    assert teacher["sends_reports_to"].startswith("teacher@127.0.0.1")
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.jsonl"]


def test_a_teacher_that_answers_nothing_is_an_error_and_no_file(tmp_path, ask):
    status, printed, _ = ask([pair(0)], lambda *_: Reply("no"))
    assert status == 1
    assert "no pair got a usable answer: 1 × the answer is unreadable" in printed.err
    assert not (tmp_path / "train.jsonl").exists()


def test_a_rewritten_answer_has_the_same_counts_in_the_form_of_the_metric(tmp_path, ask):
    answer = f"<think>hm</think>\n```\n{WRONG_SIDE}\n```"
    assert ask([pair(0)], lambda *_: Reply(answer), "--rewrite")[0] == 0
    (row,) = read_training_rows(tmp_path / "train.jsonl")
    assert row.answer.startswith("[Explanation]:\nThe side is wrong.\n\n[Clinically Significant Errors]:\n(a) False")
    assert row.counts.significant == {"wrong_location": 1}


def test_two_teachers_are_compared_and_the_first_gives_the_answers(tmp_path, ask):
    rows = [pair(n) for n in range(3)]
    # of the three answers, one names another category than the embedded judge, and all match as many findings
    behave = lambda question, *_: Reply(MISSING if "11 mm" in question else WRONG_SIDE)  # noqa: E731
    status, _, _ = ask(rows, behave, configs=("http:teacher", "embedded"))
    assert status == 0
    assert [row.answer for row in read_training_rows(tmp_path / "train.jsonl")] == [WRONG_SIDE, MISSING, WRONG_SIDE]
    found = sheet(tmp_path)
    assert len(found["teachers"]) == 2 and "config:embedded" in found["teachers"][1]
    assert (found["disagreements"]["pairs"], found["disagreements"]["equal"]) == (3, 2)
    categories = found["disagreements"]["categories"]
    assert categories["wrong_location, significant"] == {"pairs": 3, "differ": 1, "mean_difference": 0.3333}
    assert categories["missing_finding, significant"]["differ"] == 1
    assert categories["matched findings"]["differ"] == 0
    assert "2 of 3 pairs that both teachers answered" in (tmp_path / "train.md").read_text("utf-8")


def test_disagreements_count_pairs_that_both_answered():
    first = {0: ErrorCounts(significant={"a": 2}, matched=3), 1: ErrorCounts(matched=1), 2: ErrorCounts(matched=1)}
    second = {0: ErrorCounts(insignificant={"a": 1}, matched=1), 1: ErrorCounts(matched=1)}
    assert compare_counts(("a",), first, second) == {
        "pairs": 2,
        "equal": 1,
        "categories": {
            "a, significant": {"pairs": 2, "differ": 1, "mean_difference": 1.0},
            "a, insignificant": {"pairs": 2, "differ": 1, "mean_difference": 0.5},
            "matched findings": {"pairs": 2, "differ": 1, "mean_difference": 1.0},
        },
    }


@pytest.mark.parametrize("judge", ["green", "crimson", "fineradscore"])
def test_the_embedded_judge_teaches_every_metric(tmp_path, capsys, judge):
    rows = [pair(n, age="75") for n in range(40)]
    rows[7]["prediction"] = "Buy cheap watches."
    source = write(tmp_path / "pairs.jsonl", rows)
    out = tmp_path / "train.jsonl"
    assert main(["train", "annotate", source, "--judge", judge, "--config", "embedded", "--out", str(out)]) == 0
    taught = read_training_rows(out)  # reads every answer again
    assert {row.split for row in taught} == {"train", "validation", "test"}
    assert all(row.split == split_of(row.study) for row in taught)
    assert taught[0].counts.errors == 1
    assert taught[0].context == {"age": "75"}
    assert not (tmp_path / "train.jsonl.journal").exists()
    assert "wrote" in capsys.readouterr().out


def test_a_pair_is_asked_about_once_and_needs_two_reports(tmp_path):
    rows = [pair(0), pair(0, id="again"), pair(0, id="other patient", age="75"), pair(1, prediction=" ")]
    selection = select_pairs(read_asked(write(tmp_path / "pairs.jsonl", rows)))
    assert [asked.id for asked in selection.pairs] == ["p0", "other patient"]
    assert list(selection.dropped) == [("again", "repeats an earlier pair"), ("p1", "a report is empty")]


def test_balance_keeps_as_many_of_each_heuristic_as_the_rarest_has(tmp_path):
    kinds = ["random"] * 5 + ["nearest"] * 2 + ["permutation"] * 3
    rows = [pair(n, heuristic=kind) for n, kind in enumerate(kinds)]
    pairs = read_asked(write(tmp_path / "pairs.jsonl", rows))
    selection = select_pairs(pairs, balance=True)
    assert selection.heuristics == {"nearest": 2, "permutation": 2, "random": 2}
    assert len(selection.dropped) == 4
    chosen = [[asked.id for asked in select_pairs(pairs, True, seed).pairs] for seed in (0, 0, 3)]
    assert chosen[0] == chosen[1] != chosen[2]


def test_pairs_without_a_study_are_split_by_reference(tmp_path):
    rows = [{"reference": "Edema.", "prediction": text} for text in ("Effusion.", "Nodule.")]
    first, second = read_asked(write(tmp_path / "pairs.jsonl", rows))
    assert first.study == second.study != ""
    assert (first.id, second.id) == ("0", "1")


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        ([{"prediction": "Edema."}], [], "line 1: column 'reference' is missing"),
        ([pair(0), pair(0)], [], "line 2: the id 'p0' occurs twice"),
        ([pair(0, study=1.5)], [], "line 1: 'study' must be a text or a whole number, got float"),
        ([pair(0, context={"weight": 1})], [], "unknown field"),
        ([], [], "the file has no pairs"),
        ([pair(0)], ["--judge", "bleu"], "unknown metric with a judge to train 'bleu'"),
        ([pair(0)], ["--config", "embedded"], "--config embedded is given twice"),
        ([pair(0)], ["--config", "a/b", "--config", "c/d"], "give one or two teachers with --config, got 3"),
        ([pair(0)], ["--option", "bleu.x=1"], "the judge is green, so write --option green.NAME=VALUE"),
        ([pair(0)], ["--option", "green.timeout=5"], "option green.timeout is for models"),
        ([pair(0)], ["--balance"], "found only permutation"),
        ([pair(0, heuristic="")], ["--balance"], "the pair 'p0' has none"),
        ([pair(0)], ["--splits", "0.8,0.1,0.1"], "would be empty: too few studies (1)"),
    ],
)
def test_wrong_input_is_one_line(tmp_path, capsys, rows, options, problem):
    source = write(tmp_path / "pairs.jsonl", rows)
    begin = ["train", "annotate", source, "--judge", "green", "--config", "embedded", "--splits", "1,0,0"]
    assert main([*begin, "--out", str(tmp_path / "train.jsonl"), *options]) == 2
    error = capsys.readouterr().err
    assert problem in error and error.count("\n") == 1
    assert "effusion" not in error
    assert not (tmp_path / "train.jsonl").exists()


def test_a_file_in_another_format_is_refused(tmp_path):
    (tmp_path / "pairs.csv").write_text("reference,prediction\na,b\n", "utf-8")
    with pytest.raises(InputError, match=r"expected a .jsonl file of pairs"):
        read_asked(tmp_path / "pairs.csv")
