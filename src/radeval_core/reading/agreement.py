"""How far the readers of a study are, and how well they agree so far. For the owner."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import rated_pairs
from radeval_core.bench.raters import between_raters
from radeval_core.reading.cases import PREFERENCE
from radeval_core.reading.export import Readings, export_rows, finished_readings
from radeval_core.reading.study import Study
from radeval_core.stats.agreement import study_resamples

#: candidates that all readers must have read before an ICC is shown: over fewer it says nothing
ENOUGH = 10


def progress(study: Study) -> list[dict[str, Any]]:
    """Return what each reader has finished and begun, and when the last change was saved."""
    rows = []
    for reader in study.readers():
        latest = study.journal(reader.name).readable().latest
        done = sum(bool(entry["reading"].get("done")) for entry in latest.values())
        last = max((str(entry["at"]) for entry in latest.values()), default=None)
        begun = len(latest) - done
        rows.append({"reader": reader.name, "done": done, "begun": begun, "cases": len(study.cases), "last": last})
    return rows


def agreement_so_far(study: Study) -> dict[str, Any]:
    """Return the agreement over finished readings: per measure the ICC and Kendall's tau of every two readers.

    `measures` has the result of `bench.raters.between_raters`; `preference` the share of cases on which two readers
    prefer the same. An undefined number is None, and so is an interval over fewer than `enough` candidates. With
    fewer than two readers, both are empty.
    """
    readings = finished_readings(study)
    if len(readings.names) < 2:
        return {"readers": readings.names, "enough": ENOUGH, "measures": {}, "preference": []}
    rows = export_rows(readings).rated
    measures: dict[str, Any] = {}
    if any(set(row["expert"]) - {"preferred", "confidence"} for row in rows):
        data = rated_pairs(((f"row {i}", row) for i, row in enumerate(rows, start=1)), "readings")
        with np.errstate(all="ignore"):  # few readings: resamples without variance
            measures = _plain(between_raters(data, study_resamples(data.studies)))
    found = {"measures": measures, "preference": _same_preference(readings)}
    return {"readers": readings.names, "enough": ENOUGH, **found}


def _plain(value: Any) -> Any:
    """Return the value without the numbers that JSON does not have, and without intervals over very few pairs."""
    if isinstance(value, dict):
        few = value.get("n", ENOUGH) < ENOUGH
        return {key: None if few and key == "ci95" else _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _same_preference(readings: Readings) -> list[dict[str, Any]]:
    """Return, for every two readers, the cases that both finished and how many of them they judged alike."""
    if PREFERENCE not in readings.study.asked:
        return []
    found = []
    for one, other in combinations(readings.names, 2):
        mine, theirs = readings.by_reader[one], readings.by_reader[other]
        both = [key for key in mine if key in theirs and mine[key].preferred is not None]
        alike = sum(mine[key].preferred == theirs[key].preferred for key in both)
        if both:
            found.append({"readers": [one, other], "cases": len(both), "alike": alike})
    return found
