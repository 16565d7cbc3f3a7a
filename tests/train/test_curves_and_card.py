"""The curves and the card of a run say what the run says."""

import yaml

from radeval_core.train.curves import curves, write_curves
from radeval_core.train.model_card import ModelCard, table, versions

LOG = [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0, "eval_loss": 1.5}, {"step": 2, "readable": 0.25}]


def test_losses_are_one_panel_and_measures_another():
    panels = curves(LOG, {"readable": "readable answers", "tau": "not measured"}).axes
    assert [line.get_label() for line in panels[0].lines] == ["training", "held out"]
    assert [list(line.get_ydata()) for line in panels[0].lines] == [[2.0, 1.0], [1.5]]
    assert [line.get_label() for line in panels[1].lines] == ["readable answers"]


def test_without_measures_there_is_one_panel():
    assert len(curves(LOG).axes) == 1


def test_an_empty_log_is_an_empty_picture(tmp_path):
    assert write_curves(tmp_path).read_bytes().startswith(b"\x89PNG")


def test_a_card_has_the_hubs_block_and_every_section():
    card = ModelCard(
        title="Reader", about="Reads.", base="org/base", licence="mit", task="token-classification",
        use="radeval score", data=["10 rows"], recipe={"epochs": 3},
        figures=[("Figures", ("type", "F1"), [("all", 0.5)])], limits=["few rows"], tags=("ner",),
    ).text()  # fmt: skip
    _, head, body = card.split("---\n", 2)
    assert yaml.safe_load(head)["base_model"] == "org/base"
    assert yaml.safe_load(head)["tags"] == ["radiology", "evaluation", "ner"]
    for part in ("# Reader", "- 10 rows", "| `epochs` | 3 |", "| all | 0.500 |", "- few rows", "radeval_core"):
        assert part in body


def test_cells_are_short_and_cannot_break_the_table():
    assert table(("a",), [(None,), (True,), (1e-5,), ("x|y\nz",)]).splitlines()[2:] == [
        "| - |", "| yes |", "| 1e-05 |", "| x\\|y z |",
    ]  # fmt: skip


def test_versions_name_what_is_installed():
    assert {"radeval_core", "torch", "transformers"} <= set(versions())
