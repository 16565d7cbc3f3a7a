"""Tables 6 and 7 with our figures beside the published ones."""

import json

import pytest

from radeval_core.cli.app import main
from radeval_core.errors import InputError
from radeval_core.train.ner.paper_tables import paper_tables

PUBLISHED = {"dataset": "rate_ner", "config": "all", "revision": "x"}


def write_run(folder, f1, **changes):
    """Write the record of a complete run."""
    figures = {name: {"value": f1} for name in ("precision", "recall", "f1", "accuracy")}
    settings = {"kind": "ner", "scheme": "iob", "base": "deberta-v3", "paper": "DeBERTa_v3", "sources": [],
                "data": PUBLISHED, **changes}  # fmt: skip
    folder.mkdir()
    record = {"settings": settings, "results": {"trained": {"entities": {"all": figures}}}}
    (folder / "run.json").write_text(json.dumps(record))
    return folder


def rows(table):
    return {row[0]: row[1:] for row in table["rows"]}


def test_the_papers_rows_and_columns_without_any_run():
    six, seven = paper_tables([])
    assert len(six["rows"]) == 7 and len(seven["rows"]) == 3
    assert six["columns"][:3] == ["", "Pre, published", "Recall, published"]
    assert rows(six)["span, BiomedBERT"] == [0.556, 0.676, 0.610, 0.730, None, None, None, None]
    assert rows(seven)["trained on both"][:4] == [0.567, 0.575, 0.571, 0.754]


def test_a_run_has_its_row_in_both_tables(tmp_path):
    six, seven = paper_tables([write_run(tmp_path / "a", 0.5), write_run(tmp_path / "b", 0.4, sources=["mimic_iv"])])
    assert rows(six)["IOB, DeBERTa_v3"][4:] == [0.5] * 4
    assert rows(seven)["trained on both"][4:] == [0.5] * 4
    assert rows(seven)["trained on MIMIC-IV"][4:] == [0.4] * 4
    assert rows(six)["b (IOB, DeBERTa_v3, rate_ner: mimic_iv)"] == [None] * 4 + [0.4] * 4


def test_a_run_on_other_data_is_never_beside_the_paper(tmp_path):
    six, _ = paper_tables([write_run(tmp_path / "a", 0.9, data={"dataset": "radcheck", "config": "ner"})])
    assert rows(six)["IOB, DeBERTa_v3"][4:] == [None] * 4
    assert rows(six)["a (IOB, DeBERTa_v3, radcheck)"][4:] == [0.9] * 4


def test_an_unfinished_run_and_another_kind(tmp_path):
    folder = write_run(tmp_path / "a", 0.9)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({"settings": record["settings"]}))
    with pytest.raises(InputError, match="the run is not complete"):
        paper_tables([folder])
    with pytest.raises(InputError, match="not a run of `radeval train ner`"):
        paper_tables([write_run(tmp_path / "b", 0.9, kind="judge")])


def test_the_command_finds_the_runs_of_an_ablation(tmp_path, capsys):
    (tmp_path / "ablation").mkdir()
    write_run(tmp_path / "ablation" / "all", 0.25)
    assert main(["train", "ner-tables", str(tmp_path / "ablation"), "--json"]) == 0
    six, _ = json.loads(capsys.readouterr().out)
    assert rows(six)["IOB, DeBERTa_v3"][4:] == [0.25] * 4
