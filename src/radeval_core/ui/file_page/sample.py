"""The sample files of the page: invented reports, and a second system made from the references with known errors."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.findings.perturb import perturb
from radeval_core.io import Table, csv_text
from radeval_core.io.formats import jsonl_rows

#: the errors of the second system, in turn
_KINDS = ("side", "omission", "severity", "paraphrase", "negation", "insertion")


def sample_path() -> Path:
    """Return the file of invented pairs: in the installed package, or in the checkout."""
    here = Path(__file__).resolve()
    files = (here.parent / "sample_pairs.jsonl", here.parents[4] / "examples" / "pairs.jsonl")
    for file in files:
        if file.is_file():
            return file
    raise InputError(f"the sample file is missing: expected {files[0]} or {files[1]}")


@cache
def sample_tables() -> tuple[Table, Table]:
    """Return the samples of two systems on the same references."""
    rows = [row for _, row in jsonl_rows(sample_path())]
    return _table("sample_a.csv", rows), _table("sample_b.csv", [_second(row, i) for i, row in enumerate(rows)])


def sample_links() -> str:
    """Return links that contain the sample files as CSV."""
    links = " and ".join(
        f'<a download="{table.name}" href="data:text/csv;base64,{_encoded(table)}">{table.name}</a>'
        for table in sample_tables()
    )
    return f"Sample files: {links} ({len(sample_tables()[0].rows)} invented pairs, two systems)."


def _second(row: dict[str, str], place: int) -> dict[str, str]:
    changed = perturb(row["reference"], _KINDS[place % len(_KINDS)], place)
    return {**row, "prediction": row["reference"] if changed is None else changed.text}


def _table(name: str, rows: list[dict[str, str]]) -> Table:
    return Table(name, tuple(rows[0]), tuple((f"row {i}", row) for i, row in enumerate(rows, 1)))


def _encoded(table: Table) -> str:
    rows = [{"id": row["id"], "scores": {key: row[key] for key in row if key != "id"}} for _, row in table.rows]
    return base64.b64encode(csv_text(rows).encode()).decode("ascii")
