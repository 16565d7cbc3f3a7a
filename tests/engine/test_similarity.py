import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global best_matches, CPU, torch
    import torch

    from radeval_core.engine.similarity import best_matches

    CPU = torch.device("cpu")


def test_hand_worked():
    left = np.array([[1, 0], [0, 1]], dtype=np.float32)
    right = np.array([[0.6, 0.8]], dtype=np.float32)
    ((of_left, of_right),) = best_matches([(left, right)], CPU)
    np.testing.assert_allclose(of_left, [0.6, 0.8], atol=1e-6)
    np.testing.assert_allclose(of_right, [0.8], atol=1e-6)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=12), st.integers(0, 9))
def test_batches_equal_one_pair_at_a_time(sizes, seed):
    draw = np.random.default_rng(seed)
    pairs = [tuple(-np.abs(draw.normal(size=(n, 3))).astype(np.float32) for n in size) for size in sizes]
    # negated on one side: every cosine is negative, so a padded zero that leaked in would be the largest
    pairs = [(left, -right) for left, right in pairs]
    for (left, right), (of_left, of_right) in zip(pairs, best_matches(pairs, CPU), strict=True):
        cosine = left @ right.T
        np.testing.assert_allclose(of_left, cosine.max(axis=1), atol=1e-5)
        np.testing.assert_allclose(of_right, cosine.max(axis=0), atol=1e-5)
