"""Turn files of predictions into submissions: those of ReXrank, and tables with one report per row.

ReXrank's inference scripts write one JSON object: by study id, the fields of the study and `model_prediction`. Its
evaluation turns that into a CSV file with the columns `study_id` and `report`. Source: example_files/prediction.json,
merversa_inference.py and evaluation_script.md of https://github.com/rajpurkarlab/ReXrank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.io import ReportColumns, ReportFile
from radeval_core.leaderboard import strict_json
from radeval_core.leaderboard.benchmark import Benchmark
from radeval_core.leaderboard.submission import LISTED, Submission, check_submission
from radeval_core.leaderboard.value_checks import kind_in_words

#: bytes of a JSON file; ReXrank's files repeat the references, so they are larger than a submission
LARGEST_FILE = 2**28
#: an id of Open-i as systems write it: 2034, CXR2034, CXR2034_IM-0681, CXR2034_IM-0681-1001
_OPENI = re.compile(r"(?:CXR)?0*([0-9]+)(?:_IM-[0-9-]+)?")


def read_rexrank(path: Path) -> dict[str, str]:
    """Return the predictions of a ReXrank file by study id: JSON with `model_prediction`, or CSV with `report`."""
    if path.suffix.lower() != ".json":
        return read_table(path, "study_id", "report")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise InputError(f"{path}: larger than {LARGEST_FILE:,} bytes: not a file of predictions")
    try:
        studies = strict_json.parse(strict_json.decode(data))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if not isinstance(studies, dict):
        raise InputError(f"{path}: expected one JSON object with the studies by id, got {kind_in_words(studies)}")
    return {study: _model_prediction(path, study, fields) for study, fields in studies.items()}


def _model_prediction(path: Path, study: str, fields: object) -> str:
    text = fields.get("model_prediction") if isinstance(fields, dict) else None
    if not isinstance(text, str):
        raise InputError(
            f"{path}: study {study[:60]!r}: expected the text `model_prediction`, got {kind_in_words(text)}"
        )
    return text


def read_table(path: Path, id_column: str, text_column: str) -> dict[str, str]:
    """Return the predictions of a table by study id: CSV, TSV, JSONL or Parquet with these columns."""
    found: dict[str, str] = {}
    for study, text in ReportFile.open(path, ReportColumns(text_column, id_column)):
        if str(study) in found:
            raise InputError(f"{path}: study {str(study)[:60]!r} occurs twice")
        found[str(study)] = text
    return found


def make_submission(
    predictions: Mapping[str, str], benchmark: Benchmark, system: Mapping[str, str], subset: bool = False
) -> tuple[Submission, bytes]:
    """Return a checked submission, and its file.

    Args:
        predictions: report by study. Ids of Open-i may be written in any of its ways (2034, CXR2034_IM-0681).
        benchmark: the benchmark to submit to.
        system: name, link, training_data and kind of the system.
        subset: leave out studies that the benchmark does not have.

    Raises:
        InputError: there are other studies and `subset` is False, or two ids mean the same study.
        SubmissionError: with all problems of the submission.
    """
    known = _known_ids(benchmark.studies)
    found: dict[str, str] = {}
    others = []
    for written, text in predictions.items():
        study = known.get(written) or known.get(_openi_number(written))
        if study is None:
            others.append(written)
        elif study in found:
            raise InputError(f"two predictions for study {study} of {benchmark.name}")
        else:
            found[study] = text
    if others and not subset:
        named = ", ".join(repr(study[:60]) for study in others[:LISTED]) + (" …" if len(others) > LISTED else "")
        raise InputError(
            f"{len(others)} of {len(predictions)} studies are not in {benchmark.name}: {named}; to leave them out, add "
            "--subset"
        )
    rows: list[Mapping[str, object]] = [{"system": dict(system)}]
    rows += [{"id": study, "prediction": found[study]} for study in benchmark.studies if study in found]
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "surrogatepass")
    return check_submission(data, benchmark), data


def _known_ids(studies: Iterable[str]) -> dict[str, str]:
    """Return the studies by id and, if they are of Open-i, also by number."""
    ids = {study: study for study in studies}
    numbers = {_openi_number(study): study for study in ids}
    by_number = len(numbers) == len(ids) and all(study.startswith("CXR") for study in ids)
    return {**numbers, **ids} if by_number and "" not in numbers else ids


def _openi_number(study: str) -> str:
    """Return the number of an id of Open-i, or an empty text."""
    found = _OPENI.fullmatch(study)
    return found[1] if found else ""
