"""Answers a model may give, and the corrections read from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import CATEGORY_TITLES, SEVERITY
from radeval_core.judges.fineradscore.answer import read_answer
from radeval_core.judges.verdict import UnreadableAnswer

LINES = split_lines("Small right effusion. Large heart. Clear lungs.")


def entry(text="Normal heart.", severity="Urgent error", comments="why", category=("Omission of finding",)):
    return {"corrections": text, "clinical severity": severity, "comments": comments, "error category": list(category)}


REWRITE, DELETE = entry("Small left effusion."), entry("[delete]", "Not actionable")
GOOD = json.dumps({"0": REWRITE, "1": DELETE, "None": entry("Old rib fracture.")})
EXPECTED = [(0, "rewrite", "Small left effusion.", 3), (1, "delete", "", 1), (None, "insert", "Old rib fracture.", 3)]


def read(answer):
    return [(c.line, c.action, c.after, c.severity) for c in read_answer(answer, LINES).corrections]


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        json.dumps(json.loads(GOOD), indent=4),
        f"```json\n{GOOD}\n```",
        f"Here are the corrections:\n```\n{GOOD}\n```\nI hope [this] helps.",
        f"The size [2.5 cm] was checked. {GOOD} That is all.",
        f"<think>maybe {{}} or {{not json}}</think>{GOOD}",
        GOOD.replace("]}", "],}") + " ",
        GOOD[:-1] + ",\n}",
        json.dumps([{"0": REWRITE}, {"1": DELETE}, {"None": entry("Old rib fracture.")}]),
        json.dumps([{"line": 0, **REWRITE}, {"line": 1, **DELETE}, {"line": None, **entry("Old rib fracture.")}]),
        json.dumps({"None": [entry("Old rib fracture.")], "1": DELETE, "0": REWRITE}),
        json.dumps({"[0]": REWRITE, "Line 1": DELETE, "none": entry("Old rib fracture.")}),
        GOOD.replace("clinical severity", "clinical_severity").replace("Urgent error", "urgent"),
        GOOD.replace("[delete]", "[Delete]"),
        f"{GOOD}\n\n{GOOD}",
        json.dumps({**json.loads(GOOD), "2": entry("Clear lungs.", "No error", "", ())}),
    ],
)
def test_all_ways_of_writing_give_the_same_corrections(answer):
    assert read(answer) == EXPECTED


@pytest.mark.parametrize("answer", ["{}", "[]", "```json\n{}\n```", "Nothing to correct: {}"])
def test_nothing_to_correct(answer):
    assert read(answer) == []


def test_several_insertions():
    assert read(json.dumps({"None": [entry("One."), entry("Two.")]})) == [
        (None, "insert", "One.", 3), (None, "insert", "Two.", 3),
    ]  # fmt: skip
    one, two = json.dumps(entry("One.")), json.dumps(entry("Two."))
    assert [after for _, _, after, _ in read(f'{{"None": {one}, "None": {two}}}')] == ["One.", "Two."]


@pytest.mark.parametrize("rating, severity", SEVERITY.items())
def test_ratings(rating, severity):
    (correction,) = read_answer(json.dumps({"0": entry(severity=rating)}), LINES).corrections
    assert (correction.rating, correction.severity) == (rating, severity)


@pytest.mark.parametrize(
    "given, category",
    [
        ([], ()),
        (None, ()),
        ("Omission of finding", ("Omission of finding",)),
        (["2. omission of finding"], ("Omission of finding",)),
        ([1, "6"], (CATEGORY_TITLES[0], CATEGORY_TITLES[5])),
        (["Incorrect severity", "Incorrect severity of finding"], ("Incorrect severity of finding",)),
        (["Mention of comparison that is not present"], (CATEGORY_TITLES[4],)),
    ],
)
def test_categories(given, category):
    answer = json.dumps({"0": {**entry(), "error category": given}})
    assert read_answer(answer, LINES).corrections[0].category == category


def twice(key, value):
    text = json.dumps(value)
    return f'{{"{key}": {text}, "{key}": {text}}}'


@pytest.mark.parametrize(
    "answer, problem",
    [
        ("", "there is no valid JSON object"),
        ("The report is fine.", "there is no valid JSON object"),
        (GOOD[:-40], "there is no valid JSON object in the answer: "),
        (GOOD.replace('"1":', '"1"'), "Expecting ':' delimiter"),
        ("[1, 2]", "there is no valid JSON object"),
        (f"{GOOD} or {{}}", "there are 2 different JSON objects in the answer: give one"),
        (json.dumps({"7": DELETE}), "line 7 does not exist in the candidate report: they are numbered 0 to 2"),
        (json.dumps({"-1": DELETE}), "'-1' is neither the number of a line nor \"None\""),
        (json.dumps({"first": DELETE}), "'first' is neither the number of a line nor \"None\""),
        (json.dumps({"9" * 5000: DELETE}), "is neither the number of a line"),
        (twice("1", DELETE), "line 1 is corrected twice: give one entry a line"),
        (json.dumps({"1": DELETE, "[1]": DELETE}), "corrected twice"),
        (json.dumps({"1": "[delete]"}), "line 1: expected an object with corrections"),
        (json.dumps({"1": [DELETE]}), "line 1: expected an object with corrections"),
        (json.dumps([DELETE]), "a correction without a line"),
        ('{"1": {"corrections": "a", "corrections": "b"}}', 'line 1: "corrections" is there twice'),
        (
            json.dumps({"1": entry("Not actionable", "[delete]")}),
            'line 1: "corrections" holds a severity, \'Not actionable\': it is swapped with "clinical severity"',
        ),
        (
            json.dumps({"1": entry(severity="Very bad")}),
            "line 1: \"clinical severity\": unknown severity 'Very bad': write",
        ),
        (json.dumps({"1": entry(category=["Typo"])}), "line 1: \"error category\": unknown category 'Typo': write one"),
        (json.dumps({"1": entry(category=["Incorrect"])}), "unknown category 'Incorrect'"),
        (json.dumps({"1": {"corrections": "Normal heart."}}), 'line 1: "clinical severity": Field required'),
        (json.dumps({"1": {**entry(), "corrections": None}}), 'line 1: "corrections": Input should be a valid string'),
        (json.dumps({"1": entry(" ")}), 'line 1: "corrections" is empty: write the corrected line, or [delete]'),
        (json.dumps({"1": entry("Large heart.")}), "line 1: the correction is the line as it is"),
        (json.dumps({"None": DELETE}), "insertion: there is no line to delete"),
        ("[" * 100_000, "there is no valid JSON object"),
        ('{"0":' * 5_000, "there is no valid JSON object"),
        ('{"0": ' + "9" * 5000 + "}", "there is no valid JSON object"),
    ],
)
def test_the_error_names_the_problem(answer, problem):
    with pytest.raises(UnreadableAnswer) as error:
        read_answer(answer, LINES)
    assert problem in str(error.value)


def test_an_empty_report_allows_only_insertions():
    with pytest.raises(UnreadableAnswer, match="line 0 does not exist in the candidate report: it has none"):
        read_answer(json.dumps({"0": DELETE}), ())


@given(st.text(max_size=80) | st.text(alphabet='{}[]",:01Ndelt ', max_size=80))
def test_any_text_is_read_or_rejected(answer):
    try:
        read_answer(answer, LINES)
    except UnreadableAnswer as error:
        assert str(error)
