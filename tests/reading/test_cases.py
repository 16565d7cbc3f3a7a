"""Pairs become cases, and each reader gets an order."""

import pytest
from study_samples import PAIRS, write_pairs

from radeval_core.errors import InputError
from radeval_core.reading.cases import QUESTIONS, check_questions, fingerprint, group_cases, read_rows
from radeval_core.reading.order import draw_order, reader_seed


def test_two_rows_of_a_study_are_one_case_if_a_preference_is_asked(tmp_path):
    rows = read_rows(write_pairs(tmp_path))
    cases = group_cases(rows, QUESTIONS)
    assert [[c.id for c in case.candidates] for case in cases] == [["a1", "a2"], ["b1", "b2"], ["c1"]]
    assert cases[2].context.as_dict() == {"age": "70", "indication": "Fall."}
    assert [len(case.candidates) for case in group_cases(rows, ("errors", "rating"))] == [1] * 5


@pytest.mark.parametrize(
    ("change", "why"),
    [({"reference": "Another reference."}, "references differ"), ({"age": 3}, "patients differ")],
)
def test_rows_that_cannot_be_shown_side_by_side_stay_apart(change, why, tmp_path):
    rows = read_rows(write_pairs(tmp_path, [PAIRS[0], {**PAIRS[1], **change}]))
    assert [len(case.candidates) for case in group_cases(rows, QUESTIONS)] == [1, 1], why


def test_three_candidates_of_a_study_are_three_cases(tmp_path):
    rows = read_rows(write_pairs(tmp_path, [*PAIRS[:2], {**PAIRS[0], "id": "a3"}]))
    assert len(group_cases(rows, QUESTIONS)) == 3


def test_the_stored_rows_have_the_same_fingerprint(tmp_path):
    rows = read_rows(write_pairs(tmp_path))
    again = read_rows(write_pairs(tmp_path, [row.as_dict() for row in rows], "copy.jsonl"))
    assert fingerprint(rows) == fingerprint(again)
    other = read_rows(write_pairs(tmp_path, [{**PAIRS[0], "prediction": "x"}, *PAIRS[1:]], "other.jsonl"))
    assert fingerprint(rows) != fingerprint(other)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([PAIRS[0], PAIRS[0]], "line 2: duplicate id 'a1', already used in line 1"),
        ([{**PAIRS[0], "id": 1}, {**PAIRS[0], "id": "1"}], "duplicate id"),
        ([], "no pairs to read"),
        ([{"id": "a", "prediction": "x"}], "column 'reference' is missing"),
        ([{**PAIRS[0], "candidate": 3}], "column 'candidate'"),
        ([{**PAIRS[0], "study": [1]}], "column 'study'"),
        ([{**PAIRS[0], "age": "old"}], "is no age"),
    ],
)
def test_wrong_pairs_are_refused_with_their_line(pairs, message, tmp_path):
    with pytest.raises(InputError, match=message):
        read_rows(write_pairs(tmp_path, pairs))


def test_a_missing_file_and_a_wrong_ending_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_rows(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"must end in \.jsonl"):
        read_rows(tmp_path / "pairs.csv")


@pytest.mark.parametrize(
    ("asked", "message"), [(["rating", "speed"], "unknown question 'speed'"), (["comment"], "at least one of")]
)
def test_questions_are_checked(asked, message):
    with pytest.raises(InputError, match=message):
        check_questions(asked)
    assert check_questions(["comment", "errors"]) == ("errors", "comment")


def test_orders_differ_between_readers_and_are_the_same_for_a_seed(tmp_path):
    pairs = [{**PAIRS[i % 2], "id": f"{n}-{i}", "study": str(n)} for n in range(60) for i in range(2)]
    cases = group_cases(read_rows(write_pairs(tmp_path, pairs)), QUESTIONS)
    one, other = (draw_order(cases, reader_seed(name, 1)) for name in ("anna", "bo"))
    assert sorted(one.cases) == sorted(other.cases) == [case.key for case in cases]
    assert one.cases != other.cases and one.swapped != other.swapped
    assert 15 <= len(one.swapped) <= 45  # a fair coin; the seed makes it the same every time
    assert draw_order(cases, reader_seed("anna", 1)) == one
    assert reader_seed("anna", None) != reader_seed("anna", None)
    assert one.candidates_of(cases[0]) == ([1, 0] if cases[0].key in one.swapped else [0, 1])
