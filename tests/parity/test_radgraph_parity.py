"""RadGraph beside radgraph 0.1.18, on tiny random checkpoints and upstream's outputs, both kept here."""

import json
from pathlib import Path

import numpy as np
import pytest

from radeval_core import load
from radeval_core.cli import main

KINDS = ("radgraph", "radgraph-xl")
HERE = Path(__file__).parent
UPSTREAM = {kind: json.loads((HERE / kind / "outputs.json").read_text("utf-8")) for kind in KINDS}
LEVELS = ("simple", "partial", "complete")
each = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global radgraph_annotator
    from radeval_core.annotators.radgraph import radgraph_annotator


def annotator(kind):
    return radgraph_annotator(str(HERE / kind), None, "cpu", None, False)


def plain(graph):
    """A graph in upstream's words: entities numbered from 1, places as words, relations with their entity."""
    ends = [i for i, c in enumerate(graph.text + " ") if c == " "]
    entities = {
        str(i + 1): {
            "tokens": e.tokens,
            "label": e.label,
            "start_ix": graph.text.count(" ", 0, e.start),
            "end_ix": ends.index(e.end),
            "relations": [[r.kind, str(r.target + 1)] for r in graph.relations if r.source == i],
        }
        for i, e in enumerate(graph.entities)
    }
    return {"words": graph.text, "entities": entities}


@each
def test_entities_and_relations_of_every_report(kind):
    reports = UPSTREAM[kind]["reports"]
    graphs = annotator(kind).annotate([report["text"] for report in reports])
    for report, graph in zip(reports, graphs, strict=True):
        assert plain(graph) == {"words": report["words"], "entities": report["entities"]}


@each
def test_the_fixture_has_something_to_find(kind):
    reports = UPSTREAM[kind]["reports"]
    entities = [e for report in reports for e in report["entities"].values()]
    assert len(entities) > 500 and sum(len(e["relations"]) for e in entities) > 200
    assert max(annotator(kind).windows(report["text"]) for report in reports) > 1, "no report needs several windows"


@each
def test_rewards_of_every_pair(kind):
    theirs = UPSTREAM[kind]
    metric = load("radgraph_f1", str(HERE / kind), lowercase=False)
    result = metric.compute(theirs["predictions"], theirs["references"])
    for level in LEVELS:
        np.testing.assert_allclose(result[f"{level}_scores"], theirs["rewards"][level], atol=1e-6)
    assert result["scores"] == result["partial_scores"]


@each
def test_combined_is_that_of_cxr_report_metric(kind):
    theirs = UPSTREAM[kind]
    result = load("radgraph_f1", str(HERE / kind)).compute(theirs["predictions"], theirs["references"])
    for ours, combined in zip(result["combined_scores"], theirs["cxr_report_metric"]["combined"], strict=True):
        assert combined is None or ours == pytest.approx(combined, abs=1e-6)


@each
def test_where_upstream_fails_there_is_a_graph_without_entities(kind):
    crashes = list(UPSTREAM[kind]["crashes"])
    assert crashes
    for graph in annotator(kind).annotate(crashes):
        assert (graph.text, graph.entities, graph.relations) == ("", (), ())
    report = UPSTREAM[kind]["references"][0]
    scores = load("radgraph_f1", str(HERE / kind)).compute([*crashes, report], [report] * 3)["scores"]
    assert scores == [0.0, 0.0, 1.0]


def test_a_folder_works_where_a_config_does(tmp_path, capsys):
    """What a user types, with the right folder and with a wrong one."""
    theirs = UPSTREAM["radgraph"]
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    rows = zip(theirs["predictions"], theirs["references"], strict=True)
    pairs.write_text("".join(json.dumps({"prediction": p, "reference": r}) + "\n" for p, r in rows), "utf-8")
    command = ["score", str(pairs), "--metrics", "radgraph_f1", "--out", str(out), "--config"]
    lowercase = ["--option", "radgraph_f1.lowercase=false"]
    assert main([*command, f"radgraph_f1={HERE / 'radgraph'}", *lowercase]) == 0
    rewards = [json.loads(line)["scores"]["radgraph_f1.complete"] for line in out.read_text("utf-8").splitlines()]
    np.testing.assert_allclose(rewards, theirs["rewards"]["complete"], atol=1e-6)
    capsys.readouterr()
    assert main([*command, f"radgraph_f1={tmp_path}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
