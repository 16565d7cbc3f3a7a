"""Shared by all tests: tiers, no network, a private Hub cache, one thread per process, sample reports, a tiny encoder.

Tests that drive a browser are marked `browser` (all of tests/browser), tests that need other people's libraries
`harness` (all of tests/harness). Tests that start programs or servers, build packages or load real models are marked
`e2e`, others that take seconds `slow`. The rest is the quick tier, `make quick`. Test files import torch, transformers,
evaluate and gradio inside a fixture or a test, so that collecting the tests stays fast.
"""

import gc
import json
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
BROWSER = "tests/browser/"
HARNESS = "tests/harness/"
#: metrics whose embedded config runs a real encoder: their tests are no quick ones
ENCODER_METRICS = {"bertscore", "radcliq", "ratescore"}
#: one package of each extra, to tell which extra is missing
EXTRAS = {"models": "torch", "spaces": "gradio", "judges": "openai", "serve": "prometheus_client", "fit": "optuna"}
HOME = tempfile.mkdtemp(prefix="radeval-test-")

# torch and the Hugging Face libraries read these variables when they are imported
if os.environ.get("RADEVAL_TEST_PUBLISHED") != "1":  # tests of published checkpoints use the user's Hub cache
    os.environ["HF_HOME"] = f"{HOME}/huggingface"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"  # threads of a tiny model mostly wait for each other, and the tests run in parallel
os.environ["RADEVAL_LEADERBOARD"] = f"{HOME}/leaderboard"  # not the user's own
os.environ.pop("RADEVAL_CACHE", None)
gc.set_threshold(50_000, 20, 50)  # with torch and gradio in memory a collection is slow: do it less often
# a test must not depend on the clock: a busy machine is slow, not wrong
settings.register_profile("clockless", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("clockless")


def pytest_configure(config: pytest.Config) -> None:
    missing = [extra for extra, package in EXTRAS.items() if find_spec(package) is None]
    if missing:
        raise pytest.UsageError(
            f"the tests need all extras, missing: {', '.join(missing)}; "
            "type: pip install -c constraints.txt -e '.[test]'"
        )


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.nodeid.startswith(BROWSER):
        item.add_marker("browser")
    if item.nodeid.startswith(HARNESS):
        item.add_marker("harness")
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if any(isinstance(value, str) and value in ENCODER_METRICS for value in parameters):
        item.add_marker("e2e")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start a parallel run with the slow tiers, so that no process ends long after the others."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        items.sort(key=lambda item: [item.get_closest_marker(tier) is None for tier in ("browser", "e2e", "slow")])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """In a parallel run, keep a file on one process, and all browser tests too: they share a server."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return BROWSER if nodeid.startswith(BROWSER) else nodeid.split("::")[0]

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def example_pairs() -> list[dict]:
    """Return the sample pairs in the repository."""
    lines = (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory) -> Path:
    """Return the folder of a random two-layer BERT in the published file layout."""
    from sample_sentences import SENTENCES
    from tiny_checkpoints import make_tiny_bert

    return make_tiny_bert(tmp_path_factory.mktemp("tiny-encoder"), SENTENCES)


@pytest.fixture(autouse=True)
def _forget_announcements():
    from radeval_core import api

    api._announced.clear()
