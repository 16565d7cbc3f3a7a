"""Our counting of entities beside seqeval's strict mode, on tags right and wrong.

The outputs were recorded with seqeval 1.2.2, which needs old build tools, so the package is not a dependency. seqeval
gives 0 where there is nothing to divide by; ours gives NaN.
"""

import json
from pathlib import Path

import pytest

from radeval_core.annotators.rate_decoding import iob_spans
from radeval_core.bench.entities import ALL, entity_measures
from radeval_core.bench.sources import EntityData
from radeval_core.findings.types import RateEntity

CASES = json.loads((Path(__file__).parent / "seqeval" / "outputs.json").read_text("utf-8"))["cases"]


def as_entities(tags):
    """Return the entities of a sentence whose words have one letter: word i is character 2 * i."""
    return [RateEntity("", kind, 2 * first, 2 * after - 1) for first, after, kind in iob_spans(tags)]


def measured(case):
    gold, found = ([tags.split() for tags in case[side]] for side in ("gold", "found"))
    data = EntityData(list(range(len(gold))), [["w"] * len(tags) for tags in gold], gold)
    return entity_measures(data, [as_entities(tags) for tags in found])


def three(values):
    return [0.0 if value != value else value for value in (values[name] for name in ("precision", "recall", "f1"))]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_all_types_together(case):
    assert three(measured(case)[ALL]) == pytest.approx(case["all"], abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_each_type_that_people_marked(case):
    ours = measured(case)
    theirs = {kind: values for kind, values in case["types"].items() if values[3]}
    assert set(ours) - {ALL} == set(theirs)
    for kind, values in theirs.items():
        assert three(ours[kind]) == pytest.approx(values[:3], abs=1e-12)


def test_the_cases_are_not_only_perfect_or_empty():
    assert len(CASES) >= 30
    assert sum(0 < case["all"][2] < 1 for case in CASES) >= 10
