"""Read and check submissions: one JSON or JSONL file with a system's metadata and one predicted report per study.

A submitter's text is only data: names are plain text, and the file's name in a store is a hash of its contents.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from radeval_core.errors import InputError
from radeval_core.leaderboard import strict_json
from radeval_core.leaderboard.benchmark import Benchmark, Kind
from radeval_core.leaderboard.system_names import name_problem
from radeval_core.leaderboard.value_checks import (
    MAX_PROBLEMS,
    is_https,
    kind_in_words,
    odd_characters,
    text_problem,
    unknown_keys,
)

#: number of problems that a message lists; the rest are counted
SHOWN = 20
#: number of studies that one problem names; the rest are counted
LISTED = 3
LAYOUT = (
    'expected JSONL: first {"system": {"name": …, "link": "https://…", "training_data": …}}, then one row '
    '{"id": …, "prediction": …} per line; or one JSON object with "system" and a list "predictions" of such rows'
)


@dataclass(frozen=True)
class NotJson:
    """A line that is not JSON. It counts as a row, so that it counts against the maximum number of rows.

    Attributes:
        problem: why it cannot be read.
    """

    problem: str


Rows = Iterator[tuple[str, Any]]


@dataclass(frozen=True)
class System:
    """The system whose reports are submitted.

    Attributes:
        name: plain text on one line.
        link: an https address.
        training_data: what the system was trained on, in words.
        kind: what the submitter declares it to be. A baseline or an oracle is shown, but not ranked.
    """

    name: str
    link: str
    training_data: str
    kind: Kind = "system"


@dataclass(frozen=True)
class Submission:
    """A checked submission.

    Attributes:
        benchmark: name of the benchmark.
        revision: revision of the benchmark's studies when the submission was checked.
        system: the submitted system.
        predictions: report by study id, in the order of the benchmark.
    """

    benchmark: str
    revision: str
    system: System
    predictions: Mapping[str, str]

    @property
    def id(self) -> str:
        """Return a hash of the contents, so that submitting the same file twice gives one submission."""
        text = json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def as_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        if self.system.kind == "system":  # left out, so that submissions from before there were kinds keep their ids
            del fields["system"]["kind"]
        return fields


class SubmissionError(InputError):
    """The error for a wrong submission. It lists every problem with its row."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems[:MAX_PROBLEMS])
        if len(problems) > MAX_PROBLEMS:
            self.problems.append(f"more than {MAX_PROBLEMS:,} problems: the rest are not listed")
        count = len(self.problems)
        more = f"; and {count - SHOWN} more" if count > SHOWN else ""
        super().__init__(f"{count} problem{'s' * (count > 1)}: {'; '.join(self.problems[:SHOWN])}{more}")


def read_submission(path: str | Path, benchmark: Benchmark) -> Submission:
    """Read and check a file; a file over the size limit is never read completely."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(benchmark.limits.file_bytes + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    return check_submission(data, benchmark)


def check_submission(data: bytes, benchmark: Benchmark) -> Submission:
    """Check the bytes of a submission.

    Raises:
        SubmissionError: with all problems found, not only the first.
    """
    if len(data) > benchmark.limits.file_bytes:
        raise SubmissionError([f"the file is larger than the limit of {benchmark.limits.file_bytes:,} bytes"])
    problems: list[str] = []
    try:
        metadata, rows = _split(strict_json.decode(data), problems)
    except InputError as error:
        raise SubmissionError([str(error)]) from error
    return _checked(metadata, rows, benchmark, problems)


def _checked(metadata: Any, rows: Rows, benchmark: Benchmark, problems: list[str]) -> Submission:
    system = _system(metadata, benchmark, problems)
    predictions = _predictions(rows, benchmark, problems)
    if problems or system is None:
        raise SubmissionError(problems)
    ordered = {study: predictions[study] for study in benchmark.studies}
    return Submission(benchmark.name, benchmark.revision, system, ordered)


def from_record(record: Mapping[str, Any], benchmark: Benchmark) -> Submission:
    """Return a submission from a store, checked again because the benchmark may have changed."""
    if record.get("benchmark") != benchmark.name or record.get("revision") != benchmark.revision:
        raise InputError(
            f"the submission is for {record.get('benchmark')} revision {record.get('revision')}, "
            f"but the benchmark is {benchmark.name} revision {benchmark.revision}: submit it again"
        )
    rows = ({"id": key, "prediction": text} for key, text in record["predictions"].items())
    return _checked(record["system"], ((f"row {i}", row) for i, row in enumerate(rows, 1)), benchmark, [])


def _split(text: str, problems: list[str]) -> tuple[Any, Rows]:
    """Return the metadata and the rows, each row with its place (`line 3`) for messages."""
    if not text.strip():
        raise InputError(f"the file is empty: {LAYOUT}")
    first, _, rest = text.partition("\n")
    try:
        top = strict_json.parse(first)
    except InputError:
        if rest.strip() and first.strip() not in ("{", "["):  # not the start of an object that spans several lines
            raise InputError(f"line 1: {_reason(first)}") from None
        top, rest = None, ""
    if top is None or not rest.strip():
        top = strict_json.parse(text)
        if not isinstance(top, dict) or not isinstance(top.get("predictions"), list):
            raise InputError(LAYOUT)
        unknown_keys(top, ("system", "predictions"), "the file", problems)
        return top.get("system"), ((f"row {i}", row) for i, row in enumerate(top["predictions"], 1))
    if not isinstance(top, dict) or "system" not in top:
        raise InputError(f"line 1: {LAYOUT}")
    unknown_keys(top, ("system",), "line 1", problems)
    return top["system"], _lines(rest)


def _reason(text: str) -> str:
    try:
        strict_json.parse(text)
    except InputError as error:
        return str(error)
    return LAYOUT


def _lines(text: str) -> Rows:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 2):
        if line.strip():
            try:
                yield f"line {number}", strict_json.parse(line)
            except InputError as error:
                yield f"line {number}", NotJson(str(error))


def _system(metadata: Any, benchmark: Benchmark, problems: list[str]) -> System | None:
    if not isinstance(metadata, dict):
        problems.append(f'system: expected {{"name", "link", "training_data"}}, got {kind_in_words(metadata)}')
        return None
    before = len(problems)
    limits = benchmark.limits
    sizes = {
        "name": limits.name_characters,
        "link": limits.link_characters,
        "training_data": limits.training_data_characters,
    }
    unknown_keys(metadata, (*sizes, "kind"), "system", problems)
    kind = metadata.get("kind", "system")
    if kind not in get_args(Kind):
        problems.append(f"system: kind must be one of {', '.join(get_args(Kind))}")
    fields = {}
    for key, most in sizes.items():
        value = metadata.get(key)
        problem = text_problem(value, most)
        if not problem and isinstance(value, str) and odd_characters(value, one_line=True):
            problem = f"must be plain text on one line, but contains {odd_characters(value, one_line=True)}"
        if not problem and key == "link" and not is_https(str(value)):
            problem = "must be an https address such as https://example.org/model"
        if not problem and key == "name":
            problem = name_problem(" ".join(str(value).split()))
        if problem:
            problems.append(f"system: {key} {problem}")
        else:
            fields[key] = " ".join(str(value).split())
    return System(**fields, kind=kind) if len(problems) == before else None


def _predictions(rows: Rows, benchmark: Benchmark, problems: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    seen: dict[str, str] = {}
    unknown: list[str] = []
    most = 2 * len(benchmark.studies) + SHOWN  # limits the work on a file that has only wrong rows
    for count, (where, row) in enumerate(rows):
        if count == most:
            problems.append(f"{where}: more rows than {benchmark.name} has studies ({len(benchmark.studies)})")
            break
        if isinstance(row, NotJson):
            problems.append(f"{where}: {row.problem}")
            continue
        if not isinstance(row, dict):
            problems.append(f'{where}: expected {{"id", "prediction"}}, got {kind_in_words(row)}')
            continue
        study = row.get("id")
        if not isinstance(study, str):
            problems.append(f"{where}: id must be text, got {kind_in_words(study)}")
            continue
        named = f"{where} (id {study[:60]!r})"
        unknown_keys(row, ("id", "prediction"), named, problems)
        if study not in benchmark.studies:
            unknown.append(named)
            continue
        if study in seen:
            problems.append(f"{named}: duplicate id, already used in {seen[study]}")
            continue
        seen[study] = where
        text = row.get("prediction")
        problem = text_problem(text, benchmark.limits.report_characters)
        if not problem and (odd := odd_characters(str(text))):
            problem = f"contains {odd}"
        if problem:
            problems.append(f"{named}: prediction {problem}")
        else:
            found[study] = str(text)
    if unknown:
        problems.append(f"{_first(unknown)}: no such study in {benchmark.name}")
    if missing := [study for study in benchmark.studies if study not in seen]:
        verb = "prediction is" if len(missing) == 1 else "predictions are"
        problems.append(f"{len(missing)} {verb} missing: {_first(missing)}")
    return found


def _first(items: Sequence[str]) -> str:
    """Return the first items in one line, and how many more there are."""
    more = len(items) - LISTED
    return ", ".join(items[:LISTED]) + (f" and {more} more" if more > 0 else "")
