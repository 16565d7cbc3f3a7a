"""What the comparison with other collections says about us is true, and what we lack stays visible."""

import re

import pytest
from pages import ROOT

from radeval_core import cli
from radeval_core.registry import get_spec, metric_names

PAGE = (ROOT / "docs" / "comparison.md").read_text("utf-8")


def table(heading):
    """Return the rows of the first table below a heading: {first cell: the other cells}."""
    lines = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in rows[2:]}


def ours(heading):
    return {name: cells[0] for name, cells in table(heading).items()}


def test_the_table_names_every_metric_and_no_other():
    named = {name for cell in ours("Metrics").values() for name in re.findall(r"`(\w+)`", cell)}
    assert named == set(metric_names())


def test_the_number_of_metrics_is_right():
    assert [int(n) for n in re.findall(r"(\d+) metrics as `evaluate` modules", PAGE)] == [len(metric_names())]


def test_a_metric_that_we_lack_is_marked():
    assert all("`" in cell or cell == "**✗**" for cell in ours("Metrics").values())
    assert ours("Metrics")["MammoGREEN"] == "**✗**"


@pytest.mark.parametrize("row", ["rewards for training", "scoring server"])
def test_what_is_missing_around_the_number_is_marked(row):
    assert "**✗**" in ours("What surrounds the number")[row]


def test_there_is_an_adapter_for_every_harness_that_the_page_names():
    cell = ours("What surrounds the number")["inside other harnesses"].lower()
    adapters = {path.stem for path in (ROOT / "src" / "radeval_core" / "adapters").glob("*.py")}
    for name in ("trainer", "lighteval", "inspect_ai", "torchmetrics", "dspy"):
        assert name in cell and name in adapters
    assert "lm-eval" in cell and "lm_eval" in adapters


def test_the_engine_that_the_page_names_exists(capsys):
    assert "`--engine ray`" in ours("What surrounds the number")["Ray"]
    with pytest.raises(SystemExit):
        cli.main(["score", "--help"])
    assert "--engine {local,ray}" in capsys.readouterr().out


def test_every_row_has_a_cell_per_collection():
    for heading, columns in (("Metrics", 6), ("What surrounds the number", 9)):
        assert {len(cells) for cells in table(heading).values()} == {columns}


def test_the_default_config_of_every_metric_needs_no_download():
    assert ours("What surrounds the number")["offline, no download"] == "every metric (default config)"
    assert [name for name in metric_names() if get_spec(name).configs[0].checkpoint] == []


def test_the_claims_about_single_metrics():
    cells = ours("Metrics")
    assert "any encoder" in cells["BERTScore"] and get_spec("bertscore").takes_checkpoint
    assert "similarity" in get_spec("chexbert_f1").parts and "(part)" in cells["CheXbert similarity"]
    assert {"v0", "v1"} <= set(re.findall(r"v\d", cells["RadCliQ"]))


def test_the_command_that_the_page_names_exists(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["bench", "--help"])
    assert stopped.value.code == 0 and "usage" in capsys.readouterr().out


def test_the_licence_is_that_of_the_package():
    declared = re.search(r'^license = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE).group(1)
    assert ours("What surrounds the number")["licence"] == declared
