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


def answer(prompts, done, stopped):
    """Act as a model that answers with the prompt's first token."""
    for row, prompt in enumerate(prompts):
        done(row, [prompt.ids[0]])


def out_of_memory_above(rows):
    def decode(prompts, done, stopped):
        if len(prompts) > rows:
            raise MemoryError
        answer(prompts, done, stopped)

    return decode


@settings(max_examples=60)
@given(st.lists(st.integers(1, 30), max_size=25), st.integers(1, 200), st.integers(1, 4), st.integers(1, 8))
def test_every_prompt_is_answered_once_for_any_budget_copies_and_memory(lengths, budget, copies, rows):
    prompts = make(lengths)
    found = list(decode_all([out_of_memory_above(rows)] * copies, prompts, budget))
    assert sorted(found) == [(i, [i]) for i in range(len(lengths))]


def test_copies_work_at_the_same_time():
    together = threading.Barrier(2, timeout=10)

    def decode(prompts, done, stopped):
        together.wait()  # passes only if both copies are at work
        answer(prompts, done, stopped)

    assert len(list(decode_all([decode, decode], make([5, 5]), 7))) == 2


def test_a_batch_contains_prompts_with_one_schema():
    seen = []

    def decode(prompts, done, stopped):
        seen.append({repr(prompt.schema) for prompt in prompts})
        answer(prompts, done, stopped)

    list(decode_all([decode], make([3, 3, 3, 3], [{"a": 1}, None, {"a": 1}, None]), 100))
    assert len(seen) == 2 and all(len(schemas) == 1 for schemas in seen)


def test_the_budget_counts_the_answer():
    work = Work(make([8, 8, 8]), 20)
    assert [len(work.take()) for _ in range(3)] == [2, 1, 0]


def test_after_running_out_of_memory_later_batches_are_smaller():
    rows = []

    def decode(prompts, done, stopped):
        rows.append(len(prompts))
        out_of_memory_above(3)(prompts, done, stopped)

    list(decode_all([decode], make([5] * 16), 56))
    assert rows[:2] == [8, 4] and max(rows[2:]) <= 3


@pytest.mark.parametrize("copies", [1, 2])
def test_user_errors_are_raised(copies):
    def decode(prompts, done, stopped):
        raise InputError("change this")

    with pytest.raises(InputError, match="change this"):
        list(decode_all([decode] * copies, make([3, 3]), 5))


def test_leaving_early_stops_the_copies():
    before = threading.active_count()
    found = decode_all([answer, answer], make([3] * 50), 5)
    next(found)
    found.close()
    assert threading.active_count() == before


@pytest.mark.parametrize("copies", [1, 2])
def test_an_answer_comes_while_its_batch_goes_on(copies):
    """The model ends its batch only when nobody waits any more."""
    ended = threading.Event()

    def decode(prompts, done, stopped):
        done(1, [prompts[1].ids[0]])
        while not stopped():
            ended.wait(0.01)
        ended.set()

    found = decode_all([decode] * copies, make([3, 3, 3]), 100)
    place, ids = next(found)
    assert ids == [place] and not ended.is_set()
    found.close()
    assert ended.is_set()


def test_a_batch_that_fails_half_way_is_not_answered_twice():
    def decode(prompts, done, stopped):
        done(0, [prompts[0].ids[0]])
        if len(prompts) > 1:
            raise MemoryError

    found = list(decode_all([decode], make([3] * 8), 100))
    assert sorted(found) == [(i, [i]) for i in range(8)]


def test_a_model_that_forgets_prompts():
    found = dict(decode_all([lambda prompts, done, stopped: done(0, [7])], make([3, 3]), 100))
    assert sorted(map(str, found.values())) == ["[7]", "the model gave no answer"]
