"""A benchmark: studies with references that stay on this side, metrics that score them, and limits of a submission."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from radeval_core.errors import InputError, unknown_name
from radeval_core.registry import metric_names

SHIPPED = Path(__file__).with_name("benchmarks")
DEFAULT = "radcheck-open"
#: names become folders of a store, so they may hold nothing else
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Study:
    """One thing to report.

    Attributes:
        id: what a prediction names.
        given: what a system may see: modality, anatomy, question.
        reference: the report to compare with; it never leaves the server.
    """

    id: str
    given: Mapping[str, Any]
    reference: str


@dataclass(frozen=True)
class Limits:
    """How large a submission may be.

    Attributes:
        file_bytes: the whole file, looked at before it is parsed.
        report_characters: one predicted report.
        name_characters: the system's name.
        link_characters: the system's link.
        training_data_characters: the statement on training data.
        submissions: how many submissions a store takes.
    """

    file_bytes: int
    report_characters: int
    name_characters: int
    link_characters: int
    training_data_characters: int
    submissions: int


@dataclass(frozen=True)
class Benchmark:
    """What systems compete on.

    Attributes:
        name: also the name of its folder in a store.
        title: for the page.
        summary: what it asks, in one line.
        about: what it asks and what it does not show.
        dataset: Hub id of the dataset its results are about.
        licence: of the texts.
        revision: hash of the studies; results on different revisions are never compared.
        metrics: config by metric; the first metric ranks.
        limits: how large a submission may be.
        studies: by id, in order.
        folder: where it was read from.
    """

    name: str
    title: str
    summary: str
    about: str
    dataset: str
    licence: str
    revision: str
    metrics: Mapping[str, str]
    limits: Limits
    studies: Mapping[str, Study]
    folder: Path

    @property
    def main_metric(self) -> str:
        return next(iter(self.metrics))

    @property
    def baselines(self) -> list[Path]:
        """Submissions that ship with it."""
        return sorted((self.folder / "baselines").glob("*.jsonl"))

    def inputs(self) -> list[dict[str, Any]]:
        """What a system may see of each study; no references."""
        return [{"id": study.id, **study.given} for study in self.studies.values()]


def benchmark_names() -> list[str]:
    """The benchmarks that ship."""
    return sorted(folder.name for folder in SHIPPED.iterdir() if (folder / "benchmark.yaml").is_file())


def load_benchmark(name: str = DEFAULT) -> Benchmark:
    """A benchmark that ships, by name, or one of yours, by the folder that holds its `benchmark.yaml`."""
    if name in benchmark_names():
        return _read(SHIPPED / name)
    if Path(name, "benchmark.yaml").is_file():
        return _read(Path(name))
    error = unknown_name("benchmark", name, benchmark_names())
    raise InputError(f"{error.args[0]}, or a folder with benchmark.yaml and studies.jsonl")


@lru_cache(maxsize=8)
def _read(folder: Path) -> Benchmark:
    file = folder / "benchmark.yaml"
    try:
        fields = yaml.safe_load(file.read_text("utf-8"))
        data = (folder / "studies.jsonl").read_bytes()
        limits = Limits(**fields.pop("limits"))
        studies = [_study(json.loads(line)) for line in data.decode("utf-8").splitlines() if line.strip()]
        benchmark = Benchmark(limits=limits, studies={s.id: s for s in studies}, folder=folder, **fields)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        raise InputError(f"{folder}: not a benchmark: {type(error).__name__}: {error}") from error
    if not _NAME.fullmatch(benchmark.name):
        raise InputError(f"{file}: name must be small letters, digits and hyphens, got {benchmark.name!r}")
    if not studies or len(benchmark.studies) != len(studies):
        raise InputError(f"{folder}: studies.jsonl must hold studies with ids that differ")
    for metric in benchmark.metrics:
        if metric not in metric_names():
            raise unknown_name("metric", metric, metric_names())
    found = revision_of(data)
    if benchmark.revision != found:
        raise InputError(f"{file}: revision is {benchmark.revision!r}, but studies.jsonl has the hash {found!r}")
    return benchmark


def revision_of(data: bytes) -> str:
    """The revision of a file of studies."""
    return hashlib.sha256(data).hexdigest()[:12]


def _study(row: dict[str, Any]) -> Study:
    given = {key: value for key, value in row.items() if key not in ("id", "reference")}
    if not isinstance(row["id"], str) or not isinstance(row["reference"], str) or not row["reference"].strip():
        raise ValueError("every study needs an id and a reference, both text")
    return Study(row["id"], given, row["reference"])
