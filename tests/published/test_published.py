"""Our numbers with the published checkpoints, beside those their authors state. Runs only if asked for:

    RADEVAL_TEST_PUBLISHED=1 pytest -m published

It uses what the local Hub cache holds and downloads nothing: README.md says which checkpoints to fetch.
"""

import json
from pathlib import Path

import pytest

from radeval_core import load
from radeval_core.errors import CheckpointError
from radeval_core.findings.views.ctrate import ctrate_names

pytestmark = pytest.mark.published
PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))


def compute(name, config, predictions, references, **options):
    try:
        return load(name, config, **options).compute(predictions, references)
    except CheckpointError as error:
        pytest.skip(str(error))


def test_radgraph_xl_as_in_its_readme():
    case = PUBLISHED["radgraph_xl"]
    result = compute("radgraph_f1", "radgraph-xl", case["predictions"], case["references"])
    assert [result[level] for level in ("simple", "partial", "complete")] == pytest.approx(case["expected"], abs=1e-4)


def test_radgraph_xl_rounded():
    case = PUBLISHED["radgraph_xl_rounded"]
    result = compute("radgraph_f1", "radgraph-xl", case["predictions"], case["references"])
    for level in ("simple", "partial", "complete"):
        assert result[level] == pytest.approx(case["expected"][f"radgraph_{level}"], abs=0.006)


def test_radgraph_xl_on_eight_pairs():
    cases = PUBLISHED["eight_pairs"]["cases"]
    reports = [c["prediction"] for c in cases], [c["reference"] for c in cases]
    result = compute("radgraph_f1", "radgraph-xl", *reports)
    assert result["scores"] == pytest.approx([c["scores"]["radgraph"] for c in cases], abs=1e-4)


@pytest.mark.parametrize(("text", "condition"), PUBLISHED["chexbert_positive"]["cases"])
def test_chexbert_finds_the_condition(text, condition):
    result = compute("chexbert_f1", "chexbert", [text], [text])
    assert result[f"f1_{condition.lower().replace(' ', '_')}"] == 1.0


@pytest.mark.parametrize(("text", "positive"), PUBLISHED["radbert_ct"]["cases"])
def test_radbert_ct_finds_the_labels(text, positive):
    result = compute("ct_f1", "radbert-ct", [text], [text])
    assert [i for i, name in enumerate(ctrate_names()) if result[f"f1_{name.lower().replace(' ', '_')}"]] == positive


def test_radcliq_v1():
    case = PUBLISHED["radcliq_v1"]
    result = compute("radcliq", "paper", case["predictions"], case["references"], idf=True)
    assert result["scores"] == pytest.approx(case["expected"], abs=case["tolerance"])
