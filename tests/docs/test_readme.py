"""The README says what is true of the metrics, and stays short."""

import re

import pytest
from pages import DOCS, README, ROOT

from radeval_core import cli
from radeval_core.registry import get_spec, metric_names

TEXT = README.read_text("utf-8")
METRICS = (ROOT / "docs" / "metrics.md").read_text("utf-8")


def rows(text, name):
    """Return the table rows of a metric."""
    return [line for line in text.splitlines() if re.match(rf"\| \[?`{name}`", line)]


def cells(line):
    return tuple(cell.strip() for cell in re.split("[|│]", line) if cell.strip())


def test_it_is_short():
    per_metric = 3  # its row, its link and its line of the example
    assert len(TEXT.splitlines()) <= 107 + per_metric * len(metric_names())


def test_its_tables_fit_100_columns():
    assert [line for line in TEXT.splitlines() if line.startswith("|") and len(line) > 100] == []


@pytest.mark.parametrize("name", [name for name in metric_names() if rows(TEXT, name)])
def test_its_table_agrees_with_the_declarations(name):
    spec = get_spec(name)
    (row,) = rows(TEXT, name)
    assert cells(row)[2:4] == (spec.range_text, "higher" if spec.higher_is_better else "lower")


@pytest.mark.parametrize("name", [name for name in metric_names() if rows(METRICS, name)])
def test_the_page_of_metrics_agrees_with_the_declarations(name):
    spec = get_spec(name)
    table, configs, _speed = rows(METRICS, name)
    assert cells(table)[1:] == (spec.measures, spec.range_text, "higher" if spec.higher_is_better else "lower")
    assert all(f"`{config.name}`" in configs for config in spec.configs)


def test_the_tables_list_the_same_metrics():
    listed = [{name for name in metric_names() if rows(text, name)} for text in (TEXT, METRICS)]
    assert listed[0] == listed[1] and len(listed[0]) >= 11


@pytest.mark.e2e
def test_the_demo_prints_the_rows_the_readme_shows(monkeypatch, capsys):
    command = re.search(r"\$\(BIN\)/radeval (score .*)", (ROOT / "Makefile").read_text()).group(1)
    monkeypatch.chdir(ROOT)
    assert cli.main(command.split()) == 0
    printed = {cells(line) for line in capsys.readouterr().out.splitlines() if line.startswith("│")}
    shown = {cells(line) for line in TEXT.splitlines() if line.startswith("│")}
    assert len(shown) >= 11 and shown <= printed


def test_it_names_the_python_versions_that_are_supported():
    minimum = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text()).group(1)
    for page in (README, ROOT / "docs" / "installation.md", ROOT / "CONTRIBUTING.md"):
        assert f"Python {minimum} or newer" in page.read_text("utf-8")


SENT = (
    "Reports stay on your machine unless you send them: to a judge server (`http:`, `anthropic:`), to a scoring server "
    "(`RemoteMetric`), or to the Hub with"
)


@pytest.mark.parametrize("page", [README, *[path for path in DOCS if path.stem in ("index", "privacy")]])
def test_one_sentence_says_when_reports_leave_the_machine(page):
    assert SENT in " ".join(page.read_text("utf-8").split())


def test_no_page_promises_more():
    promises = re.compile(r"nothing is sent|never leaves?|reports do not leave|no report leaves", re.IGNORECASE)
    folders = ("docs", "metrics", "datasets_cards", "spaces", "src/radeval_core/ui")
    files = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".py", ".yaml")
    ]
    assert [
        path for path in (README, ROOT / "CONTRIBUTING.md", *files) if promises.search(path.read_text("utf-8"))
    ] == []
