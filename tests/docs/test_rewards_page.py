"""docs/rewards.md: the maps are those of today, and its tables have every metric."""

import re

import pytest

import write_metric_docs
from radeval_core.registry import metric_names


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "rewards.md").read_text("utf-8")


def test_the_maps_are_those_of_today(page):
    assert write_metric_docs.with_maps(page) == page, "run tools/write_metric_docs.py"


@pytest.mark.parametrize("mark", ["examples pairs", "generated pairs", "generated pairs with a guard"])
def test_every_metric_is_in_the_tables_of_what_a_policy_gains(page, mark):
    """A metric that is missing there: run tools/bench_reward_hacking.py --write docs/rewards.md."""
    table = page.partition(f"<!-- {mark} -->")[2].partition(f"<!-- end of {mark} -->")[0]
    named = re.findall(r"^\| (\w+) \| \S+", table, re.MULTILINE)
    assert set(named) - {"metric"} <= set(metric_names()) and len(named) > 15
