"""The tables of docs/benchmarks.md, made again."""

import sys

import pytest

from radeval_core.bench.sources import TriadData


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global rerun_benchmarks
    import rerun_benchmarks


def test_each_table_is_below_its_command_and_missing_data_is_named(tmp_path, monkeypatch, capsys):
    triad = TriadData([1], ["Left effusion."], ["Left pleural fluid."], ["No effusion."], {"revision": "abc"})
    monkeypatch.setattr(rerun_benchmarks, "open_data", lambda *data: triad)
    out = tmp_path / "tables.md"
    monkeypatch.setattr(
        sys, "argv", ["rerun", "--metrics", "green,green.weighted", "--only", "synthetic", "--out", str(out)]
    )
    assert rerun_benchmarks.main() == 0
    text = out.read_text()
    assert "$ radeval bench --data radcheck --data-config synthetic     # revision abc" in text
    assert "| green.weighted | 1.000" in text and "## radcheck" not in text
    assert "left out: the table of --openi, because its data is not given" in capsys.readouterr().err
