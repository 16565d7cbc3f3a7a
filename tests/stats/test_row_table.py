"""Rows of statistics in small types: the sums are those of the rows as floats."""

import numpy as np
import pytest

from radeval_core.stats import row_table
from radeval_core.stats.bootstrap import interval95
from radeval_core.stats.row_table import RowTable, compact


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    counts = rng.integers(0, 200, (500, 2)), rng.integers(0, 60_000, 500), rng.integers(0, 10**6, 500)
    return np.column_stack([*counts, rng.random((500, 2))]).astype(np.float64)


def table_of(rows):
    return RowTable.joined([compact(rows[:200]), compact(rows[200:])])


@pytest.mark.parametrize("few", [0, 10_000])
def test_the_sums_are_those_of_the_rows(rows, few, monkeypatch):
    monkeypatch.setattr(row_table, "_FEW", few)
    table, weights = table_of(rows), np.arange(500)
    assert table.shape == rows.shape
    assert table.array().tolist() == rows.tolist()
    assert table.sum().tolist() == rows.sum(axis=0).tolist()  # to the last bit
    assert table.weighted_sum(weights) == pytest.approx(weights @ rows, rel=1e-12)
    some = rows[:, 0] > 100
    assert table.rows(some).array().tolist() == rows[some].tolist()


def test_counts_take_the_smallest_type(rows):
    assert [column.dtype.name for column in compact(rows)] == [
        "uint8",
        "uint8",
        "uint16",
        "uint32",
        "float64",
        "float64",
    ]
    assert [column.dtype.name for column in compact(np.array([[-1.0, np.nan, -0.0, 2.0**33, np.inf]]))] == [
        "float64"
    ] * 5


def test_blocks_of_different_types_are_joined_exactly():
    rows = np.array([[1.0, 0.5], [300.0, 2.0], [2.0**31, 1.0]])
    table = RowTable.joined([compact(rows[i : i + 1]) for i in range(3)])
    assert table.array().tolist() == rows.tolist()


def test_the_interval_is_that_of_the_rows(rows, monkeypatch):
    def headline(sums):
        return sums[..., 4] / 500

    expected = interval95(rows, headline)
    assert interval95(table_of(rows), headline) == expected
    monkeypatch.setattr(row_table, "_FEW", 0)
    assert interval95(table_of(rows), headline) == pytest.approx(expected, rel=1e-12)
