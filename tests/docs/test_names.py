"""Every value, config and option in the table of names exists."""

import re

import pytest
from pages import ROOT

from radeval_core import load
from radeval_core.registry import get_spec, scorer_class

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "names.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and "`" in line and "as above" not in line.split("|")[2]
]
NAMED = [(key, row[2], row[3]) for row in ROWS for key in re.findall(r"`([a-z_.0-9A-Z]+)`", row[1])]


def test_the_table_has_rows():
    assert len(NAMED) > 25


@pytest.mark.parametrize("key, used, remarks", NAMED)
def test_the_value_exists(key, used, remarks):
    name, _, part = key.partition(".")
    if "*corpus*" in remarks and part:
        assert part in load(name).compute(["Small effusion."], ["Small effusion."])
    else:
        assert not part or part in get_spec(name).parts


@pytest.mark.parametrize("key, used, remarks", NAMED)
def test_config_and_options_exist(key, used, remarks):
    name = key.partition(".")[0]
    for word in re.findall(r"`([^`]+)`", used):
        option, given, value = word.partition("=")
        if given:
            scorer_class(name).options[option].check(option, value)
        elif ":" not in word:
            assert word in {config.name for config in get_spec(name).configs}
