"""Completions as texts or messages, references and contexts from columns."""

import pytest

from radeval_core.errors import InputError
from radeval_core.rewards.inputs import ColumnReader, read_completions, read_context_columns
from radeval_core.rewards.length_guard import LengthGuard, read_guard


def reader(reference="reference", context=None, required=False, multi=False):
    return ColumnReader(reference, context or {}, required, (), multi, "" if multi else "green")


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("No effusion.", "No effusion."),
        ("", ""),
        ([{"role": "assistant", "content": "No effusion."}], "No effusion."),
        ([{"role": "assistant", "content": "a"}, {"role": "tool", "content": "b"}], "a"),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], "b"),
        ([{"role": "assistant", "content": [{"type": "text", "text": "No "}, {"text": "effusion."}]}], "No effusion."),
        ([{"role": "assistant", "content": None, "tool_calls": [{}]}], ""),
    ],
)
def test_the_report_of_a_completion(completion, text):
    assert read_completions([completion]) == [text]


@pytest.mark.parametrize(
    ("completion", "said"),
    [
        (3, r"completions\[1\] must be a text, or a list of messages .* got int"),
        (None, r"completions\[1\] must be a text.* got NoneType"),
        ({"role": "assistant", "content": "a"}, r"completions\[1\] .* got a single message"),
        (["a"], r"completions\[1\] must be a text, or a list of messages .* got list"),
        ([], r"completions\[1\] has no message with the role 'assistant'"),
        ([{"role": "user", "content": "a"}], r"completions\[1\] has no message with the role 'assistant'"),
        ([{"role": "assistant"}], r"completions\[1\]: the last message of the assistant has no 'content'"),
        ([{"role": "assistant", "content": 3}], r"completions\[1\]: content must be a text .* got int"),
        ([{"role": "assistant", "content": [{"type": "image"}]}], r"completions\[1\]: .* must be text, got image"),
        ("\ud800", r"completions\[1\] is not valid Unicode"),
    ],
)
def test_what_is_no_completion_is_named(completion, said):
    with pytest.raises(InputError, match=said):
        read_completions(["No effusion.", completion])


@pytest.mark.parametrize("completions", ["No effusion.", None, 3, {"role": "assistant"}])
def test_completions_are_a_list(completions):
    with pytest.raises(InputError, match="completions must be a list with one entry per prompt"):
        read_completions(completions)


def test_references_are_texts_or_lists():
    pairs = reader(multi=True).pairs(["a", "b", "c"], {"reference": ["x", ["y", "z"], None]})
    assert [pair and pair.references for pair in pairs] == [("x",), ("y", "z"), None]
    assert reader().pairs(["a"], {"reference": [["x"]]})[0].references == ("x",)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"refrence": ["x"]}, "unknown column 'reference': did you mean 'refrence'.*reference_column="),
        ({"trainer_state": 1, "report": ["x"]}, r"available: report\."),
        ({}, r"available: \(none\)"),
        ({"reference": ["x", "y"]}, "one value per completion: got 2 values for 1 completions"),
        ({"reference": "x"}, "column 'reference' must be a list"),
        ({"reference": [3]}, r"reference\[0\] must be a string, got int"),
        ({"reference": [["x", "y"]]}, r"reference\[0\] is a list: green takes one reference"),
        ({"reference": [[]]}, r"reference\[0\] is a list"),
    ],
)
def test_wrong_columns_are_named(columns, said):
    with pytest.raises(InputError, match=said):
        reader().pairs(["a"], columns)


def test_contexts_come_from_columns():
    read = reader(context={"age": "age", "sex": "sex"})
    columns = {"reference": ["x", "y"], "age": [75, None], "other": [1, 2]}
    contexts = [pair.context and pair.context.as_dict() for pair in read.pairs(["a", "b"], columns)]
    assert contexts == [{"age": "75"}, None]
    with pytest.raises(InputError, match="row 1: column 'age' is no age"):
        read.pairs(["a", "b"], {**columns, "age": [75, "old"]})


def test_a_context_column_that_the_user_named_must_be_there():
    read = reader(context={"age": "years"}, required=True)
    assert read.pairs(["a"], {"reference": ["x"], "years": [3]})[0].context.age == "3"
    with pytest.raises(InputError, match=r"unknown column 'years'.*context_columns\['age'\]="):
        read.pairs(["a"], {"reference": ["x"]})


def test_context_columns_are_checked():
    assert read_context_columns(None, ["age", "sex"]) == {"age": "age", "sex": "sex"}
    assert read_context_columns({}, ["age"]) == {}
    with pytest.raises(InputError, match="did you mean 'age'"):
        read_context_columns({"agee": "years"}, ["age"])
    with pytest.raises(InputError, match="must be a mapping"):
        read_context_columns(["age"], ["age"])
    with pytest.raises(InputError, match="the column of age must be a text"):
        read_context_columns({"age": 3}, ["age"])
    with pytest.raises(InputError, match=r"these do: .*crimson"):
        read_context_columns({"age": "years"}, [])


# the length guard


def words(count):
    return " ".join(["word"] * count)


@pytest.mark.parametrize(
    ("guard", "completion", "reference", "factor"),
    [
        (LengthGuard(2), 40, 20, 1.0),
        (LengthGuard(2), 41, 20, 40 / 41),
        (LengthGuard(2), 80, 20, 0.5),
        (LengthGuard(2), 20, 1, 1.0),  # a short reference counts as ten words
        (LengthGuard(2), 40, 1, 0.5),
        (LengthGuard(2), 0, 20, 1.0),
        (LengthGuard(2, 0.5), 0, 20, 0.0),
        (LengthGuard(2, 0.5), 5, 20, 0.5),
        (LengthGuard(2, 0.5), 10, 20, 1.0),
        (LengthGuard(None, 0.5), 10_000, 20, 1.0),
        (LengthGuard(2, 0.5), 0, 0, 1.0),
    ],
)
def test_the_factor_by_hand(guard, completion, reference, factor):
    assert guard.factor(words(completion), [words(reference), ""]) == pytest.approx(factor)


def test_what_is_no_guard():
    assert read_guard(None) is None and read_guard(3) == LengthGuard(3.0)
    for wrong in (0.5, float("nan"), float("inf"), -1):
        with pytest.raises(InputError, match="longest of the length guard must be at least 1"):
            read_guard(wrong)
    for wrong in ("2", True, [2]):
        with pytest.raises(InputError, match="length_guard must be a number"):
            read_guard(wrong)
    with pytest.raises(InputError, match="shortest of the length guard must be from 0 to 1"):
        LengthGuard(2, 1.5)
