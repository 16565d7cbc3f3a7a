"""The table of contexts: each rule with its example and counter-example, and how contexts are read."""

from importlib import resources

import pytest
import yaml

from radeval_core import load
from radeval_core.findings import FindingsParser
from radeval_core.findings.claims import read_claims
from radeval_core.functional.crimson import LEVELS
from radeval_core.judges.crimson.context_rules import context_table
from radeval_core.judges.crimson.significance import ORDER, significance
from radeval_core.patient_context import PatientContext, read_context

CONTENT = yaml.safe_load(resources.files("radeval_core.judges.crimson").joinpath("context.yaml").read_text("utf-8"))
ROWS = CONTENT["rules"]
FIELDS = {
    *("id", "findings", "places", "severity", "change", "age", "sex", "known", "recent", "asked", "unless"),
    *("within_days", "at_most", "at_least", "why", "source", "example", "counter"),
}
PARSER = FindingsParser()
every_rule = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])


def changes(report, context):
    """Return the changes of every finding of a report."""
    parsed, known = PARSER.parse(report), read_context("example", context)
    claims = read_claims(parsed)
    assert claims, report
    adjusted = [context_table().adjust(significance(claim, report), claim, known, parsed.lexicon) for claim in claims]
    return [change for _, found in adjusted for change in found]


@every_rule
def test_the_example_is_changed_by_the_rule(row):
    found = [change for change in changes(*row["example"]) if change.rule.name == row["id"]]
    assert found
    level = CONTENT["levels"][row.get("at_least") or row["at_most"]]
    assert found[0].after == level
    assert found[0].before != level


@every_rule
def test_the_counter_example_is_left_alone_by_the_rule(row):
    assert row["id"] not in [change.rule.name for change in changes(*row["counter"])]


@every_rule
def test_a_rule_says_only_what_can_be_used(row):
    assert set(row) <= FIELDS
    assert row["why"].endswith(".")
    assert "at_most" in row or "at_least" in row
    entries = PARSER.lexicon.entries
    assert [name for name in row["findings"] if name not in entries] == []
    assert [place for place in row.get("places", ()) if place not in PARSER.lexicon.regions] == []
    used = {
        term
        for part in (row, row.get("unless", {}))
        for key in ("known", "recent", "asked")
        for term in part.get(key, ())
    }
    assert used <= set(CONTENT["terms"])


def test_there_are_at_least_60_rules_with_their_own_names():
    names = [row["id"] for row in ROWS]
    assert len(names) == len(set(names)) >= 60
    assert set(CONTENT["levels"].values()) == set(LEVELS) == set(ORDER)


def test_every_term_is_used():
    text = str([{k: v for k, v in row.items() if k in ("known", "recent", "asked", "unless")} for row in ROWS])
    assert [term for term in CONTENT["terms"] if f"'{term}'" not in text] == []


@pytest.mark.parametrize(
    "indication, stated, mentioned",
    [
        ("heart failure", True, True),
        ("CHF, dyspnea", True, True),
        ("rule out heart failure", False, True),
        ("r/o pneumonia, heart failure", False, True),
        ("heart failure?", False, True),
        ("?CHF", False, True),
        ("no heart failure", False, False),
        ("no fever, cough or heart failure", False, False),
        ("denies fever but known heart failure", True, True),
        ("no fever. Heart failure.", True, True),
        ("without pain, now heart failure", True, True),
        ("heartfailure", False, False),
    ],
)
def test_what_is_denied_asked_and_stated(indication, stated, mentioned):
    facts = context_table().facts(PatientContext(indication=indication))
    assert ("heart_failure" in facts.stated, "heart_failure" in facts.mentioned) == (stated, mentioned)


@pytest.mark.parametrize(
    "context, days",
    [
        (PatientContext(indication="s/p CABG"), 0),
        (PatientContext(indication="POD 3 after CABG"), 3),
        (PatientContext(indication="two weeks after CABG"), 14),
        (PatientContext(indication="70 year old after CABG"), 0),
        (PatientContext(history="CABG"), float("inf")),
        (PatientContext(history="CABG 2 days ago"), 2),
        (PatientContext(history="recent CABG"), 0),
        (PatientContext(history="CABG in 2012"), 3650),
        (PatientContext(indication="remote CABG"), 3650),
    ],
)
def test_how_long_ago(context, days):
    assert context_table().facts(context).since["cardiac_surgery"] == days


@pytest.mark.parametrize(
    "context, years, sex",
    [
        (PatientContext("75", "F"), 75, "female"),
        (PatientContext("", "", "75-year-old man with cough"), 75, ""),
        (PatientContext("", "", "75M s/p fall"), 75, "male"),
        (PatientContext("3 months", "male"), 0.25, "male"),
        (PatientContext("", "woman"), None, "female"),
        (PatientContext("", "", "cough for 3 days"), None, ""),
    ],
)
def test_age_and_sex(context, years, sex):
    facts = context_table().facts(context)
    assert facts.years == (years if years is None else pytest.approx(years, abs=0.01))
    assert facts.sex == sex


def test_raising_wins_over_lowering():
    context = {"age": 25, "history": "melanoma"}
    found = changes("4 mm nodule in the right upper lobe.", context)
    assert [change.rule.name for change in found if change.rule.at_most] == []
    both = changes("Cardiomegaly.", {"age": 30, "history": "known heart failure, pregnant"})
    assert [change.after for change in both] == ["not_actionable_not_urgent", "urgent"]


def test_the_same_pair_scores_by_its_patient_and_says_why():
    reference, candidate = "Free air under the diaphragm.", "Clear lungs."
    result = load("crimson").compute(
        [candidate] * 3,
        [reference] * 3,
        detailed=True,
        contexts=[{"indication": "two days after laparotomy"}, {"indication": "acute abdomen"}, None],
    )
    assert result["scores"] == [1.0, 0.0, 0.0]
    after, acute, unknown = (detail["reference_findings"][0] for detail in result["details"])
    assert after["rules"] == [
        {
            "rule": "free-air-after-laparotomy",
            "from": "urgent",
            "to": "benign_expected",
            "why": "Air stays under the diaphragm for days after the abdomen was opened.",
        }
    ]
    assert acute["rules"] == unknown["rules"] == []
