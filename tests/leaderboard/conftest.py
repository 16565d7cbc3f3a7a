"""Fixtures of the leaderboard tests."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_benchmark import write_benchmark

from radeval_core.leaderboard.store import open_store

sys.path.append(str(Path(__file__).parent.parent / "data"))  # for invented_sources


@pytest.fixture
def small(tmp_path):
    return write_benchmark(tmp_path / "small")


@pytest.fixture
def clock():
    """Return a clock that always shows the same time."""
    return lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    """Return an empty store in a local folder."""
    return open_store(tmp_path / "store")
