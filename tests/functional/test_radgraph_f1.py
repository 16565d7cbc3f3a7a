"""RadGraph F1 on graphs small enough to count by hand."""

import pytest

from radeval_core import load
from radeval_core.findings.types import GraphEntity, RadGraph, Relation
from radeval_core.functional.radgraph import radgraph_f1, set_f1, statements


def graph(entities, relations=()):
    return RadGraph("", tuple(GraphEntity(*e, 0, 0) for e in entities), tuple(Relation(*r) for r in relations))


# Small left effusion; no pneumothorax.
REFERENCE = graph(
    [("Small", "OBS-DP"), ("left", "ANAT-DP"), ("effusion", "OBS-DP"), ("pneumothorax", "OBS-DA")],
    [(0, "modify", 2), (2, "located_at", 1)],
)
# small right effusion; no pneumothorax; without the place of the effusion
PREDICTION = graph(
    [("small", "OBS-DP"), ("right", "ANAT-DP"), ("effusion", "OBS-DP"), ("pneumothorax", "OBS-DA")],
    [(0, "modify", 2)],
)


def both(prediction, reference, lowercase=True):
    return radgraph_f1(statements(prediction, lowercase), statements(reference, lowercase))


def test_every_level():
    scores = both(PREDICTION, REFERENCE)
    # small, effusion, pneumothorax of 4 and 4
    assert scores["simple"] == pytest.approx(3 / 4)
    # effusion has a relation in the reference only: small, pneumothorax
    assert scores["partial"] == pytest.approx(2 / 4)
    # {small modify effusion, right, effusion, pneumothorax} and {small modify effusion, left, effusion located_at
    # left, pneumothorax}: two in common of 4 and 4
    assert scores["complete"] == pytest.approx(2 / 4)
    # as written, `small` is not `Small`: entities 2 of 4 and 4; relations none of 1 and 2
    assert scores["combined"] == pytest.approx((2 / 4 + 0) / 2)


def test_without_lowercase_only_relations_are_in_lower_case():
    scores = both(PREDICTION, REFERENCE, lowercase=False)
    assert scores["simple"] == pytest.approx(2 / 4)
    assert scores["partial"] == pytest.approx(1 / 4)
    assert scores["complete"] == pytest.approx(2 / 4)
    assert scores["combined"] == pytest.approx(1 / 4)


def test_relations_of_combined_compare_labels_of_both_ends():
    one = graph([("mass", "OBS-DP"), ("lobe", "ANAT-DP")], [(0, "located_at", 1)])
    other = graph([("mass", "OBS-U"), ("lobe", "ANAT-DP")], [(0, "located_at", 1)])
    assert both(one, other)["combined"] == pytest.approx((1 / 2 + 0) / 2)
    assert both(one, one)["combined"] == 1


def test_statements_are_sets():
    once = graph([("mass", "OBS-DP"), ("lobe", "ANAT-DP")], [(0, "located_at", 1)])
    twice = graph([("mass", "OBS-DP"), ("mass", "OBS-DP"), ("lobe", "ANAT-DP")], [(0, "located_at", 2)] * 2)
    assert both(once, twice) == {
        "simple": 1,
        "partial": pytest.approx(4 / 5),  # the second mass has no relation
        "complete": pytest.approx(4 / 5),
        "combined": 1,
    }


def test_combined_is_one_half_for_identical_graphs_without_relations():
    alone = graph([("cardiomegaly", "OBS-DP")])
    assert both(alone, alone) == {"simple": 1, "partial": 1, "complete": 1, "combined": 0.5}


@pytest.mark.parametrize("other", [graph([]), REFERENCE])
def test_nothing_matches_a_graph_without_entities(other):
    assert set(both(graph([]), other).values()) == {0.0}
    assert set(both(other, graph([])).values()) == {0.0}


def test_set_f1():
    assert set_f1({1, 2, 3}, {2, 3, 4, 5}) == pytest.approx(2 * 2 / 7)
    assert set_f1(set(), set()) == set_f1({1}, set()) == set_f1({1}, {2}) == 0


def test_embedded_by_hand():
    """`left` instead of `right` changes one of four entities, and the relation that has it as its target."""
    result = load("radgraph_f1").compute(
        ["Small left pleural effusion."], ["Small right pleural effusion."], detailed=True
    )
    assert result["scores"] == [pytest.approx(3 / 4)]
    (detail,) = result["details"]
    assert [e["tokens"] for e in detail["prediction"]["entities"]] == ["Small", "left", "pleural", "effusion"]
    for entity in detail["prediction"]["entities"]:
        assert detail["prediction"]["text"][entity["start"] : entity["end"]] == entity["tokens"]
    assert ["small", "OBS-DP"] in detail["matched"]["simple"]
    assert ["small", "OBS-DP", "modify", "effusion"] in detail["matched"]["complete"]
    assert detail["prediction"]["windows"] == 1


def test_case_is_in_the_signature():
    texts = ["EFFUSION."], ["Effusion."]
    lower, as_before = (load("radgraph_f1", lowercase=lowercase).compute(*texts) for lowercase in (True, False))
    assert (lower["radgraph_f1"], as_before["radgraph_f1"]) == (1.0, 0.0)
    assert lower["combined"] == as_before["combined"] == 0.0
    assert "|case:lower|combined:as-written|" in lower["signature"] and "|case:0.1.18|" in as_before["signature"]


@pytest.mark.e2e
def test_embedded_needs_no_torch():
    import subprocess
    import sys

    code = (
        "import sys; sys.modules.update(torch=None, transformers=None);"
        "from radeval_core import load; print(load('radgraph_f1').compute(['Effusion.'], ['Effusion.'])['radgraph_f1'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1.0", done.stderr
