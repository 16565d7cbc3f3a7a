"""RadPref: cases with a reference, two candidates, and errors and ratings by three radiologists. Part of CRIMSON.

The source is the publisher's JSON file, a list of cases. For each candidate, each radiologist lists the wrong findings
(false, or correct except for an attribute) and the missing findings, and gives a rating from 1 to 5.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import json_rows, string
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError

CANDIDATES = ("C1", "C2")
RATERS = 3
#: CRIMSON's levels of clinical significance, and whether we count them as significant: per CRIMSON, the first two
#: would change patient care
SIGNIFICANCE = {
    "urgent": True,
    "actionable_not_urgent": True,
    "not_actionable_not_urgent": False,
    "benign_expected": False,
}
#: CRIMSON's attributes of a finding, and the common error category of an error in each, or None
ATTRIBUTES = {
    "location": "wrong_location",
    "severity": "wrong_severity",
    "measurement": "wrong_severity",
    "certainty": None,
    "descriptor": None,
    "overinterpretation": None,
    "temporal": None,
    "uncertainty": None,
    "unspecific": None,
}
SEVERITY = {"significant": True, "negligible": False}
#: the error categories that the radiologists marked; they were not asked about comparisons
MARKED = CATEGORIES[:4]
_CONTEXT = {
    "indication": "Indication",
    "comparison": "Comparison",
    "age": "PatientAge",
    "sex": "PatientSex",
    "study_description": "StudyDescription",
}


def _read(source: Path | None) -> Tables:
    assert source is not None
    return {"cases": {"test": [_case(where, case) for where, case in json_rows(_file(source))]}}


def _file(source: Path) -> Path:
    if source.is_file():
        return source
    files = sorted(source.glob("*.json"))
    if len(files) != 1:
        raise InputError(f"{source}: expected one .json file, found {len(files)}; give the file as --source")
    return files[0]


def _case(where: str, case: Row) -> Row:
    radiologists = _of(where, case, "radiologists", list)
    if len(radiologists) != RATERS:
        raise InputError(f"{where}: expected {RATERS} radiologists, got {len(radiologists)}")
    return {
        "id": string(where, case, "id"),
        "reference": string(where, case, "ground_truth_report"),
        "reference_findings": _texts(where, case, "ground_truth_findings"),
        "candidates": [
            {
                "name": name,
                "source": string(where, case, f"{name}_source"),
                "report": string(where, case, f"{name}_report"),
                "findings": _texts(where, case, f"{name}_findings"),
                "readings": [
                    _reading(f"{where}: radiologist {i}: {name}", _of(f"{where}: radiologist {i}", given, name, dict))
                    for i, given in enumerate(radiologists, start=1)
                ],
            }
            for name in CANDIDATES
        ],
        **{column: _of(where, case, theirs, str) for column, theirs in _CONTEXT.items()},
    }


def _reading(where: str, given: Row) -> Row:
    rating = given.get("rating")
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        raise InputError(f"{where}: 'rating' must be a whole number from 1 to 5, got {rating!r}")
    wrong, missing = (_of(where, given, key, dict) for key in ("finding_errors", "missing_findings"))
    errors = [_error(f"{where}: finding {i}", i, e, None) for i, e in wrong.items()]
    errors += [_error(f"{where}: missing finding {i}", i, e, "missing") for i, e in missing.items()]
    return {"rating": rating, "explanation": _optional(where, given, "rating_explanation"), "errors": errors}


def _error(where: str, index: str, error: Any, kind: str | None) -> Row:
    """Return one error. A wrong finding states its kind; for a missing finding, `kind` is given."""
    if not isinstance(error, dict) or not index.isdecimal():
        raise InputError(f"{where}: expected the number of a finding and an object, got {error!r}")
    kind = kind or _one_of(where, error, "error_type", ("false", "attribute"))
    attributes, significance = {}, None
    if kind == "attribute":
        attributes = _of(where, error, "attributes", dict)
        for name in attributes:
            _one_of(where, {"attribute": name}, "attribute", ATTRIBUTES)
            _one_of(where, attributes, name, SEVERITY)
        if not attributes:
            raise InputError(f"{where}: 'attributes' is empty")
    else:
        significance = _one_of(where, error, "clinical_significance", SIGNIFICANCE)
    return {
        "kind": kind,
        "finding": int(index),
        "significant": SIGNIFICANCE[significance] if significance else any(map(SEVERITY.get, attributes.values())),
        "significance": significance,
        "attributes": [{"name": name, "severity": severity} for name, severity in attributes.items()],
        "explanation": _optional(where, error, "explanation"),
    }


def _of(where: str, row: Row, key: str, kind: type) -> Any:
    if not isinstance(row, dict) or not isinstance(row.get(key), kind):
        expected = {"list": "a list", "dict": "an object", "str": "a text"}[kind.__name__]
        raise InputError(f"{where}: {key!r} must be {expected}, got {row.get(key) if isinstance(row, dict) else row!r}")
    return row[key]


def _texts(where: str, row: Row, key: str) -> list[str]:
    texts: list[str] = _of(where, row, key, list)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{where}: {key!r} must be a list of texts")
    return texts


def _optional(where: str, row: Row, key: str) -> str:
    return str(_of(where, row, key, str)) if key in row else ""


def _one_of(where: str, row: Row, key: str, known: Any) -> str:
    value = row.get(key)
    if value not in known:
        raise InputError(f"{where}: {key!r} must be one of {', '.join(known)}, got {value!r}")
    return str(value)


def category(error: Row) -> str | None:
    """Return the common category of an error, or None if none fits. Each error counts once."""
    if error["kind"] != "attribute":
        return {"false": "false_finding", "missing": "missing_finding"}[error["kind"]]
    found = {ATTRIBUTES[attribute["name"]] for attribute in error["attributes"]} - {None}
    return "wrong_location" if "wrong_location" in found else next(iter(found), None)


def _rated(case: Row) -> list[Row]:
    """Return two rows per case (one per candidate); each value is a list with one number per radiologist."""
    rows = []
    for candidate in case["candidates"]:
        errors = [reading["errors"] for reading in candidate["readings"]]
        counted = {
            name: {
                gravity: [
                    sum(category(e) == name and e["significant"] == grave for e in of_rater) for of_rater in errors
                ]
                for gravity, grave in (("significant", True), ("insignificant", False))
            }
            for name in MARKED
        }
        expert = {
            "errors": [len(of_rater) for of_rater in errors],
            "significant_errors": [sum(e["significant"] for e in of_rater) for of_rater in errors],
            "rating": [reading["rating"] for reading in candidate["readings"]],
            "categories": counted,
        }
        pair = {"prediction": candidate["report"], "reference": case["reference"], "expert": expert}
        rows.append({"id": f"{case['id']}/{candidate['name']}", "study": case["id"], **pair})
    return rows


_TEXT = pa.string()
_ERROR = pa.struct(
    {
        "kind": _TEXT,
        "finding": pa.int64(),
        "significant": pa.bool_(),
        "significance": _TEXT,
        "attributes": pa.list_(pa.struct({"name": _TEXT, "severity": _TEXT})),
        "explanation": _TEXT,
    }
)
_READING = pa.struct({"rating": pa.int64(), "explanation": _TEXT, "errors": pa.list_(_ERROR)})
_CANDIDATE = pa.struct(
    {
        "name": _TEXT,
        "source": _TEXT,
        "report": _TEXT,
        "findings": pa.list_(_TEXT),
        "readings": pa.list_(_READING),
    }
)
DATASET = Dataset(
    name="radpref",
    about="cases with a reference and two candidates, with errors and 1-5 ratings by three radiologists",
    source="the JSON file of RadPref from the CRIMSON repository",
    terms="MIT, as published with CRIMSON",
    publishable=True,
    read=_read,
    default_bench=("cases", "test"),
    configs={
        "cases": DatasetPart(
            pa.schema(
                {
                    "id": _TEXT,
                    "reference": _TEXT,
                    "reference_findings": pa.list_(_TEXT),
                    "candidates": pa.list_(_CANDIDATE),
                    **dict.fromkeys(_CONTEXT, _TEXT),
                }
            ),
            ("test",),
            bench=_rated,
        )
    },
)
