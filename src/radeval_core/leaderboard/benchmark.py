"""A benchmark: studies with references that stay on the server, metrics, and limits for submissions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.registry import metric_value, metrics_behind
from radeval_core.user_yaml import read_yaml

SHIPPED = Path(__file__).with_name("benchmarks")
DEFAULT = "radcheck-open"
#: names become folders of a store, so no other characters are allowed
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True)
class Study:
    """One study to report on.

    Attributes:
        id: the id that a prediction refers to.
        given: the input of the system: modality, anatomy, question.
        reference: the reference report; it never leaves the server.
    """

    id: str
    given: Mapping[str, Any]
    reference: str


@dataclass(frozen=True)
class Limits:
    """The maximum sizes of a submission.

    Attributes:
        file_bytes: size of the file, checked before it is parsed.
        report_characters: length of one predicted report.
        name_characters: length of the system's name.
        link_characters: length of the system's link.
        training_data_characters: length of the statement on training data.
        submissions: number of submissions that a store accepts.
        per_submitter: number of submissions of one submitter.
        per_submitter_per_day: number of submissions of one submitter within a day.
        new_names_per_day: number of names that are used for the first time within a day.
    """

    file_bytes: int
    report_characters: int
    name_characters: int
    link_characters: int
    training_data_characters: int
    submissions: int
    per_submitter: int = 50
    per_submitter_per_day: int = 10
    new_names_per_day: int = 50


@dataclass(frozen=True)
class Benchmark:
    """A benchmark on which systems compete.

    Attributes:
        name: its name, and the name of its folder in a store.
        title: title on the page.
        summary: the task in one line.
        about: the task, and what the results do not show.
        dataset: Hub id of its dataset.
        licence: licence of the texts.
        revision: hash of the studies; results on different revisions are never compared.
        metrics: config of each metric, or part of a metric; the first one ranks the systems.
        limits: maximum sizes of a submission.
        studies: the studies by id, in order.
        folder: the folder it was read from.
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
    def configs(self) -> dict[str, str]:
        """Return the config of each metric to run."""
        return {metric_value(name).metric: config for name, config in self.metrics.items()}

    @property
    def main_metric(self) -> str:
        return next(iter(self.metrics))

    @property
    def baselines(self) -> list[Path]:
        """The submissions included with the benchmark."""
        return sorted((self.folder / "baselines").glob("*.jsonl"))

    def inputs(self) -> list[dict[str, Any]]:
        """Return the input of each study, without the references."""
        return [{"id": study.id, **study.given} for study in self.studies.values()]


def benchmark_names() -> list[str]:
    """Return the names of the included benchmarks."""
    return sorted(folder.name for folder in SHIPPED.iterdir() if (folder / "benchmark.yaml").is_file())


def load_benchmark(name: str = DEFAULT) -> Benchmark:
    """Load an included benchmark by name, or your own by the folder that contains its `benchmark.yaml`."""
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
        fields = read_yaml(str(file), file.read_bytes())
        data = (folder / "studies.jsonl").read_bytes()
        limits = Limits(**fields.pop("limits"))
        studies = [_study(json.loads(line)) for line in data.decode("utf-8").splitlines() if line.strip()]
        benchmark = Benchmark(limits=limits, studies={s.id: s for s in studies}, folder=folder, **fields)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{folder}: not a benchmark: {type(error).__name__}: {error}") from error
    if not _NAME.fullmatch(benchmark.name):
        raise InputError(f"{file}: name must be lower-case letters, digits and hyphens, got {benchmark.name!r}")
    if not studies or len(benchmark.studies) != len(studies):
        raise InputError(f"{folder}: studies.jsonl must contain at least one study, and no id twice")
    for metric in metrics_behind(benchmark.metrics):
        configs = {config for name, config in benchmark.metrics.items() if metric_value(name).metric == metric}
        if len(configs) > 1:
            raise InputError(f"{file}: {metric} and its parts must have one config, got {', '.join(sorted(configs))}")
    found = revision_of(data)
    if benchmark.revision != found:
        raise InputError(f"{file}: revision is {benchmark.revision!r}, but studies.jsonl has the hash {found!r}")
    return benchmark


def revision_of(data: bytes) -> str:
    """Return the revision of a studies file: a hash of its bytes."""
    return hashlib.sha256(data).hexdigest()[:12]


def _study(row: dict[str, Any]) -> Study:
    given = {key: value for key, value in row.items() if key not in ("id", "reference")}
    if not isinstance(row["id"], str) or not isinstance(row["reference"], str) or not row["reference"].strip():
        raise ValueError("every study needs an id and a reference, both text")
    return Study(row["id"], given, row["reference"])
