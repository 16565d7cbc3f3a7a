"""A benchmark: studies with references that stay on the server, metrics, and limits for submissions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from radeval_core.api import check_options, check_settings
from radeval_core.errors import InputError, unknown_name
from radeval_core.leaderboard.system_names import look_alike_key
from radeval_core.registry import metric_value, metrics_behind
from radeval_core.user_yaml import read_yaml

SHIPPED = Path(__file__).with_name("benchmarks")
DEFAULT = "radcheck-open"
#: what is submitted: a system competes; a baseline or an oracle (it saw the answer) is a yardstick and has no rank
Kind = Literal["system", "baseline", "oracle"]
#: facets that the reference gives; every other facet is a field of the studies' input
DERIVED_FACETS = ("length", "normality")
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


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark on which systems compete. It can be a key: `load_benchmark` returns one object per folder.

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
        show_references: True if pages may show the reference of a study beside a system's report.
        facets: what results can be split by: fields of `Study.given`, or one of `DERIVED_FACETS`.
        kinds: kind of a system by name, as the owner declares it; see `kind_of`.
        options: options by metric.
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
    show_references: bool = False
    facets: tuple[str, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def kind_of(self, name: str, declared: Kind = "system") -> Kind:
        """Return the kind of a system: what the benchmark's owner says of its name, else what its submitter declares.

        A submitter can only leave the ranking by declaring a kind, so everyone may. The owner's word counts for all
        names that look alike, and a submitter cannot undo it.
        """
        known = {look_alike_key(known): kind for known, kind in self.kinds.items()}
        return known.get(look_alike_key(name), declared)

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
        facets = tuple(fields.pop("facets", ()))
        benchmark = Benchmark(limits=limits, studies={s.id: s for s in studies}, folder=folder, facets=facets, **fields)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{folder}: not a benchmark: {type(error).__name__}: {error}") from error
    if not _NAME.fullmatch(benchmark.name):
        raise InputError(f"{file}: name must be lower-case letters, digits and hyphens, got {benchmark.name!r}")
    if not studies or len(benchmark.studies) != len(studies):
        raise InputError(f"{folder}: studies.jsonl must contain at least one study, and no id twice")
    _check_optional(benchmark, file)
    for metric in metrics_behind(benchmark.metrics):
        configs = {config for name, config in benchmark.metrics.items() if metric_value(name).metric == metric}
        if len(configs) > 1:
            raise InputError(f"{file}: {metric} and its parts must have one config, got {', '.join(sorted(configs))}")
    found = revision_of(data)
    if benchmark.revision != found:
        raise InputError(f"{file}: revision is {benchmark.revision!r}, but studies.jsonl has the hash {found!r}")
    return benchmark


def _check_optional(benchmark: Benchmark, file: Path) -> None:
    """Check the fields that a benchmark may leave out."""
    known = [*dict.fromkeys(key for study in benchmark.studies.values() for key in study.given), *DERIVED_FACETS]
    for facet in benchmark.facets:
        if facet not in known:
            raise InputError(f"{file}: facets: {unknown_name('facet', str(facet), known)}")
    if not isinstance(benchmark.kinds, Mapping) or not isinstance(benchmark.options, Mapping):
        raise InputError(f"{file}: kinds and options must be mappings: of kinds by name, of options by metric")
    for name, kind in benchmark.kinds.items():
        if not isinstance(name, str) or kind not in get_args(Kind):
            raise InputError(f"{file}: kinds: {name!r} must be one of {', '.join(get_args(Kind))}, got {kind!r}")
    check_settings(list(benchmark.configs), benchmark.configs, benchmark.options)
    for metric, options in benchmark.options.items():
        if not isinstance(options, Mapping):
            raise InputError(f"{file}: options: {metric} must have a mapping of its options")
        check_options(metric, options)
    if not isinstance(benchmark.show_references, bool):
        raise InputError(f"{file}: show_references must be true or false, got {benchmark.show_references!r}")


def revision_of(data: bytes) -> str:
    """Return the revision of a studies file: a hash of its bytes."""
    return hashlib.sha256(data).hexdigest()[:12]


def _study(row: dict[str, Any]) -> Study:
    given = {key: value for key, value in row.items() if key not in ("id", "reference")}
    if not isinstance(row["id"], str) or not isinstance(row["reference"], str) or not row["reference"].strip():
        raise ValueError("every study needs an id and a reference, both text")
    return Study(row["id"], given, row["reference"])
