import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.engine.batching import plan_batches, restore_order, unique_texts

lengths = st.lists(st.integers(0, 600), max_size=80)
budgets = st.integers(1, 5000)


@pytest.mark.parametrize(
    "given_lengths, budget, expected",
    [
        ([], 10, []),
        ([5], 1, [[0]]),  # longer than the budget: a separate batch
        ([2, 9, 4, 4], 9, [[1], [2, 3], [0]]),
        ([2, 9, 4, 4], 18, [[1, 2], [3, 0]]),  # 9 + 9 padded, not 9 + 4
        ([3, 3, 3], 6, [[0, 1], [2]]),
        ([0, 0], 2, [[0, 1]]),
    ],
)
def test_hand_worked_plans(given_lengths, budget, expected):
    assert plan_batches(given_lengths, budget) == expected


@given(lengths, budgets)
def test_every_item_is_in_exactly_one_batch(sizes, budget):
    assert sorted(i for batch in plan_batches(sizes, budget) for i in batch) == list(range(len(sizes)))


@given(lengths, budgets)
def test_padded_batches_fit_the_budget(sizes, budget):
    for batch in plan_batches(sizes, budget):
        assert len(batch) == 1 or len(batch) * max(sizes[i] for i in batch) <= budget


@given(lengths, budgets)
def test_the_longest_items_come_first(sizes, budget):
    order = [sizes[i] for batch in plan_batches(sizes, budget) for i in batch]
    assert order == sorted(order, reverse=True)


@given(lengths, budgets)
def test_order_is_restored(sizes, budget):
    batches = plan_batches(sizes, budget)
    results = [[f"result {i}" for i in batch] for batch in batches]
    assert restore_order(batches, results) == [f"result {i}" for i in range(len(sizes))]


@given(st.lists(st.sampled_from(["a", "b", "", "a ", "A"])))
def test_unique_texts_can_be_expanded_again(texts):
    unique, inverse = unique_texts(texts)
    assert [unique[i] for i in inverse] == texts
    assert len(set(unique)) == len(unique)


@pytest.mark.parametrize(
    "batches, results",
    [
        ([[0, 1]], [["a"]]),
        ([[0], [1]], [["a"]]),
        ([[0], [0]], [["a"], ["b"]]),
        ([[0], [2]], [["a"], ["b"]]),
    ],
)
def test_a_lost_or_doubled_result_is_an_error(batches, results):
    with pytest.raises(ValueError):
        restore_order(batches, results)


def test_a_budget_below_one_is_an_error():
    with pytest.raises(ValueError, match="at least 1"):
        plan_batches([1], 0)
