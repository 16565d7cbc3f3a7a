"""Shared by all tests: no network, a private Hub cache, sample reports, and a tiny random encoder."""

import os
import tempfile

# Before anything imports a Hugging Face library: these are read at import.
if os.environ.get("RADEVAL_TEST_PUBLISHED") != "1":  # tests of published checkpoints use the user's Hub cache
    os.environ["HF_HOME"] = tempfile.mkdtemp(prefix="radeval-test-hf-")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ.pop("RADEVAL_CACHE", None)
os.environ["RADEVAL_LEADERBOARD"] = tempfile.mkdtemp(prefix="radeval-test-leaderboard-")  # not the user's own

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def example_pairs() -> list[dict]:
    """The pairs that ship with the repository."""
    lines = (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory) -> Path:
    """A random two-layer BERT in the published file layout."""
    from sample_sentences import SENTENCES
    from tiny_checkpoints import make_tiny_bert

    return make_tiny_bert(tmp_path_factory.mktemp("tiny-encoder"), SENTENCES)


@pytest.fixture(autouse=True)
def _forget_announcements():
    from radeval_core import api

    api._announced.clear()
