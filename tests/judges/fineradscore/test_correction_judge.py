"""The question to a model, and the question after a bad answer; the backend gives the answers the test chooses."""

import json

import pytest

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import ACTIONS, CATEGORY_TITLES, SEVERITY
from radeval_core.judges.backends.base import Answer
from radeval_core.judges.engine import judge_pairs
from radeval_core.judges.fineradscore.instructions import (
    MAX_WORDS,
    FineRadInstructions,
    choose_instructions,
    our_examples,
)
from radeval_core.judges.fineradscore.schema import answer_schema
from radeval_core.judges.model_judge import ModelJudge

REFERENCE, CANDIDATE = "Small left effusion.", "Small right effusion. Clear lungs."
ENTRY = {
    "corrections": "Small left effusion.",
    "clinical severity": "Urgent error",
    "comments": "side",
    "error category": ["Incorrect location/position of finding"],
}
GOOD = json.dumps({"0": ENTRY})


class StubBackend:
    """Answers with the next of the given texts, and records the requests."""

    identity = "stub"
    fields = {"backend": "stub", "model": "stub@12345678"}  # noqa: RUF012

    def __init__(self, *texts):
        self.texts = list(texts)
        self.asked = []

    def answers(self, requests):
        for i, request in enumerate(requests):
            self.asked.append(request)
            yield i, Answer(self.texts.pop(0))


def judged(*texts, judge=None):
    backend = StubBackend(*texts)
    (verdict,) = judge_pairs(
        ModelJudge(judge or FineRadInstructions(), backend), [(REFERENCE, CANDIDATE)], progress=False
    )
    return verdict, backend.asked


def test_the_question_contains_the_lines_and_the_reference():
    request = FineRadInstructions().request(REFERENCE, CANDIDATE)
    assert request.messages[0].role == "system"
    assert json.loads(request.messages[-1].content) == {
        "candidate": {"0": "Small right effusion.", "1": "Clear lungs."},
        "reference": "Small left effusion.",
    }
    assert request.rendered is None and request.schema == answer_schema(2)


def test_few_shot_shows_five_examples_and_zero_shot_none():
    few, zero = (choose_instructions(None, examples, None) for examples in ("invented", "none"))
    few, zero = (judge.request(REFERENCE, CANDIDATE).messages for judge in (few, zero))
    assert [m.role for m in few] == ["system", *["user", "assistant"] * 5, "user"]
    assert [m.role for m in zero] == ["system", "user"]
    assert FineRadInstructions().identity == "fineradscore-few-shot-1@05e00e10"
    assert FineRadInstructions(examples=()).identity == "fineradscore-zero-shot-1@0f1f1a77"


def test_the_instructions_name_every_rating_and_category():
    text = FineRadInstructions().request("a", "b").messages[0].content
    assert all(f'"{name}"' in text for name in (*SEVERITY, *CATEGORY_TITLES))


def test_the_examples_show_every_action_rating_and_category_and_one_pair_without_an_error():
    judge, found = FineRadInstructions(), []
    for example in our_examples():
        analysis = judge.read(example.reference, example.candidate, example.answer)
        found.append(analysis.corrections)
    assert [len(corrections) for corrections in found].count(0) == 1
    every = [c for corrections in found for c in corrections]
    assert {c.action for c in every} == set(ACTIONS)
    assert {c.rating for c in every} == set(SEVERITY)
    assert {name for c in every for name in c.category} == set(CATEGORY_TITLES)


def test_the_schema_allows_only_the_lines_of_the_report():
    schema = answer_schema(2)
    assert list(schema["properties"]) == ["0", "1", "None"] and schema["additionalProperties"] is False
    entry = schema["$defs"]["correction"]
    assert schema["properties"]["0"] == schema["properties"]["None"]["items"] == {"$ref": "#/$defs/correction"}
    assert set(entry["required"]) == set(entry["properties"]) == set(ENTRY) and entry["additionalProperties"] is False
    assert entry["properties"]["clinical severity"]["enum"] == list(SEVERITY)
    assert entry["properties"]["error category"]["items"]["enum"] == list(CATEGORY_TITLES)


def test_the_examples_follow_the_schema():
    for example in our_examples():
        entry = answer_schema(1)["$defs"]["correction"]["properties"]
        for key, given in json.loads(example.answer).items():
            assert key in answer_schema(len(split_lines(example.candidate)))["properties"]
            for one in given if key == "None" else [given]:
                assert set(one) == set(entry)
                assert len(one["corrections"]) <= entry["corrections"]["maxLength"]
                assert len(one["comments"]) <= entry["comments"]["maxLength"]


def test_a_good_answer_is_read_at_once():
    verdict, asked = judged(GOOD)
    assert verdict.tries == len(asked) == 1
    assert [(c.line, c.after) for c in verdict.analysis.corrections] == [(0, "Small left effusion.")]


@pytest.mark.parametrize(
    "bad, problem",
    [
        ("I think it is fine.", "there is no valid JSON object in the answer"),
        (json.dumps({"5": ENTRY}), "line 5 does not exist in the candidate report: they are numbered 0 to 1"),
        (json.dumps({"0": {**ENTRY, "clinical severity": "bad"}}), "unknown severity 'bad'"),
    ],
)
def test_after_a_bad_answer_the_model_is_asked_again_with_the_problem(bad, problem):
    verdict, asked = judged(bad, GOOD)
    assert verdict.tries == 2 and verdict.analysis is not None
    first, again = asked
    assert again.messages[:-2] == first.messages and again.schema == first.schema
    assert (again.messages[-2].role, again.messages[-2].content) == ("assistant", bad)
    assert again.messages[-1].role == "user" and problem in again.messages[-1].content


def test_five_bad_answers_leave_a_pair_unscored_with_the_last_reason():
    verdict, asked = judged("no", "no", "no", "no", json.dumps({"9": ENTRY}))
    assert verdict.analysis is None and verdict.tries == len(asked) == 5
    assert verdict.reason.startswith("line 9 does not exist")
    assert len({len(request.messages) for request in asked[1:]}) == 1  # only the last answer is shown again


def test_the_fifth_answer_still_counts():
    verdict, _ = judged("no", "no", "no", "no", GOOD)
    assert verdict.analysis is not None and verdict.tries == 5


def test_long_reports_and_repeated_answers_are_cut():
    judge = FineRadInstructions()
    request = judge.request("word " * 20_000, "Clear lungs. " * 10_000)
    shown = json.loads(request.messages[-1].content)
    assert len(shown["reference"].split()) == MAX_WORDS
    assert sum(len(line.split()) for line in shown["candidate"].values()) == MAX_WORDS
    again = judge.again(request, "x" * 100_000, "no JSON")
    assert sum(len(m.content) for m in again.messages[-2:]) < 5000
