"""Fixtures for the tests with other people's libraries. All tests of this folder have the marker `harness`."""

import json
import runpy

import pytest

from radeval_core import score


@pytest.fixture(scope="session")
def examples(root):
    return root / "examples" / "harnesses"


@pytest.fixture
def run_example(examples):
    """Return a function that imports an example and returns its names."""
    return lambda name: runpy.run_path(str(examples / name))


@pytest.fixture(scope="session")
def first_sentences(examples):
    """Return the pairs that the examples score: the first sentence of the findings, and the impression."""
    rows = [json.loads(line) for line in (examples / "reports" / "test.jsonl").read_text("utf-8").splitlines()]
    return [(row["findings"].split(". ")[0] + ".", row["impression"]) for row in rows]


@pytest.fixture(scope="session")
def expected(first_sentences):
    """Return what `score` says about them, by name: score, interval, counts."""
    return score(first_sentences, ["radgraph_f1", "green", "green.error_count", "rouge", "bleu"]).table()
