"""Reading a model's answer: slips whose meaning is certain are read, everything else has no score."""

import json

import pytest

from radeval_core.judges.crimson.answer import read_answer
from radeval_core.judges.verdict import UnreadableAnswer

FORM = {
    "reference_findings": [
        {"id": "R1", "finding": "effusion", "clinical_significance": "urgent"},
        {"id": "R2", "finding": "nodule", "clinical_significance": "actionable_not_urgent"},
    ],
    "predicted_findings": [
        {"id": "P1", "finding": "effusion", "clinical_significance": "urgent"},
        {"id": "P2", "finding": "mass", "clinical_significance": "not_actionable_not_urgent"},
    ],
    "matched_findings": [{"ref_id": "R1", "pred_id": "P1"}],
    "errors": {
        "false_findings": ["P2"],
        "missing_findings": ["R2"],
        "attribute_errors": [
            {
                "ref_id": "R1",
                "pred_id": "P1",
                "severity": "significant",
                "error_types": ["severity"],
                "explanation": "E",
            }
        ],
    },
}
GOOD = json.dumps(FORM)
#: (1 * 1 / 1.5 - 0.25) / 1.5
SCORE = 0.2778

READABLE = {
    "plain": GOOD,
    "indented": json.dumps(FORM, indent=2),
    "fence": f"Here it is.\n```json\n{GOOD}\n```\nDone.",
    "thought": f"<think>{{not this}}</think>{GOOD}",
    "end token": f"{GOOD}<end_of_turn>",
    "repeated": f"{GOOD}\n{GOOD}",
    "trailing commas": GOOD.replace('["P2"]', '["P2",]').replace("]}}", "],}}"),
    "quotes in a text": GOOD.replace('"E"', '"says "new", not "old""'),
    "a line break in a text": GOOD.replace('"E"', '"one\ntwo"'),
    "a wrong escape": GOOD.replace('"E"', r'"C:\Lung"'),
    "a key without its first quote": GOOD.replace('"pred_id": "P1", "severity"', 'pred_id": "P1", "severity"'),
    "a text without a value": GOOD.replace(
        '{"ref_id": "R1", "pred_id": "P1"}', '{"ref_id": "R1", "old", "pred_id": "P1"}'
    ),
    "an empty key before a list": GOOD.replace('"missing_findings": ["R2"]', '"missing_findings": ["": ["R2"]'),
}
UNREADABLE = {
    "empty": ("", "no JSON object"),
    "a refusal": ("I cannot judge this.", "no JSON object"),
    "an empty object": ("{}", "the answer has no reference_findings"),
    "a number": ("0.5", "no JSON object"),
    "a list": (f"[{GOOD[:-1]}", "not valid JSON"),
    "another object": ('{"score": 1.0}', "the answer has no"),
    "without matches": (json.dumps({k: v for k, v in FORM.items() if k != "matched_findings"}), "no matched_findings"),
    "truncated": (GOOD[:-3], "not valid JSON"),
    "truncated in a text": (GOOD[:200], "not valid JSON"),
    "two different ones": (GOOD + GOOD.replace("P2", "P3"), "2 different JSON objects"),
    "a list that is null": (GOOD.replace('["P2"]', "null"), "not the list or object"),
    "a finding without an id": (GOOD.replace('"id": "R1", ', ""), "has no 'id'"),
    "a match without an id": (
        GOOD.replace('{"ref_id": "R1", "pred_id": "P1"}', '{"pred_id": "P1"}'),
        "has no 'ref_id'",
    ),
    "a repair that would swallow a level": (
        GOOD.replace('"effusion", "clin', r'"effusion\", "clin', 1),
        "not valid JSON",
    ),
    "very deep": ("{" + '"a":{' * 5000, "not valid JSON"),
    "the template itself": (GOOD.replace('"P2"', "...", 1), "not valid JSON"),
}


@pytest.mark.parametrize("answer", READABLE.values(), ids=READABLE)
def test_readable(answer):
    assert read_answer(answer).score.score == SCORE


@pytest.mark.parametrize("answer, problem", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable(answer, problem):
    with pytest.raises(UnreadableAnswer, match=problem):
        read_answer(answer)


def test_no_item_of_a_list_is_dropped_by_a_repair():
    answer = GOOD.replace('["P2"]', '["P2", "P2", "P2"]').replace('"E"', '"says "new""')
    assert read_answer(answer).score.false == 0.75
