import pytest

from radeval_core import load
from radeval_core.bench.sensitivity import ERRORS, changed_reports, sensitivity
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb

REPORTS = [
    "Small left pleural effusion. No pneumothorax. The heart is mildly enlarged.",
    "Moderate right lower lobe consolidation. Mild pulmonary edema.",
]


def test_every_report_is_changed_once_for_each_seed():
    found = changed_reports([*REPORTS, REPORTS[0]], "negation", seeds=2)
    assert len(set(found)) == len(found) and {text for _, text in found} == set(REPORTS)
    assert (perturb(REPORTS[0], "negation", 0).text, REPORTS[0]) in found
    assert changed_reports([""], "negation", 1) == []


def test_falls_match_the_metrics_own_scores():
    found = sensitivity(REPORTS, ["rouge", "fineradscore"])
    assert found["reports"] == 2 and set(found["changes"]) == set(KINDS)
    for name, sign in (("rouge", 1), ("fineradscore", -1)):
        changed, text = zip(*changed_reports(REPORTS, "severity", 1), strict=True)
        metric = load(name)
        before, after = (metric.compute(list(p), list(text))["scores"] for p in (text, changed))
        expected = sum(sign * (b - a) for b, a in zip(before, after, strict=True)) / len(text)
        assert found["falls"][name]["severity"]["value"] == pytest.approx(expected)
        assert found["falls"][name]["severity"]["value"] > 0
    falls = found["falls"]["rouge"]
    cost, noise = (sum(falls[k]["value"] for k in kinds) / len(kinds) for kinds in (ERRORS, MEANING_KEPT))
    assert falls["ratio"] == pytest.approx(cost / noise)
    assert found["falls"]["fineradscore"]["ratio"] is None  # paraphrases do not change its score


def test_reports_that_cannot_be_changed():
    found = sensitivity(["Normal study."], ["rouge"])
    assert found["falls"]["rouge"]["side"] == {"value": None, "ci95": None, "n": 0}
