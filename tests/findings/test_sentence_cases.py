"""The specification of the parser: hand-written sentences and their findings."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from radeval_core.findings import parse

FILES = ("sentence_cases.yaml", "chest_ct_cases.yaml", "structure_cases.yaml")
GROUPS = {
    group: cases
    for name in FILES
    for group, cases in yaml.safe_load((Path(__file__).parent / name).read_text("utf-8")).items()
}
CASES = [pytest.param(case, id=f"{group}-{i}") for group, cases in GROUPS.items() for i, case in enumerate(cases)]


def fits(finding, wanted) -> bool:
    """Return whether a finding has every field that a case requires."""
    if (finding.finding, finding.polarity) != (wanted["finding"], wanted["polarity"]):
        return False
    for field in ("laterality", "severity", "change"):
        if field in wanted and getattr(finding, field) != wanted[field]:
            return False
    if "anatomy" in wanted and not set(wanted["anatomy"]) <= set(finding.anatomy):
        return False
    return "measurements" not in wanted or list(finding.measurements) == [float(m) for m in wanted["measurements"]]


@pytest.mark.parametrize("case", CASES)
def test_sentence(case):
    report = parse(case["text"])
    stated = [f for f in report.stated if f.kind != "normality"]
    said = Counter({(f.finding, f.polarity, f.laterality) for f in stated})
    assert Counter((f, p) for f, p, _ in said) == Counter((w["finding"], w["polarity"]) for w in case["expect"]), said
    for wanted in case["expect"]:
        assert any(fits(f, wanted) for f in stated), (wanted, stated)
    normal = {f.finding for f in report.findings if f.kind == "normality"}
    implied = {f.finding for f in report.findings if f.implied and f.polarity == "absent"}
    for key, found in (("normal", normal), ("implied", implied)):
        if key in case:
            assert set(case[key]) <= found, (key, found)
            assert case[key] or not found, f"expected no {key} statement, found {found}"


def test_there_are_enough_cases():
    assert len(CASES) >= 300
    texts = [case["text"] for cases in GROUPS.values() for case in cases]
    assert len(set(texts)) == len(texts)
