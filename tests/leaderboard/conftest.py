"""Fixtures of the leaderboard's tests."""

from datetime import datetime, timezone

import pytest
from small_benchmark import write_benchmark


@pytest.fixture
def small(tmp_path):
    return write_benchmark(tmp_path / "small")


@pytest.fixture
def clock():
    """A clock that stands still."""
    return lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
