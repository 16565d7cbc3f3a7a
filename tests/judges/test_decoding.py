import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.errors import InputError
from radeval_core.judges.backends.prompts import Prompt


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global decode_all, Work
    from radeval_core.judges.backends.decoding import Work, decode_all


def make(lengths, schemas=None):
    return [Prompt(tuple([i] * n), 2, 100, schemas[i] if schemas else None) for i, n in enumerate(lengths)]


def answer(prompts):
    """Act as a model that answers with the prompt's first token."""
    return [[prompt.ids[0]] for prompt in prompts]


def out_of_memory_above(rows):
    def decode(prompts):
        if len(prompts) > rows:
            raise MemoryError
        return answer(prompts)

    return decode


@settings(max_examples=60)
@given(st.lists(st.integers(1, 30), max_size=25), st.integers(1, 200), st.integers(1, 4), st.integers(1, 8))
def test_every_prompt_is_answered_once_for_any_budget_copies_and_memory(lengths, budget, copies, rows):
    prompts = make(lengths)
    found = list(decode_all([out_of_memory_above(rows)] * copies, prompts, budget))
    assert sorted(found) == [(i, [i]) for i in range(len(lengths))]


def test_copies_work_at_the_same_time():
    together = threading.Barrier(2, timeout=10)

    def decode(prompts):
        together.wait()  # passes only if both copies are at work
        return answer(prompts)

    assert len(list(decode_all([decode, decode], make([5, 5]), 7))) == 2


def test_a_batch_contains_prompts_with_one_schema():
    seen = []

    def decode(prompts):
        seen.append({repr(prompt.schema) for prompt in prompts})
        return answer(prompts)

    list(decode_all([decode], make([3, 3, 3, 3], [{"a": 1}, None, {"a": 1}, None]), 100))
    assert len(seen) == 2 and all(len(schemas) == 1 for schemas in seen)


def test_the_budget_counts_the_answer():
    work = Work(make([8, 8, 8]), 20)
    assert [len(work.take()) for _ in range(3)] == [2, 1, 0]


def test_after_running_out_of_memory_later_batches_are_smaller():
    rows = []

    def decode(prompts):
        rows.append(len(prompts))
        return out_of_memory_above(3)(prompts)

    list(decode_all([decode], make([5] * 16), 56))
    assert rows[:2] == [8, 4] and max(rows[2:]) <= 3


@pytest.mark.parametrize("copies", [1, 2])
def test_user_errors_are_raised(copies):
    def decode(prompts):
        raise InputError("change this")

    with pytest.raises(InputError, match="change this"):
        list(decode_all([decode] * copies, make([3, 3]), 5))


def test_leaving_early_stops_the_copies():
    before = threading.active_count()
    found = decode_all([answer, answer], make([3] * 50), 5)
    next(found)
    found.close()
    assert threading.active_count() == before
