"""CRG beside the evaluation code of its authors, on its recorded outputs."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from radeval_core.findings.views.ctrate import ctrate_names
from radeval_core.functional.ct_f1 import pair_statistics, summarise

UPSTREAM = json.loads((Path(__file__).parent / "crg" / "outputs.json").read_text("utf-8"))
CASES = UPSTREAM["cases"]


def matrix(rows):
    return np.array([[digit == "1" for digit in row] for row in rows])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_recorded_case(case):
    reference, prediction = matrix(case["gt"]), matrix(case["pred"])
    ours = summarise(pair_statistics(prediction, reference).sum(axis=0), len(reference), ctrate_names())["crg"]
    if "error" in case["out"]:  # upstream raises if no reference has a label
        assert math.isnan(ours) and not reference.any()
    else:
        assert float(ours) == pytest.approx(case["out"]["CRG"], abs=1e-12)


def test_the_labels_are_those_of_upstream():
    assert list(ctrate_names()) == UPSTREAM["labels"]


def test_the_cases_tell_formulas_apart():
    assert len(CASES) == 72
    assert len({round(case["out"]["CRG"], 6) for case in CASES if "CRG" in case["out"]}) > 40
