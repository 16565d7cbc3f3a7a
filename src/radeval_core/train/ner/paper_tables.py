"""Tables 6 and 7 of the RaTEScore paper with the figures of trained readers beside the published ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from radeval_core.bench.published import published_values
from radeval_core.errors import InputError
from radeval_core.train.ner.card import COLUMNS, overall
from radeval_core.train.run_folder import read_run

_TEST = {"dataset": "rate_ner", "config": "all", "split": "test"}
_TITLES = {
    "table 6": "RaTEScore, table 6: schemes and encoders",
    "table 7": "RaTEScore, table 7: training data",
}
_SCHEMES = {"iob": "IOB", "span": "span"}
#: rows of table 7 by the sources of the training data
_BOTH = "trained on both"
_DATA = {
    ("radiopaedia",): "trained on Radiopaedia",
    ("mimic_iv",): "trained on MIMIC-IV",
    (): _BOTH,
    ("mimic_iv", "radiopaedia"): _BOTH,
}


def paper_tables(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """Return both tables: the paper's rows in its order, then those of runs that the paper does not have.

    A run on other data than RaTE-NER's test part has a row of its own: its figures do not compare.

    Args:
        folders: `--out` folders of runs that are complete.
    """
    found = [_run(folder) for folder in folders]
    columns = [*(f"{name}, published" for name in COLUMNS.values()), *(f"{name}, ours" for name in COLUMNS.values())]
    tables = []
    for table, title in _TITLES.items():
        published = _published(table)
        ours = {run[table]: run["figures"] for run in found if run["comparable"] and run[table]}
        others = {f"{run['name']} ({run['about']})": run["figures"] for run in found if run[table] not in published}
        rows = [_row(label, figures, ours.get(label)) for label, figures in published.items()]
        rows += [_row(label, None, figures) for label, figures in others.items()]
        tables.append({"title": title, "columns": ["", *columns], "rows": rows})
    return tables


def _published(table: str) -> dict[str, dict[str, float]]:
    """Return the measures of each row of a table."""
    rows: dict[str, dict[str, float]] = {}
    for value in published_values(_TEST, "entities"):
        if value["table"] == table:
            rows.setdefault(value["label"], {})[value["measure"]] = value["value"]
    return rows


def _run(folder: Path) -> dict[str, Any]:
    """Return what the tables need of a run: its row in each, empty if it has none."""
    run = read_run(folder)
    settings, results = run["settings"], run.get("results")
    if settings.get("kind") != "ner":
        raise InputError(f"{folder} is not a run of `radeval train ner`")
    if results is None:
        raise InputError(f"{folder}: the run is not complete: type its command again, it goes on")
    data, sources = settings["data"], tuple(sorted(settings["sources"]))
    comparable = data.get("dataset") == "rate_ner" and data.get("config") == "all"
    label = f"{_SCHEMES[settings['scheme']]}, {settings['paper'] or settings['base']}"
    whole = _DATA.get(sources) == _BOTH
    return {
        "name": folder.name,
        "about": f"{label}, {data.get('dataset') or data.get('file')}" + (f": {', '.join(sources)}" if sources else ""),
        "comparable": comparable,
        "table 6": label if comparable and whole else "",
        # the paper's table 7 is of the IOB scheme with DeBERTa_v3
        "table 7": _DATA.get(sources, "") if comparable and label == "IOB, DeBERTa_v3" else "",
        "figures": overall(results),
    }


def _row(label: str, published: dict[str, float] | None, ours: dict[str, float] | None) -> Sequence[Any]:
    return [label, *((side or {}).get(name) for side in (published, ours) for name in COLUMNS)]
