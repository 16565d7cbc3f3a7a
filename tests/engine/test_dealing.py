"""Batches dealt out to several copies of a model: every batch once, the same results, one error for all."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.engine.batching import plan_batches, restore_order
from radeval_core.engine.dealing import Dealer
from radeval_core.errors import RadevalError


def deal(batches, copies, too_large=None, room=10**9):
    limit = [room]

    def fitted(batch):
        return [batch[i : i + limit[0]] for i in range(0, len(batch), limit[0])]

    def halve(batch):
        if len(batch) == 1:
            raise RadevalError("a single item")
        limit[0] = len(batch) // 2

    dealer = Dealer(batches, fitted, too_large or halve)
    dealer.run(copies)
    return dealer


@given(st.lists(st.integers(1, 30), max_size=40), st.integers(30, 90), st.integers(1, 4))
def test_any_number_of_copies_gives_the_results_of_one(lengths, budget, count):
    plan = plan_batches(lengths, budget)
    dealer = deal(plan, [lambda batch: [lengths[i] for i in batch]] * count)
    assert restore_order(dealer.done, dealer.results) == lengths
    assert sorted(dealer.done) == sorted(plan)  # the plan is kept: each batch is run as it is, once


def test_every_copy_gets_work():
    both = threading.Barrier(2, timeout=20)  # passes only if two copies have a batch at the same time
    taken = {}

    def copy(name):
        def work(batch):
            both.wait()
            taken.setdefault(name, []).append(batch)
            return batch

        return work

    deal([[0], [1]], [copy("first"), copy("second")])
    assert sorted(taken) == ["first", "second"]


def test_a_batch_without_room_is_done_in_parts():
    def work(batch):
        if len(batch) > 2:
            raise MemoryError
        return [i * 10 for i in batch]

    dealer = deal([[0, 1, 2, 3, 4], [5, 6, 7]], [work, work])
    assert restore_order(dealer.done, dealer.results) == [i * 10 for i in range(8)]
    assert max(map(len, dealer.done)) == 2


def test_an_error_of_one_copy_is_the_error_of_the_run():
    def fails(batch):
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        deal([[0], [1], [2]], [fails, fails])
    with pytest.raises(RadevalError, match="a single item"):

        def full(batch):
            raise MemoryError

        deal([[0]], [full, full])
