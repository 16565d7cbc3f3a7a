"""CRIMSON against recorded outputs of the authors' package, rajpurkarlab/CRIMSON at commit 07e3331."""

import hashlib
import json
from pathlib import Path

import pytest

from radeval_core.functional.crimson import ATTRIBUTE, FALSE, MISSING, crimson
from radeval_core.judges.crimson.answer import KEYS, read_answer
from radeval_core.judges.crimson.instructions import CrimsonInstructions
from radeval_core.judges.crimson.prompt import build_prompt, sections
from radeval_core.judges.verdict import UnreadableAnswer

FOLDER = Path(__file__).with_name("crimson")


def recorded(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


SCORES = recorded("score_cases")["cases"]
ANSWERS = [case for case in recorded("answers_cases")["cases"] if case["raw"] is not None]
PROMPTS = recorded("prompt_cases")
#: answers that the package refuses and we read: what they mean is certain
READ_BY_US_ONLY = {
    *("a-004", "a-005", "a-006", "a-007", "a-008", "a-009", "a-010"),  # text, fences, thoughts or end tokens around
    *("a-046", "a-053", "a-058", "a-059", "a-073", "a-074"),  # quotes, escapes and line breaks inside a text
    *("a-064", "a-067", "a-068"),  # an extra brace, a byte order mark, a zero-width space
}


def complete(case):
    parsed = case.get("parsed")
    return isinstance(parsed, dict) and all(key in parsed for key in KEYS)


def by_id(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


@by_id([case for case in SCORES if "output" in case])
def test_every_recorded_evaluation_scores_as_in_the_package(case):
    found, output = crimson(case["evaluation"]), case["output"]
    assert found.score == output["crimson_score"]
    assert dict(found.counts) == output["error_counts"]
    weighted = {FALSE: found.false, MISSING: found.missing, ATTRIBUTE: found.attribute}
    assert weighted == pytest.approx(output["weighted_error_counts"], abs=1e-12)
    sums = {
        "N_G": found.total,
        "E_penalty": found.false,
        "correct": found.correct,
        "errors_more_than_correct": found.surplus,
        "S": found.quotient,
    }
    assert sums == pytest.approx(output["metrics"], abs=1e-12)


@by_id([case for case in SCORES if "output" not in case])
def test_an_evaluation_that_breaks_the_package_is_an_error_with_a_reason(case):
    with pytest.raises(ValueError, match="evaluation"):
        crimson(case["evaluation"])


@by_id([case for case in ANSWERS if complete(case)])
def test_an_answer_that_the_package_reads_scores_the_same(case):
    assert read_answer(case["raw"]).score == crimson(case["parsed"])


@by_id([case for case in ANSWERS if not complete(case)])
def test_other_answers_have_no_score_unless_their_meaning_is_certain(case):
    if case["id"] in READ_BY_US_ONLY:
        assert -1 < read_answer(case["raw"]).score.score <= 1
    else:
        with pytest.raises(UnreadableAnswer):
            read_answer(case["raw"])


@pytest.mark.parametrize("case", PROMPTS["cases"], ids=[case["name"] for case in PROMPTS["cases"]])
@pytest.mark.parametrize("form", ["prompt_checkpoint", "prompt_with_guidelines"])
def test_the_prompt_is_byte_for_byte_that_of_the_package(case, form):
    reports = [text if isinstance(text, str) else " ".join(text) for text in (case["reference"], case["predicted"])]
    prompt = build_prompt(*reports, case["patient_context"], form == "prompt_with_guidelines")
    assert hashlib.sha256(prompt.encode()).hexdigest() == case[form]


def test_the_messages_are_the_sentence_of_the_package_and_the_prompt():
    assert sections()["system"] == PROMPTS["meta"]["system_message"]
    case = PROMPTS["cases"][0]
    system, user = CrimsonInstructions().request(case["reference"], case["predicted"]).messages
    assert (system.role, system.content) == ("system", sections()["system"])
    assert hashlib.sha256(user.content.encode()).hexdigest() == case["prompt_checkpoint"]
