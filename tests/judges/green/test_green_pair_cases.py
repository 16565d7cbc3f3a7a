"""Hand-written pairs of reports, and the errors the embedded comparison must find in them."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from radeval_core.error_categories import CATEGORIES
from radeval_core.findings import parse
from radeval_core.judges.green.embedded import analyse

CASES = yaml.safe_load(Path(__file__).with_name("pair_cases.yaml").read_text("utf-8"))
GROUPS = {
    "paraphrase", "negation flip", "side", "region", "severity", "measurement", "omission", "invention",
    "false comparison", "omitted comparison", "devices", "order shuffled", "specific vs general", "non-chest",
}  # fmt: skip


def found(analysis):
    """Count the errors by category and significance."""
    return Counter(
        (category, kind)
        for kind, errors in (("errors", analysis.significant), ("minor", analysis.insignificant))
        for category, counted in zip(CATEGORIES, errors, strict=True)
        for _ in range(counted.count)
    )


def test_there_are_at_least_eighty_cases_and_every_group_has_one():
    assert len(CASES) >= 80 and {case["group"] for case in CASES} == GROUPS
    assert all(set(case) <= {"group", "reference", "candidate", "errors", "minor", "either"} for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=[f"{c['group']}: {c['reference']} > {c['candidate']}" for c in CASES])
def test_case(case):
    errors = found(analyse(parse(case["reference"]), parse(case["candidate"])))
    for category in case.get("either", ()):
        kind = next((k for k in ("errors", "minor") if errors[category, k]), None)
        assert kind, f"no error in category {category}: {dict(errors)}"
        errors[category, kind] -= 1
    wanted = Counter((category, kind) for kind in ("errors", "minor") for category in case.get(kind, ()))
    assert +errors == wanted
