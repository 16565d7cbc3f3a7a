"""Build the benchmark `iu-xray` from the archive of Open-i on disk. Its references stay in the folder of its owner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from radeval_core.data.dataset import Row
from radeval_core.data.openi import DATASET, reports
from radeval_core.data.openi_pairs import report_text
from radeval_core.errors import InputError
from radeval_core.io import write_text
from radeval_core.io.folders import check_folder, replacing_folder
from radeval_core.leaderboard.benchmark import DEFAULT, Benchmark, load_benchmark, revision_of

NAME = "iu-xray"
_FILE = "benchmark.yaml"


def build_iu_xray(
    source: Path,
    out: Path,
    metrics: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    show_references: bool = False,
) -> Benchmark:
    """Write the benchmark into a new folder that only its owner can read, and load it.

    Args:
        source: NLMCXR_reports.tgz, or another form of it that `radeval data build openi` reads.
        out: the folder, which must not exist.
        metrics: config of each metric, or part of a metric, the first one ranks; those of radcheck-open by default.
        options: options by metric.
        show_references: let pages show a study's reference beside a system's report.

    Raises:
        InputError: the folder exists, or the source is not the archive, or lacks a study.
    """
    if not source.exists():
        raise InputError(f"--source {source} does not exist; expected {DATASET.source}")
    if out.exists():
        raise InputError(f"--out {out} exists already; give a new folder, or delete it first")
    fields = iu_xray_texts()
    studies = _studies(source, [f"CXR{number}" for number in fields.pop("ids")])
    data = "".join(json.dumps(study, ensure_ascii=False) + "\n" for study in studies)
    shipped = load_benchmark(DEFAULT)
    fields |= {
        "show_references": show_references,
        "revision": revision_of(data.encode()),
        "metrics": dict(metrics or shipped.metrics),
        "options": {name: dict(found) for name, found in (options or {}).items()},
        "limits": asdict(shipped.limits),
    }
    folder = check_folder(out, _FILE)
    with replacing_folder(folder, _FILE, private=True) as part:
        write_text(part / "studies.jsonl", data, private=True)
        write_text(part / _FILE, yaml.safe_dump(fields, sort_keys=False, width=110), private=True)
        load_benchmark(str(part))  # a folder that cannot be read must not take its place
    return load_benchmark(str(folder))


def iu_xray_texts() -> dict[str, Any]:
    """Return the title and further texts of the benchmark, and the `ids` of its studies as numbers of Open-i."""
    return dict(yaml.safe_load(resources.files(__package__).joinpath("iu_xray.yaml").read_text("utf-8")))


def _studies(source: Path, ids: list[str]) -> list[dict[str, Any]]:
    wanted = set(ids)
    found = {row["id"]: row for row in reports(source) if row["id"] in wanted}
    if missing := [study for study in ids if study not in found or not report_text(found[study])]:
        named = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        raise InputError(
            f"{source}: {len(missing)} of the {len(ids)} studies of {NAME} are not in it, or have no text: {named}; "
            f"expected {DATASET.source}"
        )
    return [_study(found[study]) for study in ids]


def _study(row: Row) -> dict[str, Any]:
    """Return a study: what a system may see, and the reference."""
    return {
        "id": row["id"],
        "modality": "X-Ray",
        "anatomy": "CHEST",
        "views": str(len(row["images"])),
        "indication": row["indication"],
        "comparison": row["comparison"],
        "images": row["images"],
        "reference": report_text(row),
    }
