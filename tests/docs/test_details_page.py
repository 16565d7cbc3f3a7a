"""docs/details.md lists every field of `details` with its type: every metric is run and compared with its table."""

import json
import re

import pytest
from pages import ROOT

from detail_fields import fields_of
from radeval_core import load, score
from radeval_core.error_categories import CATEGORIES
from radeval_core.findings.atlas import region_names
from radeval_core.findings.views.chexpert import observation_names
from radeval_core.functional.ffl import GRANULARITIES
from radeval_core.functional.radcliq import PARTS
from radeval_core.judges.backends import select
from radeval_core.judges.backends.base import Answer
from radeval_core.judges.green.analysis import TITLES
from radeval_core.registry import metric_names

PAGE = (ROOT / "docs" / "details.md").read_text("utf-8")
#: fields that any metric may have
COMMON = "Several metrics"
SAMPLES = [*map(json.loads, (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines())]
SAMPLES += [
    {"prediction": "Clear lungs.", "reference": ""},
    {"prediction": "", "reference": ""},
    {
        "prediction": "Mild edema, improved from prior. New right effusion.",
        "reference": "Moderate edema, worse than before. Right effusion.",
    },
    {"prediction": "Aortic calcification.", "reference": "Tortuous aorta.", "age": 80},
]
GREEN_ANSWER = (
    f"[Explanation]:\nOne.\n[Clinically Significant Errors]:\n(b) {TITLES[1]}: 1. Effusion\n"
    f"[Clinically Insignificant Errors]:\n(d) {TITLES[3]}: 1. Size\n[Matched Findings]:\n1. Heart"
)
CORRECTION = {"corrections": "[delete]", "clinical severity": "Urgent error", "comments": "x", "error category": []}
EVALUATION = {
    "reference_findings": [{"id": "R1", "finding": "effusion", "clinical_significance": "urgent"}],
    "predicted_findings": [{"id": "P1", "finding": "effusion", "clinical_significance": "urgent"}],
    "matched_findings": [{"ref_id": "R1", "pred_id": "P1"}],
    "errors": {
        "false_findings": [],
        "missing_findings": [],
        "attribute_errors": [{"ref_id": "R1", "pred_id": "P1", "severity": "negligible", "error_types": ["severity"]}],
    },
}
ANSWERS = {
    "green": GREEN_ANSWER,
    "fineradscore": json.dumps({"0": CORRECTION}),
    "crimson": json.dumps(EVALUATION),
}


def table(heading):
    """Return the rows below a heading: field, type, meaning."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): (row[1], row[2]) for row in cells}


def placeholders():
    """Return the keys each name in angle brackets stands for; the page names all of them, or some of a long list."""
    return {
        "side": ("prediction", "reference"),
        "category": CATEGORIES,
        "condition": observation_names(),
        "region": region_names(),
        "granularity": GRANULARITIES,
        "kind": ("rouge1", "rouge2", "rougeL"),
        "part": PARTS,
        "version": ("v0", "v1"),
    }


def pattern(field):
    known = placeholders()
    parts = re.split(r"<(\w+)>", field)
    escaped = [re.escape(p) if i % 2 == 0 else f"(?:{'|'.join(map(re.escape, known[p]))})" for i, p in enumerate(parts)]
    return re.compile("".join(escaped))


def fits(kind, documented):
    allowed = documented.split(" or ")
    integers = {"integer": "number", "list of integer": "list of number"}
    return kind in allowed or integers.get(kind) in allowed or (kind == "list" and documented.startswith("list of"))


def compare(name, fields):
    """Fail if a field is not in the tables or has another type; return the rows that were used."""
    rows = {**table(name), **table(COMMON)}
    patterns = {field: pattern(field) for field in rows}
    used = set()
    for path, kinds in fields.items():
        row = next((field for field, known in patterns.items() if known.fullmatch(path)), None)
        assert row, f"docs/details.md does not describe {name}: add a row for `{path}` ({', '.join(sorted(kinds))})"
        for kind in kinds:
            assert fits(kind, rows[row][0]), f"docs/details.md, {name}: `{row}` is {kind}, not {rows[row][0]}"
        used.add(row)
    return used


def test_every_metric_has_a_table_and_every_name_is_explained():
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert headings[1:] == [COMMON, *metric_names()]
    explained = dict(re.findall(r"^\| `<(\w+)>` \| (.+) \|$", PAGE.split(COMMON)[0], re.MULTILINE))
    used = set(re.findall(r"<(\w+)>", "".join(f for name in (*metric_names(), COMMON) for f in table(name))))
    assert set(explained) == set(placeholders()) == used
    for name, keys in placeholders().items():
        named = set(re.findall(r"`(.+?)`", explained[name]))
        assert named == set(keys) or (len(keys) > 10 and named and named < set(keys)), name


@pytest.mark.parametrize("name", metric_names())
def test_the_fields_of_a_metric_are_those_of_its_table(name):
    details = score(SAMPLES, [name], detailed=True).results[name].details
    used = compare(name, fields_of(details))
    unused = {field for field, (_, meaning) in table(name).items() if not meaning.startswith("With a model")} - used
    assert not unused, f"docs/details.md describes fields that {name} does not have"


@pytest.mark.parametrize("name", list(ANSWERS))
def test_the_fields_of_a_judge_with_a_model(name, monkeypatch):
    class Backend:
        identity = "stub"
        fields = {"backend": "stub"}  # noqa: RUF012

        def answers(self, requests):
            for i, request in enumerate(requests):
                asked = "".join(message.content for message in request.messages)
                yield i, Answer("no answer" if "zebra" in asked else ANSWERS[name])

    monkeypatch.setattr(select, "make_backend", lambda *wanted, **options: Backend())
    pairs = (["Small effusion. Clear.", "zebra"], ["Effusion.", "zebra."])
    result = load(name, "http:any").compute(*pairs, detailed=True)
    assert result["unscored"] == 1
    used = compare(name, fields_of(result["details"]))
    assert {field for field, (_, meaning) in table(COMMON).items() if meaning.startswith("With a model")} <= used


def test_a_field_that_is_not_described_fails():
    with pytest.raises(AssertionError, match=r"does not describe rouge: add a row for `coverage` \(number\)"):
        compare("rouge", fields_of([{"coverage": 0.5}]))
    with pytest.raises(AssertionError, match=r"`<kind>\.recall` is text, not number"):
        compare("rouge", fields_of([{"rouge1": {"recall": "all"}}]))
