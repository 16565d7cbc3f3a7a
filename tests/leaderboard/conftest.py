"""Fixtures of the leaderboard tests."""

from datetime import UTC, datetime

import pytest
from small_benchmark import write_benchmark


@pytest.fixture
def small(tmp_path):
    return write_benchmark(tmp_path / "small")


@pytest.fixture
def clock():
    """Return a clock that always shows the same time."""
    return lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
